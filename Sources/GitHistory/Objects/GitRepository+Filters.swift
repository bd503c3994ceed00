import CLibgit2
import DiaryCore

extension GitRepository {
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

  /// Returns the ids that these files of the journal would have.
  package func blobIDs(
    of files: [(path: EntryPath, bytes: [UInt8])]
  ) throws(GitError) -> [ObjectID] {
    var rules = AttributeRules(self)
    return try files.map { file throws(GitError) in
      let full = location.repositoryPath(file.path)
      return try ObjectID(
        of: rules.mayHaveAttributes(full, self)
          ? filtered(file.bytes, full, GIT_FILTER_TO_ODB) : file.bytes)
    }
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

  /// Applies line ends (`core.autocrlf`, `text`, `eol`) and `ident` as git does for `path` (of the
  /// repository). Mixed line ends never stop a save: `core.safecrlf` is ignored.
  func filtered(
    _ bytes: [UInt8], _ path: EntryPath, _ direction: git_filter_mode_t
  ) throws(GitError) -> [UInt8] {
    loadIndexIntoLibgit2()
    var filters: OpaquePointer?
    try GitError.check(
      git_filter_list_load(
        &filters, repository, nil, path.cString, direction, GIT_FILTER_ALLOW_UNSAFE.rawValue),
      "read git's attributes of", path.text)
    guard let filters else { return bytes }
    defer { git_filter_list_free(filters) }
    var result = git_buf()
    defer { git_buf_dispose(&result) }
    let code = bytes.withUnsafeBytes { buffer in
      git_filter_list_apply_to_buffer(
        &result, filters, buffer.bindMemory(to: CChar.self).baseAddress, buffer.count)
    }
    try GitError.check(code, "convert the line ends of", path.text)
    return Array(UnsafeRawBufferPointer(start: result.ptr, count: result.size))
  }
}
