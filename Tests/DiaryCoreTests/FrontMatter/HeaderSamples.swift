import TestSupport
@testable import DiaryCore

/// Random entries and values, valid and damaged, reproducible by seed.
extension SeededGenerator {
  static let keys = [
    "title", "Title", "date", "weather", "tags", "keywords", "place", "created", "layout", "draft",
    "creation date", "제목", "été", "a.b-c_d", "aliases", "cover", "publish", "mood",
  ]

  static let plainValues = [
    "A walk", "Day 3: the lake", "Fix #12 today", "12:30", "no", "1.10", "2026-11-21",
    "2026-11-21T21:04:00+09:00", "Rain, 7°C", "-5°C", "오늘의 산책", "é́ 🌧️ 👨‍👩‍👧", "#one #two", "~", "null",
    "a: b",
    "ends:", "it's", "he said \"no\"", "C:\\dir", "@home", "*bold* move", "!tagged", "&anchored",
    "%20",
    "`code`", "{{ title }}", "[draft] mine", "\"quoted\" and more", "'tis", "> quote", "| bar",
    "- dash",
    "? why", "a\tb", "http://x.y/z#f", "x  ", "1e3", "0x1F", "true", "---", "...", "=", "<<",
    "a # b",
    "\u{FEFF}mark", "next\u{85}line", "bell\u{7}",
  ]

  static let yamlValues = [
    "\"A walk\"", "'it''s'", "\"a\\nb\"", "\"tab\\t\\\"q\\\"\"", "[a, b]", "[a, \"b, c\", 'd']",
    "[]", "{}",
    "{condition: Rain, temperature: 7.2}", "\"unclosed", "[a, b", "'x' y", "[[wiki]]", "[a,\n  b]",
    "\"runs\non at column zero\"", "\n  - a\n  - b", "\n- a\n- b: c",
    "\n  - \"x\"\n  # - y\n  - #tag",
    "|\n  text\n\n  # not a comment\n", ">-\n  folded\n  text", "|+\n  keep\n\n",
    "\n  condition: Snow\n  temperature: -2",
    "\n  continued plain\n  words", "words\n  go on\n\n  further", "\n\n\n", "\"a\" # comment",
    "[#x, #y]",
    "!!str 5", "{a: [1, 2], b: {c: d}}", "- - - x", "[a, ~, null]", "[a,, b]", "[{a: b}]",
    "\"\\u00e9\\x41\"",
  ]

  /// An entry with a valid, unusual or damaged header.
  mutating func entry() -> [UInt8] {
    let end = one(["\n", "\n", "\r\n"])
    var lines = one(["", "", "", "", "\u{FEFF}", "\n", "   \n\n"])
    lines += one(["---", "---", "---", "---", "---  ", "--- x", "+++", "{", "----", ""]) + end
    for _ in 0..<roll(7) {
      switch roll(10) {
      case 0:
        lines += one(["# comment", "  # deep comment", "", "  ", "\t", "stray words", "---x"])
      case 1...4:
        lines += one(Self.keys) + one([":", ": ", ":  ", ":\t", " : "]) + one(Self.plainValues)
      case 5...8: lines += one(Self.keys) + one([": ", ": ", ":"]) + one(Self.yamlValues)
      default: lines += one(Self.keys) + ":"
      }
      lines += end
    }
    lines += one(["---", "---", "---", "...", "--- ", "---", "---", "-- -"]) + one([end, end, ""])
    lines += one(["", "", "Body.", "\nBody #tag\n", "# Heading\n\nText\n", "---\na: b\n---\n"])
    return Array(lines.utf8)
  }

  /// The bytes with a few removed, duplicated or replaced.
  mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<roll(4) where !bytes.isEmpty {
      let place = roll(bytes.count)
      switch roll(3) {
      case 0: bytes.remove(at: place)
      case 1: bytes.insert(bytes[place], at: roll(bytes.count))
      default: bytes[place] = UInt8(roll(256))
      }
    }
    return bytes
  }

  /// Text with characters that are special in YAML.
  mutating func specialText() -> String {
    let signs = Array(
      "ab 1:#-'\"\\[]{},&*!|>%@`?~=._\n\t\r\u{0}\u{1}\u{7F}\u{85}\u{A0}\u{2028}\u{FEFF}\u{FFFE}é한🌧️é"
    ).map(String.init)
    if roll(3) == 0 { return one(Self.plainValues) }
    return (0..<roll(12)).map { _ in one(signs) }.joined()
  }

  mutating func value() -> FieldValue {
    switch roll(4) {
    case 0: .list((0..<(1 + roll(4))).map { _ in textWithoutByteOrderMark() })
    case 1: .mapping((0..<(1 + roll(3))).map { ("k\($0)", textWithoutByteOrderMark()) })
    default: .text(specialText())
    }
  }

  /// Text without byte order marks, which Yams removes at the start of a text.
  private mutating func textWithoutByteOrderMark() -> String {
    specialText().filter { $0 != "\u{FEFF}" }
  }
}
