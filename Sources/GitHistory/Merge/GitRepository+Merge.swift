import CLibgit2
import DiaryCore

/// What became of two commits.
package enum MergeResult: Sendable, Equatable {
  case merged(MergeCommit)
  /// Both changed these files outside the journal (paths of the repository), and not to the same:
  /// that is the writer's to merge. No commit was made.
  case conflicting([EntryPath])
}

/// A commit that joins two devices' saves; no reference names it yet.
package struct MergeCommit: Sendable, Equatable {
  /// The commit.
  package let id: CommitID
  /// Its tree.
  package let tree: ObjectID
  /// Its parents, in the order of their ids.
  package let parents: [CommitID]
  /// What happened inside the journal: side a is the first parent. Paths are the journal's.
  package let merge: TreeMerge
}

extension GitRepository {
  /// Who makes merges.
  package static let mergeSignature = GitSignature(
    name: "Diary", email: "diary@localhost", isFallback: false)

  /// Merges two commits and makes the commit of it, durably, but moves no reference. The same two make
  /// the same commit on every device: parents in the order of their ids, the message of
  /// ``mergeMessage(review:)``, the greater committer time of the two in +0000, by Diary.
  ///
  /// `rules` must come from what the commits hold, never from a device. `writer`: in whose name the
  /// commit is made where Diary's own is not wanted; then only its content is the same everywhere.
  package func mergeCommit(
    _ one: CommitID, _ other: CommitID, rules: MergeRules, by signature: GitSignature? = nil
  ) throws(GitError) -> MergeResult {
    let parents = [one, other].sorted()
    var (objects, scratch) = (ObjectBatch(), ObjectBatch())
    var budget = 64
    let base = try baseTree(parents[0], [parents[1]], rules, &budget, &scratch)
    let merged = try mergeTrees(
      base: base, tree(of: parents[0]), tree(of: parents[1]), rules, &objects)
    guard merged.conflicting.isEmpty else { return .conflicting(merged.conflicting) }
    var seconds = Int.min
    for parent in parents { seconds = max(seconds, try commitTime(parent)) }
    let commit = try writeCommit(
      tree: merged.tree, parents: parents,
      message: mergeMessage(review: Array(merged.merge.conflictPaths)),
      by: signature ?? Self.mergeSignature, at: CommitTime(seconds: seconds, offsetMinutes: 0),
      &objects)
    try store(objects)
    // Until a reference holds them.
    lastObjects.contents.merge(objects.contents) { old, _ in old }
    return .merged(
      MergeCommit(id: commit, tree: merged.tree, parents: parents, merge: merged.merge))
  }

  /// Among the commits that `theirs` has and `ours` lacks, the merge of the same parents as `merge`:
  /// another device was as fast.
  package func equivalentMerge(
    of merge: CommitID, in theirs: CommitID, excluding ours: CommitID
  ) throws(GitError) -> CommitID? {
    let parents = try parents(of: merge).sorted()
    guard parents.count > 1 else { return nil }
    for id in try commits(reachableFrom: theirs, excluding: [ours]) {
      if try self.parents(of: id).sorted() == parents { return id }
    }
    return nil
  }

  /// The tree that `commit` and `others` have in common: of several bases, what Diary makes of them,
  /// folded in the order of their ids. Contested files outside the journal are in none.
  private func baseTree(
    _ commit: CommitID, _ others: [CommitID], _ rules: MergeRules, _ budget: inout Int,
    _ objects: inout ObjectBatch
  ) throws(GitError) -> ObjectID? {
    let bases = try mergeBases(commit, others)
    guard let first = bases.first else { return nil }
    var folded = try tree(of: first)
    for (count, next) in bases.enumerated().dropFirst() {
      // A history that crosses itself without end is merged from one of its bases.
      guard budget > 0 else { break }
      budget -= 1
      let base = try baseTree(next, Array(bases[..<count]), rules, &budget, &objects)
      folded = try mergeTrees(base: base, folded, tree(of: next), rules, &objects).tree
      try store(objects)
    }
    return folded
  }

  private func commitTime(_ id: CommitID) throws(GitError) -> Int {
    try withCommit(id) { Int(git_commit_time($0)) }
  }

  func parents(of id: CommitID) throws(GitError) -> [CommitID] {
    try withCommit(id) { parents(of: $0) }
  }

  func parents(of commit: OpaquePointer?) -> [CommitID] {
    (0..<git_commit_parentcount(commit)).compactMap {
      git_commit_parent_id(commit, $0).map { ObjectID($0.pointee) }
    }
  }

  /// Lets `body` see a commit.
  func withCommit<Value>(
    _ id: CommitID, _ body: (OpaquePointer?) throws(GitError) -> Value
  ) throws(GitError) -> Value {
    var raw = id.raw
    var object: OpaquePointer?
    try GitError.check(git_commit_lookup(&object, repository, &raw), "read the commit", id.short)
    defer { git_commit_free(object) }
    return try body(object)
  }
}
