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

  private func waitForGC() {
    var pause: UInt32 = 2_000
    var waited: UInt32 = 0
    while waited < 20_000_000, isGCRunning(ignoringOwnPacking: true) {
      usleep(pause)
      waited += pause
      pause = min(pause * 2, 100_000)
    }
  }

  /// The file that shows a running `git gc`.
  var gcPidPath: String { location.commonDirectory + "/gc.pid" }

  /// True if a `git gc` of this machine holds `gc.pid` (`PID HOST`). A killed one does not count,
  /// nor, with `packing`, Diary's own packing, which deletes only objects that are in a pack.
  func isGCRunning(ignoringOwnPacking packing: Bool) -> Bool {
    guard let bytes = try? readFile(gcPidPath, limit: 512) else {
      return access(gcPidPath + ".lock", F_OK) == 0
    }
    var status = stat()
    // Diary's `gc.pid` is a link to its record (``OwnedLockFile``).
    if packing, stat(gcPidPath, &status) == 0, status.st_nlink > 1 { return false }
    let pidText = String(decoding: bytes.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
    guard let process = pid_t(pidText) else { return false }
    return kill(process, 0) == 0 || errno == EPERM
  }
}
