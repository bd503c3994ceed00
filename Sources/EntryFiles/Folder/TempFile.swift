import DiaryCore
import Glibc

/// A new hidden file in the folder of its final path; deleted on deinit unless `isRetained` is set.
final class TempFile {
  /// The prefix and suffix of the names of Diary's temporary files.
  static let prefix = Array(".diary-".utf8)
  static let suffix = Array(".tmp".utf8)

  let folder: Int32
  let name: [CChar]
  let descriptor: Int32
  /// True if the file was renamed or belongs to another owner: it is not deleted.
  var isRetained = false
  private let operation: FileError.Operation
  private let path: String

  /// Creates an empty file in `folder`; `path` is for error messages.
  init(
    in folder: Int32, mode: mode_t, displayPath path: String, for operation: FileError.Operation
  ) throws(FileError) {
    self.folder = folder
    self.operation = operation
    self.path = path
    var descriptor: Int32 = -1
    var name: [CChar] = []
    // A name in use is a leftover of a killed Diary; try another number.
    repeat {
      let candidate = Self.makeName()
      descriptor = retryOnInterrupt {
        openat(folder, candidate, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
      }
      name = candidate
    } while descriptor < 0 && errno == EEXIST
    self.name = name
    self.descriptor = descriptor
    guard descriptor >= 0 else {
      isRetained = true
      throw FileError(operation, path, code: errno)
    }
    flock(descriptor, LOCK_SH | LOCK_NB)
  }

  deinit {
    if !isRetained { unlinkat(folder, name, 0) }
    if descriptor >= 0 { close(descriptor) }
  }

  static func makeName() -> [CChar] {
    let number = String(UInt64.random(in: 0...UInt64.max), radix: 16)
    return cString(prefix + number.utf8 + suffix)
  }

  static func isName(_ name: some Collection<UInt8>) -> Bool {
    name.count > prefix.count + suffix.count && name.starts(with: prefix)
      && name.suffix(suffix.count).elementsEqual(suffix)
  }

  /// Writes all bytes, and flushes them unless `syncs` is false.
  func write(_ bytes: [UInt8], syncs: Bool = true) throws(FileError) {
    try writeAll(bytes, to: descriptor, displayPath: path, for: operation)
    if syncs { try sync() }
  }

  /// Flushes the written bytes to the disk.
  func sync() throws(FileError) {
    if let code = syncToDisk(descriptor) { throw FileError(operation, path, code: code) }
  }

  /// Writes bytes without flushing.
  func write(_ piece: UnsafeRawBufferPointer) throws(FileError) {
    if let code = writeAll(piece, to: descriptor) { throw FileError(operation, path, code: code) }
  }

  /// The inode number.
  var inode: UInt64 {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? UInt64(status.st_ino) : 0
  }
}

func writeAll(
  _ bytes: [UInt8], to descriptor: Int32, displayPath path: String,
  for operation: FileError.Operation
) throws(FileError) {
  if let code = bytes.withUnsafeBytes({ writeAll($0, to: descriptor) }) {
    throw FileError(operation, path, code: code)
  }
}

/// Writes bytes without flushing. Returns the `errno` of a failure.
private func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
  var remainder = bytes
  while !remainder.isEmpty {
    let step = retryOnInterrupt { write(descriptor, remainder.baseAddress, remainder.count) }
    guard step >= 0 else { return errno }
    remainder = UnsafeRawBufferPointer(rebasing: remainder[step...])
  }
  return nil
}
