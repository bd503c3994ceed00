import CLibgit2
import CLinux
import DiaryCore
import Dispatch
import Foundation
import Glibc
import Localization
import Synchronization

/// One open repository. All of libgit2 runs on this actor's own queue: "a `git_repository` may only
/// be used from one thread at a time" (libgit2's page on threading), and a blocking call must not
/// hold a thread of the cooperative pool.
package actor GitRepository {
  nonisolated let executor = GitExecutor()
  /// The queue that every method runs on.
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// The paths of the repository.
  package nonisolated let location: RepositoryLocation
  let handle: RepositoryHandle
  var repository: OpaquePointer { handle.pointer }
  var hasClearedLocks = false
  /// The objects that this process has synced, with the inode that was synced. If a gc deletes an
  /// object and it is written again, its inode differs.
  var syncedFiles: [ObjectID: ino_t] = [:]
  /// The moves that were found from these commits and saves.
  var knownMoves: (starts: [ObjectID], moves: [EntryPath: EntryPath])?
  /// The way in which writes become durable.
  let flush = DiskFlush()
  /// The state of the index that libgit2 has loaded.
  var loadedIndex: (state: FileState?, isReadable: Bool)?
  /// The objects of the last save, which the next save verifies again.
  var lastObjects = ObjectBatch()
  /// The `.keep` files of packs: git's repack must not touch them until refs lead to their objects.
  var packLocks: [OwnedLockFile] = []
  /// The gc for which saves have waited, and for how long.
  var awaitedGC: (id: [UInt64], microseconds: UInt32)?
  /// The `gc.pid` of Diary's repacking.
  var gcPidLock: OwnedLockFile?
  /// The last read index.
  var lastIndex: (state: FileState?, index: GitIndex)?
  /// The state of the index that Diary wrote.
  var writtenIndex: FileState?

  /// Opens the repository. A format that libgit2 1.5 does not support is refused with a reason.
  package init(_ location: RepositoryLocation) throws(GitError) {
    GitLibrary.start(environment: GitLibrary.processEnvironment())
    self.location = location
    handle = try RepositoryHandle(location)
  }

  /// Creates a repository in `folder` (created if needed), like `git init -b BRANCH`. A folder that
  /// already is one is refused.
  ///
  /// It gets its final name when it is complete, with these `notes` (name and text) in its
  /// ``RepositoryLocation/diaryDirectory``: a kill in between leaves no incomplete repository.
  @concurrent
  package static func create(
    at folder: String, branch: String, notes: [String: String] = [:]
  ) async throws(GitError) {
    GitLibrary.start(environment: GitLibrary.processEnvironment())
    let (location, tempFolder) = (folder + "/.git", folder + "/" + unfinishedFolderName)
    guard access(location, F_OK) != 0 else {
      throw GitError(
        "make a repository in", folder, .system(code: EEXIST),
        localized(
          "a repository already exists"))
    }
    try? FileManager.default.removeItem(atPath: tempFolder)
    defer { try? FileManager.default.removeItem(atPath: tempFolder) }
    var options = git_repository_init_options()
    git_repository_init_options_init(&options, UInt32(GIT_REPOSITORY_INIT_OPTIONS_VERSION))
    options.flags =
      GIT_REPOSITORY_INIT_NO_REINIT.rawValue | GIT_REPOSITORY_INIT_MKPATH.rawValue
      | GIT_REPOSITORY_INIT_EXTERNAL_TEMPLATE.rawValue
    var made: OpaquePointer?
    let code = branch.withCString { name in
      options.initial_head = name
      return git_repository_init_ext(&made, tempFolder, &options)
    }
    try GitError.check(code, "make a repository in", folder)
    git_repository_free(made)
    for (name, text) in notes {
      let path = tempFolder + "/.git/diary/" + name
      try makeFolders(parent(of: path))
      chmod(parent(of: path), 0o700)
      try writeNewFile(path, Array(text.utf8), mode: 0o600)
    }
    guard rename(tempFolder + "/.git", location) == 0 else {
      throw GitError.system("make", location)
    }
  }

  /// The name of the subfolder in which a new repository is created before it is renamed.
  package static let unfinishedFolderName = ".diary-new"
}

/// The owner of the pointer, and the only place that frees it.
final class RepositoryHandle {
  let pointer: OpaquePointer

  init(_ location: RepositoryLocation) throws(GitError) {
    pointer = try Self.open(location)
    try addGlobalConfigFile()
    if let file = Self.ownConfigFile { try addConfig(file, GIT_CONFIG_LEVEL_APP) }
    try refusePartialClone(location)
  }

