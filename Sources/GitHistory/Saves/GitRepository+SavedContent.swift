import CLibgit2
import DiaryCore

extension GitRepository {
  /// The path's newest kept text: what is pending on the saves ref, else HEAD's. `nil` when neither
  /// has it, or its deletion is what is kept.
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

  /// Author time (seconds since 1970) of the oldest commit on HEAD's first-parent line that has the
  /// path; `nil` when none has it.
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

  /// Takes away the refs that hold the single saves, of every branch; `diary leave` asks first.
  package func removeSavesRefs() throws(GitError) {
    for name in try referenceNames("refs/diary/*") {
      try GitError.check(git_reference_remove(repository, name), "remove", name)
    }
  }
}
