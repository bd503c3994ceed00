import DiaryCore
import EntryFormats
import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// The comparison of an import with lines of the source that become a header.
@Suite struct HeaderLineTests {
  private static let id = "0123456789abcdef0123456789abcdef"

  @Test func `the properties of a page are counted in the source and in the header`() async throws {
    let world = try await TestJournal([:])
    let journal = try world.journal()
    let page = """
      # A walk

      Created: May 6, 2024 9:04 PM
      Tags: long walk, river
      Phone: 1234567890
      Due: May 7, 2024 or later, ask Bob first
      Mood!: "good": 5
      Mood?: better
      Mood__2: best
      Date: 2024/05/08
      Sleep:\u{20}

      Words.
      """
    try world.home.write(page, to: "export/A walk \(Self.id).md")
    let source = try ImportSource(world.home.homePath + "/export", for: journal)
    let outcome = try await journal.transfer.importEntries(
      try journal.transfer.readImport([source], format: nil)
    ) { _, _, _ in }
    #expect(outcome.formats == ["Notion (Markdown & CSV)"])
    #expect(outcome.differences == [])
    var expected = ImportTally()
    expected.entries = 1
    expected.count(page.dropFirst(2))
    #expect(outcome.sourceTally == expected && outcome.journalTally == expected)
    let text = try world.home.read("j/" + (try #require(outcome.added.first).text))
    for words in [
      "date: 2024-05-06T21:04:00+09:00", "long walk", "1234567890", "or later, ask Bob first",
      "good", "better", "best", "original_date: 2024/05/08", "\n\nSleep:\n\nWords.\n",
    ] {
      #expect(text.contains(words), "\(words): \(text)")
    }
  }

  @Test(arguments: [
    ("Mood", "good", "mood: bad\n"), ("Tags", "a, b", "tags: [a]\n"), ("Day", "May 6, 2024", ""),
    ("Day", "May 6, 2024 or later", "date: 2024-05-06\n"),
  ])
  func `a line that is not in the header is a difference`(
    _ name: String, _ value: String, _ header: String
  ) async throws {
    let world = try await TestJournal(["a.md": "---\nx: y\n\(header)---\n\nWords.\n"])
    let journal = try world.journal()
    var item = ImportedEntry()
    item.body = "Words."
    item.date = EntryDate(written: "2024-05-06", zone: journal.zone)
    item.headerLines = [HeaderLine(name: name, value: value)]
    var outcome = ImportOutcome()
    outcome.compare(
      [
        PlannedEntry(
          item: item, path: "a.md", bytes: [], files: [], mark: ImportMark(id: "x"),
          isUpdate: false)
      ], in: journal.folder)
    #expect(outcome.differences.count == 1)
    #expect(outcome.sourceTally.words > outcome.journalTally.words)
  }
}
