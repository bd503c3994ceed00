import Glibc

/// A lock file of git's (`index.lock`, `refs/heads/main.lock`) that Diary holds.
///
/// It is a hard link to a file of Diary's whose purpose was recorded and synced first. A killed
/// Diary leaves both behind, and the shared inode distinguishes its lock from others. While Diary
/// runs, an `flock` on that inode shows it.
final class OwnedLockFile {
  let path: String
  let descriptor: Int32
  private let record: String
  private var isHeld = true
  /// The path that the complete lock file will replace.
  private var completionTarget: String?
  private let flush: DiskFlush
  /// The changes, as ``DiskFlush`` counts, that must be on disk before the rename over the target.
  private var requiredChanges = 0

  private init(path: String, record: String, descriptor: Int32, _ flush: DiskFlush) {
    self.path = path
    self.record = record
    self.descriptor = descriptor
    self.flush = flush
  }

  /// Acquires the lock at `path`, or returns `nil` if another process holds it. `content` is the
  /// lock file's content, if it is known already.
  static func acquire(
    _ path: String, in location: RepositoryLocation, _ flush: DiskFlush, content: [UInt8]? = nil
  ) throws(GitError) -> OwnedLockFile? {
    let prepared = flush.removePrepared(path)
    let lock = if let prepared { prepared } else { try recordedLock(path, in: location, flush) }
    do throws(GitError) {
      if flush.isOpen {
        if let content { try lock.write(content) }
        try flush.barrier(max(lock.requiredChanges, 1))
      }
      guard try lock.linkRecord() else {
        lock.removeRecords()
        return nil
      }
    } catch {
      lock.removeRecords()
      throw error
    }
    do throws(GitError) {
      if let content, !flush.isOpen || lock.isInPlace { try lock.write(content) }
      return lock
    } catch {
      lock.release()
      throw error
    }
  }

  /// Writes the record of a lock before it is acquired; the next barrier makes it durable.
  static func prepare(_ path: String, in location: RepositoryLocation, _ flush: DiskFlush)
    throws(GitError)
  {
    guard flush.isOpen, !flush.isPrepared(path) else { return }
    flush.addPrepared(try recordedLock(path, in: location, flush))
  }

  /// Returns a lock with a recorded purpose, synced unless a barrier does that later.
  private static func recordedLock(
    _ path: String, in location: RepositoryLocation, _ flush: DiskFlush
  ) throws(GitError) -> OwnedLockFile {
    try location.makeDiaryDirectory()
    let folder = location.locksDirectory
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
      throw GitError.system("make", folder)
    }
    for _ in 0..<8 {
      let record = folder + "/\(getpid())-\(UInt64.random(in: 0 ... .max))"
      let descriptor = open(record, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      guard descriptor >= 0 else { throw GitError.system("create", record) }
      // A Diary that clears old records may have found this one before it was marked as alive.
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, linkCount(descriptor) > 0 else {
        close(descriptor)
        unlink(record)
        continue
      }
      let lock = OwnedLockFile(path: path, record: record, descriptor: descriptor, flush)
      do throws(GitError) {
        let purpose = Array(path.utf8)
        try writeNewFile(record + ".for", purpose, mode: 0o600, syncing: !flush.isOpen)
        if !flush.isOpen { try syncFile(folder) }
      } catch {
        lock.removeRecords()
        throw error
      }
      lock.requiredChanges = flush.recordChange()
      return lock
    }
    throw GitError("record a lock in", folder, .locked, "another Diary keeps clearing it")
  }

  private func linkRecord() throws(GitError) -> Bool {
    for _ in 0..<50 {
      if Glibc.link(record, path) == 0 {
        // sshfs gives each name of a file its own inode number.
        if OwnedLockFile.isSame(descriptor, path) { return true }
        unlink(path)
        return try createInPlace()
      }
      switch errno {
      case EEXIST: return false
      case EPERM, EOPNOTSUPP, EMLINK, ENOSYS: return try createInPlace()
      // `git pack-refs` removes ref folders that it has emptied.
      case ENOENT: try? makeFolders(parent(of: path))
      default: throw GitError.system("take the lock", path)
      }
    }
    throw GitError("take the lock", path, .system(code: ENOENT), "its folder does not stay")
  }

