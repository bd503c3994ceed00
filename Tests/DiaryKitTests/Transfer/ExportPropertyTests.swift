import DiaryCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DiaryKit

/// Generated journals are exported completely: many scripts, every line ending, empty and huge
/// entries, equal titles and times, and headers with every key.
@Suite struct ExportPropertyTests {
  private static let pieces = [
    "오늘은 한강을 걸었다.", "The rain *stopped*.", "新宿は明るかった。", "Москва, зимой", "يوم هادئ", "🎉👨‍👩‍👧‍👦",
    "# Heading", "- [ ] task", "[2020-01-01 10:00] no entry", "```\ncode", "> quote", "---", "",
    "![ice](ice.png)", "e\u{301}\u{200D}", "\u{2028}line", "a\ttab\u{B}", "==\u{FFFE}==", "5*",
  ]
  private static let keys = [
    "title: Same title", "title: \"Quoted: \\\"x\\\"\"", "date: 2026-11-21T21:04:00+09:00",
    "date: 2026-11-21", "date: 1999-12-31 23:59:59 -03:30", "weather: Snow, -2°C",
    "tags: [a, 두 단어]",
    "place: 서울", "starred: true", "mood: 좋음", "source: x/1", "empty:", "# comment",
    "list:\n  - one\n  - two", "weather: {condition: Rain, temperature: 7}", "title: =1+1",
  ]

  private static func file(_ random: inout SeededGenerator) -> [UInt8] {
    let end = ["\n", "\r\n"].randomElement(using: &random) ?? "\n"
    var lines: [String] = []
    if Int.random(in: 0..<5, using: &random) > 0 {
      let chosen = keys.shuffled(using: &random).prefix(Int.random(in: 1...7, using: &random))
      lines = ["---"] + chosen + ["---"]
    }
    let count = [0, 1, 4, 12].randomElement(using: &random) ?? 1
    for _ in 0..<count { lines.append(pieces.randomElement(using: &random) ?? "") }
    var text = lines.joined(separator: "\n").replacing("\n", with: end)
    if Bool.random(using: &random) { text += end }
    if Int.random(in: 0..<20, using: &random) == 0 { text = "\u{FEFF}" + text }
    if Int.random(in: 0..<20, using: &random) == 0 {
      text += String(repeating: "긴 글 long ", count: 10_000)
    }
    if Int.random(in: 0..<20, using: &random) == 0 { return Array(text.utf8) + [0xFF, 0x00, 0xE9] }
    return Array(text.utf8)
  }

  @Test(arguments: 1...2)
  func `JSON, JSON Lines and folder exports contain every entry byte for byte`(_ part: Int)
    async throws
  {
    var random = SeededGenerator(part: part)
    let note = random.description
    var files: [String: [UInt8]] = [:]
    for index in 0..<60 {
      files["20\(10 + index % 15)/눈 \(index).md"] = Self.file(&random)
    }
    let world = try await TestJournal([:])
    let root = URL(fileURLWithPath: world.home.homePath + "/j")
    for (name, bytes) in files {
      let place = root.appendingPathComponent(name)
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: place)
    }
    let journal = try world.journal()
    let entries = try await journal.catalog.list()
    #expect(entries.count == files.count)
    let options = ExportOptions(locale: UserLocale(named: "ko_KR"))

    _ = try await journal.transfer.export(
      entries, as: .folder, to: .path("out", replacing: false), options
    ) { _, _ in }
    for (name, bytes) in files {
      let copy = try Data(contentsOf: URL(fileURLWithPath: world.home.homePath + "/out/" + name))
      #expect(Array(copy) == bytes, "\(note): \(name)")
    }

    struct Form: Decodable {
      let path: String
      let header: String
      let body: String
      let bytes: Data?
    }
    struct Whole: Decodable {
      let diary: Int
      let entries: [Form]
    }
    func check(_ forms: [Form]) {
      #expect(forms.count == files.count)
      for form in forms {
        let bytes = form.bytes.map { Array($0) } ?? Array((form.header + form.body).utf8)
        #expect(bytes == files[form.path], "\(note): \(form.path)")
      }
    }
    let decoder = JSONDecoder()
    let lines = try await bytes(of: journal, entries, .jsonl, options).split(separator: 0x0A)
    check(try lines.map { try decoder.decode(Form.self, from: Data($0)) })
    let whole = try await bytes(of: journal, entries, .json, options)
    check(try decoder.decode(Whole.self, from: Data(whole)).entries)

    // The other formats contain every entry that they can; jrnl's own rule separates its entries.
    let dated = entries.filter { $0.date != nil }
    let jrnl = String(
      decoding: try await bytes(of: journal, entries, .jrnl, options), as: UTF8.self)
    let starts = ("\n" + jrnl).matches(of: #/\n\[([^\]]+)\] /#)
    #expect(starts.count == dated.count, "\(note)")
    let csv = String(decoding: try await bytes(of: journal, entries, .csv, options), as: UTF8.self)
    #expect(csv.matches(of: /\.md"?\r\n/).count == entries.count, "\(note)")
    for format in [ExportFormat.site, .epub, .dayone, .html, .md, .text] {
      let outcome = try await journal.transfer.export(
        entries, as: format, to: .path("\(format)", replacing: false), options
      ) { _, _ in }
      #expect(outcome.entries == (format == .dayone ? dated.count : entries.count))
    }
  }

  private func bytes(
    of journal: Journal, _ entries: [EntrySummary], _ format: ExportFormat,
    _ options: ExportOptions
  ) async throws -> [UInt8] {
    let taken = Mutex<[UInt8]>([])
    _ = try await journal.transfer.export(
      entries, as: format, to: .output { part in taken.withLock { $0 += part } }, options
    ) { _, _ in }
    return taken.withLock(\.self)
  }
}
