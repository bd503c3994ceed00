import CLibgit2
import DiaryCore
import Glibc

/// Objects that are to be written into the repository. They get their ids when they are created,
/// and ``GitRepository/store(_:)`` writes them before a ref leads to them. They stay in memory
/// until they are verified, since a `git gc --prune=now` of the user may delete them in between.
struct ObjectBatch {
  struct Content {
    var type: git_object_t
    var bytes: [UInt8]
  }
  var contents: [ObjectID: Content] = [:]

  /// The number of bytes in memory.
  var size: Int { contents.values.reduce(0) { $0 + $1.bytes.count } }
}

extension GitRepository {
  /// Adds an object; `known` is its id, if it was computed already.
  func newObject(
    _ bytes: [UInt8], _ type: git_object_t, id known: ObjectID? = nil, _ objects: inout ObjectBatch
  ) throws(GitError) -> ObjectID {
    let id = if let known { known } else { try ObjectID(of: bytes, as: type) }
    objects.contents[id] = ObjectBatch.Content(type: type, bytes: bytes)
    return id
  }

  /// Writes the objects durably: many new ones as packs, others as a file each.
  func store(_ objects: ObjectBatch) throws(GitError) {
    try withObjects { database throws(GitError) in
      let packed = try pack(objects, in: database)
      let single = ObjectBatch(contents: objects.contents.filter { !packed.contains($0.key) })
      try storeLoose(single, database: database)
    }
  }

  /// Calls `body` with the repository's object database.
  func withObjects<Value>(
    _ body: (OpaquePointer?) throws(GitError) -> Value
  ) throws(GitError) -> Value {
    var database: OpaquePointer?
    try GitError.check(git_repository_odb(&database, repository), "open", objectsFolder)
    defer { git_odb_free(database) }
    return try body(database)
  }

  /// True if the repository has an object.
  package func contains(_ id: ObjectID) throws(GitError) -> Bool {
    try !existingObjects(among: [id]).isEmpty
  }

  /// Returns the contents that the repository has already.
  package func existingObjects(among contents: Set<ObjectID>) throws(GitError) -> Set<ObjectID> {
    guard !contents.isEmpty else { return [] }
    return try withObjects { database in
      contents.filter { id in
        var raw = id.raw
        return git_odb_exists(database, &raw) != 0
      }
    }
  }

  /// Gives an object its name only when its bytes are on disk: after a power loss, git and Diary
  /// would take a name without bytes for the object, and never write it again. An existing object
  /// is read first, since git does not sync loose objects.
  private func storeLoose(
    _ objects: ObjectBatch, database: OpaquePointer?
  ) throws(GitError) {
    let loose = try looseObjects()
    defer { git_odb_free(loose) }
    var found: [String] = []
    var known: [ObjectID: ino_t] = [:]
    var new = ObjectBatch()
    for (id, content) in objects.contents {
      let file = loosePath(id)
      var status = stat()
      if lstat(file, &status) == 0 {
        if syncedFiles[id] == status.st_ino { continue }
        if Self.holds(content, as: id, in: loose) {
          found.append(file)
          known[id] = status.st_ino
          continue
        }
        unlink(file)
      }
      var raw = id.raw
      if git_odb_exists_ext(database, &raw, GIT_ODB_LOOKUP_NO_REFRESH.rawValue) != 0 { continue }
      if flush.isOpen {
        new.contents[id] = content
        continue
      }
      try writeLoose(content, in: loose)
      if lstat(file, &status) == 0 { known[id] = status.st_ino }
    }
    known.merge(try storeTogether(new)) { $1 }
    guard !known.isEmpty else { return }
    if let access = sharedPermissions {
      for id in known.keys { access.apply(to: loosePath(id)) }
      for folder in Set(known.keys.map { parent(of: loosePath($0)) }) { access.apply(to: folder) }
    }
    flush.recordChange()
    if !flush.isOpen {
      for file in found { try syncFile(file) }
      for folder in Set(found.map { parent(of: $0) }) { try syncFile(folder) }
      try syncFile(objectsFolder)
    }
    if syncedFiles.count > 50_000 { syncedFiles = [:] }
    syncedFiles.merge(known) { $1 }
  }

  /// Writes objects into a folder of their own, which a gc removes if it is left behind. They get
  /// their names after a barrier; the next barrier makes the names durable. Returns their inodes.
  private func storeTogether(_ objects: ObjectBatch) throws(GitError) -> [ObjectID: ino_t] {
    var known: [ObjectID: ino_t] = [:]
    // A `git gc --prune=now` also deletes unfinished objects.
    for _ in 0..<20 where known.count < objects.contents.count {
      let missing = objects.contents.filter { known[$0.key] == nil }
      let folder = try makeObjectsFolder(in: objectsFolder)
      defer { removeTree(folder) }
      let loose = try looseObjects(in: folder, syncing: false)
      defer { git_odb_free(loose) }
      do throws(GitError) {
        for content in missing.values { try writeLoose(content, in: loose) }
      } catch {
        // The folder itself is gone.
        if access(folder, F_OK) != 0 { continue }
        throw error
      }
      flush.recordChange()
      try flush.barrier()
      for id in missing.keys {
        let target = loosePath(id)
        let fresh = loosePath(id, in: folder)
        var status = stat()
        guard lstat(fresh, &status) == 0,
          mkdir(parent(of: target), 0o777) == 0 || errno == EEXIST, rename(fresh, target) == 0
        else {
          if errno == ENOENT { continue }
          throw GitError.system("name an object in", objectsFolder)
        }
        known[id] = status.st_ino
      }
    }
    guard known.count == objects.contents.count else {
      throw GitError(
        "keep the objects in", objectsFolder, .damaged, "they vanish as they are written")
    }
    return known
  }

