import Glibc

extension GitRepository {
  /// Verifies the objects after a ref has moved. `git gc --prune=now` deletes at its end by the
  /// refs that it read at its start, so a running gc must end first; a later one sees the ref. A
  /// plain `git prune` leaves no evidence of running, so the previous save's objects are verified
  /// again.
  func verifyStored(_ objects: ObjectBatch) throws(GitError) {
    waitForGC()
    var all = lastObjects
    all.contents.merge(objects.contents) { old, _ in old }
    lastObjects = objects.size <= 32 << 20 ? objects : ObjectBatch()
    try confirmObjects(all)
    releasePackLocks()
  }

  /// Waits for a gc of this machine, up to 20 seconds in all for each gc. One of another machine
  /// cannot be told from one that was killed there.
  private func waitForGC() {
    var pause: UInt32 = 2_000
    while case .local(let gc) = gcHolder {
      if awaitedGC?.id != gc { awaitedGC = (gc, 0) }
      guard let waited = awaitedGC?.microseconds, waited < 20_000_000 else { return }
      usleep(pause)
      awaitedGC?.microseconds = waited + pause
      pause = min(pause * 2, 100_000)
    }
  }

  /// The file that shows a running `git gc`: `PID HOST`.
  var gcPidPath: String { location.commonDirectory + "/gc.pid" }

  /// Follows `PID HOST` in the `gc.pid` of Diary's own repacking; git reads only these two words.
  static let repackingMark = "diary"

  /// The process that runs a `git gc`.
  enum GCHolder: Equatable {
    case none
    /// Diary's own repacking, which deletes only objects that are in a pack.
    case repacking
    /// A gc of this machine, with the inode and the time of its file.
    case local([UInt64])
    case otherHost
  }

  /// The holder of `gc.pid`. As for git, a file older than twelve hours has none; neither has one
  /// that is older than the machine's start, or whose process has ended.
  var gcHolder: GCHolder {
    // While a git writes `gc.pid`, only its lock exists, for milliseconds.
    guard let bytes = try? readFile(gcPidPath, limit: 512) else {
      return file(gcPidPath + ".lock", youngerThan: 2).map { .local($0) } ?? .none
    }
    guard let id = file(gcPidPath, youngerThan: 12 * 3_600) else { return .none }
    let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard words.count >= 2, let process = pid_t(words[0]) else { return .none }
    guard words[1] == Self.hostName else { return .otherHost }
    var sinceStart = timespec()
    clock_gettime(CLOCK_BOOTTIME, &sinceStart)
    guard kill(process, 0) == 0 || errno == EPERM,
      file(gcPidPath, youngerThan: sinceStart.tv_sec) != nil
    else { return .none }
    return words.dropFirst(2).first == Self.repackingMark[...] ? .repacking : .local(id)
  }

  /// The inode and the modification time of a file that was written within these seconds.
  private func file(_ path: String, youngerThan seconds: Int) -> [UInt64]? {
    var (status, now) = (stat(), timespec())
    guard stat(path, &status) == 0, clock_gettime(CLOCK_REALTIME, &now) == 0,
      abs(now.tv_sec - status.st_mtim.tv_sec) <= seconds
    else { return nil }
    return [UInt64(status.st_ino), UInt64(bitPattern: Int64(status.st_mtim.tv_sec))]
  }

  static var hostName: String {
    var host = [CChar](repeating: 0, count: 256)
    gethostname(&host, host.count - 1)
    return String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
