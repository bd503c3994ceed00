import Glibc

extension GitRepository {
  /// True if repacking is due by the user's `gc.auto` and `gc.autoPackLimit`, estimated as git does
  /// from one folder in 256. Never true if the user packs in another way or has turned packing off,
  /// or if objects are borrowed from another repository.
  package func needsRepacking() -> Bool {
    let limit = configuredNumber("gc.auto", unset: 6_700)
    guard limit > 0, isConfigured("maintenance.auto", unset: true),
      access(objectsFolder + "/info/alternates", F_OK) != 0
    else { return false }
    let loose = names(in: objectsFolder + "/17").count { $0.utf8.count == 38 }
    if loose > (limit + 255) / 256 { return true }
    let packLimit = configuredNumber("gc.autoPackLimit", unset: 50)
    let packs = names(in: objectsFolder + "/pack").count { $0.hasSuffix(".pack") }
    return packLimit > 0 && packs > packLimit
  }

  /// Creates `gc.pid`, the file of a running `git gc`, so that other processes wait. Returns
  /// `false` while another process holds it.
  package func startRepacking() throws(GitError) -> Bool {
    guard gcPidLock == nil, gcHolder == .none else { return false }
    var takeover: OwnedLockFile?
    defer { takeover?.release() }
    if access(gcPidPath, F_OK) == 0 {
      // The file of a killed gc. As git does, it is replaced only under `gc.pid.lock`.
      takeover = try OwnedLockFile.acquire(gcPidPath + ".lock", in: location, flush)
      guard takeover != nil, gcHolder == .none else { return false }
      unlink(gcPidPath)
    }
    let lock = try OwnedLockFile.acquire(gcPidPath, in: location, flush)
    do throws(GitError) {
      try lock?.write(Array("\(getpid()) \(Self.hostName) \(Self.repackingMark)".utf8))
    } catch {
      lock?.release()
      throw error
    }
    gcPidLock = lock
    return lock != nil
  }

  /// Removes `gc.pid`.
  package func endRepacking() {
    gcPidLock?.release()
    gcPidLock = nil
  }
}
