import CLibgit2
import DiaryCore

/// Texts that only the saves of one branch hold.
public struct KeptElsewhere: Sendable, Equatable {
  /// The branch's name; `HEAD` for saves that were made on none.
  public let branch: String
  /// The files, as the repository spells them.
  public let paths: [EntryPath]
}

extension GitRepository {
  /// What is kept on any saves ref, of any branch and work tree, that neither that branch nor the
  /// present one holds: it would be lost with the refs.
  public func keptNowhereElse() throws(GitError) -> [KeptElsewhere] {
    let here = try tree(of: head().commit)
    var found: [KeptElsewhere] = []
    for name in try referenceNames("refs/diary/saves/*") {
      guard let id = try target(of: name) else { continue }
      let branch = Self.branch(ofSaves: name)
      let there = branch == "HEAD" ? here : try tree(of: target(of: "refs/heads/" + branch))
      let open = try unsettled(saveCommit(id), there)
      var paths: [EntryPath] = []
      for (path, entry) in open {
        // A deletion takes no words with it.
        guard let entry, try leaf(at: path, in: here) != entry else { continue }
        paths.append(path)
      }
      if !paths.isEmpty { found.append(KeptElsewhere(branch: branch, paths: paths.sorted())) }
    }
    return found
  }

  /// The names of all references that the pattern takes.
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

  /// The inverse of `savesReference`.
  private static func branch(ofSaves name: String) -> String {
    let parts = name.split(separator: "/", maxSplits: 4)
    let branch = parts.count == 5 ? String(parts[4]) : name
    return branch.hasSuffix("%")
      ? String(branch.dropLast()).replacing("%2F", with: "/") : branch
  }
}
