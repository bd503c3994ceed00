import CLibgit2
import DiaryCore
import Glibc

extension GitRepository {
  /// From so many new objects on, one pack is made sooner than a file for each.
  static let packThreshold = 100
  /// How many bytes of content go into one pack: they are in memory twice while it is made.
  private static let maxPackSize = 64 << 20
  /// From so many bytes on, two packs are made side by side.
  private static let parallelThreshold = 512 << 10
  /// What is larger stays a file of its own: it gains nothing in a pack.
  private static let maxPackedObjectSize = 128 << 10

  /// Writes the new ones among the objects into packs, durably, if they are many; answers which it
  /// wrote.
  func pack(
    _ objects: ObjectBatch, in database: OpaquePointer?
  ) throws(GitError) -> Set<ObjectID> {
    guard objects.contents.count >= Self.packThreshold else { return [] }
    git_odb_refresh(database)
    let new = objects.contents.filter { id, content in
      var raw = id.raw
      return content.bytes.count <= Self.maxPackedObjectSize
        && git_odb_exists_ext(database, &raw, GIT_ODB_LOOKUP_NO_REFRESH.rawValue) == 0
    }
    guard new.count >= Self.packThreshold else { return [] }
    var packs = split(of: new)[...]
    while !packs.isEmpty {
      let batch = Array(packs.prefix(2))
      let drafts = concurrentMap(batch, chunkSize: 1) { pack in
        Result { () throws(GitError) in try pack.write() }
      }
      defer { for draft in drafts { try? draft.get().discard() } }
      for (pack, draft) in zip(batch, drafts) { try write(pack, as: draft) }
      packs = packs.dropFirst(2)
    }
    git_odb_refresh(database)
    return Set(new.keys)
  }

  private func split(of objects: [ObjectID: ObjectBatch.Content]) -> [PackBuilder] {
    let total = objects.values.reduce(0) { $0 + $1.bytes.count }
    let targetSize = min(Self.maxPackSize, total < Self.parallelThreshold ? total : total / 2)
    var packs: [PackBuilder] = []
    var size = Int.max
    for (id, content) in objects {
      if size > targetSize {
        packs.append(PackBuilder(in: objectsFolder))
        size = 0
      }
      packs[packs.count - 1].objects.append((id, content))
      size += content.bytes.count
    }
    return packs
  }

  /// A `git gc --prune=now` also takes what is being made.
  private func write(
    _ pack: PackBuilder, as draft: Result<PackBuilder.BuiltPack, GitError>
  ) throws(GitError) {
    var draft = draft
    var attempt = 1
    while true {
      do throws(GitError) {
        return try install(draft.get())
      } catch {
        if attempt == 10 { throw error }
        attempt += 1
        draft = Result { () throws(GitError) in try pack.write() }
      }
    }
  }

  /// Until a reference leads to its objects, a `git repack -ad` would leave them out and delete the
  /// pack: git's own sign against that is a `.keep` beside it.
  private func install(_ pack: PackBuilder.BuiltPack) throws(GitError) {
    defer { pack.discard() }
    let folder = objectsFolder + "/pack"
    try makeFolders(folder)
    let name = folder + "/" + pack.name
    guard let keepLock = try OwnedLockFile.acquire(name + ".keep", in: location, flush) else {
      throw GitError("write", name, .locked, "\(name).keep is there already")
    }
    // The other way round, a kill in between would leave a pack that git never clears away; a list
    // without its pack goes with the next gc.
    let isPresent = access(name + ".idx", F_OK) == 0 && access(name + ".pack", F_OK) == 0
    for ending in isPresent ? [] : [".idx", ".pack"] {
      guard rename(pack.folder + "/" + pack.name + ending, name + ending) == 0 else {
        let error = GitError.system("name the pack", name)
        unlink(name + ".idx")
        keepLock.release()
        throw error
      }
    }
    packLocks.append(keepLock)
    try syncFile(folder)
  }

  /// References lead to what the packs hold.
  func releasePackLocks() {
    for lock in packLocks { lock.release() }
    packLocks = []
  }
}

/// Objects that become a pack.
private struct PackBuilder: Sendable {
  let parent: String
  var objects: [(id: ObjectID, content: ObjectBatch.Content)] = []

  init(in parent: String) { self.parent = parent }

  /// A pack and its list of contents, synced, in a folder that `git gc` removes when it is left behind.
  struct BuiltPack: Sendable {
    var folder: String
    /// Without its ending.
    var name: String

    func discard() {
      for name in names(in: folder) { unlink(folder + "/" + name) }
      rmdir(folder)
    }
  }

  func write() throws(GitError) -> BuiltPack {
    var template = Array((parent + "/tmp_objdir-diary-XXXXXX").utf8CString)
    guard let path = mkdtemp(&template) else { throw GitError.system("make a folder in", parent) }
    var built = BuiltPack(folder: String(cString: path), name: "")
    do throws(GitError) {
      built.name = "pack-" + (try build(in: built.folder))
      for ending in [".idx", ".pack"] { try syncFile(built.folder + "/" + built.name + ending) }
    } catch {
      built.discard()
      throw error
    }
    return built
  }

  /// libgit2 packs what a repository holds: here one that is in memory alone.
  private func build(in folder: String) throws(GitError) -> String {
    var (database, repository, builder) = (
      OpaquePointer?.none, OpaquePointer?.none, OpaquePointer?.none
    )
    var backend: UnsafeMutablePointer<git_odb_backend>?
    try GitError.check(git_odb_new(&database), "pack in", folder)
    defer { git_odb_free(database) }
    try GitError.check(git_mempack_new(&backend), "pack in", folder)
    try GitError.check(git_odb_add_backend(database, backend, 1), "pack in", folder)
    try GitError.check(git_repository_wrap_odb(&repository, database), "pack in", folder)
    defer { git_repository_free(repository) }
    try configure(repository, in: folder)
    try GitError.check(git_packbuilder_new(&builder, repository), "pack in", folder)
    defer { git_packbuilder_free(builder) }
    for (_, content) in objects {
      var id = git_oid()
      try GitError.check(
        git_odb_write(&id, database, content.bytes, content.bytes.count, content.type),
        "pack in", folder)
      try GitError.check(git_packbuilder_insert(builder, &id, nil), "pack in", folder)
    }
    try GitError.check(
      git_packbuilder_write(builder, folder, 0o444, nil, nil), "write a pack in", folder)
    guard let name = git_packbuilder_name(builder) else {
      throw GitError("write a pack in", folder, .damaged, "it got no name")
    }
    return String(cString: name)
  }

  /// Texts that were never saved before have little in common: looking for it takes half the time.
  private func configure(_ repository: OpaquePointer?, in folder: String) throws(GitError) {
    let file = folder + "/config"
    try writeNewFile(file, Array("[pack]\n\twindowMemory = 1\n".utf8), mode: 0o600)
    var config: OpaquePointer?
    try GitError.check(git_config_new(&config), "set up", folder)
    defer { git_config_free(config) }
    try GitError.check(
      git_config_add_file_ondisk(config, file, GIT_CONFIG_LEVEL_LOCAL, nil, 0), "set up", folder)
    try GitError.check(git_repository_set_config(repository, config), "set up", folder)
  }
}
