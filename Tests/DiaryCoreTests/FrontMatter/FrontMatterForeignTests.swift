import TestSupport
import Testing

@testable import DiaryCore

struct FrontMatterForeignTests {
  @Test func `reads a TOML header and never rewrites it`() {
    let file = """
      +++
      # A comment
      title = "A \\"walk\\" \\u00e9"   # why
      date = 2026-11-21T21:04:00+09:00
      tags = ['a', "b, c",
        "d", # more
      ]
      weather = { condition = "Rain", temperature = 7.2 }
      text = \"\"\"
      two
      lines\"\"\"
      bad line
      draft = false

      [taxonomies]
      categories = ["x"]

      [extra]
      mood = "fine"
      +++
      Body
      """
    var entry = EntryText(Array(file.utf8))
    #expect(entry.headerKind == .toml)
    #expect(entry.value("Title") == .text("A \"walk\" é"))
    #expect(entry.value("date") == .text("2026-11-21T21:04:00+09:00"))
    #expect(entry.value("tags") == .list(["a", "b, c", "d"]))
    #expect(entry.value("weather") == .mapping([("condition", "Rain"), ("temperature", "7.2")]))
    #expect(entry.value("text") == .text("two\nlines"))
    #expect(entry.value("draft") == .text("false"))
    #expect(entry.value("categories") == .list(["x"]))
    #expect(entry.value("extra") == .mapping([("mood", "fine")]))
    #expect(entry.field("date")?.line == 4)
    #expect(entry.body == "Body")
    #expect(throws: FrontMatterError.foreignHeader(.toml)) { try entry.set("title", .text("x")) }
    #expect(throws: FrontMatterError.foreignHeader(.toml)) { try entry.remove("title") }
    #expect(entry.bytes == Array(file.utf8))
  }

  @Test(
    arguments: [
      (#"\u00e9\t\"\\\/"#, "é\t\"\\/"), (#"\ud83c\udf27"#, "🌧"), (#"\ud83c x"#, "\u{FFFD} x"),
      (#"\e\U0001F327"#, "\u{1B}🌧"), (#"\U0000D800"#, "\u{FFFD}"), (#"\u12"#, nil), (#"\x"#, nil),
    ] as [(String, String?)])
  func `escapes in a TOML string are resolved`(_ written: String, _ text: String?) {
    let entry = EntryText(Array("+++\ntitle = \"\(written)\"\n+++\n".utf8))
    #expect(entry.value("title") == text.map { .text($0) })
  }

  @Test func `reads a JSON header and never rewrites it`() {
    let file = """
      {
        "title": "A \\"walk\\" \\ud83c\\udf27",
        "date" : "2026-11-21",
        "tags": ["a", "b"],
        "count": 1.10, "none": null,
        "weather": {"condition": "Rain", "deep": {"x": [1]}}
      }
      Body
      """
    var entry = EntryText(Array(file.utf8))
    #expect(entry.headerKind == .json)
    #expect(entry.value("title") == .text("A \"walk\" 🌧"))
    #expect(entry.value("tags") == .list(["a", "b"]))
    #expect(entry.value("count") == .text("1.10"))
    #expect(entry.value("none") == nil)
    #expect(entry.value("weather") == .mapping([("condition", "Rain")]))
    #expect(entry.field("date")?.line == 3)
    #expect(entry.body == "Body")
    #expect(throws: FrontMatterError.foreignHeader(.json)) { try entry.set("title", .text("x")) }
    #expect(entry.bytes == Array(file.utf8))
  }

  @Test(arguments: 1...2)
  func `arbitrary bytes after a foreign fence are read in reasonable time`(part: Int) throws {
    var dice = SeededGenerator(part: part)
    let signs = Array("+= \n\"'[]{}:,#\\u0aé\t.".utf8)
    for round in 0..<2000 {
      let opening = dice.one(["+++\n", "{\n", "{\"a\": ", "+++\na = "])
      let inside = (0..<dice.roll(80)).map { _ in dice.one(signs) }
      let bytes = Array(opening.utf8) + inside + Array(dice.one(["\n+++\n", "}\n", ""]).utf8)
      let entry = EntryText(bytes)
      #expect(entry.bytes == bytes, "\(dice), round \(round)")
      for field in entry.fields { _ = entry.value(field.key) }
    }
    let isFast = try growsLinearly(to: 50_000) {
      let deep = EntryText(Array(("{\"a\": " + String(repeating: "[", count: $0)).utf8))
      #expect(deep.headerKind == .unreadable)
    }
    #expect(isFast)
  }

  @Test(
    arguments: [
      ([0xFF, 0xFE], TextEncoding.utf16LE), ([0xFE, 0xFF], .utf16BE), ([], .utf16LE),
      ([], .utf16BE),
    ] as [([UInt8], TextEncoding)])
  func `reads UTF-16 with and without its mark`(_ mark: [UInt8], _ encoding: TextEncoding) {
    let units = Array("---\ntitle: été\n---\nBody 오늘 🌧".utf16)
    let bytes = units.flatMap { unit -> [UInt8] in
      let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
      return encoding == .utf16LE ? [low, high] : [high, low]
    }
    // Without a byte order mark, only a mostly Latin text is recognised as UTF-16.
    let entry = EntryText(mark + (mark.isEmpty ? Array(bytes.prefix(38)) : bytes))
    #expect(entry.encoding == encoding)
    #expect(entry.value("title") == .text("été"))
    #expect(entry.body.hasPrefix(mark.isEmpty ? "" : "Body 오늘 🌧"))
  }

  @Test func `reads Latin-1 and damaged UTF-8`() {
    let latin = EntryText([0x63, 0x61, 0x66, 0xE9, 0x0A])
    #expect(latin.encoding == .latin1)
    #expect(latin.body == "café\n")
    let damaged = EntryText(Array("오늘은 ".utf8) + [0xEC, 0x98])
    #expect(damaged.encoding == .utf8)
    #expect(damaged.isDamaged)
    #expect(damaged.body == "오늘은 \u{FFFD}")
    #expect(!EntryText(Array("오늘".utf8)).isDamaged)
  }
}
