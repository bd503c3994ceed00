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
package struct StateFile<Value: Codable & Sendable>: Sendable {
  let path: String
  let defaultValue: Value
  private let folder: String
  private let isDurable: Bool

  package init(_ name: String, in folder: String, defaultValue: Value, durable: Bool = false) {
    path = folder + "/" + name
    self.folder = folder
    self.defaultValue = defaultValue
    isDurable = durable
  }

  /// What it says; empty also where it cannot be read.
  package func read() -> Value { (try? load()) ?? defaultValue }

  /// What it says. Fails where it is there and cannot be read.
  func load() throws(DiaryError) -> Value {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0, errno == ENOENT || errno == ENOTDIR { return defaultValue }
    guard descriptor >= 0 else { throw systemError("read") }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      let data = try file.readToEnd() ?? Data()
      return (try? JSONDecoder().decode(Value.self, from: data)) ?? defaultValue
    } catch {
      throw DiaryError(error, context: localized("cannot read \(path)"))
    }
  }

  package func write(_ value: Value) throws(DiaryError) {
    try StateVersion.requireSupported(in: folder, of: folder)
    let temporaryPath = path + ".\(getpid())"
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      let data = try encoder.encode(value)
      let descriptor = open(
        temporaryPath, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
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

  /// Whether the document's name is on the disk, too; some file systems cannot say so of a folder.
  private var isFolderSynchronized: Bool {
    let descriptor = open(
      (path as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fsync(descriptor) == 0 || errno == EINVAL
  }

  func remove() {
    if (try? StateVersion.requireSupported(in: folder, of: folder)) != nil { unlink(path) }
  }

  /// Reads, changes and writes back; the caller holds the journal's lock.
  func update(_ body: (inout Value) -> Void) throws(DiaryError) {
    var value = try load()
    body(&value)
    try write(value)
  }
}
