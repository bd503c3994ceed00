import TestSupport
import DiaryCore
import EntryIndex
import Testing

/// After any sequence of changes the index equals a new one.
struct HistoryTests {
  @Test(arguments: 1...4)
  func `after any changes an update equals a rebuild`(part: Int) throws {
    var random = SeededGenerator(part: part)
    let folder = try TemporaryFolder()
    var journal = InMemoryJournal()
    var catalog = try folder.open()
    for step in 0..<25 {
      var touched: [EntryPath] = []
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        touched.append(try change(&journal, &random))
      }
      switch Int.random(in: 0...9, using: &random) {
      case 0: catalog = try folder.open()
      case 1: try catalog.rebuild()
      case 2: try catalog.setIgnored([:])
      default: break
      }
      if step > 0, Bool.random(using: &random) {
        // Like the watcher: only the changed paths, in one or two portions, perhaps twice.
        do {
          _ = try catalog.update(paths: Array(touched.dropFirst(2)), read: journal.read)
          _ = try catalog.update(paths: touched, read: journal.read)
        } catch IndexError.incomplete {
          try journal.update(catalog)
        }
      } else {
        try journal.update(catalog)
      }
      try expectRebuilt(catalog, journal, "\(random), step \(step)")
    }
  }

  private func expectRebuilt(
    _ catalog: EntryIndexDatabase, _ journal: InMemoryJournal, _ note: Comment
  ) throws {
    let fresh = try TemporaryFolder()
    let rebuilt = try fresh.open()
    try journal.update(rebuilt)
    #expect(try catalog.list() == rebuilt.list(), note)
    #expect(try catalog.tags() == rebuilt.tags(), note)
    for words in ["a", "산", "walk b", "tag:t1"] {
      let query = SearchQuery(parsing: words)
      #expect(try catalog.search(query) == rebuilt.search(query), note)
    }
    let differences = try catalog.verify(against: journal.entries.values.map(\.entry))
    #expect(differences.isEmpty, note)
  }

  /// Writes, rewrites, touches, moves or removes an entry. With few paths, changes collide.
  private func change(
    _ journal: inout InMemoryJournal, _ random: inout SeededGenerator
  ) throws -> EntryPath {
    let names = ["a", "a.b", "a/b", "A", "b", "\u{E9}", "e\u{301}", "산책", "z z"]
    let name = names[Int.random(in: 0..<names.count, using: &random)]
    let place = try path(name + ".md")
    switch Int.random(in: 0...4, using: &random) {
    case 0: journal.remove(place)
    case 1: if let known = journal.entries[place] { journal.write(known.entry) }
    default:
      let words = ["a", "b", "산책을", "walk", "Straße", "caf\u{E9}", "cafe\u{301}", "\n", "\0"]
      let text = (0..<Int.random(in: 0...8, using: &random)).map { _ in
        words[Int.random(in: 0..<words.count, using: &random)]
      }
      let dates = [nil, "2026-01-01", "2026-01-01 10:00", "2025-12-31 23:59"]
      journal.write(
        try entry(
          name + ".md", text.first ?? "Untitled",
          date: dates[Int.random(in: 0..<dates.count, using: &random)],
          body: text.joined(separator: " "),
          tags: (0..<Int.random(in: 0...2, using: &random)).map { "T\($0)" },
          weather: Bool.random(using: &random) ? "Rain, 7°C" : nil,
          isStarred: Bool.random(using: &random)))
    }
    return place
  }
}
