import CLibgit2
import DiaryCore
import Dispatch
import Foundation
import Glibc
import Localization

/// One open repository. All of libgit2 runs on this actor's own queue: "a `git_repository` may only
/// be used from one thread at a time" (libgit2's page on threading), and a blocking call must not hold
/// a thread of the cooperative pool.
package actor GitRepository {
  nonisolated let executor = GitExecutor()
  /// The queue that every method runs on.
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Where the repository lies.
  package nonisolated let location: RepositoryLocation
  let handle: RepositoryHandle
  var repository: OpaquePointer { handle.pointer }
  var hasClearedLocks = false
  /// Objects that this process has synced, by the inode that it synced: one that a gc took and that
  /// was written again has another.
  var syncedFiles: [ObjectID: ino_t] = [:]
  /// How what is being written becomes durable.
  let flush = Flush()
  /// The index that libgit2 consults, as it was when it was read.
  var loadedIndex: (state: FileState?, isReadable: Bool)?
  /// What the last save wrote, looked after once more by the next.
  var lastObjects = ObjectBatch()
  /// Signs to git's repack to leave packs alone whose objects no reference leads to yet.
  var packLocks: [OwnedLockFile] = []
  /// The sign that Diary packs.
  var gcPidLock: OwnedLockFile?
  /// The index as it was last read.
  var lastIndex: (state: FileState?, index: GitIndex)?
  /// The index as Diary itself wrote it: its sum need not be reckoned again.
  var writtenIndex: FileState?
  /// Whether the index named files of attributes when it was last searched for them.
  var attributesSearch: (state: FileState?, answer: Bool)?

  /// Opens the repository. What libgit2 1.5 cannot work with is refused with its reason.
  package init(_ location: RepositoryLocation) throws(GitError) {
    GitLibrary.start(environment: GitLibrary.processEnvironment())
    self.location = location
    handle = try RepositoryHandle(location)
  }

  /// Makes a repository in `folder` (made if need be), like `git init -b BRANCH`; a folder that already
  /// is one is refused.
  ///
  /// It gets its name when it is whole, with these `notes` (name and text) in its
  /// ``RepositoryLocation/diaryDirectory``: a kill in between leaves no half of one.
  @concurrent
  package static func create(
    at folder: String, branch: String, notes: [String: String] = [:]
  ) async throws(GitError) {
    GitLibrary.start(environment: GitLibrary.processEnvironment())
    let (location, tempFolder) = (folder + "/.git", folder + "/" + unfinishedFolderName)
    guard access(location, F_OK) != 0 else {
      throw GitError(
        "make a repository in", folder, .system(code: EEXIST), localized("there is one"))
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

  /// Where a repository is made before it gets its name, in the folder that it is for.
  package static let unfinishedFolderName = ".diary-new"
}

/// Owns the pointer; the only place that frees it.
final class RepositoryHandle {
  let pointer: OpaquePointer

  init(_ location: RepositoryLocation) throws(GitError) {
    var opened: OpaquePointer?
    let code = git_repository_open_ext(
      &opened, location.workTree, GIT_REPOSITORY_OPEN_NO_SEARCH.rawValue, nil)
    guard code >= 0, let opened else { throw Self.openError(code, location) }
    pointer = opened
    try addGlobalConfigFile()
    try refusePartialClone(location)
  }

  /// git 2.39 notes a partial clone at its remote alone, not as an extension.
  private func refusePartialClone(_ location: RepositoryLocation) throws(GitError) {
    var config: OpaquePointer?
    guard git_repository_config_snapshot(&config, pointer) >= 0 else { return }
    defer { git_config_free(config) }
    let isPromisor: git_config_foreach_cb = { entry, _ in
      guard let value = entry?.pointee.value else { return 0 }
      return ["true", "yes", "on", "1"].contains(String(cString: value)) ? 1 : 0
    }
    let found = git_config_foreach_match(config, #"^remote\..*\.promisor$"#, isPromisor, nil)
    guard found == 1 else { return }
    throw GitError("open the repository in", location.workTree, .unsupported, Self.partialClone)
  }

  private static let partialClone =
    localized(
      "it is a partial clone, whose missing objects Diary cannot fetch; they come with "
        + "`git fetch --refetch --no-filter`, and `git config --unset remote.origin.promisor` ends it"
    )

  deinit { git_repository_free(pointer) }

  /// `GIT_CONFIG_GLOBAL` names a file, which libgit2 1.5 does not read by itself.
  private func addGlobalConfigFile() throws(GitError) {
    guard let file = GitLibrary.environment["GIT_CONFIG_GLOBAL"], !file.isEmpty,
      access(file, R_OK) == 0
    else { return }
    var config: OpaquePointer?
    try GitError.check(git_repository_config(&config, pointer), "read the configuration of", file)
    defer { git_config_free(config) }
    try GitError.check(
      git_config_add_file_ondisk(config, file, GIT_CONFIG_LEVEL_GLOBAL, pointer, 0), "read", file)
  }

  private static func openError(_ code: Int32, _ location: RepositoryLocation) -> GitError {
    let error = GitError.library(code, "open the repository in", location.workTree)
    let makeError = { (reason: GitError.Reason, why: String) in
      GitError(error.operation, error.path, reason, why)
    }
    let text = error.detail
    // libgit2 1.5 answers "not found" for an owner that no safe.directory allows.
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
        localized("it uses extensions.preciousObjects, which Diary cannot honour yet")
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

/// A serial queue of its own for libgit2; `DispatchSerialQueue` is no executor on Linux.
final class GitExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "diary.git")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  /// A short wait in which others may use the queue.
  func wait(for pause: Duration) async {
    await withCheckedContinuation { waiter in
      queue.asyncAfter(deadline: .now() + pause / .seconds(1)) { waiter.resume() }
    }
  }
}
