import Glibc
import Localization

/// A lock file in `.git/diary/` for one process at a time. The kernel releases it at process exit.
package final class ProcessLock: Sendable {
  private let descriptor: Int32
  private let path: String
  /// True if the lock is on the file of the text itself.
  private let isOnPath: Bool

  /// Acquires the lock; `nil` if another process holds it. Tries three times within 10 ms, because
  /// a process that asks for the holder has the lock for an instant.
  ///
  /// - Parameter other: the file to lock in place of the one at `path`, which then is open only while
  /// its text is written.
  package init?(_ path: String, text: String = "", on other: String? = nil) throws(DiaryError) {
    let descriptor =
      other.map { open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) } ?? Self.openText(path)
    guard descriptor >= 0 else {
      throw DiaryError(
        localized("cannot open \(other ?? path): \(String(cString: strerror(errno)))"),
        hint: localized("make the folder writable, or choose another journal with --journal"))
    }
    (self.path, isOnPath) = (path, other == nil)
    var failures = 0
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      failures += 1
      guard failures < 3 else {
        close(descriptor)
        return nil
      }
      usleep(5_000)
    }
    self.descriptor = descriptor
    if !text.isEmpty { write(text) }
  }

  private static func openText(_ path: String) -> Int32 {
    open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
  }

  /// Replaces the text in the lock file.
  func write(_ text: String) {
    let file = isOnPath ? descriptor : Self.openText(path)
    defer { if !isOnPath { close(file) } }
    _ = text.withCString { pwrite(file, $0, strlen($0), 0) }
    ftruncate(file, off_t(text.utf8.count))
  }

  /// The text that the current holder of the lock at `path`, or on `other`, wrote; `nil` if nobody
  /// holds it.
  static func holderText(of path: String, on other: String? = nil) -> String? {
    let locked = open(other ?? path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard locked >= 0 else { return nil }
    defer { close(locked) }
    if flock(locked, LOCK_SH | LOCK_NB) == 0 { return nil }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1_000)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  /// True if the locked file is still the one at this path.
  func isFile(at path: String) -> Bool {
    var (held, named) = (stat(), stat())
    return fstat(descriptor, &held) == 0 && stat(path, &named) == 0
      && held.st_ino == named.st_ino && held.st_dev == named.st_dev
  }

  deinit { close(descriptor) }
}
