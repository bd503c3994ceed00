import DiaryCore
import EntryIndex
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DiaryKit

/// Files that look like those of programs, or unchanged, and contain words all the same.
@Suite struct OddFilesTests {
  @Test func `a file whose name is a number or a word is saved`() async throws {
    let world = try await TestJournal()
    try world.home.write("autosave:\n  files: all\n", to: ".config/diary/config.yml")
    let words: [EntryPath] = ["1984", "4913", "sedatives", "sediments", "sub/tmpreport"]
    for path in words { try world.write("words\n", path.text) }
    try world.write("", "5036")
    try world.write("half\n", "sedAb12Cd")
    let outcome = try await world.journal().save()
    #expect(outcome.saved.sorted() == words)
    // A file with saved text that is emptied is no test of vim's.
    try world.write("", "4913")
    #expect(try await world.journal().save().saved == ["4913"])
  }

  @Test func `a copy of the list with other words is an entry`() async throws {
    let world = try await TestJournal()
    let list = ListFile.marker + "\n\n- 2026-11-21 🌧️ [A walk](a.md)\n- undated [b](<b c.md>)\n"
    for name in ["INDEX.md", "inner/INDEX.md"] { try world.write(list, name) }
    let copies: [EntryPath] = ["copy.md", "inner/old.md", "other/INDEX.md"]
    for path in copies { try world.write(list + "\nCall Jun about the boat.\n", path.text) }
    let journal = try world.journal()
    #expect(try await journal.save().saved.sorted() == copies)
    #expect(try await journal.save().saved == [])
    try await journal.catalog.updateIndex()
    let listed = try journal.indexDatabase.list(ListFilter()).map(\.path).sorted()
    #expect(listed == ["a.md"] + copies)
    #expect(try await journal.entries.check().entries == 4)
  }

  @Test(arguments: [["core.trustctime", "false"], ["core.checkStat", "minimal"]])
  func `a change that keeps size and modification time is saved`(_ setting: [String]) async throws {
    let world = try await TestJournal(["a.md": "We met Kim.\n"])
    _ = try await world.git("config", setting[0], setting[1])
    try world.backdate("a.md")
    _ = try await world.git("update-index", "--refresh")
    // In place: the file keeps its inode, too.
    let file = try #require(FileHandle(forWritingAtPath: world.home.homePath + "/j/a.md"))
    try file.write(contentsOf: Data("We met Lee.\n".utf8))
    try file.close()
    try world.backdate("a.md")
    let journal = try world.journal()
    #expect(try await journal.changes.unsavedChanges().changes.count == 1)
    #expect(try await journal.save().saved == ["a.md"])
    #expect(try await world.git("show", "HEAD:a.md") == "We met Lee.\n")
    #expect(try await world.git("config", setting[0]) == setting[1] + "\n")
  }
}