  /// Creates the lock as git does, if the file system has no hard links or does not show them.
  /// After a kill it cannot be distinguished from other locks.
  private func createInPlace() throws(GitError) -> Bool {
    let created = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard created >= 0 else {
      if errno == EEXIST { return false }
      throw GitError.system("take the lock", path)
    }
    isInPlace = true
    dup2(created, descriptor)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    close(created)
    return true
  }

  /// Writes `bytes` as the lock file's content, synced.
  func write(_ bytes: [UInt8], mode: mode_t? = nil) throws(GitError) {
    guard ftruncate(descriptor, 0) == 0, lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw GitError.system("write", path)
    }
    try writeAll(bytes, to: descriptor, path)
    if let mode { fchmod(descriptor, mode) }
    guard flush.isOpen || fsync(descriptor) == 0 else { throw GitError.system("sync", path) }
    requiredChanges = flush.recordChange()
  }

  /// The inode of the lock file, under either name.
  var inode: UInt64 {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? UInt64(status.st_ino) : 0
  }

  /// Records that the lock file is complete and replaces `target` once `reference` names `commit`.
  /// If Diary is killed in between, the next run finishes it.
  func recordCompletion(reference: String, commit: ObjectID, target: String) throws(GitError) {
    let text = "\(commit) \(reference)\n\(target)\n"
    try writeNewFile(record + ".then", Array(text.utf8), mode: 0o600, syncing: !flush.isOpen)
    if !flush.isOpen {
      try syncFile(parent(of: record))
      // The lock's own name as well: without it a cut of the power would leave the old index.
      try syncFile(parent(of: path))
    }
    flush.recordChange()
    completionTarget = target
  }

  /// Renames the lock file over its recorded target, if there is one. On failure, lock and record
  /// stay, as after a kill, and the next clearing of stale locks does it.
  func complete() throws(GitError) {
    guard let completionTarget else { return }
    do {
      try replace(completionTarget)
    } catch {
      if isHeld {
        isHeld = false
        leaveRecord()
      }
      throw error
    }
  }

  /// Requires everything written so far to be on disk before the lock file replaces its target.
  func requireAllWritten() { requiredChanges = flush.changes }

  /// Closes the record and leaves it on disk, as a kill would.
  func leaveRecord() {
    guard !hasNoRecords else { return }
    hasNoRecords = true
    close(descriptor)
  }

  /// Renames the lock file over the file that it locks, which ends the lock.
  func replace(_ target: String) throws(GitError) {
    try flush.barrier(requiredChanges)
    guard rename(path, target) == 0 else { throw GitError.system("replace", target) }
    isHeld = false
    if flush.isOpen {
      flush.recordChange()
      isRetainedByFlush = true
      flush.retainRecord(of: self)
    } else {
      try syncFile(parent(of: target))
      removeRecords()
    }
  }

  /// Releases the lock without changing the locked file.
  func release() {
    if isHeld, OwnedLockFile.isSame(descriptor, path) { unlink(path) }
    isHeld = false
    if !isRetainedByFlush { removeRecords() }
  }

  private var hasNoRecords = false
  /// True if the lock file is not a link to the record.
  private var isInPlace = false
  /// True if the record stays until the rename is on disk.
  private var isRetainedByFlush = false

  func removeRecords() {
    guard !hasNoRecords else { return }
    hasNoRecords = true
    for ending in [".then", ".for", ""] { unlink(record + ending) }
    close(descriptor)
  }

  static func isSame(_ descriptor: Int32, _ path: String) -> Bool {
    var (held, named) = (stat(), stat())
    return fstat(descriptor, &held) == 0 && lstat(path, &named) == 0 && held.st_ino == named.st_ino
      && held.st_dev == named.st_dev
  }

  private static func linkCount(_ descriptor: Int32) -> Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_nlink) : 0
  }
}

extension RepositoryLocation {
  var locksDirectory: String { diaryDirectory + "/locks" }
}
