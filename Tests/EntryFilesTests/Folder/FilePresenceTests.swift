import DiaryCore
import Foundation
import Glibc
import Synchronization
import Testing

@testable import EntryFiles

@Suite struct FilePresenceTests {
  let sandbox: TestFolder

  init() throws { sandbox = try TestFolder() }

  private func presence(_ name: String) -> FilePresence { sandbox.folder.presence(of: path(name)) }

  @Test func `distinguishes present from removed files`() throws {
    try sandbox.write("2026/a.md")
    let stamp = try #require(try sandbox.folder.signature(of: path("2026/a.md")))
    #expect(presence("2026/a.md") == .present(stamp))
    unlink(sandbox.absolutePath("2026/a.md"))
    #expect(presence("2026/a.md") == .absent)
    #expect(presence("gone.md") == .absent)
  }

  @Test func `a missing folder does not mean that its entries were deleted`() throws {
    #expect(presence("2026/a.md") == .unknown(.folderMissing))
    try sandbox.write("2025", "a file now")
    #expect(presence("2025/a.md") == .unknown(.folderMissing))
  }

  @Test func `detects another device, a replaced root and a replaced file`() throws {
    try sandbox.write("2026/a.md")
    sandbox.folder.foreignDevices.withLock { $0[path("2026")] = 1 }
    #expect(presence("2026/b.md") == .unknown(.otherDevice))
    #expect(presence("2026/11/b.md") == .unknown(.folderMissing))
    _ = sandbox.folder.scan(EntryMatcher(settings: Settings()))
    #expect(presence("2026/b.md") == .absent)
    mkfifo(sandbox.absolutePath("pipe.md"), 0o600)
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
  let sandbox: TestFolder
  let list = path("INDEX.md")

  init() throws { sandbox = try TestFolder() }

  private func listFile(_ text: String) -> [UInt8] { bytes(ListFile.marker + "\n" + text) }

  @Test func `writes a list and leaves it alone if it is unchanged`() throws {
    #expect(try sandbox.folder.writeListFile(list, listFile("one")) == .written)
    let stamp = try sandbox.folder.signature(of: list)
    #expect(try sandbox.folder.writeListFile(list, listFile("one")) == .unchanged)
    #expect(try sandbox.folder.signature(of: list) == stamp)
    #expect(try sandbox.folder.writeListFile(list, listFile("two")) == .written)
    #expect(try sandbox.folder.read(list)?.bytes == listFile("two"))
    #expect(sandbox.names() == ["INDEX.md"])
  }

  @Test(arguments: [
    "", "# Mine\n", "<!-- made by diary; edits are lost --> not quite", " <!-- made by",
  ])
  func `never overwrites the user's own file`(_ text: String) throws {
    try sandbox.write("INDEX.md", text)
    #expect(try sandbox.folder.writeListFile(list, listFile("one")) == .ownedByUser)
    #expect(sandbox.text("INDEX.md") == text)
  }

  @Test func `recognizes its own list with a byte order mark or other line endings`() {
    let marker = ListFile.marker
    for text in [marker, marker + "\r\n- a", "\u{FEFF}" + marker + "\n"] {
      #expect(ListFile.matches(bytes(text)[...]))
    }
    #expect(!ListFile.matches(bytes("\n" + marker)[...]))
  }
}
