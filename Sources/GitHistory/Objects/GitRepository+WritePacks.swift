import CLibgit2
import DiaryCore
import Glibc

extension GitRepository {
  /// The number of new objects from which one pack is faster than a file for each.
  static let packThreshold = 100
  /// The bytes of content in one pack; they are in memory twice during packing.
  private static let maxPackSize = 64 << 20
  /// The number of bytes from which two packs are made in parallel.
  private static let parallelThreshold = 512 << 10
  /// Larger objects stay files of their own: they gain nothing in a pack.
  private static let maxPackedObjectSize = 128 << 10

  /// Writes the new objects into packs, durably, if they are many. Returns those that it wrote.
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
      defer { for draft in drafts { try? removeTree(draft.get().folder) } }
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
        packs.append(PackBuilder(parent: objectsFolder))
        size = 0
      }
      packs[packs.count - 1].objects.append((id, content))
      size += content.bytes.count
    }
    return packs
  }

  /// Retries, since a `git gc --prune=now` also deletes unfinished packs.
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

  /// Moves a pack into place. Until a ref leads to its objects, a `git repack -ad` would omit them
  /// and delete the pack; git's own protection is a `.keep` file for the pack.
  private func install(_ pack: PackBuilder.BuiltPack) throws(GitError) {
    defer { removeTree(pack.folder) }
    let folder = objectsFolder + "/pack"
    try makeFolders(folder)
    let name = folder + "/" + pack.name
    guard let keepLock = try OwnedLockFile.acquire(name + ".keep", in: location, flush) else {
      throw GitError("write", name, .locked, "\(name).keep is there already")
    }
    // In the reverse order, a kill in between would leave a pack that git never removes. The next
    // gc removes an index without its pack.
    let isPresent = access(name + ".idx", F_OK) == 0 && access(name + ".pack", F_OK) == 0
    for ending in isPresent ? [] : [".idx", ".pack"] {
      guard rename(pack.folder + "/" + pack.name + ending, name + ending) == 0 else {
        let error = GitError.system("name the pack", name)
        unlink(name + ".idx")
        keepLock.release()
        throw error
      }
    }
    for ending in [".idx", ".pack"] { share(name + ending) }
    packLocks.append(keepLock)
    try syncFile(folder)
  }

  /// Removes the `.keep` files, once refs lead to the objects in the packs.
  func releasePackLocks() {
    for lock in packLocks { lock.release() }
    packLocks = []
  }
}

/// Objects that become a pack.
private struct PackBuilder: Sendable {
  let parent: String
  var objects: [(id: ObjectID, content: ObjectBatch.Content)] = []

  /// A synced pack and its index, in a folder that `git gc` removes if it is left behind.
  struct BuiltPack: Sendable {
    var folder: String
    /// The file name without its extension.
    var name: String
  }

  func write() throws(GitError) -> BuiltPack {
    var built = BuiltPack(folder: try makeObjectsFolder(in: parent), name: "")
    do throws(GitError) {
      built.name = "pack-" + (try build(in: built.folder))
      for ending in [".idx", ".pack"] { try syncFile(built.folder + "/" + built.name + ending) }
    } catch {
      removeTree(built.folder)
      throw error
    }
    return built
  }

  /// Builds the pack from an in-memory repository, since libgit2 packs only a repository's objects.
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

  /// Limits delta search: new texts have little in common, and the search takes half the time.
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
