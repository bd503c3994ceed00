import CLibgit2
import Glibc

extension GitRepository {
  /// Whether it is time to pack: by the writer's `gc.auto` and `gc.autoPackLimit`, and as git tells it,
  /// from one folder in 256. Never where they pack in another way or want it packed by nobody, nor
  /// where objects are borrowed from another repository.
  package func needsPacking() -> Bool {
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

  /// Puts up the sign of a running `git gc` (`gc.pid`), which makes others' wait; answers `false` while
  /// somebody else's is up.
  package func startPacking() throws(GitError) -> Bool {
    guard gcPidLock == nil, !isGCRunning(ignoringOwnPacking: false) else { return false }
    var host = [CChar](repeating: 0, count: 256)
    gethostname(&host, host.count - 1)
    // One that a killed git left is in nobody's way, and git's own to replace.
    let lock = try OwnedLockFile.acquire(gcPidPath, in: location, flush)
    do throws(GitError) {
      try lock?.write(
        Array("\(getpid()) ".utf8) + host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
    } catch {
      lock?.release()
      throw error
    }
    gcPidLock = lock
    return true
  }

  /// Takes the sign down.
  package func endPacking() {
    gcPidLock?.release()
    gcPidLock = nil
  }
}
