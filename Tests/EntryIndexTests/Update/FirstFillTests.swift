import DiaryCore
import EntryIndex
import Foundation
import Testing

/// A new database is filled completely in a draft file, and then the link is changed to it.
struct FirstFillTests {
  let folder: TemporaryFolder
  let database: EntryIndexDatabase
  var journal = InMemoryJournal()

  init() throws {
    folder = try TemporaryFolder()
    database = try folder.open()
  }

  @Test mutating func `after a long first fill the first search finds every entry`() throws {
    for number in 0..<1300 {
      journal.write(try entry("\(number).md", "Entry \(number)", body: "a heron\nand rain"))
    }
    try journal.update(database)
    #expect(try database.list().count == 1300)
    journal.write(try entry("7.md", "Entry 7", body: "an owl"))
    try journal.update(database)
    #expect(try database.search(SearchQuery(parsing: "heron")).count == 1299)
    #expect(try database.search(SearchQuery(parsing: "owl")).map(\.summary.path.text) == ["7.md"])
    #expect(try database.verify(against: journal.entries.values.map(\.entry)).isEmpty)
  }

  @Test mutating func `ignored entries are stored by the first fill`() throws {
    #expect(try database.isEmpty)
    for name in ["A", "B"] { journal.write(try entry("\(name).md", name)) }
    _ = try database.update(
      files: journal.files,
      ignored: IgnoredPaths(paths: [path("B.md")], metadata: ("ignore", "as of now")),
      read: journal.read)
    #expect(try !database.isEmpty)
    #expect(try database.list().map(\.title) == ["A"])
    #expect(try database.pathsWithUnknownIgnore().isEmpty)
    #expect(try database.metadata("ignore") == "as of now")
  }

  @Test mutating func `a first fill removes its draft and those of killed processes`() throws {
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
      try database.update(files: journal.files) { _ in throw Refused() }
    }
    // Another process may be filling a recent one.
    #expect(try drafts() == ["index.sqlite.draft-young"])
    try journal.update(database)
    #expect(try drafts() == ["index.sqlite.draft-young"])
    #expect(try database.list().map(\.title) == ["A"])
  }

  @Test mutating func `the list version changes only with the content of list lines`()
    throws
  {
    func count() throws -> String { try database.listVersion() }
    journal.write(try entry("a.md", "A", date: "2026-01-01", body: "one"))
    try journal.update(database)
    let first = try count()
    journal.write(try entry("a.md", "A", date: "2026-01-01", body: "two words"))
    try journal.update(database)
    #expect(try count() == first)
    journal.write(try entry("a.md", "B", date: "2026-01-01", body: "two words"))
    try journal.update(database)
    let second = try count()
    #expect(second != first)
    try database.setIgnored([path("a.md"): true])
    let third = try count()
    #expect(third != second)
    journal.remove(try path("a.md"))
    try journal.update(database)
    #expect(try count() != third)
    try database.rebuild()
    #expect(try !["", first, second, third].contains(count()))
  }

  @Test(arguments: ["\n", "\r\n", "\n\n \t\n", "\n\u{200B}\n", "\n\u{3000}\n", "\n\u{FEFF}\n"])
  mutating func `the shown line is the one that contains the word`(end: String) throws {
    let body = ["first", "", "Fluß und Café", "산책 heron", "last"].joined(separator: end)
    journal.write(try entry("a.md", "A", body: body))
    try journal.update(database)
    for isMarked in [true, false] {
      for (word, line) in [("heron", "산책 heron"), ("cafe", "Fluß und Café"), ("last", "last")] {
        let hits = try database.search(SearchQuery(parsing: word), isMarked: isMarked)
        #expect(hits.map(\.match.text) == [line])
        #expect(hits.allSatisfy { $0.match.ranges.isEmpty != isMarked })
      }
    }
  }
}
