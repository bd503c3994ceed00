import DiaryCore
import EntryIndex
import Foundation
import Testing

/// A database is made aside, whole, and then takes the link.
struct FirstFillTests {
  let folder: TemporaryFolder
  let catalog: EntryIndexDatabase
  var journal = PretendJournal()

  init() throws {
    folder = try TemporaryFolder()
    catalog = try folder.open()
  }

  @Test mutating func `after a long first fill the first search finds every entry`() throws {
    for number in 0..<1300 {
      journal.write(try entry("\(number).md", "Entry \(number)", body: "a heron\nand rain"))
    }
    try journal.update(catalog)
    #expect(try catalog.list().count == 1300)
    journal.write(try entry("7.md", "Entry 7", body: "an owl"))
    try journal.update(catalog)
    #expect(try catalog.search(SearchQuery(parsing: "heron")).count == 1299)
    #expect(try catalog.search(SearchQuery(parsing: "owl")).map(\.summary.path.text) == ["7.md"])
    #expect(try catalog.verify(against: journal.entries.values.map(\.entry)).isEmpty)
  }

  @Test mutating func `what git ignores is taken in with the first fill`() throws {
    #expect(try catalog.isEmpty)
    for name in ["A", "B"] { journal.write(try entry("\(name).md", name)) }
    _ = try catalog.update(
      files: journal.files, readAt: journal.clock,
      ignored: IgnoredPaths(paths: [path("B.md")], metadata: ("ignore", "as of now")),
      read: journal.read)
    #expect(try !catalog.isEmpty)
    #expect(try catalog.list().map(\.title) == ["A"])
    #expect(try catalog.pathsWithUnknownIgnore().isEmpty)
    #expect(try catalog.metadata("ignore") == "as of now")
  }

  @Test mutating func `a first fill leaves no draft, and takes away what a killed one left`() throws
  {
    struct Refused: Error {}
    func drafts() throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder.path + "/cache")
        .filter { $0.contains("draft") }
    }
    journal.write(try entry("a.md", "A"))
    let cache = folder.path + "/cache/index.sqlite.draft-"
    for (name, age) in [("old", 3600.0), ("young", 60.0)] {
      try Data("half".utf8).write(to: URL(fileURLWithPath: cache + name))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: cache + name)
    }
    #expect(throws: Refused.self) {
      try catalog.update(files: journal.files, readAt: journal.clock) { _ in throw Refused() }
    }
    // Another process may be at work on a young one.
    #expect(try drafts() == ["index.sqlite.draft-young"])
    try journal.update(catalog)
    #expect(try drafts() == ["index.sqlite.draft-young"])
    #expect(try catalog.list().map(\.title) == ["A"])
  }

  @Test mutating func `the count of lines changes with what a line shows, and with nothing else`()
    throws
  {
    func count() throws -> String { try catalog.listVersion() }
    journal.write(try entry("a.md", "A", date: "2026-01-01", body: "one"))
    try journal.update(catalog)
    let first = try count()
    journal.write(try entry("a.md", "A", date: "2026-01-01", body: "two words"))
    try journal.update(catalog)
    #expect(try count() == first)
    journal.write(try entry("a.md", "B", date: "2026-01-01", body: "two words"))
    try journal.update(catalog)
    let second = try count()
    #expect(second != first)
    try catalog.setIgnored([path("a.md"): true])
    let third = try count()
    #expect(third != second)
    journal.remove(try path("a.md"))
    try journal.update(catalog)
    #expect(try count() != third)
    try catalog.rebuild()
    #expect(try !["", first, second, third].contains(count()))
  }

  @Test(arguments: ["\n", "\r\n", "\n\n \t\n", "\n\u{200B}\n", "\n\u{3000}\n", "\n\u{FEFF}\n"])
  mutating func `the line that is shown is the one that holds the word`(end: String) throws {
    let body = ["first", "", "Fluß und Café", "산책 heron", "last"].joined(separator: end)
    journal.write(try entry("a.md", "A", body: body))
    try journal.update(catalog)
    for isMarked in [true, false] {
      for (word, line) in [("heron", "산책 heron"), ("cafe", "Fluß und Café"), ("last", "last")] {
        let hits = try catalog.search(SearchQuery(parsing: word), isMarked: isMarked)
        #expect(hits.map(\.match.text) == [line])
        #expect(hits.allSatisfy { $0.match.ranges.isEmpty != isMarked })
      }
    }
  }
}
