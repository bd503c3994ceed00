import CLinux
import DiaryCore
import Glibc

/// A file's bytes as they were read.
public struct FileText: Sendable, Equatable {
  /// All of them.
  public var bytes: [UInt8]
  /// How the file looked when its reading began.
  public var stamp: FileStamp
  /// Nanoseconds since 1970 when the reading began.
  public var readAt: Int64
  /// False when somebody was writing all the while, so that the bytes may be half of one version
  /// and half of the next; the stamp is then an older one than the file's.
  public var isSteady: Bool

  /// A reading from its parts.
  public init(bytes: [UInt8], stamp: FileStamp, readAt: Int64, isSteady: Bool = true) {
    self.bytes = bytes
    self.stamp = stamp
    self.readAt = readAt
    self.isSteady = isSteady
  }
}

extension JournalFolder {
  /// The most that ``read(_:limit:)`` takes in unless told otherwise: 64 MiB.
  public static let usualLimit = 64 << 20

  /// The file's bytes; `nil` when there is no such file. Only an ordinary file is read, never
  /// through a link, and never a pipe that would make the reader wait.
  public func read(_ path: EntryPath, limit: Int = usualLimit) throws(FileError) -> FileText? {
    guard let file = try openToRead(path, for: .read) else { return nil }
    return try readSteadily(file, showing: path.text, limit: limit)
  }

  /// How the file looks; `nil` when there is no such file.
  public func stamp(_ path: EntryPath) throws(FileError) -> FileStamp? {
    let number = openBeneath(rootDescriptor, path.bytes, diary_path_only | O_NOFOLLOW)
    guard number >= 0 else {
      if isAbsence(errno) { return nil }
      throw FileError(.read, path.text, code: errno)
    }
    let file = Descriptor(owning: number)
    let facts = try facts(of: file, showing: path.text)
    if facts.st_mode & S_IFMT == S_IFLNK { throw FileError(.read, path.text, .link) }
    guard facts.isRegular else { throw FileError(.read, path.text, .notRegular) }
    return FileStamp(facts)
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

func facts(of file: borrowing Descriptor, showing path: String) throws(FileError) -> stat {
  var facts = stat()
  guard fstat(file.number, &facts) == 0 else { throw FileError(.read, path, code: errno) }
  return facts
}

/// Reads from the start until two looks at the file agree, at most four times.
func readSteadily(
  _ file: borrowing Descriptor, showing path: String, limit: Int
) throws(FileError) -> FileText {
  var attempt = 1
  while true {
    let readAt = wallClock()
    let before = try facts(of: file, showing: path)
    guard before.isRegular else { throw FileError(.read, path, .notRegular) }
    guard before.st_size <= limit else { throw FileError(.read, path, .tooLarge(limit: limit)) }
    let bytes = try readAll(file, sizeHint: Int(before.st_size), showing: path, limit: limit)
    let after = try facts(of: file, showing: path)
    let isSteady = isSame(before, after) && bytes.count == Int(after.st_size)
    if isSteady || attempt == 4 {
      return FileText(bytes: bytes, stamp: FileStamp(before), readAt: readAt, isSteady: isSteady)
    }
    attempt += 1
  }
}

private func isSame(_ before: stat, _ after: stat) -> Bool {
  FileStamp(before) == FileStamp(after) && before.st_ctim.tv_sec == after.st_ctim.tv_sec
    && before.st_ctim.tv_nsec == after.st_ctim.tv_nsec
}

private func readAll(
  _ file: borrowing Descriptor, sizeHint: Int, showing path: String, limit: Int
) throws(FileError) -> [UInt8] {
  let number = file.number
  var bytes: [UInt8] = []
  // One byte more than the size tells the end without a second round for most files.
  var room = sizeHint + 1
  while true {
    var code: Int32?
    var isAtEnd = false
    let start = bytes.count
    bytes += [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      let got = retrying { pread(number, buffer.baseAddress, buffer.count, start) }
      if got < 0 { code = errno }
      count = max(got, 0)
      isAtEnd = got == 0 || (got < buffer.count && start + got == sizeHint)
    }
    if let code { throw FileError(.read, path, code: code) }
    if isAtEnd { return bytes }
    guard bytes.count <= limit else { throw FileError(.read, path, .tooLarge(limit: limit)) }
    room = max(4096, sizeHint + 1 - bytes.count)
  }
}
