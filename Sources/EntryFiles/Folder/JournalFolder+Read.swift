import CLinux
import DiaryCore
import Glibc

extension FileContents {
  /// The same; of bytes that are more than `most`, the first lines that fit.
  package func beginning(maxBytes: Int) -> FileContents {
    guard bytes.count > maxBytes else { return self }
    var part = self
    part.bytes = Array(wholeLines(bytes[..<maxBytes]))
    return part
  }
}

extension JournalFolder {
  /// The most that ``read(_:limit:)`` takes in unless told otherwise: 64 MiB.
  package static let defaultLimit = 64 << 20

  /// The file's bytes; `nil` when there is no such file. Only an ordinary file is read, never
  /// through a link, and never a pipe that would make the reader wait.
  package func read(_ path: EntryPath, limit: Int = defaultLimit) throws(FileError) -> FileContents?
  {
    guard let file = try openToRead(path, for: .read) else { return nil }
    return try readConsistently(file, displayPath: path.text, limit: limit)
  }

  /// The file's bytes, or, of one that is longer than `most`, those of the first lines that fit.
  package func readBeginning(
    _ path: EntryPath, maxBytes: Int
  ) throws(FileError) -> FileContents? {
    guard let file = try openToRead(path, for: .read) else { return nil }
    return try readConsistently(
      file, displayPath: path.text, limit: Self.defaultLimit, maxBytes: maxBytes
    )
    .beginning(maxBytes: maxBytes)
  }

  /// How the file looks; `nil` when there is no such file.
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
    // A socket, or a device without a driver, cannot even be opened.
    if errno == ENXIO { throw FileError(operation, path.text, .notRegular) }
    throw FileError(operation, path.text, code: errno)
  }
}

/// No such file, or a file where a folder would have to be.
func isAbsence(_ code: Int32) -> Bool { code == ENOENT || code == ENOTDIR }

func status(of file: borrowing Descriptor, displayPath path: String) throws(FileError) -> stat {
  var status = stat()
  guard fstat(file.number, &status) == 0 else { throw FileError(.read, path, code: errno) }
  return status
}

/// Without the last line, if there is another one; a letter is never parted.
private func wholeLines(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
  if let end = bytes.lastIndex(of: UInt8(ascii: "\n")) { return bytes[...end] }
  return bytes.dropLast(bytes.reversed().prefix(3).prefix { $0 & 0xC0 == 0x80 }.count + 1)
}

/// Reads from the start, and no more than one byte over `most`, until two looks at the file agree, at
/// most four times.
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
  // One byte more than the size tells the end without a second round for most files.
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
    // Mostly the only one: it is not copied.
    if start == 0 { bytes = part } else { bytes += part }
    if isAtEnd || bytes.count > maxBytes { return bytes }
    guard bytes.count <= limit else { throw FileError(.read, path, .tooLarge(limit: limit)) }
    capacity = max(4096, sizeHint + 1 - bytes.count)
  }
}
