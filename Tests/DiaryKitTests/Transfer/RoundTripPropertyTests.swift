import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// Generated journals that are exported and imported into an empty journal stay equal: five
/// scripts, emoji, both line endings, huge and empty texts, equal titles and times, pictures, and
/// every key that a header may have.
@Suite struct RoundTripPropertyTests {
  /// A generated entry.
  private struct GeneratedEntry {
    var path = ""
    var title: String?
    var date: String?
    var tags: [String] = []
    var weather: String?
    var place: String?
    var isStarred = false
    var others: [String] = []
    var body = ""
    var end = "\n"
    var picture: [UInt8]?

    var bytes: [UInt8] {
      var lines: [String] = []
      if let title { lines.append("title: '\(title.replacing("'", with: "''"))'") }
      if let date { lines.append("date: \(date)") }
      if let weather { lines.append("weather: \(weather)") }
      if !tags.isEmpty { lines.append("tags: [\(tags.joined(separator: ", "))]") }
      if let place { lines.append("place: '\(place)'") }
      if isStarred { lines.append("starred: true") }
      let header = lines + others
      let text =
        header.isEmpty ? body : "---\n" + header.joined(separator: "\n") + "\n---\n\n" + body
      return Array(text.replacing("\r\n", with: "\n").replacing("\n", with: end).utf8)
    }
  }

  private static let titles = [
    "Same title", "Same title", "강가에서", "Первый снег", "最初の雪 と *星*", "ثلج", "🎉👨‍👩‍👧‍👦 party",
    "It's: \"so\" #1",
    "C:\\temp", "ends with e\u{301}",
  ]
  private static let pieces = [
    "오늘은 한강을 걸었다.", "The rain *stopped*.", "新宿は明るかった。", "Москва, зимой", "يوم هادئ", "🎉👨‍👩‍👧‍👦",
    "Escapes \\* \\_ \\. \\\\ 1\\. and C:\\Users\\me", "1. one", "\\# none", "- [ ] task", "```",
    "> quote",
    "    code \\!", "", "", "e\u{301}\u{200D}", "\u{2028}line", "a\ttab", "trailing  ",
    "## Heading",
    "| a | b |", "<!-- hidden -->", "==5*==", "![gone](gone.png)", "mail me@home.example",
    "100% + 2",
  ]

  private static func makeEntry(_ index: Int, _ random: inout SeededGenerator) -> GeneratedEntry {
    func chance(_ of: Int) -> Bool { Int.random(in: 0..<of, using: &random) == 0 }
    var made = GeneratedEntry(path: "20\(10 + index % 15)/0\(index % 9 + 1)/e\(index).md")
    if !chance(4) { made.title = titles.randomElement(using: &random) }
    made.date = [
      "2026-11-21T21:04:00+09:00", "2026-11-21T21:04:00+09:00", "2026-11-21",
      "1999-12-31T23:59:59-03:30",
      "2024-02-29T00:00:00Z", "1969-07-20T20:17:40Z",
    ].randomElement(using: &random)
    made.tags = Array(
      ["family", "두 단어", "雪", "снег", "ثلج", "a-b"].shuffled(using: &random)
        .prefix(Int.random(in: 0...3, using: &random)))
    made.weather =
      ["Snow, -2°C", "Clear, 25.5°C", "Rain", "7°C", "Odd light, 7°C", nil].randomElement(
        using: &random) ?? nil
    made.place = ["서울", "Park, 서울", "35.01,135.77", nil].randomElement(using: &random) ?? nil
    made.isStarred = chance(3)
    made.others = Array(
      ["mood: 좋음", "list:\n  - one\n  - two", "# a comment", "empty:", "nested: {a: 1, b: 두}"]
        .shuffled(using: &random).prefix(Int.random(in: 0...3, using: &random)))
    let count = [0, 1, 4, 12].randomElement(using: &random) ?? 1
    made.body = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }
      .joined(separator: "\n")
    if chance(3) {
      made.picture = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Array("\(index)".utf8)
      made.body += "\n![words](e\(index).png) and more"
    }
    if chance(25) { made.body += String(repeating: "긴 글 long ", count: 10_000) }
    if !made.body.isEmpty, !chance(4) { made.body += "\n" }
    if chance(4) { made.end = "\r\n" }
    return made
  }

  /// A generated journal, exported and imported into an empty journal.
  private func roundTrip(
    _ format: ExportFormat, _ name: String, _ imported: String?, _ random: SeededGenerator,
    _ change: (inout GeneratedEntry) -> Void = { _ in }
  ) async throws -> (made: [GeneratedEntry], old: TestJournal, new: TestJournal) {
    var random = random
    var all = (0..<40).map { Self.makeEntry($0, &random) }
    for index in all.indices { change(&all[index]) }
    let old = try await TestJournal([:])
    let root = old.home.homePath + "/j/"
    for made in all {
      let place = URL(fileURLWithPath: root + made.path)
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(made.bytes).write(to: place)
      let picture = place.deletingPathExtension().appendingPathExtension("png")
      if let bytes = made.picture { try Data(bytes).write(to: picture) }
    }
    let journal = try old.journal()
    let out = old.home.homePath + "/" + name
    _ = try await journal.transfer.export(
      try await journal.catalog.list(), as: format, to: .path(out, replacing: false),
      ExportOptions(locale: UserLocale(named: "C"))
    ) { _, _ in }
    let new = try await TestJournal([:])
    let target = try new.journal()
    let outcome = try await target.transfer.importEntries(
      try target.transfer.readImport(
        [try ImportSource(out, for: target)], format: imported)
    ) { _, _, _ in }
    #expect(outcome.added.count == all.count, "\(random)")
    #expect(outcome.differences == [], "\(random)")
    return (all, old, new)
  }

