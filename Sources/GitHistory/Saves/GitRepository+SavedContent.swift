import CLibgit2
import DiaryCore

extension GitRepository {
  /// Returns the newest saved text of the path: the pending one on the saves ref, else HEAD's.
  /// Returns `nil` if neither has it, or if its deletion is saved.
  package func savedContent(_ path: EntryPath) throws(GitError) -> [UInt8]? {
    let head = try head()
    let committed = try tree(of: head.commit)
    let full = location.repositoryPath(path)
    if let newest = try newestSave(head),
      let pending = try pendingEdits(newest, committed)[full]
    {
      return try pending.map { entry throws(GitError) in try content(of: entry.id, as: path) }
    }
    guard let entry = try fileEntry(at: full, in: committed), entry.isRegular else { return nil }
    return try content(of: entry.id, as: path)
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

  /// Removes the refs of the saves of all branches; `diary leave` asks first.
  package func removeSavesRefs() throws(GitError) {
    for name in try referenceNames("refs/diary/*") {
      try GitError.check(git_reference_remove(repository, name), "remove", name)
    }
  }
}
