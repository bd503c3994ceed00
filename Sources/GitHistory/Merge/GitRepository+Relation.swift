import CLibgit2
import DiaryCore

/// How one commit stands to another.
package enum CommitRelation: Sendable, Equatable {
  case same
  /// It has so many commits more, and lacks none.
  case ahead(Int)
  /// It lacks so many commits, and has none more.
  case behind(Int)
  case diverged(ahead: Int, behind: Int)
  /// They have no commit in common.
  case unrelated
}

extension GitRepository {
  /// How `ours` stands to `theirs`. In a shallow clone, as far as its history reaches.
  package func relation(of ours: CommitID, to theirs: CommitID) throws(GitError) -> CommitRelation {
    if ours == theirs { return .same }
    let (ahead, behind) = try distance(ours, theirs)
    if behind == 0 { return .ahead(ahead) }
    if ahead == 0 { return .behind(behind) }
    return try mergeBases(ours, [theirs]).isEmpty
      ? .unrelated : .diverged(ahead: ahead, behind: behind)
  }

  /// Whether `old` is `new` or one of the commits before it. A branch that went from `old` to `new`
  /// otherwise was rewritten.
  package func isAncestor(_ old: CommitID, of new: CommitID) throws(GitError) -> Bool {
    if old == new { return true }
    return try distance(old, new).ahead == 0
  }

  /// Whether this clone lacks the history before some of its commits.
  package func isShallow() -> Bool { git_repository_is_shallow(repository) == 1 }

  private func distance(
    _ ours: CommitID, _ theirs: CommitID
  ) throws(GitError) -> (ahead: Int, behind: Int) {
    if isShallow() {
      let reader = try ObjectReader(repository, location)
      let (here, there) = (try reader.ancestors([ours]), try reader.ancestors([theirs]))
      return (here.subtracting(there).count, there.subtracting(here).count)
    }
    var (one, other) = (ours.raw, theirs.raw)
    var (ahead, behind) = (0, 0)
    try GitError.check(
      git_graph_ahead_behind(&ahead, &behind, repository, &one, &other), "compare", ours.short)
    return (ahead, behind)
  }

  /// The best commits that `commit` has in common with any of `others`, in the order of their ids.
  func mergeBases(
    _ commit: CommitID, _ others: [CommitID]
  ) throws(GitError) -> [CommitID] {
    if isShallow() { return try shallowMergeBases(commit, others) }
    var found = git_oidarray()
    defer { git_oidarray_dispose(&found) }
    let ids = ([commit] + others).map(\.raw)
    let code = git_merge_bases_many(&found, repository, ids.count, ids)
    if code == GIT_ENOTFOUND.rawValue { return [] }
    try GitError.check(code, "find what is common to", commit.short)
    return UnsafeBufferPointer(start: found.ids, count: found.count).map { ObjectID($0) }.sorted()
  }

  /// libgit2 walks past the edge of a shallow clone, and fails there.
  private func shallowMergeBases(
    _ commit: CommitID, _ others: [CommitID]
  ) throws(GitError) -> [CommitID] {
    let reader = try ObjectReader(repository, location)
    let common = try reader.ancestors([commit]).intersection(reader.ancestors(others))
    // One that is before another common one is a parent of some common one.
    var best = common
    for id in common { best.subtract(try reader.commit(id).parents) }
    return best.sorted()
  }
}

extension ObjectReader {
  /// The commits and all those before them.
  func ancestors(_ starts: [CommitID]) throws(GitError) -> Set<ObjectID> {
    var open = starts
    var found = Set(open)
    while let next = open.popLast() {
      for parent in try commit(next).parents where found.insert(parent).inserted {
        open.append(parent)
      }
    }
    return found
  }
}
