import CLinux
import DiaryCore
import Glibc

extension JournalFolder {
  /// The default limit of ``read(_:limit:)``: 64 MiB.
  package static let defaultLimit = 64 << 20

  /// Reads a file; `nil` if it does not exist. Only regular files are read, never through a link,
  /// and never a pipe, which could block.
  package func read(_ path: EntryPath, limit: Int = defaultLimit) throws(FileError) -> FileContents?
  {
    guard let file = try openToRead(path, for: .read) else { return nil }
    return try readConsistently(file, displayPath: path.text, limit: limit)
  }

  /// Reads a file, or only its first whole lines within `maxBytes` if it is longer.
  package func readBeginning(
    _ path: EntryPath, maxBytes: Int
  ) throws(FileError) -> FileContents? {
    guard let file = try openToRead(path, for: .read) else { return nil }
    var contents = try readConsistently(
      file, displayPath: path.text, limit: Self.defaultLimit, maxBytes: maxBytes)
    if contents.bytes.count > maxBytes {
      contents.bytes = Array(wholeLines(contents.bytes[..<maxBytes]))
    }
    return contents
  }

  /// The signature of a file; `nil` if it does not exist.
  package func signature(of path: EntryPath) throws(FileError) -> FileSignature? {
    let number = openBeneath(rootDescriptor, path.bytes, diary_path_only | O_NOFOLLOW)
    guard number >= 0 else {
      if isAbsence(errno) { return nil }
      throw FileError(.read, path.text, code: errno)
    }
    let file = Descriptor(owning: number)
    let status = try status(of: file, displayPath: path.text)
    if status.st_mode & S_IFMT == S_IFLNK { throw FileError(.read, path.text, .link) }
    guard status.isRegular else { throw FileError(.read, path.text, .notRegular) }
    return FileSignature(status)
  }

  func openToRead(
    _ path: EntryPath, for operation: FileError.Operation
  ) throws(FileError) -> Descriptor? {
    let number = openBeneath(
      rootDescriptor, path.bytes, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY)
    if number >= 0 { return Descriptor(owning: number) }
    if isAbsence(errno) { return nil }
    // A socket, or a device without a driver, cannot be opened at all.
    if errno == ENXIO { throw FileError(operation, path.text, .notRegular) }
    throw FileError(operation, path.text, code: errno)
  }
}

/// True if the file does not exist, or a folder in its path is a file.
func isAbsence(_ code: Int32) -> Bool { code == ENOENT || code == ENOTDIR }

func status(of file: borrowing Descriptor, displayPath path: String) throws(FileError) -> stat {
  var status = stat()
  guard fstat(file.number, &status) == 0 else { throw FileError(.read, path, code: errno) }
  return status
}

/// The bytes without an incomplete last line, or last UTF-8 character if there is no line end.
private func wholeLines(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  if let end = bytes.lastIndex(of: UInt8(ascii: "\n")) { return bytes[...end] }
  return bytes.dropLast(bytes.reversed().prefix(3).prefix { $0 & 0xC0 == 0x80 }.count + 1)
}

/// Reads at most `maxBytes` + 1 bytes from the start, and repeats until the file's status is the
/// same before and after; at most four times.
func readConsistently(
  _ file: borrowing Descriptor, displayPath path: String, limit: Int, maxBytes: Int = .max - 1
) throws(FileError) -> FileContents {
  var attempt = 1
  while true {
    let readAt = wallClock()
    let before = try status(of: file, displayPath: path)
    guard before.isRegular else { throw FileError(.read, path, .notRegular) }
    guard before.st_size <= limit else { throw FileError(.read, path, .tooLarge(limit: limit)) }
    let size = min(Int(before.st_size), maxBytes)
    let bytes = try readAll(
      file, sizeHint: size, displayPath: path, limit: limit, maxBytes: maxBytes)
    let after = try status(of: file, displayPath: path)
    let isConsistent =
      isUnchanged(before, after) && (bytes.count == Int(after.st_size) || bytes.count > maxBytes)
    if isConsistent || attempt == 4 {
      return FileContents(
        bytes: bytes, signature: FileSignature(before), readAt: readAt, isConsistent: isConsistent)
    }
    attempt += 1
  }
}

private func isUnchanged(_ before: stat, _ after: stat) -> Bool {
  FileSignature(before) == FileSignature(after) && before.st_ctim.tv_sec == after.st_ctim.tv_sec
    && before.st_ctim.tv_nsec == after.st_ctim.tv_nsec
}

private func readAll(
  _ file: borrowing Descriptor, sizeHint: Int, displayPath path: String, limit: Int, maxBytes: Int
) throws(FileError) -> [UInt8] {
  let number = file.number
  var bytes: [UInt8] = []
  // One extra byte detects the end of most files without a second call.
  var capacity = sizeHint + 1
  while true {
    var code: Int32?
    var isAtEnd = false
    let start = bytes.count
    let part = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      let got = retryOnInterrupt { pread(number, buffer.baseAddress, buffer.count, start) }
      if got < 0 { code = errno }
      count = max(got, 0)
      isAtEnd = got == 0 || (got < buffer.count && start + got == sizeHint)
    }
    if let code { throw FileError(.read, path, code: code) }
    // Mostly there is only one part; it is not copied.
    if start == 0 { bytes = part } else { bytes += part }
    if isAtEnd || bytes.count > maxBytes { return bytes }
    guard bytes.count <= limit else { throw FileError(.read, path, .tooLarge(limit: limit)) }
    capacity = max(4096, sizeHint + 1 - bytes.count)
  }
}