  private static func open(_ location: RepositoryLocation) throws(GitError) -> OpaquePointer {
    func openOnce() throws(GitError) -> OpaquePointer {
      var opened: OpaquePointer?
      let code = git_repository_open_ext(
        &opened, location.workTree, GIT_REPOSITORY_OPEN_NO_SEARCH.rawValue, nil)
      guard code >= 0, let opened else { throw openError(code, location) }
      return opened
    }
    // The check of owners is a switch of the whole library, so every repository is opened here.
    return try opening.withLock { _ throws(GitError) in
      do throws(GitError) { return try openOnce() } catch {
        guard error.reason == .notOwned, SafeDirectories.contain(location.workTree) else {
          throw error
        }
      }
      _ = diary_git_set_owner_check(0)
      defer { _ = diary_git_set_owner_check(1) }
      return try openOnce()
    }
  }

  private static let opening = Mutex(())

  /// Refuses partial clones. git 2.39 marks them only at the remote, not as an extension.
  private func refusePartialClone(_ location: RepositoryLocation) throws(GitError) {
    let isPartial = configEntries("remote.", ".promisor").contains { entry in
      var isPromisor: Int32 = 0
      git_config_parse_bool(&isPromisor, entry.value)
      return isPromisor != 0
    }
    guard isPartial else { return }
    throw GitError("open the repository in", location.workTree, .unsupported, Self.partialClone)
  }

  private static let partialClone =
    localized(
      "it is a partial clone, and Diary cannot fetch its missing objects; `git fetch "
        + "--refetch --no-filter` fetches them, and `git config --unset "
        + "remote.origin.promisor` then makes it a full clone"
    )

  deinit { git_repository_free(pointer) }

  /// Adds the file of `GIT_CONFIG_GLOBAL`, which libgit2 1.5 does not read by itself.
  private func addGlobalConfigFile() throws(GitError) {
    guard let file = GitLibrary.environment["GIT_CONFIG_GLOBAL"], !file.isEmpty,
      access(file, R_OK) == 0
    else { return }
    try addConfig(file, GIT_CONFIG_LEVEL_GLOBAL)
  }

  private func addConfig(_ file: String, _ level: git_config_level_t) throws(GitError) {
    var config: OpaquePointer?
    try GitError.check(git_repository_config(&config, pointer), "read the configuration of", file)
    defer { git_config_free(config) }
    try GitError.check(
      git_config_add_file_ondisk(config, file, level, pointer, 0), "read", file)
  }

  /// A configuration that overrides the user's in Diary's handles alone: a change that keeps size
  /// and modification time shows only in the time of the status change. A file in memory, because
  /// libgit2 reads a configuration only by its path.
  private static let ownConfigFile: String? = {
    let descriptor = diary_memory_file("diary-config")
    let text = "[core]\n\ttrustctime = true\n\tcheckStat = default\n"
    guard descriptor >= 0, (try? writeAll(Array(text.utf8), to: descriptor, "")) != nil else {
      return nil
    }
    return "/proc/self/fd/\(descriptor)"
  }()

  private static func openError(_ code: Int32, _ location: RepositoryLocation) -> GitError {
    let error = GitError.library(code, "open the repository in", location.workTree)
    let makeError = { (reason: GitError.Reason, why: String) in
      GitError(error.operation, error.path, reason, why)
    }
    let text = error.detail
    // libgit2 1.5 returns "not found" for an owner that no safe.directory allows.
    if code == GIT_EOWNER.rawValue || text.contains("safe.directory") {
      return makeError(
        .notOwned,
        localized("it belongs to another user, and git's safe.directory does not name this folder"))
    }
    let extensions = [
      ("objectformat", localized("its objects are named by SHA-256, which Diary cannot read yet")),
      ("refstorage", localized("its branches are kept as a reftable, which Diary cannot read yet")),
      ("partialclone", partialClone),
      (
        "worktreeconfig",
        localized("it uses extensions.worktreeConfig, which Diary cannot read yet")
      ),
      (
        "relativeworktrees",
        localized("it uses extensions.relativeWorktrees, which Diary cannot read yet")
      ),
      (
        "preciousobjects",
        localized("it uses extensions.preciousObjects, which Diary does not support yet")
      ),
    ]
    let lowered = text.lowercased()
    if lowered.contains("extension") {
      let known = extensions.first { lowered.contains($0.0) }
      return makeError(
        .unsupported, known?.1 ?? localized("it needs a git extension that Diary lacks (\(text))"))
    }
    if lowered.contains("repository version") || lowered.contains("repositoryformatversion") {
      return makeError(.unsupported, localized("its format is newer than Diary can read (\(text))"))
    }
    return error
  }
}

/// A serial queue for libgit2; `DispatchSerialQueue` is not an executor on Linux.
final class GitExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "diary.git")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  /// Waits for a short time, while other jobs can use the queue.
  func wait(for pause: Duration) async {
    await withCheckedContinuation { waiter in
      queue.asyncAfter(deadline: .now() + pause / .seconds(1)) { waiter.resume() }
    }
  }
}
