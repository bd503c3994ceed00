import CLibgit2
import DiaryCore

/// The relation of one commit to another.
package enum CommitRelation: Sendable, Equatable {
  case same
  /// The first commit has this many more commits and lacks none.
  case ahead(Int)
  /// The first commit lacks this many commits and has no other.
  case behind(Int)
  case diverged(ahead: Int, behind: Int)
  /// The commits have no common ancestor.
  case unrelated
}

extension GitRepository {
  /// Returns the relation of `ours` to `theirs`; in a shallow clone, as far as its history reaches.
  package func relation(of ours: CommitID, to theirs: CommitID) throws(GitError) -> CommitRelation {
    if ours == theirs { return .same }
    let (ahead, behind) = try distance(ours, theirs)
    if behind == 0 { return .ahead(ahead) }
    if ahead == 0 { return .behind(behind) }
    return try mergeBases(ours, [theirs]).isEmpty
      ? .unrelated : .diverged(ahead: ahead, behind: behind)
  }

  /// True if `old` is `new` or one of its ancestors. If a branch moved from `old` to `new` and this
  /// is false, it was rewritten.
  package func isAncestor(_ old: CommitID, of new: CommitID) throws(GitError) -> Bool {
    if old == new { return true }
    return try distance(old, new).ahead == 0
  }

  /// True if this clone lacks the history before some of its commits.
  package func isShallow() -> Bool { git_repository_is_shallow(repository) == 1 }

  /// Returns how many commits only one of two has among its ancestors. It reads all of them:
  /// libgit2's walk follows the commits' dates, and miscounts if a clock was wrong.
  private func distance(
    _ ours: CommitID, _ theirs: CommitID
  ) throws(GitError) -> (ahead: Int, behind: Int) {
    let reader = try ObjectReader(repository, location)
    let (here, there) = (try reader.ancestors([ours]), try reader.ancestors([theirs]))
    return (here.subtracting(there).count, there.subtracting(here).count)
  }

  /// Returns the best common ancestors of `commit` and any of `others`, sorted by id.
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

  /// Returns the content that the files had in the best common ancestor of two commits.
  ///
  /// - Parameter paths: the repository's. A path without a file there has no answer.
  package func commonBlobs(
    at paths: [EntryPath], of ours: CommitID, and theirs: CommitID
  ) throws(GitError) -> [EntryPath: ObjectID] {
    guard !paths.isEmpty, let base = try mergeBases(ours, [theirs]).first else { return [:] }
    let (tree, folders) = (try tree(of: base), TreeCache())
    var found: [EntryPath: ObjectID] = [:]
    for path in paths {
      if let file = try fileEntry(at: path, in: tree, folders), file.kind.isFile {
        found[path] = file.id
      }
    }
    return found
  }

  /// libgit2 walks past the boundary of a shallow clone, and fails there.
  private func shallowMergeBases(
    _ commit: CommitID, _ others: [CommitID]
  ) throws(GitError) -> [CommitID] {
    let reader = try ObjectReader(repository, location)
    let common = try reader.ancestors([commit]).intersection(reader.ancestors(others))
    // A common ancestor of another common ancestor is a parent of some common ancestor.
    var best = common
    for id in common { best.subtract(try reader.commit(id).parents) }
    return best.sorted()
  }
}

extension ObjectReader {
  /// Returns the commits and all their ancestors.
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