  @Test(arguments: [(ExportFormat.json, "x.json"), (.jsonl, "x.jsonl"), (.folder, "x")])
  func `JSON, JSON Lines and a folder preserve every byte`(
    _ format: ExportFormat, _ name: String
  ) async throws {
    let random = SeededGenerator(part: name)
    let (made, _, new) = try await roundTrip(
      format, name, format == .folder ? "markdown" : nil, random)
    for entry in made {
      let place = URL(fileURLWithPath: new.home.homePath + "/j/" + entry.path)
      #expect(Array(try Data(contentsOf: place)) == entry.bytes, "\(random): \(entry.path)")
      let picture = place.deletingPathExtension().appendingPathExtension("png")
      #expect((try? Data(contentsOf: picture)).map { Array($0) } == entry.picture)
    }
  }

  /// The content of both journals, entry by entry, in the same order.
  private func descriptions(
    _ world: TestJournal, _ describe: (EntrySummary, EntryText, SplitBody) -> String
  ) async throws -> [String] {
    let journal = try world.journal()
    return try await journal.catalog.list().map { entry in
      let text = try journal.catalog.text(of: entry.path)
      return describe(entry, text, text.splitBody(at: entry.path, settings: Settings()))
    }.sorted()
  }

  private func expectSame(_ now: [String], _ before: [String], _ random: SeededGenerator) {
    var (missing, added) = (before, now)
    for fact in before {
      guard let place = added.firstIndex(of: fact) else { continue }
      added.remove(at: place)
      missing.remove(at: missing.firstIndex(of: fact) ?? 0)
    }
    #expect(missing == [], "\(random)")
    #expect(added == [], "\(random)")
  }

  private static func withoutFileNames(_ body: String) -> String {
    String(body.replacing(/!\[[^\]]*\]\([^)]*\)/, with: "![]()").drop { $0.isNewline })
  }

  @Test(arguments: 1...2)
  func `Day One's ZIP preserves all but the names of pictures`(_ part: Int) async throws {
    let random = SeededGenerator(part: part)
    let (made, old, new) = try await roundTrip(.dayone, "x.zip", nil, random)
    func describe(_ entry: EntrySummary, _ text: EntryText, _ parted: SplitBody) -> String {
      var body = Self.withoutFileNames(parted.title == nil ? text.body : parted.bodyBelowTitle)
      // A file ends with a newline.
      while body.last?.isNewline == true { body.removeLast() }
      let facts = [
        entry.date?.description ?? "-", Self.withoutFileNames(parted.title ?? entry.title),
        entry.tags.joined(separator: "|"),
        entry.weather?.text ?? "-", entry.place ?? "-", text.string("starred") ?? "-",
      ]
      return facts.joined(separator: "\n") + "\n" + body
    }
    expectSame(
      try await descriptions(new, describe), try await descriptions(old, describe), random)
    let pictures = Set(made.compactMap(\.picture))
    let found = new.home.files(in: "j").filter { $0.hasSuffix(".png") }
    #expect(found.count == made.count { $0.picture != nil })
    for name in found {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: new.home.homePath + "/j/" + name))
      #expect(pictures.contains(Array(bytes)))
    }
  }

  @Test(arguments: 1...2)
  func `jrnl's text preserves titles, times, stars, tags and text`(_ part: Int) async throws {
    let random = SeededGenerator(part: part)
    let (_, old, new) = try await roundTrip(.jrnl, "x.txt", "jrnl", random)
    func describe(_ entry: EntrySummary, _ text: EntryText, _ parted: SplitBody) -> String {
      let lines = parted.bodyBelowTitle.split(whereSeparator: \.isNewline).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      let words = lines.filter { !$0.hasPrefix("@") && !$0.isEmpty }
      // A final asterisk is jrnl's star, so the title gets a period. White space becomes blanks, and
      // jrnl reads none at the start of a title.
      var title = (parted.title ?? entry.title).replacing("\t", with: " ")
        .trimmingCharacters(in: .whitespacesAndNewlines)
      if title.hasSuffix("*") { title += "." }
      let facts = [
        entry.day?.description ?? "-", entry.date?.clock ?? "-",
        "\(entry.date.map { ($0.seconds ?? 0) % 60 } ?? 0)", title,
        entry.tags.map { $0.replacing(" ", with: "_") }.sorted().joined(separator: "|"),
        text.string("starred") ?? "-",
      ]
      return facts.joined(separator: "\n") + "\n" + words.joined(separator: "\n")
    }
    expectSame(
      try await descriptions(new, describe), try await descriptions(old, describe), random)
  }
}
