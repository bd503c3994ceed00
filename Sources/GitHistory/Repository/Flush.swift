import CLinux
import DiaryCore
import Glibc

/// The way in which what one change writes becomes durable.
///
/// Without an open one each file and folder is synced by itself (`fsync`) as it is written. While one is
/// open, nothing is: a ``barrier(_:)`` syncs the whole file system (`syncfs`) wherever what follows
/// depends on what was written before. docs/faults.md tells which depends on which.
final class Flush {
  private var descriptor: Int32 = -1
  private var folder = ""
  /// How much has been written since it was opened, and how much of that is on the disk.
  private(set) var changes = 0
  private var durable = 0
  /// The locks whose records may go when all that was written is on the disk.
  private var replacedLocks: [OwnedLockFile] = []
  /// Locks whose records are written, and which are not taken yet.
  private var preparedLocks: [String: OwnedLockFile] = [:]

  /// Whether the whole file system is synced at once.
  var isOpen: Bool { descriptor >= 0 }

  deinit { abandon() }

  /// Opens it, if `folders` all lie on one file system for which that is right, and git's configuration
  /// (`core.fsyncMethod`) does not ask for another way.
  func open(_ folders: [String], method: String?) {
    guard !isOpen, Self.reportsErrors, method == nil || method == "batch",
      let folder = folders.first, Set(folders.map(Self.device)).count == 1
    else { return }
    // What other programs have written would be waited for as well.
    if method == nil, Self.unwrittenBytes() > Self.maxUnwritten { return }
    let number = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { return }
    guard Self.supportedKinds.contains(diary_file_system_kind(number) & 0xFFFF_FFFF) else {
      Glibc.close(number)
      return
    }
    (descriptor, self.folder, changes, durable) = (number, folder, 0, 0)
  }

  /// Counts something written; the answer stands for it and all before it.
  @discardableResult func recordChange() -> Int {
    changes += 1
    return changes
  }

  /// Waits until all is on the disk that was written up to `change`, as ``noteChange()`` answered it;
  /// without one, all.
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

  /// The last barrier; from now on each file is synced by itself again.
  func close() throws(GitError) {
    try barrier()
    abandon()
  }

  /// Ends it without a barrier, after an error. Records of locks stay, for what they tell may be true.
  func abandon() {
    for lock in preparedLocks.values { lock.removeRecords() }
    for lock in replacedLocks { lock.leaveRecord() }
    (preparedLocks, replacedLocks) = ([:], [])
    if isOpen { Glibc.close(descriptor) }
    descriptor = -1
  }

  /// Keeps the record of a lock until its rename is on the disk.
  func retainRecord(of lock: OwnedLockFile) { replacedLocks.append(lock) }

  /// Keeps a record that is written ahead, so that taking the lock needs no barrier of its own.
  func addPrepared(_ lock: OwnedLockFile) { preparedLocks[lock.path] = lock }

  func isPrepared(_ path: String) -> Bool { preparedLocks[path] != nil }

  func removePrepared(_ path: String) -> OwnedLockFile? { preparedLocks.removeValue(forKey: path) }

  /// ext2 to ext4, XFS, btrfs, and tmpfs, which has no disk.
  private static let supportedKinds: Set<Int64> = [0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994]

  /// syncfs tells of every error since Linux 5.17 (see syncfs(2); before, not of those of the file system
  /// itself).
  private static let reportsErrors: Bool = {
    var names = utsname()
    guard uname(&names) == 0 else { return false }
    let release = withUnsafeBytes(of: &names.release) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    let numbers = release.split { !$0.isNumber }.prefix(2).compactMap { Int($0) }
    return numbers.count == 2 && (numbers[0], numbers[1]) >= (5, 17)
  }()

  /// Up to so many bytes that wait for any disk, other programs' words are no reason to wait.
  private static let maxUnwritten = 32 << 20

  /// The bytes that the kernel has not written to any disk yet.
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
  /// Begins a change: decides how it becomes durable, until ``endFlush()``.
  func beginFlush() {
    guard !flush.isOpen else { return }
    flush.open(
      [location.commonDirectory, objectsFolder, location.gitDirectory, location.workTree],
      method: configValue("core.fsyncMethod"))
  }

  /// Ends a change: all of it is on the disk.
  package func endFlush() throws(GitError) {
    do throws(GitError) {
      try flush.close()
    } catch {
      abandonFlush()
      throw error
    }
  }

  /// Waits, in the middle of a change, until all that it has written so far is on the disk.
  package func flushWrites() throws(GitError) {
    do throws(GitError) {
      try flush.barrier()
    } catch {
      abandonFlush()
      throw error
    }
  }

  /// Ends a change after an error; what of it is on the disk is not known.
  package func abandonFlush() {
    if flush.isOpen { syncedFiles = [:] }
    flush.abandon()
  }

  /// Whether files of the work tree that were just written become durable with what is saved next; else
  /// they are the caller's to sync. The caller calls ``endFlush()`` when it is done.
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
