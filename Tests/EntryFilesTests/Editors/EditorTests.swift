import DiaryCore
import Foundation
import Glibc
import Testing

@testable import EntryFiles

@Suite struct EditorTests {
  let sandbox: TestFolder

  init() throws { sandbox = try TestFolder() }

  @Test func `sees who has a file open, and for what`() async throws {
    try sandbox.write("written.md")
    try sandbox.write("2026/read.md")
    try sandbox.write("closed.md")
    let root = sandbox.root
    let all = [path("written.md"), path("2026/read.md"), path("closed.md"), path("gone.md")]
    try await withProgram("exec 3>>$1/written.md 4<$1/2026/read.md", root) {
      #expect(OpenFiles.pathsOpenForWriting(among: all, root: root) == [path("written.md")])
      #expect(
        OpenFiles.openPaths(among: all, root: root) == [path("written.md"), path("2026/read.md")])
    }
    #expect(OpenFiles.openPaths(among: all, root: root) == [])
  }

  @Test(arguments: ["%", "plain", "home"])
  func `a swap file elsewhere holds its entry`(_ how: String) async throws {
    try sandbox.write("2026/held.md")
    try sandbox.write("2026/other.md")
    try sandbox.write("other/held.md")
    let (elsewhere, root) = (try TestFolder(), sandbox.root)
    let file = sandbox.absolutePath("2026/held.md")
    var block = swap(1, machine: "here")
    let named = how == "home" ? "~someone" + file.dropFirst(4) : file
    block.replaceSubrange(108..<(108 + named.utf8.count), with: bytes(named))
    let name =
      how == "%" ? file.replacingOccurrences(of: "/", with: "%") + ".swo" : "held.md.swp"
    try elsewhere.write("keep")
    try block.write(to: URL(fileURLWithPath: elsewhere.absolutePath(name)))
    let all = [path("2026/held.md"), path("2026/other.md"), path("other/held.md")]
    #expect(OpenFiles.openPaths(among: all, root: root) == [])
    try await withProgram("exec 3<>\"$1\"", elsewhere.absolutePath(name)) {
      #expect(OpenFiles.openPaths(among: all, root: root) == [path("2026/held.md")])
      #expect(OpenFiles.pathsOpenForWriting(among: all, root: root) == [])
    }
    #expect(OpenFiles.openPaths(among: all, root: root) == [])
  }

  @Test func `does not take itself for an editor`() throws {
    try sandbox.write("a.md")
    let own = try #require(FileHandle(forUpdatingAtPath: sandbox.absolutePath("a.md")))
    #expect(OpenFiles.openPaths(among: [path("a.md")], root: sandbox.root) == [])
    try own.close()
  }

  @Test func `a file of the same name elsewhere does not count`() async throws {
    let other = try TestFolder()
    try other.write("a.md")
    try sandbox.write("a.md")
    let root = sandbox.root
    try await withProgram("exec 3>>$1/a.md", other.root) {
      #expect(OpenFiles.pathsOpenForWriting(among: [path("a.md")], root: root) == [])
    }
  }

  @Test func `sees that a file put aside is still being written`() async throws {
    try sandbox.write("a.md", "old")
    let folder = sandbox.folder
    let aside = try await withProgram("exec 3>>$1", sandbox.absolutePath("a.md")) {
      let outcome = try folder.replace(path("a.md"), expecting: bytes("old"), with: bytes("new"))
      guard case .replaced(let aside?) = outcome else {
        throw FileError(.replace, "a.md", .changed)
      }
      #expect(aside.isBeingWritten)
      return aside
    }
    #expect(!aside.isBeingWritten)
    aside.discard()
  }

  @Test(arguments: [
    ".e.md.swp", ".e.md.swo", ".e.md.swx", ".#e.md", ".~lock.e.md#", ".e.md.kate-swp",
  ])
  func `knows the traces of editors`(_ name: String) throws {
    let entry = path("2026/e.md")
    try sandbox.write("2026/e.md")
    #expect(EditorLockFiles.lockFiles(of: entry, in: sandbox.folder) == [])
    let trace = path("2026/" + name)
    if name == ".#e.md" {
      symlink("me@elsewhere.123:456", sandbox.absolutePath("2026/.#e.md"))
    } else {
      try sandbox.write("2026/" + name)
    }
    #expect(
      EditorLockFiles.lockFiles(of: entry, in: sandbox.folder)
        == [EditorLockFile(path: trace, owner: .unknown)])
    #expect(EditorLockFiles.entry(of: trace) == entry)
    #expect(EditorLockFiles.lockFiles(of: path("2026/f.md"), in: sandbox.folder) == [])
  }

  @Test(arguments: ["e.md", ".hidden.md", "#e.md#", "e.md~", ".swp", ".#"])
  func `takes no other file for a trace`(_ name: String) {
    #expect(EditorLockFiles.entry(of: path(name)) == nil)
  }

  @Test func `a trace of a killed editor does not hold an entry for ever`() async throws {
    try sandbox.write("e.md")
    let dead = try await deadProcess()
    for (process, expected) in [
      (dead, EditorLockFile.Owner.notRunning), (getpid(), .running(getpid())),
    ] {
      try swap(process, machine: hostName()).write(
        to: URL(fileURLWithPath: sandbox.absolutePath(".e.md.swp")))
      unlink(sandbox.absolutePath(".#e.md"))
      symlink("me@\(hostName()).\(process):1700000000", sandbox.absolutePath(".#e.md"))
      let all = EditorLockFiles.allLockFiles(of: path("e.md"), in: sandbox.folder)
      #expect(all.map(\.owner) == [expected, expected])
      let alive = EditorLockFiles.lockFiles(of: path("e.md"), in: sandbox.folder)
      #expect(alive.isEmpty == (expected == .notRunning))
    }
    // On a shared disk the process may live on the other machine.
    try swap(dead, machine: "elsewhere").write(
      to: URL(fileURLWithPath: sandbox.absolutePath(".e.md.swp")))
    #expect(
      EditorLockFiles.lockFiles(of: path("e.md"), in: sandbox.folder).map(\.owner).first
        == .unknown)
  }

  /// Block 0 of vim's swap file, as nano writes it too.
  private func swap(_ process: Int32, machine: String) -> Data {
    var block = [UInt8](repeating: 0, count: 1024)
    block.replaceSubrange(0..<12, with: bytes("b0VIM 9.0\0\0\0"))
    for index in 0..<4 { block[24 + index] = UInt8(truncatingIfNeeded: process >> (8 * index)) }
    block.replaceSubrange(68..<(68 + machine.utf8.count), with: bytes(machine))
    return Data(block)
  }

  private func hostName() -> String {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, 255)
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The number of a process that has ended.
  private func deadProcess() async throws -> Int32 {
    let note = sandbox.absolutePath("process")
    try await withProgram("echo $$ > $1", note) {}
    let text = try String(contentsOfFile: note, encoding: .utf8)
    return try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
  }
}
