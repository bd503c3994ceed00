import CLibgit2
import DiaryCore

/// An entry that a merge asks the user to look at.
package struct MergedEntry: Sendable, Hashable {
  /// The entry, in the journal.
  package let path: EntryPath
  /// What the merge made of it.
  package let blob: ObjectID
}

extension GitRepository {
  /// The entries to look at of the merges that `tip` has and `known` lacks: those that the message of
  /// one of Diary's own names, and of another's what Diary itself makes of the same two parents, where
  /// that is what the commit holds. Without `known` the whole history is read, at most
  /// ``mostCommitsRead`` commits, and merges of others are passed over.
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

  /// How many commits are read when none is known yet.
  static let maxCommitsRead = 20_000
  /// How many merges of others are made again at once.
  static let maxRepeatedMerges = 50

  private func reviewFromRepeatedMerge(
    _ parents: [CommitID], _ rules: MergeRules
  ) throws(GitError) -> [EntryPath] {
    let parents = parents.sorted()
    // Of several bases the first will do: git's own driver saw one, too.
    guard let base = try mergeBases(parents[0], [parents[1]]).first else { return [] }
    var scratch = ObjectBatch()
    return try mergeTrees(
      base: tree(of: base), tree(of: parents[0]), tree(of: parents[1]), rules, &scratch
    ).merge.conflictPaths.sorted()
  }
}
