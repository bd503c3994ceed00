import CLibgit2
import DiaryCore

/// A path that a merge of git's left unmerged, with its stages.
public struct UnmergedFile: Sendable, Equatable {
  /// From the top of the repository.
  public let path: EntryPath
  /// Of the common ancestor; `nil` where that side has no file.
  public let base: KeptFile?
  /// Of the branch that is merged into (in a rebase: of what is rebased onto).
  public let ours: KeptFile?
  /// Of the other side.
  public let theirs: KeptFile?
}

private typealias Side = UnsafePointer<git_index_entry>

extension GitRepository {
  /// What git's index holds unmerged, in order of the paths.
  public func unmerged() throws(GitError) -> [UnmergedFile] {
    guard case .readable(let index) = try openIndex() else { return [] }
    var iterator: OpaquePointer?
    try GitError.check(
      git_index_conflict_iterator_new(&iterator, index.pointer), "list what is unmerged in",
      indexPath)
    defer { git_index_conflict_iterator_free(iterator) }
    var found: [UnmergedFile] = []
    while true {
      var (base, ours, theirs): (Side?, Side?, Side?)
      let code = git_index_conflict_next(&base, &ours, &theirs, iterator)
      if code == GIT_ITEROVER.rawValue { break }
      try GitError.check(code, "list what is unmerged in", indexPath)
      let first = [base, ours, theirs].lazy.compactMap { $0 }.first
      guard let path = first?.pointee.path.flatMap({ EntryPath(cString: $0) }) else { continue }
      let file = { (side: Side?) in
        side.map { KeptFile(TreeEntry(id: ObjectID($0.pointee.id), mode: $0.pointee.mode)) }
      }
      found.append(
        UnmergedFile(
          path: path, base: file(base), ours: file(ours), theirs: file(theirs)))
    }
    return found.sorted { $0.path < $1.path }
  }
}
