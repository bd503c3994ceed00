import DiaryCore
import Localization
@testable import DiaryKit
import Testing

private func changedFile(
  _ path: String, _ title: String?, _ change: ChangedFile.Change, _ words: Int? = nil
) throws -> ChangedFile {
  ChangedFile(path: try #require(EntryPath(path)), title: title, change: change, wordChange: words)
}

@Suite struct `Messages of commits` {
  @Test func `a message for one entry has its title and word count`() throws {
    let walk = "A walk by the river"
    let cases: [(ChangedFile, String)] = [
      (try changedFile("a.md", walk, .written, 120), "Write \"\(walk)\" (+120 words)"),
      (try changedFile("a.md", walk, .edited, 1), "Edit \"\(walk)\" (+1 word)"),
      (try changedFile("a.md", walk, .edited, -5), "Edit \"\(walk)\" (-5 words)"),
      (try changedFile("a.md", walk, .edited, 0), "Edit \"\(walk)\""),
      (try changedFile("a.md", walk, .deleted), "Delete \"\(walk)\""),
      (try changedFile("a.md", walk, .renamed(from: "Walk")), "Rename \"Walk\" to \"\(walk)\""),
      (try changedFile("x/photo.jpg", nil, .written), "Write x/photo.jpg"),
      (try changedFile("b.jpg", nil, .renamed(from: "a.jpg")), "Rename a.jpg to b.jpg"),
      (try changedFile("x/a.md", walk, .moved), "Move \"\(walk)\" to x/a.md"),
    ]
    for (change, message) in cases { #expect(commitMessage([change]) == message) }
  }

  @Test func `several entries are counted and listed in a fixed order`() throws {
    let changes = [
      try changedFile("b.md", "B", .written, 2), try changedFile("a.md", "A", .edited, -1),
      try changedFile("c.jpg", nil, .written),
    ]
    let message = "Edit 2 entries\n\nEdit \"A\" (-1 word)\nWrite \"B\" (+2 words)\nWrite c.jpg"
    #expect(commitMessage(changes) == message)
    #expect(commitMessage(changes.reversed()) == message)
  }

  @Test func `the same change to all entries is named`() throws {
    let changes = [try changedFile("b.md", "B", .deleted), try changedFile("a.md", "A", .deleted)]
    #expect(commitMessage(changes).hasPrefix("Delete 2 entries\n\n"))
    let files = [try changedFile("b.jpg", nil, .written), try changedFile("a.jpg", nil, .edited)]
    #expect(commitMessage(files).hasPrefix("Edit 2 files\n\n"))
  }

  @Test func `different changes are named a change`() throws {
    let changes = [
      try changedFile("a.md", "A", .deleted), try changedFile("b.md", "B", .renamed(from: "C")),
    ]
    #expect(
      commitMessage(changes) == "Change 2 entries\n\nDelete \"A\"\nRename \"C\" to \"B\"")
  }

  @Test func `a stored subject is shown in the user's language`() throws {
    let korean = UserLanguage(accepting: "ko")
    let cases: [[ChangedFile]] = [
      [try changedFile("a.md", "강가 \"산책\"", .written, 1_200)],
      [try changedFile("a.md", "a (+2 words)", .edited, -1)],
      [try changedFile("a.md", "A", .deleted)],
      [try changedFile("a.md", "A to \"B\"", .renamed(from: "C"))],
      [try changedFile("2026/a b.md", "A", .moved)],
      [try changedFile("a.md", "A", .written, 1), try changedFile("b.md", "B", .written)],
      [try changedFile("a.md", "A", .deleted), try changedFile("b.md", "B", .written)],
    ]
    for changes in cases {
      let stored = String(commitMessage(changes).prefix { $0 != "\n" })
      #expect(localizedSubject(stored) == stored)
      let shown = korean.perform { localizedSubject(stored) }
      #expect(shown == korean.perform { commitSubject(changes) } && shown != stored)
    }
    for other in ["Edit the words", "Write 1 entries", "Write \"A\" (+1 words)", "Paint \"A\"", ""]
    {
      #expect(korean.perform { localizedSubject(other) } == other)
    }
  }

  @Test func `a rename is named before the links that follow it`() throws {
    let changes = [
      try changedFile("a.md", "A", .edited), try changedFile("b.md", "B", .renamed(from: "C")),
    ]
    #expect(commitMessage(changes).hasPrefix("Rename \"C\" to \"B\", edit 1 entry\n\n"))
    let moved = [try changedFile("a.md", "A", .moved), try changedFile("b.md", "B", .edited)]
    #expect(commitMessage(moved).hasPrefix("Move \"A\" to a.md, edit 1 entry\n\n"))
  }

  @Test func `an entry with its photo is counted as one entry`() throws {
    let changes = [
      try changedFile("a.md", "A", .written, 3), try changedFile("p.jpg", nil, .written),
    ]
    #expect(
      commitMessage(changes) == "Write \"A\" (+3 words)\n\nWrite \"A\" (+3 words)\nWrite p.jpg")
  }

  @Test func `a title is one short line without control characters`() throws {
    let title = "two\nlines \u{1B}[31m" + String(repeating: "long ", count: 40)
    let message = commitMessage([try changedFile("a.md", title, .written, 1)])
    #expect(!message.contains("\n"))
    #expect(!message.contains("\u{1B}"))
    #expect(displayWidth(message) < 90)
  }

  @Test func `a list of hundreds of entries is cut off`() throws {
    let changes = try (0..<500).map { try changedFile("\($0).md", "E\($0)", .written) }
    let lines = commitMessage(changes).split(separator: "\n")
    #expect(lines.first == "Write 500 entries")
    #expect(lines.last == "and 300 more")
    #expect(lines.count == 202)
  }

  @Test func `an empty change has a message`() { #expect(commitMessage([]) == "Save") }
}
