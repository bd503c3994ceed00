import DiaryCore
import Foundation
import Glibc
import Testing

@testable import EntryFiles

@Suite struct ReplaceTests {
  let sandbox: TestFolder
  let entry = path("2026/a.md")

  init() throws {
    sandbox = try TestFolder()
    try sandbox.write("2026/a.md", "old")
  }

  @Test func `replaces the bytes and keeps the old file until it is discarded`() throws {
    guard
      case .replaced(let aside?) = try sandbox.folder.replace(
        entry, expecting: bytes("old"), with: bytes("new"))
    else {
      Issue.record("not done")
      return
    }
    #expect(sandbox.text("2026/a.md") == "new")
    #expect(sandbox.text(aside.displayPath) == "old")
    #expect(try aside.bytesWrittenAfterReplace() == nil)
    aside.discard()
    #expect(sandbox.names() == ["2026", "2026/a.md"])
  }

  @Test func `keeps the old file in the given folder`() throws {
    try FileManager.default.createDirectory(
      atPath: sandbox.absolutePath(".git/diary"), withIntermediateDirectories: true)
    guard
      case .replaced(let aside?) = try sandbox.folder.replace(
        entry, expecting: bytes("old"), with: bytes("new"),
        displacedDirectory: sandbox.absolutePath(".git/diary"))
    else {
      Issue.record("not done")
      return
    }
    #expect(aside.displayPath.hasPrefix(sandbox.absolutePath(".git/diary/")))
    #expect(sandbox.names().filter { $0.hasPrefix("2026") } == ["2026", "2026/a.md"])
    aside.discard()
    #expect(sandbox.names() == [".git", ".git/diary", "2026", "2026/a.md"])
  }

  @Test func `a hard link that a power cut left among displaced files is allowed`()
    throws
  {
    let own = sandbox.absolutePath(".git/diary")
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
    let name = String(
      decoding: TempFile.makeName().dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    #expect(link(sandbox.absolutePath("2026/a.md"), own + "/" + name) == 0)
    guard
      case .replaced(let aside?) = try sandbox.folder.replace(
        entry, expecting: bytes("old"), with: bytes("new"), displacedDirectory: own)
    else {
      Issue.record("not done")
      return
    }
    aside.discard()
    #expect(sandbox.text("2026/a.md") == "new")
    #expect(sandbox.text(".git/diary/" + name) == "old")
    // A hard link of the user is not broken.
    #expect(link(sandbox.absolutePath("2026/a.md"), own + "/mine.md") == 0)
    #expect(throws: FileError(.replace, "2026/a.md", .hardLinked)) {
      try sandbox.folder.replace(
        entry, expecting: bytes("new"), with: bytes("newer"), displacedDirectory: own)
    }
  }

