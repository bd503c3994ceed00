import DiaryCore

/// A path that a merge by git left unmerged, with its stages.
package struct UnmergedFile: Sendable, Equatable {
  /// The path in the repository.
  package let path: EntryPath
  /// The version of the common ancestor, or `nil` if it has no file.
  package let base: TreeEntry?
  /// The version of the branch that is merged into (in a rebase: of the one rebased onto).
  package let ours: TreeEntry?
  /// The version of the other side.
  package let theirs: TreeEntry?
}

extension GitRepository {
  /// Returns the unmerged files in git's index, sorted by path.
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
