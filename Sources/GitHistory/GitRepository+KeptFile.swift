import CLibgit2
import DiaryCore

extension GitRepository {
  /// What is kept at a path (from the top of the repository); `nil` when nothing is, or its deletion.
  public func keptFile(_ full: EntryPath) throws(GitError) -> KeptFile? {
    let head = try head()
    let committed = try tree(of: head.commit)
    let pending =
      try newestSave(head).map { save throws(GitError) in try unsettled(save, committed) } ?? [:]
    let found: TreeEntry? =
      if let saved = pending[full] { saved } else { try leaf(at: full, in: committed) }
    return found.map { KeptFile($0) }
  }

  /// A version's bytes as a checkout would write them at `full` (from the top of the repository).
  public func diskContent(of blob: ObjectID, at full: EntryPath) throws(GitError) -> [UInt8] {
    try filtered(content(of: blob), full, GIT_FILTER_TO_WORKTREE)
  }

  /// The name that these bytes of the disk would have as a file at a path of the journal; nothing is
  /// written.
  public func blobName(of bytes: [UInt8], at path: EntryPath) throws(GitError) -> ObjectID {
    try blobName(ofDisk: bytes, at: place.inRepository(path))
  }

  /// The same for a path from the top of the repository.
  public func blobName(
    ofDisk bytes: [UInt8], at full: EntryPath
  ) throws(GitError) -> ObjectID {
    let kept = try filtered(bytes, full, GIT_FILTER_TO_ODB)
    var id = git_oid()
    try GitError.check(
      git_odb_hash(&id, kept, kept.count, GIT_OBJECT_BLOB), "name the content of", full.text)
    return ObjectID(id)
  }

  /// Whether these bytes of the disk are what is kept at a path of the journal. Bytes of a disk are
  /// compared by what git would make of them: a file may have other line ends than a checkout gives.
  public func isKept(_ bytes: [UInt8], at path: EntryPath) throws(GitError) -> Bool {
    let full = place.inRepository(path)
    guard let kept = try keptFile(full), kept.kind.isFile else { return false }
    return try blobName(ofDisk: bytes, at: full) == kept.id
  }

  /// The bytes as a checkout would write them at a path of the journal once they are saved.
  public func asCheckedOut(_ bytes: [UInt8], at path: EntryPath) throws(GitError) -> [UInt8] {
    let full = place.inRepository(path)
    let kept = try filtered(bytes, full, GIT_FILTER_TO_ODB)
    return try filtered(kept, full, GIT_FILTER_TO_WORKTREE)
  }
}
