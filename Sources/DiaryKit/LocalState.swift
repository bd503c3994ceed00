import Foundation
import Glibc

/// A small JSON document in `.git/diary/`: what this device must remember and cannot derive.
///
/// A missing or unreadable document is an empty one: everything in it only saves work or delays a
/// stamp. Written beside and renamed, private to the user.
struct LocalState<Value: Codable & Sendable>: Sendable {
  let path: String
  let empty: Value

  init(_ name: String, in folder: String, empty: Value) {
    path = folder + "/" + name
    self.empty = empty
  }

  func read() -> Value {
    guard let data = FileManager.default.contents(atPath: path) else { return empty }
    return (try? JSONDecoder().decode(Value.self, from: data)) ?? empty
  }

  func write(_ value: Value) throws(DiaryError) {
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      let data = try encoder.encode(value)
      let beside = path + ".\(getpid())"
      guard
        FileManager.default.createFile(
          atPath: beside, contents: data, attributes: [.posixPermissions: 0o600])
      else { throw DiaryError("cannot write \(beside): \(String(cString: strerror(errno)))") }
      guard rename(beside, path) == 0 else {
        throw DiaryError("cannot write \(path): \(String(cString: strerror(errno)))")
      }
    } catch {
      throw DiaryError(error)
    }
  }

  func remove() { unlink(path) }

  /// Reads, changes and writes back; the caller holds the journal's lock.
  func change(_ body: (inout Value) -> Void) throws(DiaryError) {
    var value = read()
    body(&value)
    try write(value)
  }
}

/// A file of `.git/diary/` that one process at a time may hold; the kernel lets go when it dies.
final class FileLock: Sendable {
  private let descriptor: Int32

  /// Takes the lock at once, or answers `nil` while another process holds it.
  init?(_ path: String, note: String = "") throws(DiaryError) {
    let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else {
      throw DiaryError(
        "cannot open \(path): \(String(cString: strerror(errno)))",
        hint: "make the folder writable for you, or choose another journal with --journal")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
    if !note.isEmpty {
      ftruncate(descriptor, 0)
      _ = note.withCString { pwrite(descriptor, $0, strlen($0), 0) }
    }
    self.descriptor = descriptor
  }

  /// What the present holder of the lock at `path` wrote down, `nil` when nobody holds it.
  static func holder(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return nil }
    var bytes = [UInt8](repeating: 0, count: 200)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  /// Whether the file that it holds is still the one at `path`.
  func isFile(at path: String) -> Bool {
    var (held, named) = (stat(), stat())
    return fstat(descriptor, &held) == 0 && stat(path, &named) == 0
      && held.st_ino == named.st_ino && held.st_dev == named.st_dev
  }

  deinit { close(descriptor) }
}
