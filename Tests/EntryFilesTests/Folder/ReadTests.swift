import DiaryCore
import EntryFiles
import Foundation
import Glibc
import TestSupport
import Testing

@Suite struct ReadTests {
  let sandbox: TestFolder

  init() throws { sandbox = try TestFolder() }

  @Test func `reads all bytes and a matching signature`() throws {
    try sandbox.write("2026/a.md", "a walk\n")
    let text = try #require(try sandbox.folder.read(path("2026/a.md")))
    #expect(text.bytes == bytes("a walk\n"))
    #expect(text.isConsistent)
    #expect(text.signature.size == 7)
    #expect(text.signature == (try sandbox.folder.signature(of: path("2026/a.md"))))
  }

  @Test func `a file that gocryptfs tells too large is opened with its size, and read whole`()
    async throws
  {
    let home = try Sandbox()
    let isMounted = try await home.withEncryptedFolder(at: "disk") {
      let folder = try JournalFolder(root: home.homePath + "/disk")
      for name in ["a.md", "b.md"] { try home.write("a walk\n", to: "disk/" + name) }
      // gocryptfs 2.3 does so for a second after a link.
      for name in ["a.md", "b.md"] {
        #expect(link(home.homePath + "/disk/" + name, home.homePath + "/disk/." + name) == 0)
      }
      #expect(try folder.openFile(path("a.md"))?.size == 7)
      let text = try #require(try folder.read(path("b.md")))
      #expect(text.bytes == bytes("a walk\n") && text.isConsistent && text.signature.size == 7)
    }
    guard isMounted else { try Test.cancel("gocryptfs: NOT RUN (no FUSE may be mounted here)") }
  }

  @Test(arguments: [0, 1, 4095, 4096, 4097, 300_000])
  func `reads files of any size`(_ size: Int) throws {
    let content = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
    try Data(content).write(to: URL(fileURLWithPath: sandbox.absolutePath("a.md")))
    #expect(try sandbox.folder.read(path("a.md"))?.bytes == content)
  }

  @Test(arguments: [
    ("one\ntwo\nthree\n", 8, "one\ntwo\n"), ("one\ntwo\nthree\n", 10, "one\ntwo\n"),
    ("one\ntwo\n", 8, "one\ntwo\n"), ("one", 8, "one"), ("no end of it", 6, "no en"),
    ("\u{4E00}\u{4E00}\u{4E00}", 5, "\u{4E00}"), ("", 8, ""),
  ])
  func `only the first lines of a file are read`(_ text: String, _ most: Int, _ read: String) throws
  {
    try sandbox.write("a.md", text)
    let found = try #require(try sandbox.folder.readBeginning(path("a.md"), maxBytes: most))
    #expect(String(decoding: found.bytes, as: UTF8.self) == read)
    #expect(found.isConsistent && found.signature.size == text.utf8.count)
    #expect(try sandbox.folder.readBeginning(path("gone.md"), maxBytes: most) == nil)
  }

  @Test(arguments: ["gone.md", "no/such/folder.md", "file.md/below.md"])
  func `a missing file is nil and no error`(_ name: String) throws {
    try sandbox.write("file.md")
    #expect(try sandbox.folder.read(path(name)) == nil)
    #expect(try sandbox.folder.signature(of: path(name)) == nil)
  }

  @Test func `reads a name that is not UTF-8`() throws {
    let name = try #require(EntryPath(bytes: [0x66, 0xFF, 0x2E, 0x6D, 0x64]))
    try sandbox.folder.create(name, bytes("raw"))
    #expect(try sandbox.folder.read(name)?.bytes == bytes("raw"))
    #expect(sandbox.folder.scan(EntryMatcher(settings: Settings())).entries.map(\.path) == [name])
  }

  @Test func `does not follow symbolic links at any part of the path`() throws {
    let outside = try TestFolder()
    try outside.write("secret.md", "secret")
    symlink(outside.absolutePath("secret.md"), sandbox.absolutePath("a.md"))
    symlink(outside.root, sandbox.absolutePath("folder"))
    symlink("inside.md", sandbox.absolutePath("b.md"))
    try sandbox.write("inside.md")
    for name in ["a.md", "b.md", "folder/secret.md"] {
      #expect(throws: FileError(.read, name, .link)) { try sandbox.folder.read(path(name)) }
      #expect(throws: FileError(.read, name, .link)) {
        try sandbox.folder.signature(of: path(name))
      }
    }
  }

  @Test func `a pipe, a socket or a folder is not read and does not block`() throws {
    mkfifo(sandbox.absolutePath("pipe.md"), 0o600)
    try sandbox.write("folder.md/x")
    for name in ["pipe.md", "folder.md"] {
      #expect(throws: FileError(.read, name, .notRegular)) { try sandbox.folder.read(path(name)) }
      #expect(throws: FileError(.read, name, .notRegular)) {
        try sandbox.folder.signature(of: path(name))
      }
    }
  }

  @Test func `refuses a file larger than the limit`() throws {
    try sandbox.write("a.md", "12345")
    #expect(throws: FileError(.read, "a.md", .tooLarge(limit: 4))) {
      try sandbox.folder.read(path("a.md"), limit: 4)
    }
    #expect(try sandbox.folder.read(path("a.md"), limit: 5)?.bytes.count == 5)
  }

  @Test func `a missing journal is an error with its path`() throws {
    #expect(throws: FileError(.open, "/no/such/journal", .absent)) {
      try JournalFolder(root: "/no/such/journal")
    }
  }

  @Test func `continues to read the same folder after a rename`() throws {
    try sandbox.write("a.md", "here")
    let other = sandbox.root + "-moved"
    rename(sandbox.root, other)
    defer { rename(other, sandbox.root) }
    #expect(try sandbox.folder.read(path("a.md"))?.bytes == bytes("here"))
    #expect(!sandbox.folder.isInPlace)
  }

  @Test func `an error is one sentence with the file and the system's message`() throws {
    #expect(
      "\(FileError(.read, "2026/a.md", .system(EACCES)))"
        == "cannot read 2026/a.md: Permission denied (errno 13)")
    #expect(
      "\(FileError(.replace, "a.md", .link))"
        == "cannot replace a.md: a symbolic link is in the way, and links are not followed")
  }
}
