import CLibgit2

/// A remote in git's configuration; it is not contacted.
package struct Remote: Sendable, Equatable {
  /// The remote's name (`origin`).
  package let name: String
  /// The fetch URL after `url.….insteadOf`, or `nil` if none is set.
  package let url: String?

  package init(name: String, url: String?) {
    self.name = name
    self.url = url
  }
}

/// The upstream of a branch.
package struct Upstream: Sendable, Equatable {
  /// The remote's name.
  package let remote: String
  /// The branch of the remote (`refs/heads/main`).
  package let branch: String

  package init(remote: String, branch: String) {
    self.remote = remote
    self.branch = branch
  }
}

extension GitRepository {
  /// Returns the remotes, sorted by name.
  package func remotes() throws(GitError) -> [Remote] {
    var names = git_strarray()
    defer { git_strarray_dispose(&names) }
    try GitError.check(
      git_remote_list(&names, repository), "list the remotes of", location.workTree)
    let listed = UnsafeBufferPointer(start: names.strings, count: names.count).compactMap {
      $0.map { String(cString: $0) }
    }
    return try listed.sorted().map { name throws(GitError) in
      try withRemote(name) { remote throws(GitError) in
        Remote(name: name, url: text(git_remote_url(remote)))
      } ?? Remote(name: name, url: nil)
    }
  }

  /// Returns the upstream of `branch` (a short name), or `nil` if none is set.
  package func upstream(of branch: String) throws(GitError) -> Upstream? {
    guard let remote = configValue("branch.\(branch).remote"),
      let upstreamBranch = configValue("branch.\(branch).merge")
    else { return nil }
    return Upstream(remote: remote, branch: upstreamBranch)
  }

  /// Returns the tracking ref that a fetch from `remote` updates for `branch` (`refs/heads/main`),
  /// or `nil` if there is none or the remote does not exist.
  package func trackingReference(
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

  /// Returns the commit of a ref (`refs/remotes/origin/main`), or `nil` if there is none.
  package func commit(of reference: String) throws(GitError) -> CommitID? {
    try target(of: reference)
  }

  /// Sets the upstream of `branch` (a short name) to `there` (`refs/heads/main`) of a remote.
  package func setUpstream(
    of branch: String, remote: String, branch there: String
  ) throws(GitError) {
    try setLocalConfig([
      (key: "branch.\(branch).remote", value: remote),
      (key: "branch.\(branch).merge", value: there),
    ])
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
