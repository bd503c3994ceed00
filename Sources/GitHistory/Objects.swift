import CLibgit2
import DiaryCore
import Glibc

/// Objects on their way into the repository: named as they are made, written by
/// ``GitRepository/store(_:)`` before a reference leads to them, and held in memory until they are known
/// to have stayed: a `git gc --prune=now` of the writer may sweep in between.
struct NewObjects {
  struct Content {
    var type: git_object_t
    var bytes: [UInt8]
  }
  var contents: [ObjectID: Content] = [:]

  /// Bytes held.
  var size: Int { contents.values.reduce(0) { $0 + $1.bytes.count } }
}

extension GitRepository {
  func newBlob(_ bytes: [UInt8], _ objects: inout NewObjects) throws(GitError) -> ObjectID {
    try newObject(bytes, GIT_OBJECT_BLOB, &objects)
  }

  func newObject(
    _ bytes: [UInt8], _ type: git_object_t, _ objects: inout NewObjects
  ) throws(GitError) -> ObjectID {
    var id = git_oid()
    try GitError.check(
      git_odb_hash(&id, bytes, bytes.count, type), "name an object for", objectsFolder)
    let name = ObjectID(id)
    objects.contents[name] = NewObjects.Content(type: type, bytes: bytes)
    return name
  }

  /// Writes the objects durably: many new ones as packs, others as a file each.
  func store(_ objects: NewObjects) throws(GitError) {
    var database: OpaquePointer?
    try GitError.check(git_repository_odb(&database, repository), "open", objectsFolder)
    defer { git_odb_free(database) }
    let packed = try pack(objects, in: database)
    let single = NewObjects(contents: objects.contents.filter { !packed.contains($0.key) })
    for content in single.contents.values { try put(content, in: database) }
    try syncObjects(single)
  }

  /// Writes the objects so that they can be read here; they may be lost.
  func store(forNow objects: NewObjects) throws(GitError) {
    var database: OpaquePointer?
    try GitError.check(git_repository_odb(&database, repository), "open", objectsFolder)
    defer { git_odb_free(database) }
    for content in objects.contents.values { try put(content, in: database) }
  }

  /// A gc removes emptied fan-out folders, also between libgit2's making one and its rename into it.
  func put(_ content: NewObjects.Content, in database: OpaquePointer?) throws(GitError) {
    var attempt = 1
    while true {
      var id = git_oid()
      let code = git_odb_write(&id, database, content.bytes, content.bytes.count, content.type)
      if code >= 0 { return }
      let error = GitError.library(code, "write an object in", objectsFolder)
      if attempt == 20 { throw error }
      attempt += 1
    }
  }

  var objectsFolder: String { place.commonDirectory + "/objects" }

  /// The bytes of a blob, as git keeps them; with `path`, as a checkout would write them there.
  public func content(of id: ObjectID, as path: EntryPath? = nil) throws(GitError) -> [UInt8] {
    var raw = id.raw
    var blob: OpaquePointer?
    try GitError.check(git_blob_lookup(&blob, repository, &raw), "read the version", id.short)
    defer { git_blob_free(blob) }
    let size = Int(git_blob_rawsize(blob))
    let bytes = Array(UnsafeRawBufferPointer(start: git_blob_rawcontent(blob), count: size))
    guard let path else { return bytes }
    return try filtered(bytes, place.inRepository(path), GIT_FILTER_TO_WORKTREE)
  }

  /// Line ends (`core.autocrlf`, `text`, `eol`) and `ident`, as git applies them to `path` (of the
  /// repository). Mixed line ends never stop a save: `core.safecrlf` is not asked.
  func filtered(
    _ bytes: [UInt8], _ path: EntryPath, _ direction: git_filter_mode_t
  ) throws(GitError) -> [UInt8] {
    useReadableIndex()
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

  /// Makes every object durable, found ones too (git's own are not synced), with the names of the
  /// folders that hold them. Many at once are synced as a whole file system: ten thousand single
  /// waits for the disk take a minute, one takes a moment.
  private func syncObjects(_ objects: NewObjects) throws(GitError) {
    var unsynced: [ObjectID: String] = [:]
    for id in objects.contents.keys {
      let name = id.description
      let file = objectsFolder + "/" + name.prefix(2) + "/" + name.dropFirst(2)
      var status = stat()
      // A packed object is not here; git syncs its packs, and so does Diary.
      guard lstat(file, &status) == 0, syncedFiles[id] != status.st_ino else { continue }
      unsynced[id] = file
      syncedFiles[id] = status.st_ino
    }
    do throws(GitError) {
      try sync(Array(unsynced.values))
    } catch {
      for id in unsynced.keys { syncedFiles[id] = nil }
      throw error
    }
    if syncedFiles.count > 50_000 { syncedFiles = [:] }
  }

  private func sync(_ files: [String]) throws(GitError) {
    guard !files.isEmpty else { return }
    if files.count > 64 { return try syncWhole(objectsFolder) }
    for file in files { try syncFile(file) }
    for folder in Set(files.map { parent(of: $0) }) { try syncFile(folder) }
    try syncFile(objectsFolder)
  }

  private func syncWhole(_ folder: String) throws(GitError) {
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw GitError.system("open", folder) }
    defer { close(descriptor) }
    guard diary_git_syncfs(descriptor) == 0 else { throw GitError.system("sync", folder) }
  }

  /// Looks whether all objects are still there, past libgit2's cache, and writes again from memory
  /// what a gc took.
  func confirmObjects(_ objects: NewObjects) throws(GitError) {
    for _ in 0..<5 {
      var database: OpaquePointer?
      try GitError.check(git_odb_open(&database, objectsFolder), "open", objectsFolder)
      defer { git_odb_free(database) }
      let missing = objects.contents.filter { id, _ in
        var raw = id.raw
        return git_odb_exists(database, &raw) == 0
      }
      if missing.isEmpty { return }
      try store(NewObjects(contents: missing))
    }
    throw GitError(
      "keep the objects in", objectsFolder, .damaged, "they vanish as they are written")
  }
}
