import DiaryCore

/// A path that a merge of git's left unmerged, with its stages.
package struct UnmergedFile: Sendable, Equatable {
  /// From the top of the repository.
  package let path: EntryPath
  /// Of the common ancestor; `nil` where that side has no file.
  package let base: TreeEntry?
  /// Of the branch that is merged into (in a rebase: of what is rebased onto).
  package let ours: TreeEntry?
  /// Of the other side.
  package let theirs: TreeEntry?
}

extension GitRepository {
  /// What git's index holds unmerged, in order of the paths.
  package func unmerged() throws(GitError) -> [UnmergedFile] {
    guard case .readable(let index) = try openIndex() else { return [] }
    var sides: [EntryPath: [Int: TreeEntry]] = [:]
    for (path, stage, entry) in index.conflicts() {
      sides[path, default: [:]][stage] = entry
    }
    return sides.map { path, stages in
      UnmergedFile(path: path, base: stages[1], ours: stages[2], theirs: stages[3])
    }.sorted { $0.path < $1.path }
  }
}
