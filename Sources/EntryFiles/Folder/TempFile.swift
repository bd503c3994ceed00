import DiaryCore
import Glibc

/// A new hidden file beside the one that it will become; taken away again unless it was kept.
final class TempFile {
  /// Bytes of a name that Diary gives to its own temporary files.
  static let prefix = Array(".diary-".utf8)
  static let suffix = Array(".tmp".utf8)

  let folder: Int32
  let name: [CChar]
  let descriptor: Int32
  /// Set once another name, or nobody, owns the file.
  var isRetained = false
  private let operation: FileError.Operation
  private let path: String

  /// Makes an empty file in `folder`; `path` is the one that errors name.
  init(
    in folder: Int32, mode: mode_t, displayPath path: String, for operation: FileError.Operation
  ) throws(FileError) {
    self.folder = folder
    self.operation = operation
    self.path = path
    var descriptor: Int32 = -1
    var name: [CChar] = []
    // A taken name is a leftover of a killed Diary; another number is free.
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

  /// Writes all of it and, unless the caller does, waits until it is on the disk.
  func write(_ bytes: [UInt8], syncs: Bool = true) throws(FileError) {
    try writeAll(bytes, to: descriptor, displayPath: path, for: operation)
    if syncs { try sync() }
  }

  /// Waits until what was written is on the disk.
  func sync() throws(FileError) {
    if let code = syncToDisk(descriptor) { throw FileError(operation, path, code: code) }
  }

  /// Writes a piece, without waiting for the disk.
  func write(_ piece: UnsafeRawBufferPointer) throws(FileError) {
    var remainder = piece
    while !remainder.isEmpty {
      let step = retryOnInterrupt {
        Glibc.write(descriptor, remainder.baseAddress, remainder.count)
      }
      guard step >= 0 else { throw FileError(operation, path, code: errno) }
      remainder = UnsafeRawBufferPointer(rebasing: remainder[step...])
    }
  }

  /// The file's number on its device.
  var inode: UInt64 {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? UInt64(status.st_ino) : 0
  }
}

func writeAll(
  _ bytes: [UInt8], to descriptor: Int32, displayPath path: String,
  for operation: FileError.Operation
) throws(FileError) {
  var written = 0
  while written < bytes.count {
    let step = bytes.withUnsafeBytes { buffer in
      let remainder = UnsafeRawBufferPointer(rebasing: buffer[written...])
      return retryOnInterrupt { write(descriptor, remainder.baseAddress, remainder.count) }
    }
    guard step >= 0 else { throw FileError(operation, path, code: errno) }
    written += step
  }
}
