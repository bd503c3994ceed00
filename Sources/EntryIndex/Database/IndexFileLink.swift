import Foundation
import Glibc

/// The location of the index: a symbolic link to a database whose name is never reused.
///
/// SQLite finds the log of a database by its name, and the last process that closes the database
/// removes the log. If a damaged database were replaced under its own name, a process with the old
/// file open would remove the log of the new one ("How To Corrupt An SQLite Database File", 2.4).
/// So a new database gets a new name, and the link is replaced atomically.
struct IndexFileLink: Sendable {
  /// The path of the link: the path of the index for callers.
  let link: String

  private var folder: String { (link as NSString).deletingLastPathComponent }
  private var base: String { (link as NSString).lastPathComponent }

  /// The name of the database to which the link points; `nil` if there is none.
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

  /// Points the link at `name` and removes all other databases of this index. A process that has
  /// one of them open uses it until it checks the link again.
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

  /// Returns a path for a new database that is not linked yet. Removes old drafts of killed
  /// processes.
  func makeDraftPath() -> String {
    let start = base + ".draft-"
    for other in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    where other.hasPrefix(start) {
      var status = stat()
      // A younger draft may be in use; no process needs ten minutes.
      if lstat(path(of: other), &status) == 0, status.st_mtim.tv_sec < time(nil) - 600 {
        unlink(path(of: other))
      }
    }
    return path(of: start + String(UInt64.random(in: 0 ... .max), radix: 36))
  }

  /// Flushes a file to the disk.
  func flush(_ file: String) throws {
    let descriptor = Glibc.open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { throw IndexFileError() }
    defer { close(descriptor) }
    guard fdatasync(descriptor) == 0 else { throw IndexFileError() }
  }

  /// Renames a draft to its final name.
  func move(_ draft: String, to name: String) throws {
    guard rename(draft, path(of: name)) == 0 else { throw IndexFileError() }
  }

  /// Removes the link if it points to `name`: the next process then creates a new database.
  func removeLink(to name: String?) {
    _ = try? withLock { if targetName == name { unlink(link) } }
  }

  /// Runs `work` under the lock that protects the link.
  func withLock<T>(_ work: () throws -> T) throws -> T {
    let lock = Glibc.open(link + ".lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else { throw IndexFileError() }
    defer { close(lock) }
    // The lock is held for milliseconds; a process that holds it for seconds is suspended.
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

/// An error of a system call on the files of the index.
struct IndexFileError: Error, CustomStringConvertible {
  let code = errno
  var description: String { String(cString: strerror(code)) }
}
