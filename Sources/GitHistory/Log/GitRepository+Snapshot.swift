import CLibgit2
import DiaryCore

extension GitRepository {
  /// Returns the journal at a moment (seconds since 1970): the newest save or commit of the branch
  /// that is not younger, by author time.
  package func snapshot(at seconds: Int) throws(GitError) -> Snapshot {
    let reader = try ObjectReader(repository, location)
    let head = try head()
    var (branch, save) = (SearchResult(), SearchResult())
    if let start = head.commit {
      branch = try newest(from: start, before: seconds, reader) { $0.parents.first }
    }
    if let start = try target(of: savesReference(head)) {
      save = try newest(from: start, before: seconds, reader) { facts in
        facts.parents.first { $0 != facts.save?.tip }
      }
    }
    var state = branch.found
    if let saved = save.found {
      let isYoungest = state.map { saved.authorTime >= $0.authorTime } ?? true
      if isYoungest || saved.save?.tip == state?.id { state = saved }
    }
    if let state {
      return .found(state.id, at: state.authorTime, try files(in: state.tree, reader))
    }
    if let oldest = branch.oldest, oldest.isShallowBoundary {
      return .cutOff(at: oldest.authorTime)
    }
    let times = [branch.oldest, save.oldest].compactMap { $0?.authorTime }
    return times.min().map { .tooEarly(startedAt: $0) } ?? .empty
  }

  /// The result of a search along one line of history.
  private struct SearchResult {
    var found: CommitNode?
    /// The last commit that was read.
    var oldest: CommitNode?
  }

  /// Returns the journal at a commit.
  package func snapshot(of commit: CommitID) throws(GitError) -> Snapshot {
    let reader = try ObjectReader(repository, location)
    let node = try reader.commit(commit)
    return .found(commit, at: node.authorTime, try files(in: node.tree, reader))
  }

  private func newest(
    from start: ObjectID, before seconds: Int, _ reader: ObjectReader,
    next: (CommitNode) -> ObjectID?
  ) throws(GitError) -> SearchResult {
    var result = SearchResult()
    var id: ObjectID? = start
    while let here = id {
      let node = try reader.commit(here)
      result.oldest = node
      if node.authorTime <= seconds {
        result.found = node
        return result
      }
      id = next(node)
    }
    return result
  }

  private func files(
    in tree: ObjectID, _ reader: ObjectReader
  ) throws(GitError) -> [EntryPath: ObjectID] {
    let changes = TreeDiff(reader)
    var found: [EntryPath: ObjectID] = [:]
    for file in try changes.between(nil, tree).came {
      if let path = location.journalPath(file.path) { found[path] = file.entry.id }
    }
    return found
  }
}

/// The result of a lookup by the first digits of a commit id.
package enum CommitLookup: Sendable, Equatable {
  case found(CommitID)
  /// Several commits begin with these digits.
  case ambiguous
  /// No commit of this clone begins with these digits.
  case absent
}

extension GitRepository {
  /// Returns the commit whose id begins with these hexadecimal digits.
  package func commit(withPrefix digits: String) throws(GitError) -> CommitLookup {
    var id = git_oid()
    let count = digits.utf8.count
    guard count <= 40, git_oid_fromstrn(&id, digits, count) >= 0 else { return .absent }
    var object: OpaquePointer?
    let code = GitError.read(&object) {
      git_object_lookup_prefix(&$0, repository, &id, count, GIT_OBJECT_COMMIT)
    }
    if code == GIT_EAMBIGUOUS.rawValue { return .ambiguous }
    if code == GIT_ENOTFOUND.rawValue { return .absent }
    try GitError.check(code, "read the commit", digits)
    defer { git_object_free(object) }
    guard let found = git_object_id(object) else { return .absent }
    return .found(ObjectID(found.pointee))
  }

  /// Returns a file's blob in a commit and whether its owner may execute it, or `nil` if the commit
  /// has no file there.
  package func file(
    at path: EntryPath, in commit: CommitID
  ) throws(GitError) -> (blob: ObjectID, isExecutable: Bool)? {
    guard let found = try fileEntry(at: location.repositoryPath(path), in: tree(of: commit)),
      found.isRegular
    else { return nil }
    return (found.id, found.isExecutable)
  }

  /// Returns the author time (seconds since 1970) of the oldest commit on HEAD's first-parent line
  /// that has the path, or `nil` if none has it.
  package func firstCommitTime(of path: EntryPath) throws(GitError) -> Int? {
    let full = location.repositoryPath(path)
    var next = try head().commit
    var found: Int?
    while let id = next {
      guard try fileEntry(at: full, in: tree(of: id)) != nil else { break }
      found = try withCommit(id) { Int(git_commit_author($0)?.pointee.when.time ?? 0) }
      next = try parents(of: id).first
    }
    return found
  }

  /// Returns the commit that shows the journal as it is saved now: the newest save if the branch
  /// has not moved since, else the branch's tip, or `nil` if there is neither.
  package func stateCommit() throws(GitError) -> CommitID? {
    let head = try head()
    guard let save = try newestSave(head), save.tip == head.commit else { return head.commit }
    return save.id
  }
}
