import CLibgit2
import DiaryCore

extension GitRepository {
  /// What is kept at a path (from the top of the repository); `nil` when nothing is, or its deletion.
  package func savedEntry(at full: EntryPath) throws(GitError) -> TreeEntry? {
    let head = try head()
    let committed = try tree(of: head.commit)
    let pending =
      try newestSave(head).map { save throws(GitError) in try pendingEdits(save, committed) } ?? [:]
    let found: TreeEntry? =
      if let saved = pending[full] { saved } else { try fileEntry(at: full, in: committed) }
    return found
  }

  /// A version's bytes as a checkout would write them at `full` (from the top of the repository).
  package func diskContent(of blob: ObjectID, at full: EntryPath) throws(GitError) -> [UInt8] {
    try filtered(content(of: blob), full, GIT_FILTER_TO_WORKTREE)
  }

  /// The name that these bytes of the disk would have as a file at a path of the journal; nothing is
  /// written.
  package func blobID(of bytes: [UInt8], at path: EntryPath) throws(GitError) -> ObjectID {
    try blobID(ofDisk: bytes, at: location.repositoryPath(path))
  }

  /// The same for a path from the top of the repository.
  package func blobID(
    ofDisk bytes: [UInt8], at full: EntryPath
  ) throws(GitError) -> ObjectID {
    try ObjectID(of: filtered(bytes, full, GIT_FILTER_TO_ODB))
  }

  /// Whether these bytes of the disk are what is kept at a path of the journal. Bytes of a disk are
  /// compared by what git would make of them: a file may have other line ends than a checkout gives.
  package func isSaved(_ bytes: [UInt8], at path: EntryPath) throws(GitError) -> Bool {
    let full = location.repositoryPath(path)
    guard let saved = try savedEntry(at: full), saved.kind.isFile else { return false }
    return try blobID(ofDisk: bytes, at: full) == saved.id
  }

  /// The bytes as a checkout would write them at a path of the journal once they are saved.
  package func checkoutContent(of bytes: [UInt8], at path: EntryPath) throws(GitError) -> [UInt8] {
    let full = location.repositoryPath(path)
    let stored = try filtered(bytes, full, GIT_FILTER_TO_ODB)
    return try filtered(stored, full, GIT_FILTER_TO_WORKTREE)
  }
}
