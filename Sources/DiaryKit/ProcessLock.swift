import Glibc
import Localization

/// A lock file in `.git/diary/` for one process at a time. The kernel releases it at process exit.
package final class ProcessLock: Sendable {
  private let descriptor: Int32

  /// Acquires the lock; `nil` if another process holds it. Tries three times within 10 ms, because
  /// a process that asks for the holder has the lock for an instant.
  package init?(_ path: String, text: String = "") throws(DiaryError) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw DiaryError(
        localized("cannot open \(path): \(String(cString: strerror(errno)))"),
        hint: localized("make the folder writable, or choose another journal with --journal"))
    }
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

  /// Replaces the text in the lock file.
  func write(_ text: String) {
    _ = text.withCString { pwrite(descriptor, $0, strlen($0), 0) }
    ftruncate(descriptor, off_t(text.utf8.count))
  }

  /// The text that the current holder of the lock at `path` wrote; `nil` if nobody holds it.
  static func holderText(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return nil }
    var bytes = [UInt8](repeating: 0, count: 1_000)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  /// True if the locked file is still the one at `path`.
  func isFile(at path: String) -> Bool {
    var (held, named) = (stat(), stat())
    return fstat(descriptor, &held) == 0 && stat(path, &named) == 0
      && held.st_ino == named.st_ino && held.st_dev == named.st_dev
  }

  deinit { close(descriptor) }
}
