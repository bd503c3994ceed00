import DiaryCore
import Foundation
import Glibc
import Localization
import Synchronization

/// A small JSON file in `.git/diary/` with state that this device must store and cannot derive.
///
/// A missing or invalid file counts as empty: most state only saves work or delays a stamp. A file
/// that exists but is unreadable (broken disk, too many open files) never counts as empty where
/// that has consequences. A write goes to a temporary file, is synced and renamed. The file is
/// private to the user and never written where a newer Diary wrote the state. If other data depends
/// on it (`durable`), its name is synced, too, before anything else happens, and an invalid file is
/// an error.
package struct StateFile<Value: Codable & Sendable>: Sendable {
  let path: String
  let defaultValue: Value
  private let folder: String
  private let isDurable: Bool
  private let cache: Cache?

  /// The value that was read last, valid as long as the file is the same one. The file stays open,
  /// so that no other one gets its inode.
  private final class Cache: Sendable {
    let last = Mutex<(signature: FileSignature, file: FileHandle, value: Value)?>(nil)
  }

  /// - Parameter cached: true for a file that is large and is read several times by one command.
  package init(
    _ name: String, in folder: String, defaultValue: Value, durable: Bool = false,
    cached: Bool = false
  ) {
    path = folder + "/" + name
    self.folder = folder
    self.defaultValue = defaultValue
    isDurable = durable
    cache = cached ? Cache() : nil
  }

  /// The stored value; the empty one also if the file cannot be read.
  package func read() -> Value { (try? load()) ?? defaultValue }

  /// The size of the file in bytes; 0 if it does not exist.
  var size: Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// The stored value. Throws if the file exists and cannot be read; if it is durable, also if it
  /// is damaged.
  func load() throws(DiaryError) -> Value {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0, errno == ENOENT || errno == ENOTDIR { return defaultValue }
    guard descriptor >= 0 else { throw systemError("read") }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw systemError("read") }
    let signature = FileSignature(status)
    if let last = cache?.last.withLock(\.self), last.signature == signature { return last.value }
    let data: Data
    do { data = try file.readToEnd() ?? Data() } catch {
      throw DiaryError(error, context: localized("cannot read \(path)"))
    }
    if let value = try? JSONDecoder().decode(Value.self, from: data) {
      cache?.last.withLock { $0 = (signature, file, value) }
      return value
    }
    guard isDurable else { return defaultValue }
    throw DiaryError(
      localized("cannot read \(path): it is damaged"),
      hint: localized(
        "move it to another folder, then check with `git status` which files are older than the "
          + "branch"))
  }

  package func write(_ value: Value) throws(DiaryError) {
    try StateVersion.requireSupported(in: folder, of: folder)
    let temporaryPath = path + ".\(getpid())-\(UInt64.random(in: 0 ... .max))"
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      let data = try encoder.encode(value)
      let descriptor = open(
        temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw systemError("write") }
      let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      try file.write(contentsOf: data)
      try file.synchronize()
      guard rename(temporaryPath, path) == 0, !isDurable || isFolderSynchronized else {
        throw systemError("write")
      }
    } catch {
      unlink(temporaryPath)
      throw DiaryError(error, context: localized("cannot write \(path)"))
    }
  }

  private func systemError(_ verb: String) -> DiaryError {
    DiaryError(localized("cannot \(verb) \(path): \(String(cString: strerror(errno)))"))
  }

  /// True if the file's name is synced to disk, too. Some file systems cannot sync a folder.
  private var isFolderSynchronized: Bool {
    let descriptor = open(
      (path as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fsync(descriptor) == 0 || errno == EINVAL
  }

  /// Forgets the cached value.
  func releaseCache() { cache?.last.withLock { $0 = nil } }

  func remove() {
    if (try? StateVersion.requireSupported(in: folder, of: folder)) != nil { unlink(path) }
  }
}
