import DiaryCore

/// An entry that a merge asks the user to review.
package struct MergedEntry: Sendable, Hashable {
  /// The path in the journal.
  package let path: EntryPath
  /// The entry's content after the merge.
  package let blob: ObjectID
}

extension GitRepository {
  /// Returns the entries to review from the merges that `tip` has and `known` lacks. A merge by
  /// Diary lists them in its message. For a merge by another program, Diary repeats the merge and
  /// lists the entries with conflicts that the commit contains. Without `known`, at most
  /// ``maxCommitsRead`` commits of the history are read, and only merges by Diary count.
  package func entriesToReview(
    reachableFrom tip: CommitID, excluding known: CommitID?, rules: MergeRules
  ) throws(GitError) -> [MergedEntry] {
    var found: [MergedEntry] = []
    var repeatedCount = 0
    let commits = try commits(reachableFrom: tip, excluding: [known].compactMap(\.self))
    for id in commits.prefix(Self.maxCommitsRead) {
      let parents = try parents(of: id)
      guard parents.count > 1 else { continue }
      var paths = DiaryCore.entriesToReview(inMessage: try message(of: id))
      if paths == nil, parents.count == 2, known != nil, repeatedCount < Self.maxRepeatedMerges {
        repeatedCount += 1
        paths = try reviewFromRepeatedMerge(parents, rules)
      }
      let tree = try tree(of: id)
      for path in paths ?? [] {
        guard let entry = try fileEntry(at: location.repositoryPath(path), in: tree) else {
          continue
        }
        found.append(MergedEntry(path: path, blob: entry.id))
      }
    }
    return found
  }

  /// The number of commits that are read if no known commit is given.
  static let maxCommitsRead = 20_000
  /// The number of other programs' merges that are repeated at once.
  static let maxRepeatedMerges = 50

  private func reviewFromRepeatedMerge(
    _ parents: [CommitID], _ rules: MergeRules
  ) throws(GitError) -> [EntryPath] {
    let parents = parents.sorted()
    // Of several bases the first is used, as by git's own driver.
    guard let base = try mergeBases(parents[0], [parents[1]]).first else { return [] }
    var scratch = ObjectBatch()
    return try mergeTrees(
      base: tree(of: base), tree(of: parents[0]), tree(of: parents[1]), rules, &scratch
    ).merge.conflictPaths.sorted()
  }
}
