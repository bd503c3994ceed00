import DiaryCore
import Foundation
import Glibc
import Testing

@testable import EntryFiles

@Suite struct CreateTests {
  let sandbox: TestFolder

  init() throws { sandbox = try TestFolder() }

  @Test func `creates the file and its folders and leaves nothing else`() throws {
    try sandbox.folder.create(path("2026/11/a.md"), bytes("hello\n"))
    #expect(sandbox.text("2026/11/a.md") == "hello\n")
    #expect(sandbox.names() == ["2026", "2026/11", "2026/11/a.md"])
  }

  @Test func `never changes an existing file`() throws {
    try sandbox.write("a.md", "first")
    symlink("nowhere", sandbox.absolutePath("link.md"))
    try sandbox.write("folder.md/x")
    for name in ["a.md", "link.md", "folder.md"] {
      #expect(throws: FileError(.create, name, .exists)) {
        try sandbox.folder.create(path(name), bytes("second"))
      }
    }
    #expect(sandbox.text("a.md") == "first")
    #expect(sandbox.names().filter { $0.hasPrefix(".diary-") } == [])
  }

  @Test func `a rename that fails leaves no empty file in the place of its target`() throws {
    try sandbox.write("a.md", "words")
    let root = open(sandbox.root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(root) }
    #expect(throws: FileError(.move, "b.md", .absent)) {
      try sandbox.folder.renameOverClaim(
        Array("gone.md".utf8CString), in: root, to: path("b.md"), in: root, for: .move)
    }
    #expect(sandbox.names() == ["a.md"])
    try sandbox.folder.renameOverClaim(
      Array("a.md".utf8CString), in: root, to: path("b.md"), in: root, for: .move)
    #expect(sandbox.names() == ["b.md"] && sandbox.text("b.md") == "words")
  }

  @Test func `does not create folders through a symbolic link or a file`() throws {
    let outside = try TestFolder()
    symlink(outside.root, sandbox.absolutePath("2026"))
    try sandbox.write("file")
    #expect(throws: FileError(.create, "2026/11/a.md", .link)) {
      try sandbox.folder.create(path("2026/11/a.md"), [])
    }
    #expect(throws: FileError(.create, "file/a.md", .system(ENOTDIR))) {
      try sandbox.folder.create(path("file/a.md"), [])
    }
    #expect(outside.names() == [])
  }

  @Test(arguments: [".git/hooks/a.md", "sub/.GIT/a.md"])
  func `writes nothing to a git directory`(_ name: String) throws {
    #expect(throws: FileError(.create, name, .insideGit)) {
      try sandbox.folder.create(path(name), [])
    }
    #expect(sandbox.names() == [])
  }

  @Test func `of many writers at once one succeeds with all its bytes`() async throws {
    let folder = sandbox.folder
    let wins = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<8 {
        group.addTask {
          let words = bytes(String(repeating: "\(number)", count: 10_000))
          do throws(FileError) {
            try folder.create(path("2026/11/same.md"), words)
            return true
          } catch {
            return !error.isNameTaken
          }
        }
      }
      return await group.reduce(into: 0) { count, won in count += won ? 1 : 0 }
    }
    #expect(wins == 1)
    let text = try #require(sandbox.text("2026/11/same.md"))
    #expect(text.count == 10_000 && Set(text).count == 1)
    #expect(sandbox.names() == ["2026", "2026/11", "2026/11/same.md"])
  }

  @Test func `a full disk is reported and leaves nothing behind`() throws {
    let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
    try #require(full >= 0)
    defer { close(full) }
    #expect(throws: FileError(.create, "a.md", .system(ENOSPC))) {
      try writeAll(bytes("words"), to: full, displayPath: "a.md", for: .create)
    }
    // After any failure the temporary file is removed.
    do {
      _ = try TempFile(
        in: sandbox.folder.rootDescriptor, mode: 0o600, displayPath: "a", for: .create)
    }
    #expect(sandbox.names() == [])
  }

  @Test func `a file copied in pieces has no name until it is complete`() throws {
    let scratch = try ScratchFile(in: sandbox.folder)
    let words = bytes(String(repeating: "0123456789", count: 40_000))
    for start in stride(from: 0, to: words.count, by: 70_000) {
      try scratch.append(Array(words[start..<min(start + 70_000, words.count)]))
    }
    #expect(sandbox.names() == [])
    #expect(try scratch.read(at: 399_995, count: 10) == bytes("56789"))
    try sandbox.folder.create(path("2026/p.png"), copying: scratch)
    #expect(sandbox.names() == ["2026", "2026/p.png"])
    #expect(try sandbox.folder.read(path("2026/p.png"))?.bytes == words)
    #expect(throws: FileError(.create, "2026/p.png", .exists)) {
      try sandbox.folder.create(path("2026/p.png"), copying: scratch)
    }
    #expect(sandbox.names() == ["2026", "2026/p.png"])
  }

  @Test func `moves with its folders and never over another file`() throws {
    try sandbox.write("a.md", "a")
    try sandbox.write("b.md", "b")
    #expect(throws: FileError(.move, "b.md", .exists)) {
      try sandbox.folder.move(path("a.md"), to: path("b.md"))
    }
    try sandbox.folder.move(path("a.md"), to: path("2026/11/a.md"))
    #expect(sandbox.text("2026/11/a.md") == "a" && sandbox.text("b.md") == "b")
    #expect(throws: FileError(.move, "a.md", .absent)) {
      try sandbox.folder.move(path("a.md"), to: path("c.md"))
    }
  }

  @Test func `moves to the same name in other case`() throws {
    try sandbox.write("walk.md", "a")
    try sandbox.folder.move(path("walk.md"), to: path("Walk.md"))
    #expect(sandbox.names() == ["Walk.md"])
  }

  @Test func `removes empty parent folders but never the root`() throws {
    try sandbox.write("2026/11/a.md")
    try sandbox.write("2026/keep.md")
    try sandbox.folder.remove(path("2026/11/a.md"), expecting: nil)
    sandbox.folder.removeEmptyFolders(above: path("2026/11/a.md"))
    #expect(sandbox.names() == ["2026", "2026/keep.md"])
    try sandbox.folder.remove(path("2026/keep.md"), expecting: nil)
    sandbox.folder.removeEmptyFolders(above: path("2026/keep.md"))
    #expect(sandbox.names() == [] && FileManager.default.fileExists(atPath: sandbox.root))
  }

  @Test func `without openat2 the same paths are opened and refused`() throws {
    try sandbox.write("2026/a.md", "here")
    symlink("2026", sandbox.absolutePath("link"))
    symlink("a.md", sandbox.absolutePath("2026/link.md"))
    for name in ["2026/a.md", "link/a.md", "2026/link.md", "2026/gone.md", "2026/a.md/b.md"] {
      let one = openBeneath(sandbox.folder.rootDescriptor, bytes(name), O_RDONLY)
      let code = one < 0 ? errno : 0
      let other = openStepwise(sandbox.folder.rootDescriptor, bytes(name), O_RDONLY, mode: 0)
      let otherCode = other < 0 ? errno : 0
      #expect(code == otherCode, "\(name)")
      if one >= 0 { close(one) }
      if other >= 0 { close(other) }
    }
  }

  @Test func `syncs an existing file and names a missing one`() throws {
    try sandbox.write("a.md")
    try sandbox.folder.sync(path("a.md"))
    #expect(throws: FileError(.sync, "b.md", .absent)) { try sandbox.folder.sync(path("b.md")) }
  }

  @Test(arguments: [3, 64, 65, 600])
  func `many files are created together and existing names are returned`(_ count: Int) throws {
    try sandbox.write("2026/2.md", "mine\n")
    let files = (1...count).map { number in
      let text = bytes("text \(number)\n")
      let fill: JournalFolder.ContentWriter = { try text.withUnsafeBytes($0) }
      return (path: path("2026/\(number).md"), fill: fill)
    }
    #expect(try sandbox.folder.create(files) == [path("2026/2.md")])
    #expect(sandbox.text("2026/2.md") == "mine\n")
    for number in [1, 3, count] {
      #expect(sandbox.text("2026/\(number).md") == "text \(number)\n")
    }
    #expect(sandbox.names().count == count + 1)
  }
}