  @Test func `a displaced file discards itself only if nobody wrote to it`() throws {
    let own = sandbox.absolutePath(".git/diary")
    try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
    let state = try JournalFolder(root: own)
    func leftovers() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: own) }
    _ = try sandbox.folder.replace(
      entry, expecting: bytes("old"), with: bytes("new"), displacedDirectory: own)
    #expect(try leftovers() == [])
    let editor = try #require(FileHandle(forWritingAtPath: sandbox.absolutePath("2026/a.md")))
    var replaced: ReplaceResult? = try sandbox.folder.replace(
      entry, expecting: bytes("new"), with: bytes("newer"), displacedDirectory: own)
    let name = try #require(try leftovers().first)
    #expect(!state.isAbandoned(path(name), for: 0))
    try editor.write(contentsOf: Data("late words".utf8))
    if case .replaced(let aside?) = replaced {
      #expect(!aside.discard())
      #expect(!aside.discard(saved: bytes("late")))
    }
    replaced = nil
    #expect(state.isAbandoned(path(name), for: 0) && !state.isAbandoned(path(name), for: 60))
    #expect(try String(contentsOfFile: own + "/" + name, encoding: .utf8) == "late words")
  }

  @Test func `an editor that still writes into the old file loses nothing`() throws {
    let editor = try #require(FileHandle(forWritingAtPath: sandbox.absolutePath("2026/a.md")))
    guard
      case .replaced(let aside?) = try sandbox.folder.replace(
        entry, expecting: bytes("old"), with: bytes("new"))
    else {
      Issue.record("not done")
      return
    }
    #expect(try aside.bytesWrittenAfterReplace() == nil)
    try editor.truncate(atOffset: 0)
    try editor.write(contentsOf: Data("typed late".utf8))
    try editor.close()
    #expect(try aside.bytesWrittenAfterReplace() == bytes("typed late"))
    #expect(sandbox.text("2026/a.md") == "new")
  }

  @Test func `leaves a file with other content alone`() throws {
    let outcome = try sandbox.folder.replace(entry, expecting: bytes("older"), with: bytes("new"))
    guard case .changed(let now) = outcome else {
      Issue.record("replaced what was not read")
      return
    }
    #expect(now == bytes("old") && sandbox.text("2026/a.md") == "old")
    #expect(sandbox.names() == ["2026", "2026/a.md"])
  }

  @Test func `creates no missing file`() throws {
    for name in ["2026/gone.md", "gone/a.md"] {
      guard
        case .changed(nil) = try sandbox.folder.replace(
          path(name), expecting: [], with: bytes("new"))
      else {
        Issue.record("\(name) was made")
        return
      }
    }
    #expect(sandbox.names() == ["2026", "2026/a.md"])
  }

  /// The old content is known only after the exchange; here it is another version each time.
  @Test func `restores a version that was saved between check and exchange`() throws {
    let number = openBeneath(sandbox.folder.rootDescriptor, bytes("2026"), O_RDONLY | O_DIRECTORY)
    defer { close(number) }
    do {
      let file = try TempFile(in: number, mode: 0o600, displayPath: "a", for: .replace)
      try file.write(bytes("new"))
      let swap = AtomicExchange(
        folder: number, path: entry, file: file, expected: bytes("read before"), new: bytes("new"))
      guard case .changed(let now) = try swap.run(allowPlainRename: false) else {
        Issue.record("replaced what was not read")
        return
      }
      #expect(now == bytes("old"))
    }
    #expect(sandbox.text("2026/a.md") == "old")
    #expect(sandbox.names() == ["2026", "2026/a.md"])
  }

  @Test func `restores a symbolic link that took the name in the meantime`() throws {
    let number = openBeneath(sandbox.folder.rootDescriptor, bytes("2026"), O_RDONLY | O_DIRECTORY)
    defer { close(number) }
    unlink(sandbox.absolutePath("2026/a.md"))
    symlink("elsewhere", sandbox.absolutePath("2026/a.md"))
    do {
      let file = try TempFile(in: number, mode: 0o600, displayPath: "a", for: .replace)
      try file.write(bytes("new"))
      let swap = AtomicExchange(
        folder: number, path: entry, file: file, expected: bytes("old"), new: bytes("new"))
      #expect(throws: FileError(.replace, "2026/a.md", .notRegular)) {
        try swap.run(allowPlainRename: false)
      }
    }
    #expect(
      try FileManager.default.destinationOfSymbolicLink(
        atPath: sandbox.absolutePath("2026/a.md")) == "elsewhere")
    #expect(sandbox.names() == ["2026", "2026/a.md"])
  }

  @Test(arguments: [0o644, 0o600, 0o755, 0o664] as [mode_t])
  func `preserves the mode`(_ mode: mode_t) throws {
    chmod(sandbox.absolutePath("2026/a.md"), mode)
    _ = try sandbox.folder.replace(entry, expecting: bytes("old"), with: bytes("new"))
    #expect(sandbox.mode("2026/a.md") == mode)
  }

  @Test func `preserves extended attributes if the file system has them`() throws {
    let name = "user.diary.test"
    guard Attributes.set(sandbox.absolutePath("2026/a.md"), name, bytes("kept")) else {
      try Test.cancel("files have no attributes here")
    }
    _ = try sandbox.folder.replace(entry, expecting: bytes("old"), with: bytes("new"))
    #expect(Attributes.get(sandbox.absolutePath("2026/a.md"), name) == bytes("kept"))
  }

  @Test func `refuses to replace a symbolic link`() throws {
    symlink("a.md", sandbox.absolutePath("2026/link.md"))
    #expect(throws: FileError(.replace, "2026/link.md", .link)) {
      try sandbox.folder.replace(path("2026/link.md"), expecting: bytes("old"), with: [])
    }
  }

  @Test func `removes only a file with the expected content`() throws {
    #expect(throws: FileError(.remove, "2026/a.md", .changed)) {
      try sandbox.folder.remove(entry, expecting: bytes("older"))
    }
    #expect(sandbox.text("2026/a.md") == "old")
    try sandbox.folder.remove(entry, expecting: bytes("old"))
    #expect(sandbox.names() == ["2026"])
    try sandbox.folder.remove(entry, expecting: bytes("old"))
  }

  @Test func `keeps a removed file in the given folder`() throws {
    let aside = try sandbox.folder.remove(entry, expecting: nil, displacedDirectory: sandbox.root)
    let kept = try #require(aside)
    #expect(try String(contentsOfFile: kept.displayPath, encoding: .utf8) == "old")
    kept.discard()
    #expect(sandbox.names() == ["2026"])
  }

}

/// Extended attributes, whose calls Swift's Glibc module does not export.
private enum Attributes {
  typealias Get =
    @convention(c) (
      UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int
    ) -> Int
  typealias Set =
    @convention(c) (
      UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeRawPointer?, Int, Int32
    ) -> Int32

  static func get(_ file: String, _ name: String) -> [UInt8]? {
    guard let call = dlsym(nil, "getxattr") else { return nil }
    var value = [UInt8](repeating: 0, count: 64)
    let size = unsafeBitCast(call, to: Get.self)(file, name, &value, value.count)
    return size < 0 ? nil : Array(value[..<size])
  }

  static func set(_ file: String, _ name: String, _ value: [UInt8]) -> Bool {
    guard let call = dlsym(nil, "setxattr") else { return false }
    return unsafeBitCast(call, to: Set.self)(file, name, value, value.count, 0) == 0
  }
}
