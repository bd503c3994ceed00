import Foundation
import Glibc
import Localization

/// A new file outside of the journal that is written sequentially. Only its owner can read it.
final class ExportFile {
  private let descriptor: Int32
  private let displayPath: String
  private var buffer: [UInt8] = []
  private var isOpen = true

  /// Creates the file; an existing file is an error. The second argument is the path for messages.
  convenience init(at path: String, displayPath: String) throws(DiaryError) {
    try self.init(at: Array(path.utf8CString), displayPath: displayPath)
  }

  /// Creates the file at a path of NUL-terminated bytes.
  init(at path: [CChar], displayPath: String) throws(DiaryError) {
    self.displayPath = displayPath
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .cannotWrite(displayPath, errno) }
  }

  deinit { if isOpen { Glibc.close(descriptor) } }

  func write(_ bytes: [UInt8]) throws(DiaryError) {
    buffer += bytes
    if buffer.count >= 1 << 18 { try flush() }
  }

  /// Writes the remaining bytes and closes the file. If `flushing`, it calls fsync first.
  func close(flushing: Bool = true) throws(DiaryError) {
    try flush()
    // Some file systems do not support fsync.
    if flushing, fsync(descriptor) != 0, ![EINVAL, EROFS, ENOSYS].contains(errno) {
      throw .cannotWrite(displayPath, errno)
    }
    isOpen = false
    guard Glibc.close(descriptor) == 0 else { throw .cannotWrite(displayPath, errno) }
  }

  private func flush() throws(DiaryError) {
    var remaining = buffer[...]
    while !remaining.isEmpty {
      let count = remaining.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .cannotWrite(displayPath, errno) }
      remaining = remaining.dropFirst(count)
    }
    buffer.removeAll(keepingCapacity: true)
  }
}

extension DiaryError {
  /// An error for a path that cannot be written.
  static func cannotWrite(_ name: String, _ code: Int32) -> DiaryError {
    DiaryError(localized("cannot write \(name): \(String(cString: strerror(code)))"))
  }
}
