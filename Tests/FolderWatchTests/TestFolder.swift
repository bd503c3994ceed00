import DiaryCore
import Foundation
import Glibc

/// A temporary folder, and the system calls that programs make in it.
final class TestFolder: Sendable {
  /// The watched folder.
  let root: String
  /// A folder next to it, on the same file system.
  let outside: String
  private let base: String

  init() throws {
    base = FileManager.default.temporaryDirectory.path + "/diary-é-일기-\(UUID().uuidString)"
    root = base + "/journal"
    outside = base + "/outside"
    for path in [root, outside] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: base) }

  func path(_ name: String) -> String { name.hasPrefix("/") ? name : root + "/" + name }

  /// Opens, writes and closes a file.
  func write(_ name: String, _ text: String, flags: CInt = O_CREAT | O_TRUNC) {
    let file = open(path(name), O_WRONLY | O_CLOEXEC | flags, 0o644)
    guard file >= 0 else { return }
    let bytes = Array(text.utf8)
    _ = Glibc.write(file, bytes, bytes.count)
    close(file)
  }

  func move(_ from: String, _ to: String) { rename(path(from), path(to)) }
  func remove(_ name: String) { unlink(path(name)) }
  func makeFolder(_ name: String) { mkdir(path(name), 0o755) }
  func makeFolders(_ name: String) {
    try? FileManager.default.createDirectory(
      atPath: path(name), withIntermediateDirectories: true)
  }
  func removeTree(_ name: String) { try? FileManager.default.removeItem(atPath: path(name)) }
  func makeLink(_ name: String, to target: String) { symlink(target, path(name)) }

  /// Calls renameat2(RENAME_EXCHANGE), which Glibc's module does not export.
  func exchange(_ one: String, _ other: String) {
    typealias Call =
      @convention(c) (
        CInt, UnsafePointer<CChar>, CInt, UnsafePointer<CChar>, CUnsignedInt
      ) -> CInt
    guard let symbol = dlsym(nil, "renameat2") else { return }
    _ = unsafeBitCast(symbol, to: Call.self)(AT_FDCWD, path(one), AT_FDCWD, path(other), 2)
  }
}

/// Mounts for tests. They need permissions that normal users and most containers lack.
enum Mounts {
  static func mount(at folder: String) -> Bool {
    typealias Call =
      @convention(c) (
        UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>, CUnsignedLong,
        UnsafeRawPointer?
      ) -> CInt
    guard let symbol = dlsym(nil, "mount") else { return false }
    return unsafeBitCast(symbol, to: Call.self)("none", folder, "tmpfs", 0, nil) == 0
  }

  @discardableResult static func unmount(_ folder: String) -> Bool {
    typealias Call = @convention(c) (UnsafePointer<CChar>, CInt) -> CInt
    guard let symbol = dlsym(nil, "umount2") else { return false }
    return unsafeBitCast(symbol, to: Call.self)(folder, 0) == 0
  }

  static let areAllowed: Bool = {
    guard geteuid() == 0, let scratch = try? TestFolder() else { return false }
    guard mount(at: scratch.outside) else { return false }
    return unmount(scratch.outside)
  }()
}

extension EntryPath: ExpressibleByStringLiteral {
  /// A path from a string literal of a test.
  public init(stringLiteral text: String) {
    guard let path = EntryPath(text) else { preconditionFailure("not a path: \(text)") }
    self = path
  }
}
