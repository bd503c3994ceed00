import Glibc

extension GitRepository {
  /// The last look after a reference has moved. `git gc --prune=now` decides by the references that it
  /// read when it began what it deletes when it ends, so a gc under way is waited for first; one that
  /// begins later sees the reference. `git prune` by itself leaves no sign of running, which is why
  /// the save before is looked after again, too.
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

  /// The file by which a running `git gc` is known.
  var gcPidPath: String { location.commonDirectory + "/gc.pid" }

  /// Whether a `git gc` of this machine holds `gc.pid` (`PID HOST`); a killed one does not count, nor,
  /// where asked so, does Diary's packing, which deletes nothing that is not in a pack.
  func isGCRunning(ignoringOwnPacking packing: Bool) -> Bool {
    guard let bytes = try? readFile(gcPidPath, limit: 512) else {
      return access(gcPidPath + ".lock", F_OK) == 0
    }
    var status = stat()
    // Diary's sign is a link to its record (``OwnedLockFile``).
    if packing, stat(gcPidPath, &status) == 0, status.st_nlink > 1 { return false }
    let pidText = String(decoding: bytes.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
    guard let process = pid_t(pidText) else { return false }
    return kill(process, 0) == 0 || errno == EPERM
  }
}
