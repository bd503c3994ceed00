import DiaryCore
import EntryFiles
import Foundation
import Glibc
import Testing

@Suite struct ReadTests {
  let sandbox: Sandbox

  init() throws { sandbox = try Sandbox() }

  @Test func `reads all bytes with a stamp that fits`() throws {
    try sandbox.put("2026/a.md", "a walk\n")
    let text = try #require(try sandbox.folder.read(path("2026/a.md")))
    #expect(text.bytes == bytes("a walk\n"))
    #expect(text.isConsistent)
    #expect(text.signature.size == 7)
    #expect(text.signature == (try sandbox.folder.signature(of: path("2026/a.md"))))
  }

  @Test(arguments: [0, 1, 4095, 4096, 4097, 300_000])
  func `reads files of any size`(_ size: Int) throws {
    let content = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
    try Data(content).write(to: URL(fileURLWithPath: sandbox.absolute("a.md")))
    #expect(try sandbox.folder.read(path("a.md"))?.bytes == content)
  }

  @Test(arguments: [
    ("one\ntwo\nthree\n", 8, "one\ntwo\n"), ("one\ntwo\nthree\n", 10, "one\ntwo\n"),
    ("one\ntwo\n", 8, "one\ntwo\n"), ("one", 8, "one"), ("no end of it", 6, "no en"),
    ("\u{4E00}\u{4E00}\u{4E00}", 5, "\u{4E00}"), ("", 8, ""),
  ])
  func `of a long file the first lines are read`(_ text: String, _ most: Int, _ read: String) throws
  {
    try sandbox.put("a.md", text)
    let found = try #require(try sandbox.folder.readBeginning(path("a.md"), maxBytes: most))
    #expect(String(decoding: found.bytes, as: UTF8.self) == read)
    #expect(found.isConsistent && found.signature.size == text.utf8.count)
    #expect(try sandbox.folder.readBeginning(path("gone.md"), maxBytes: most) == nil)
  }

  @Test(arguments: ["gone.md", "no/such/folder.md", "file.md/below.md"])
  func `a missing file is nothing, not an error`(_ name: String) throws {
    try sandbox.put("file.md")
    #expect(try sandbox.folder.read(path(name)) == nil)
    #expect(try sandbox.folder.signature(of: path(name)) == nil)
  }

  @Test func `reads a name that is not UTF-8`() throws {
    let name = try #require(EntryPath(bytes: [0x66, 0xFF, 0x2E, 0x6D, 0x64]))
    try sandbox.folder.create(name, bytes("raw"))
    #expect(try sandbox.folder.read(name)?.bytes == bytes("raw"))
    #expect(sandbox.folder.scan(EntryMatcher(settings: Settings())).entries.map(\.path) == [name])
  }

  @Test func `does not follow a link, neither at the name nor on the way`() throws {
    let outside = try Sandbox()
    try outside.put("secret.md", "secret")
    symlink(outside.absolute("secret.md"), sandbox.absolute("a.md"))
    symlink(outside.root, sandbox.absolute("folder"))
    symlink("inside.md", sandbox.absolute("b.md"))
    try sandbox.put("inside.md")
    for name in ["a.md", "b.md", "folder/secret.md"] {
      #expect(throws: FileError(.read, name, .link)) { try sandbox.folder.read(path(name)) }
      #expect(throws: FileError(.read, name, .link)) {
        try sandbox.folder.signature(of: path(name))
      }
    }
  }

  @Test func `a pipe, a socket or a folder neither hangs nor is read`() throws {
    mkfifo(sandbox.absolute("pipe.md"), 0o600)
    try sandbox.put("folder.md/x")
    for name in ["pipe.md", "folder.md"] {
      #expect(throws: FileError(.read, name, .notRegular)) { try sandbox.folder.read(path(name)) }
      #expect(throws: FileError(.read, name, .notRegular)) {
        try sandbox.folder.signature(of: path(name))
      }
    }
  }

  @Test func `refuses what is larger than the limit`() throws {
    try sandbox.put("a.md", "12345")
    #expect(throws: FileError(.read, "a.md", .tooLarge(limit: 4))) {
      try sandbox.folder.read(path("a.md"), limit: 4)
    }
    #expect(try sandbox.folder.read(path("a.md"), limit: 5)?.bytes.count == 5)
  }

  @Test func `a journal that is not there is an error that names it`() throws {
    #expect(throws: FileError(.open, "/no/such/journal", .absent)) {
      try JournalFolder(root: "/no/such/journal")
    }
  }

  @Test func `keeps reading the same folder when it is renamed`() throws {
    try sandbox.put("a.md", "here")
    let other = sandbox.root + "-moved"
    rename(sandbox.root, other)
    defer { rename(other, sandbox.root) }
    #expect(try sandbox.folder.read(path("a.md"))?.bytes == bytes("here"))
    #expect(!sandbox.folder.isRootUnchanged)
  }

  @Test func `an error is one sentence with the file and what the system said`() throws {
    #expect(
      "\(FileError(.read, "2026/a.md", .system(EACCES)))"
        == "cannot read 2026/a.md: Permission denied (errno 13)")
    #expect(
      "\(FileError(.replace, "a.md", .link))"
        == "cannot replace a.md: a symbolic link is in the way, and links are not followed")
  }
}
