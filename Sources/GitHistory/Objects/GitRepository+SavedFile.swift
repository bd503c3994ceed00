import CLibgit2
import DiaryCore

extension GitRepository {
  /// Returns the saved file at a path of the repository, or `nil` if it is missing or deleted.
  package func savedEntry(at full: EntryPath) throws(GitError) -> TreeEntry? {
    let head = try head()
    let committed = try tree(of: head.commit)
    let pending =
      try newestSave(head).map { save throws(GitError) in try pendingEdits(save, committed) } ?? [:]
    let found: TreeEntry? =
      if let saved = pending[full] { saved } else { try fileEntry(at: full, in: committed) }
    return found
  }

  /// Returns a version's bytes as a checkout would write them at `full`, a path of the repository.
  package func diskContent(of blob: ObjectID, at full: EntryPath) throws(GitError) -> [UInt8] {
    try filtered(content(of: blob), full, GIT_FILTER_TO_WORKTREE)
  }

  /// Returns the id that these bytes on disk would have as a file at a path of the journal, without
  /// writing anything.
  package func blobID(of bytes: [UInt8], at path: EntryPath) throws(GitError) -> ObjectID {
    try blobID(ofDisk: bytes, at: location.repositoryPath(path))
  }

  /// Returns the id that these bytes on disk would have at a path of the repository.
  package func blobID(
    ofDisk bytes: [UInt8], at full: EntryPath
  ) throws(GitError) -> ObjectID {
    try ObjectID(of: filtered(bytes, full, GIT_FILTER_TO_ODB))
  }

  /// True if these bytes on disk are the saved version at a path of the journal. They are compared
  /// after git's filters, since a file may have other line ends than a checkout writes.
  package func isSaved(_ bytes: [UInt8], at path: EntryPath) throws(GitError) -> Bool {
    let full = location.repositoryPath(path)
    guard let saved = try savedEntry(at: full), saved.kind.isFile else { return false }
    return try blobID(ofDisk: bytes, at: full) == saved.id
  }

  /// Returns the bytes as a checkout would write them at a path of the journal after a save.
  package func checkoutContent(of bytes: [UInt8], at path: EntryPath) throws(GitError) -> [UInt8] {
    let full = location.repositoryPath(path)
    let stored = try filtered(bytes, full, GIT_FILTER_TO_ODB)
    return try filtered(stored, full, GIT_FILTER_TO_WORKTREE)
  }
}
