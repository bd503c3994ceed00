import CLinux
import Glibc

/// The way in which the writes of one change become durable.
///
/// While it is closed, each file and folder is synced by itself (`fsync`) as it is written. While
/// it is open, none is: a ``barrier(_:)`` syncs the whole file system (`syncfs`) wherever later
/// writes depend on earlier ones. docs/faults.md lists these dependencies.
final class DiskFlush {
  private var descriptor: Int32 = -1
  private var folder = ""
  /// The number of writes since it was opened; `durable` of them are on disk.
  private(set) var changes = 0
  private var durable = 0
  /// The locks whose records can be removed once all writes so far are on disk.
  private var replacedLocks: [OwnedLockFile] = []
  /// The locks that are recorded but not acquired yet.
  private var preparedLocks: [String: OwnedLockFile] = [:]

  /// True while the whole file system is synced at once.
  var isOpen: Bool { descriptor >= 0 }

  deinit { abandon() }

  /// Opens it if all `folders` are on one file system that supports it, and git's configuration
  /// (`core.fsyncMethod`) does not ask for another way.
  func open(_ folders: [String], method: String?) {
    guard !isOpen, Self.reportsErrors, method == nil || method == "batch",
      let folder = folders.first, Set(folders.map(Self.device)).count == 1
    else { return }
    // syncfs would also wait for the data of other programs.
    if method == nil, Self.unwrittenBytes() > Self.maxUnwritten { return }
    let number = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { return }
    guard diary_syncfs_flushes(number) == 1 else {
      Glibc.close(number)
      return
    }
    (descriptor, self.folder, changes, durable) = (number, folder, 0, 0)
  }

  /// Counts a write. The result stands for this write and all before it.
  @discardableResult func recordChange() -> Int {
    changes += 1
    return changes
  }

  /// Waits until all writes up to `change`, a result of ``recordChange()``, are on disk; `nil`: all.
  func barrier(_ change: Int? = nil) throws(GitError) {
    guard isOpen, durable < change ?? changes else { return }
    let written = changes
    while diary_syncfs(descriptor) != 0 {
      guard errno == EINTR else { throw GitError.system("sync the file system of", folder) }
    }
    durable = written
    for lock in replacedLocks { lock.removeRecords() }
    replacedLocks = []
  }

  /// Runs the last barrier; afterwards each file is synced by itself again.
  func close() throws(GitError) {
    try barrier()
    abandon()
  }

  /// Closes it without a barrier, after an error. Records of locks stay, since they may be right.
  func abandon() {
    for lock in preparedLocks.values { lock.removeRecords() }
    for lock in replacedLocks { lock.leaveRecord() }
    (preparedLocks, replacedLocks) = ([:], [])
    if isOpen { Glibc.close(descriptor) }
    descriptor = -1
  }

  /// Retains the record of a lock until its rename is on disk.
  func retainRecord(of lock: OwnedLockFile) { replacedLocks.append(lock) }

  /// Stores a lock recorded in advance, so that acquiring it needs no barrier of its own.
  func addPrepared(_ lock: OwnedLockFile) { preparedLocks[lock.path] = lock }

  func isPrepared(_ path: String) -> Bool { preparedLocks[path] != nil }

  func removePrepared(_ path: String) -> OwnedLockFile? { preparedLocks.removeValue(forKey: path) }

  /// syncfs reports every error since Linux 5.17 (see syncfs(2); before, not those of the file
  /// system itself).
  private static let reportsErrors: Bool = {
    var names = utsname()
    guard uname(&names) == 0 else { return false }
    let release = withUnsafeBytes(of: &names.release) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    let numbers = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
    return numbers.count == 2 && (numbers[0], numbers[1]) >= (5, 17)
  }()

  /// The limit of unwritten bytes of all programs up to which a wait for them is acceptable.
  private static let maxUnwritten = 32 << 20

  /// The number of bytes that the kernel has not written to any disk yet.
  private static func unwrittenBytes() -> Int {
    guard let bytes = try? readFile("/proc/meminfo") else { return .max }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    return lines.filter { $0.hasPrefix("Dirty:") || $0.hasPrefix("Writeback:") }
      .reduce(0) { $0 + (Int($1.filter(\.isNumber)) ?? 0) << 10 }
  }

  private static func device(_ folder: String) -> UInt64? {
    var status = stat()
    return stat(folder, &status) == 0 ? UInt64(status.st_dev) : nil
  }
}

extension GitRepository {
  /// Starts a change: decides how it becomes durable, until ``endFlush()``.
  func beginFlush() {
    guard !flush.isOpen else { return }
    flush.open(
      [location.commonDirectory, objectsFolder, location.gitDirectory, location.workTree],
      method: configValue("core.fsyncMethod"))
  }

  /// Ends a change: all its writes are on disk.
  package func endFlush() throws(GitError) {
    do throws(GitError) {
      try flush.close()
    } catch {
      abandonFlush()
      throw error
    }
  }

  /// Waits in the middle of a change until all its writes so far are on disk.
  package func flushWrites() throws(GitError) {
    do throws(GitError) {
      try flush.barrier()
    } catch {
      abandonFlush()
      throw error
    }
  }

  /// Ends a change after an error; it is unknown which of its writes are on disk.
  package func abandonFlush() {
    if flush.isOpen { syncedFiles = [:] }
    flush.abandon()
  }

  /// True if files just written in the work tree become durable with the next save; otherwise the
  /// caller must sync them. The caller calls ``endFlush()`` at the end.
  package func canFlushFiles(on devices: Set<UInt64>) -> Bool {
    beginFlush()
    var status = stat()
    guard flush.isOpen, stat(objectsFolder, &status) == 0,
      devices.isSubset(of: [UInt64(status.st_dev)])
    else { return false }
    flush.recordChange()
    return true
  }
}
