import CLibgit2
import DiaryCore
import Glibc

/// A remote as git's configuration has it; nothing here asks it.
public struct Remote: Sendable, Equatable {
  /// Its name (`origin`).
  public let name: String
  /// Where it is fetched from, after `url.….insteadOf`; `nil` when none is set.
  public let url: String?
  /// Where it is pushed to, where that is another place.
  public let pushURL: String?
  /// What a fetch brings (`+refs/heads/*:refs/remotes/origin/*`).
  public let fetch: [String]

  /// A remote from its parts.
  public init(name: String, url: String?, pushURL: String?, fetch: [String]) {
    self.name = name
    self.url = url
    self.pushURL = pushURL
    self.fetch = fetch
  }
}

/// What a branch follows.
public struct Upstream: Sendable, Equatable {
  /// The remote's name.
  public let remote: String
  /// The branch there (`refs/heads/main`).
  public let branch: String
  /// The reference that remembers it here (`refs/remotes/origin/main`); `nil` when the remote's
  /// fetch lines bring it nowhere.
  public let reference: String?
  /// What that reference names; `nil` before the first fetch.
  public let commit: CommitID?

  /// An upstream from its parts.
  public init(remote: String, branch: String, reference: String?, commit: CommitID?) {
    self.remote = remote
    self.branch = branch
    self.reference = reference
    self.commit = commit
  }
}

extension GitRepository {
  /// The remotes, by name.
  public func remotes() throws(GitError) -> [Remote] {
    var names = git_strarray()
    defer { git_strarray_dispose(&names) }
    try GitError.check(
      git_remote_list(&names, repository), "list the remotes of", place.workTree)
    let listed = UnsafeBufferPointer(start: names.strings, count: names.count).compactMap {
      $0.map { String(cString: $0) }
    }
    return try listed.sorted().map { name throws(GitError) in
      try withRemote(name) { remote throws(GitError) in
        Remote(
          name: name, url: text(git_remote_url(remote)), pushURL: text(git_remote_pushurl(remote)),
          fetch: refspecs(remote).map { text(git_refspec_string($0)) ?? "" })
      } ?? Remote(name: name, url: nil, pushURL: nil, fetch: [])
    }
  }

  /// What `branch` (a short name) follows; `nil` when nothing is set.
  public func upstream(of branch: String) throws(GitError) -> Upstream? {
    guard let remote = configured("branch.\(branch).remote"),
      let there = configured("branch.\(branch).merge")
    else { return nil }
    let reference = try trackingReference(of: there, at: remote)
    return Upstream(
      remote: remote, branch: there, reference: reference,
      commit: try reference.map { name throws(GitError) in try target(of: name) } ?? nil)
  }

  /// Where a fetch from `remote` puts its reference `branch` (`refs/heads/main`); `nil` when it brings
  /// it nowhere, or there is no such remote.
  public func trackingReference(
    of branch: String, at remote: String
  ) throws(GitError) -> String? {
    // `.` is the repository itself.
    if remote == "." { return branch }
    return try withRemote(remote) { remote throws(GitError) in
      for refspec in refspecs(remote) where git_refspec_src_matches(refspec, branch) == 1 {
        var name = git_buf()
        defer { git_buf_dispose(&name) }
        if git_refspec_transform(&name, refspec, branch) >= 0, let found = text(name.ptr) {
          return found
        }
      }
      return nil
    } ?? nil
  }

  /// The commit that a reference (`refs/remotes/origin/main`) names; `nil` when there is none.
  public func commit(of reference: String) throws(GitError) -> CommitID? {
    try target(of: reference)
  }

  /// The branch that the remote's HEAD named when somebody last asked (`refs/heads/main`); `nil` when
  /// nobody did.
  public func headBranch(of remote: String) throws(GitError) -> String? {
    var found: OpaquePointer?
    let code = git_reference_lookup(&found, repository, "refs/remotes/\(remote)/HEAD")
    if code == GIT_ENOTFOUND.rawValue { return nil }
    try GitError.check(code, "read the HEAD of", remote)
    defer { git_reference_free(found) }
    let folder = "refs/remotes/\(remote)/"
    guard let name = text(git_reference_symbolic_target(found)), name.hasPrefix(folder) else {
      return nil
    }
    return "refs/heads/" + name.dropFirst(folder.count)
  }

  /// Lets `branch` (a short name) follow `there` (`refs/heads/main`) of a remote.
  public func setUpstream(
    of branch: String, remote: String, branch there: String
  ) throws(GitError) {
    try setLocalConfig([
      (key: "branch.\(branch).remote", value: remote),
      (key: "branch.\(branch).merge", value: there),
    ])
  }

  /// Whether objects may be missing here that the remote has: a partial clone.
  public func isPartial() throws(GitError) -> Bool {
    if configured("extensions.partialClone") != nil { return true }
    return try remotes().contains { remote in
      isConfigured("remote.\(remote.name).promisor", unset: false)
        || configured("remote.\(remote.name).partialclonefilter") != nil
    }
  }

  /// Whether a commit or the index has submodules.
  public func hasSubmodules(_ commit: CommitID?) throws(GitError) -> Bool {
    if let modules = EntryPath(".gitmodules"), try leaf(at: modules, in: tree(of: commit)) != nil {
      return true
    }
    guard case .readable(let index) = try openIndex() else { return false }
    return index.entries().contains { $0.entry.entry.mode == TreeEntry.submodule }
  }

  private func withRemote<Value>(
    _ name: String, _ body: (OpaquePointer?) throws(GitError) -> Value
  ) throws(GitError) -> Value? {
    var remote: OpaquePointer?
    let code = git_remote_lookup(&remote, repository, name)
    if code == GIT_ENOTFOUND.rawValue || code == GIT_EINVALIDSPEC.rawValue { return nil }
    try GitError.check(code, "read the remote", name)
    defer { git_remote_free(remote) }
    return try body(remote)
  }

  private func refspecs(_ remote: OpaquePointer?) -> [OpaquePointer] {
    (0..<git_remote_refspec_count(remote)).compactMap { position in
      git_remote_get_refspec(remote, position).flatMap {
        git_refspec_direction($0) == GIT_DIRECTION_FETCH ? $0 : nil
      }
    }
  }

  private func text(_ bytes: UnsafePointer<CChar>?) -> String? {
    bytes.map { String(cString: $0) }
  }
}
