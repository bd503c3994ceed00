import Foundation
import Glibc
import Localization

/// A small JSON document in `.git/diary/`: what this device must remember and cannot derive.
///
/// A missing document, or one that is no JSON, is an empty one: what is in most only saves work or
/// delays a stamp. One that is there and cannot be read (a broken disk, too many open files) is never
/// taken for empty where something follows from it. Written beside, synced and renamed, private to the
/// user, and never where a newer Diary wrote the state; of one that others' words depend on (`durable`), the name is synced, too, before anything
/// follows from it.
struct StateFile<Value: Codable & Sendable>: Sendable {
  let path: String
  let empty: Value
  private let folder: String
  private let isDurable: Bool

  init(_ name: String, in folder: String, empty: Value, durable: Bool = false) {
    path = folder + "/" + name
    self.folder = folder
    self.empty = empty
    isDurable = durable
  }

  /// What it says; empty also where it cannot be read.
  func read() -> Value { (try? load()) ?? empty }

  /// What it says. Fails where it is there and cannot be read.
  func load() throws(DiaryError) -> Value {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0, errno == ENOENT || errno == ENOTDIR { return empty }
    guard descriptor >= 0 else { throw cannot("read") }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      let data = try file.readToEnd() ?? Data()
      return (try? JSONDecoder().decode(Value.self, from: data)) ?? empty
    } catch {
      throw DiaryError(error, doing: localized("cannot read \(path)"))
    }
  }

  func write(_ value: Value) throws(DiaryError) {
    try StateVersion.refuseNewer(in: folder, of: folder)
    let beside = path + ".\(getpid())"
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      let data = try encoder.encode(value)
      let descriptor = open(beside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw cannot("write") }
      let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      try file.write(contentsOf: data)
      try file.synchronize()
      guard rename(beside, path) == 0, !isDurable || isFolderSynchronized else {
        throw cannot("write")
      }
    } catch {
      unlink(beside)
      throw DiaryError(error, doing: localized("cannot write \(path)"))
    }
  }

  private func cannot(_ verb: String) -> DiaryError {
    DiaryError(localized("cannot \(verb) \(path): \(String(cString: strerror(errno)))"))
  }

  /// Whether the document's name is on the disk, too; some file systems cannot say so of a folder.
  private var isFolderSynchronized: Bool {
    let descriptor = open(
      (path as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fsync(descriptor) == 0 || errno == EINVAL
  }

  func remove() {
    if (try? StateVersion.refuseNewer(in: folder, of: folder)) != nil { unlink(path) }
  }

  /// Reads, changes and writes back; the caller holds the journal's lock.
  func change(_ body: (inout Value) -> Void) throws(DiaryError) {
    var value = try load()
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
        localized("cannot open \(path): \(String(cString: strerror(errno)))"),
        hint: localized("make the folder writable, or choose another journal with --journal"))
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    if !note.isEmpty { write(note) }
  }

  /// Puts this in the place of what the holder wrote down.
  func write(_ note: String) {
    _ = note.withCString { pwrite(descriptor, $0, strlen($0), 0) }
    ftruncate(descriptor, off_t(note.utf8.count))
  }

  /// What the present holder of the lock at `path` wrote down, `nil` when nobody holds it.
  static func holder(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    if flock(descriptor, LOCK_SH | LOCK_NB) == 0 { return nil }
    var bytes = [UInt8](repeating: 0, count: 1_000)
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
