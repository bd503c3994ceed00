import CLibgit2

extension GitRepository {
  /// Returns the saves ref of a branch (or of a detached HEAD).
  ///
  /// `work` and `work/x` cannot both be refs. If the user deleted one of these branches and its
  /// saves exist, the other's saves ref has escaped slashes and a `%` at its end.
  func savesReference(_ head: Head) throws(GitError) -> String {
    let branch = head.branchName
    let folder = "refs/diary/saves/" + location.worktreeName + "/"
    let (plain, escaped) = (folder + branch, folder + branch.replacing("/", with: "%2F") + "%")
    if try target(of: escaped) != nil { return escaped }
    if try target(of: plain) != nil { return plain }
    var above = parent(of: plain)
    while above.utf8.count >= folder.utf8.count {
      if try target(of: above) != nil { return escaped }
      above = parent(of: above)
    }
    return try referenceNames(plain + "/*").isEmpty ? plain : escaped
  }

  /// Returns the names of the saves refs of all branches and work trees.
  func savesReferences() throws(GitError) -> [String] {
    try referenceNames("refs/diary/saves/*").sorted()
  }

  /// Returns the branch of a saves ref: the inverse of `savesReference`.
  static func branch(ofSaves name: String) -> String {
    let parts = name.split(separator: "/", maxSplits: 4)
    let branch = parts.count == 5 ? String(parts[4]) : name
    return branch.hasSuffix("%")
      ? String(branch.dropLast()).replacing("%2F", with: "/") : branch
  }

  /// Removes the refs of the saves of all branches; `diary leave` asks first.
  package func removeSavesRefs() throws(GitError) {
    for name in try referenceNames("refs/diary/*") {
      try GitError.check(git_reference_remove(repository, name), "remove", name)
    }
  }

  /// Returns the names of all refs that match the pattern.
  func referenceNames(_ pattern: String) throws(GitError) -> [String] {
    var iterator: OpaquePointer?
    try GitError.check(
      git_reference_iterator_glob_new(&iterator, repository, pattern), "list", pattern)
    defer { git_reference_iterator_free(iterator) }
    var names: [String] = []
    var name: UnsafePointer<CChar>?
    while git_reference_next_name(&name, iterator) == 0 {
      if let name { names.append(String(cString: name)) }
    }
    return names
  }
}
