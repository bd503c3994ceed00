import CLibgit2
import DiaryCore

/// The result of a merge of two commits.
package enum MergeResult: Sendable, Equatable {
  case merged(MergeCommit)
  /// Both sides changed these files outside the journal (paths of the repository) differently. The
  /// user must merge them; no commit was made.
  case conflicting([EntryPath])
}

/// A merge commit of two devices' saves that no ref names yet.
package struct MergeCommit: Sendable, Equatable {
  /// The id of the commit.
  package let id: CommitID
  /// The parents, sorted by id.
  package let parents: [CommitID]
  /// The changes inside the journal: side a is the first parent. Paths are the journal's.
  package let merge: TreeMerge
}

extension GitRepository {
  /// The author of merges.
  private static let mergeSignature = GitSignature(name: "Diary", email: "diary@localhost")

  /// Merges two commits and writes the merge commit durably, but moves no ref. The same two commits
  /// give the same merge commit on every device: parents sorted by id, the message of
  /// ``mergeMessage(review:)``, the later committer time of the two in +0000, by Diary.
  ///
  /// `rules` must come from the content of the commits, never from a device. Another author than
  /// Diary can be given; then only the commit's content is the same everywhere.
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
    // They stay in memory until a ref leads to them.
    lastObjects.contents.merge(objects.contents) { old, _ in old }
    return .merged(MergeCommit(id: commit, parents: parents, merge: merged.merge))
  }

  /// Returns the merge of the same parents as `merge`, made by another device, among the commits
  /// that `theirs` has and `ours` lacks.
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

  /// Returns the common tree of `commit` and `others`. Several bases are merged by Diary, in the
  /// order of their ids. Conflicting files outside the journal are left out.
  private func baseTree(
    _ commit: CommitID, _ others: [CommitID], _ rules: MergeRules, _ budget: inout Int,
    _ objects: inout ObjectBatch
  ) throws(GitError) -> ObjectID? {
    let bases = try mergeBases(commit, others)
    guard let first = bases.first else { return nil }
    var folded = try tree(of: first)
    for (count, next) in bases.enumerated().dropFirst() {
      // An endlessly criss-crossed history is merged from one of its bases.
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

  /// Calls `body` with a commit.
  func withCommit<Value>(
    _ id: CommitID, _ body: (OpaquePointer?) throws(GitError) -> Value
  ) throws(GitError) -> Value {
    var raw = id.raw
    var object: OpaquePointer?
    try GitError.check(
      GitError.read(&object) { git_commit_lookup(&$0, repository, &raw) }, "read the commit",
      id.short)
    defer { git_commit_free(object) }
    return try body(object)
  }
}