  /// Opens a database of loose objects only; with `syncing`, each file and its name are synced.
  private func looseObjects(
    in folder: String? = nil, syncing: Bool = true
  ) throws(GitError) -> OpaquePointer? {
    let folder = folder ?? objectsFolder
    var database: OpaquePointer?
    var backend: UnsafeMutablePointer<git_odb_backend>?
    try GitError.check(git_odb_new(&database), "open", objectsFolder)
    do throws(GitError) {
      try GitError.check(
        git_odb_backend_loose(&backend, folder, -1, syncing ? 1 : 0, 0, 0), "open", folder)
      try GitError.check(git_odb_add_backend(database, backend, 1), "open", objectsFolder)
    } catch {
      git_odb_free(database)
      throw error
    }
    return database
  }

  /// True if the database has exactly this content under the id. libgit2 checks hashes only while no
  /// ``ObjectReader`` exists in the process, so the bytes are compared.
  private static func holds(
    _ content: ObjectBatch.Content, as id: ObjectID, in database: OpaquePointer?
  ) -> Bool {
    var raw = id.raw
    var object: OpaquePointer?
    defer { git_odb_object_free(object) }
    guard GitError.read(&object, { git_odb_read(&$0, database, &raw) }) >= 0,
      git_odb_object_type(object) == content.type,
      git_odb_object_size(object) == content.bytes.count
    else { return false }
    return content.bytes.isEmpty
      || memcmp(git_odb_object_data(object), content.bytes, content.bytes.count) == 0
  }

  private func loosePath(_ id: ObjectID, in folder: String? = nil) -> String {
    let name = id.description
    return (folder ?? objectsFolder) + "/" + name.prefix(2) + "/" + name.dropFirst(2)
  }

  /// Retries, since a gc removes empty fan-out folders, also between libgit2's mkdir and rename.
  private func writeLoose(
    _ content: ObjectBatch.Content, in database: OpaquePointer?
  ) throws(GitError) {
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

  var objectsFolder: String { location.commonDirectory + "/objects" }

  /// The largest version that is read: 512 MiB. A repository of a few kB can contain one that
  /// unpacks to far more than the machine's memory.
  package static let maxReadSize = 512 << 20

  /// Returns the bytes of a blob as git stores them; with `path`, as a checkout would write them
  /// there. Throws `tooLarge` if the blob is larger than ``maxReadSize``.
  package func content(of id: ObjectID, as path: EntryPath? = nil) throws(GitError) -> [UInt8] {
    var raw = id.raw
    let length = try size(of: id)
    guard length <= Self.maxReadSize else {
      throw GitError(
        "read the version", id.short, .tooLarge,
        "it holds \(length >> 20) MiB; `git cat-file blob \(id.short)` writes it out")
    }
    var blob: OpaquePointer?
    try GitError.check(
      GitError.read(&blob) { git_blob_lookup(&$0, repository, &raw) }, "read the version", id.short)
    defer { git_blob_free(blob) }
    let size = Int(git_blob_rawsize(blob))
    let bytes = Array(UnsafeRawBufferPointer(start: git_blob_rawcontent(blob), count: size))
    guard let path else { return bytes }
    return try filtered(bytes, location.repositoryPath(path), GIT_FILTER_TO_WORKTREE)
  }

  /// Returns the unpacked size of an object in bytes; only its header is read.
  func size(of id: ObjectID) throws(GitError) -> Int {
    try withObjects { database throws(GitError) in
      var (raw, length, type) = (id.raw, 0, GIT_OBJECT_ANY)
      try GitError.check(
        GitError.read(&length) { git_odb_read_header(&$0, &type, database, &raw) },
        "read the version", id.short)
      return length
    }
  }

  /// Checks that all objects still exist, bypassing libgit2's cache, and rewrites from memory those
  /// that a gc deleted.
  func confirmObjects(_ objects: ObjectBatch) throws(GitError) {
    for _ in 0..<5 {
      var database: OpaquePointer?
      try GitError.check(git_odb_open(&database, objectsFolder), "open", objectsFolder)
      defer { git_odb_free(database) }
      let missing = objects.contents.filter { id, _ in
        var raw = id.raw
        return git_odb_exists(database, &raw) == 0
      }
      if missing.isEmpty { return }
      try store(ObjectBatch(contents: missing))
    }
    throw GitError(
      "keep the objects in", objectsFolder, .damaged, "they vanish as they are written")
  }

  /// Syncs the names of objects that another program has written: git syncs the files that it
  /// fetches, but not their folders.
  ///
  /// - Parameter moment: the latest possible start of that program, Unix seconds, system clock.
  package func syncObjectFolders(changedSince moment: Int) throws(GitError) {
    let folders = names(in: objectsFolder).filter { $0 == "pack" || $0.utf8.count == 2 }
    for folder in folders.map({ objectsFolder + "/" + $0 }) + [objectsFolder] {
      var status = stat()
      guard stat(folder, &status) == 0, status.st_mtim.tv_sec >= moment else { continue }
      try syncFile(folder)
    }
  }
}
