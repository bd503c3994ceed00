import CLibgit2

/// A remote in git's configuration; it is not contacted.
package struct Remote: Sendable, Equatable {
  /// The remote's name (`origin`).
  package let name: String
  /// The fetch URL after `url.….insteadOf`, or `nil` if none is set.
  package let url: String?
  /// All URLs in the configuration, also those for pushes alone.
  package let configuredURLs: [String]

  package init(name: String, url: String?, configuredURLs: [String]) {
    self.name = name
    self.url = url
    self.configuredURLs = configuredURLs
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
    let addresses = handle.configEntries("remote.", ".url")
    let named = addresses + handle.configEntries("remote.", ".pushurl")
    let rewrites = handle.configEntries("url.", ".insteadof")
    return Set(named.map(\.name)).sorted().map { name in
      Remote(
        name: name,
        // Of several, git fetches from the first.
        url: addresses.first { $0.name == name }?.value.map { url in
          // Of the bases that replace a beginning of the address, the one with the longest.
          let rewrite = rewrites.filter {
            !($0.value ?? "").isEmpty && url.hasPrefix($0.value ?? "")
          }
          .max { ($0.value ?? "").utf8.count < ($1.value ?? "").utf8.count }
          return rewrite.map { $0.name + url.dropFirst($0.value?.count ?? 0) } ?? url
        }, configuredURLs: named.filter { $0.name == name }.compactMap(\.value))
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
    for entry in handle.configEntries("remote.\(remote)", ".fetch") where entry.name.isEmpty {
      var refspec: OpaquePointer?
      guard git_refspec_parse(&refspec, entry.value, 1) >= 0 else { continue }
      defer { git_refspec_free(refspec) }
      guard git_refspec_src_matches(refspec, branch) == 1 else { continue }
      var name = git_buf()
      defer { git_buf_dispose(&name) }
      if git_refspec_transform(&name, refspec, branch) >= 0, let found = name.ptr {
        return String(cString: found)
      }
    }
    return nil
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
}
