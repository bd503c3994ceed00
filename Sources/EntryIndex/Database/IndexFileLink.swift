import Foundation
import Glibc

/// The catalogue's place on disk: a symbolic link to a database whose name is never used twice.
///
/// SQLite finds the log of a database by its name, and the last process to close one removes the
/// log. Were a damaged database replaced under its own name, a process that still had the old file
/// open would at its end remove the log of the new one ("How To Corrupt An SQLite Database File",
/// 2.4). So a new database gets a new name, and the link is moved over in one step.
struct IndexFileLink: Sendable {
  /// The path that the caller knows.
  let link: String

  private var folder: String { (link as NSString).deletingLastPathComponent }
  private var base: String { (link as NSString).lastPathComponent }

  /// The name of the database that the link leads to; `nil` when there is none.
  var targetName: String? {
    var buffer = [CChar](repeating: 0, count: 512)
    let length = readlink(link, &buffer, buffer.count)
    guard length > 0, length < buffer.count else { return nil }
    let name = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard name.hasPrefix(base + "-"), !name.contains("/") else { return nil }
    var status = stat()
    guard lstat(path(of: name), &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    return name
  }

  /// The size of the database's log, in bytes.
  var logSize: Int {
    var status = stat()
    guard let name = targetName, lstat(path(of: name) + "-wal", &status) == 0 else { return 0 }
    return Int(status.st_size)
  }

  func path(of name: String) -> String { folder.isEmpty ? name : folder + "/" + name }

  func newName() -> String { base + "-" + String(UInt64.random(in: 0 ... .max), radix: 36) }

  func makeFolder() throws {
    guard !folder.isEmpty else { return }
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw IndexFileError() }
  }

  /// Makes the link lead to `name` and removes every other database of this catalogue. Who still
  /// has one open keeps it until they look at the link again.
  func setTarget(_ name: String) throws {
    let temporaryLink = path(of: base + ".link")
    unlink(temporaryLink)
    guard symlink(name, temporaryLink) == 0, rename(temporaryLink, link) == 0 else {
      throw IndexFileError()
    }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for other in names where other.hasPrefix(base + "-") && !other.hasPrefix(name) {
      unlink(path(of: other))
    }
  }

  /// A name for a database that is being made and that no link leads to yet. Those that a killed
  /// process has left are removed.
  func makeDraftPath() -> String {
    let start = base + ".draft-"
    for other in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    where other.hasPrefix(start) {
      var status = stat()
      // Nobody needs ten minutes; a younger one may be in the making.
      if lstat(path(of: other), &status) == 0, status.st_mtim.tv_sec < time(nil) - 600 {
        unlink(path(of: other))
      }
    }
    return path(of: start + String(UInt64.random(in: 0 ... .max), radix: 36))
  }

  /// Waits until a file is on the disk.
  func flush(_ file: String) throws {
    let descriptor = Glibc.open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw IndexFileError() }
    defer { close(descriptor) }
    guard fdatasync(descriptor) == 0 else { throw IndexFileError() }
  }

  /// Gives a draft its name.
  func move(_ draft: String, to name: String) throws {
    guard rename(draft, path(of: name)) == 0 else { throw IndexFileError() }
  }

  /// Removes the link if it leads to `name`, so that whoever looks next makes a new database.
  func removeLink(to name: String?) {
    _ = try? withLock { if targetName == name { unlink(link) } }
  }

  /// Lets one process at a time decide what the link leads to.
  func withLock<T>(_ work: () throws -> T) throws -> T {
    let lock = Glibc.open(link + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else { throw IndexFileError() }
    defer { close(lock) }
    // The lock is held for milliseconds; whoever holds it for seconds was stopped in the middle.
    var pause: UInt32 = 1_000
    while flock(lock, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR, pause < 1_000_000 else {
        throw IndexFileError()
      }
      usleep(pause)
      pause = pause * 3 / 2
    }
    return try work()
  }
}

/// A system call that refused the catalogue its place.
struct IndexFileError: Error, CustomStringConvertible {
  let code = errno
  var description: String { String(cString: strerror(code)) }
}
