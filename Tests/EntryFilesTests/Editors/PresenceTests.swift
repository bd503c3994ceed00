import DiaryCore
import Foundation
import Glibc
import Synchronization
import Testing

@testable import EntryFiles

@Suite struct PresenceTests {
  let sandbox: Sandbox

  init() throws { sandbox = try Sandbox() }

  private func presence(_ name: String) -> Presence { sandbox.folder.presence(of: path(name)) }

  @Test func `tells there from gone`() throws {
    try sandbox.put("2026/a.md")
    let stamp = try #require(try sandbox.folder.signature(of: path("2026/a.md")))
    #expect(presence("2026/a.md") == .present(stamp))
    unlink(sandbox.absolute("2026/a.md"))
    #expect(presence("2026/a.md") == .absent)
    #expect(presence("gone.md") == .absent)
  }

  @Test func `a missing folder does not mean that its entries were deleted`() throws {
    #expect(presence("2026/a.md") == .unknown(.folderMissing))
    try sandbox.put("2025", "a file now")
    #expect(presence("2025/a.md") == .unknown(.folderMissing))
  }

  @Test func `another device, another folder at the root's name, another thing at the name`() throws
  {
    try sandbox.put("2026/a.md")
    sandbox.folder.foreignDevices.withLock { $0[path("2026")] = 1 }
    #expect(presence("2026/b.md") == .unknown(.otherDevice))
    #expect(presence("2026/11/b.md") == .unknown(.folderMissing))
    _ = sandbox.folder.scan(EntryMatcher(settings: Settings()))
    #expect(presence("2026/b.md") == .absent)
    mkfifo(sandbox.absolute("pipe.md"), 0o600)
    #expect(presence("pipe.md") == .unknown(.notRegular))
    let other = sandbox.root + "-away"
    rename(sandbox.root, other)
    #expect(presence("2026/b.md") == .unknown(.journalMoved))
    mkdir(sandbox.root, 0o700)
    #expect(presence("2026/b.md") == .unknown(.journalMoved))
    rmdir(sandbox.root)
    rename(other, sandbox.root)
    #expect(presence("2026/b.md") == .absent)
  }
}

@Suite struct GeneratedTests {
  let sandbox: Sandbox
  let list = path("INDEX.md")

  init() throws { sandbox = try Sandbox() }

  private func made(_ text: String) -> [UInt8] { bytes(EntryMatcher.listMarker + "\n" + text) }

  @Test func `writes a list, and touches it only when it changes`() throws {
    #expect(try sandbox.folder.writeGeneratedList(list, made("one")) == .written)
    let stamp = try sandbox.folder.signature(of: list)
    #expect(try sandbox.folder.writeGeneratedList(list, made("one")) == .unchanged)
    #expect(try sandbox.folder.signature(of: list) == stamp)
    #expect(try sandbox.folder.writeGeneratedList(list, made("two")) == .written)
    #expect(try sandbox.folder.read(list)?.bytes == made("two"))
    #expect(sandbox.names() == ["INDEX.md"])
  }

  @Test(arguments: [
    "", "# Mine\n", "<!-- made by diary; edits are lost --> not quite", " <!-- made by",
  ])
  func `never writes over the writer's own file`(_ text: String) throws {
    try sandbox.put("INDEX.md", text)
    #expect(try sandbox.folder.writeGeneratedList(list, made("one")) == .ownedByUser)
    #expect(sandbox.text("INDEX.md") == text)
  }

  @Test func `knows its own list with a mark before it or other line ends`() {
    let marker = EntryMatcher.listMarker
    for text in [marker, marker + "\r\n- a", "\u{FEFF}" + marker + "\n"] {
      #expect(EntryMatcher.isGeneratedList(bytes(text)[...]))
    }
    #expect(!EntryMatcher.isGeneratedList(bytes("\n" + marker)[...]))
  }
}
