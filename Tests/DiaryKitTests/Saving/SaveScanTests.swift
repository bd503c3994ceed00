import DiaryCore
import EntryFiles
import EntryIndex
import TestSupport
import Testing

@testable import DiaryKit

@Suite struct SaveScanTests {
  @Test func `a scan returns the kind of each path and what prevents its save`() async throws {
    let world = try await TestJournal([
      "a.md": "one\n", ".gitignore": "hidden.md\n", ".gitattributes": "b.md filter=x\n",
      "b.md": "one\n",
    ])
    try await world.home.git("init", "-q", "other", in: "j")
    try world.write("two\n", "a.md")
    for name in ["hidden.md", "b.md", "other/c.md", ".hidden/d.md"] {
      try world.write("two\n", name)
    }
    let paths: [EntryPath] = [
      "a.md", "b.md", "gone.md", "hidden.md", "other/c.md", ".hidden/d.md",
    ]
    let scan = try await world.journal().changes.scan(paths)
    let found = scan.candidates
    #expect(found["a.md"]?.file?.bytes == Array("two\n".utf8))
    #expect(found["a.md"]?.kind == .entry)
    #expect(found["hidden.md"]?.place == .ignored)
    #expect(found["other/c.md"]?.place == .foreignFolder)
    #expect(found["b.md"]?.attribute == "filter=x")
    if case .absent = found["gone.md"]?.content {} else { Issue.record("gone.md is there") }
    #expect(found[".hidden/d.md"] == nil)
  }
}
