import TestSupport
import Foundation

/// Random entries and edits of them, reproducible by seed.
extension SeededGenerator {
  /// The number of rounds of a property test: `count` times `DIARY_SOAK`.
  static func rounds(_ count: Int) -> Int {
    count * max(1, ProcessInfo.processInfo.environment["DIARY_SOAK"].flatMap { Int($0) } ?? 1)
  }

  private static let pieces = [
    "rain", "walk", "the", "the", "and", "lake", "home.", "비가", "왔다.", "산책", "東", "京", "は", "雨",
    "<<<<<<<", "=======", "🌧️", "👨‍👩‍👧", "é", "e\u{301}", "|", "-", "*", "#", "`x`", "12:30",
  ]
  private static let linePrefixes = ["", "", "", "", "- ", "# ", "> ", "1. ", "| ", "    ", "  - "]

  /// A word that is unique among all calls.
  mutating func uniqueWord() -> String {
    "q\(String(UInt32.random(in: 0...UInt32.max, using: &self), radix: 36))"
  }

  mutating func line() -> String {
    let words = (0..<(1 + roll(8))).map { _ in roll(3) == 0 ? one(Self.pieces) : uniqueWord() }
    return one(Self.linePrefixes) + words.joined(separator: one([" ", " ", " ", "  "]))
  }

  /// The lines of a body, some of them blank, with an occasional code block.
  mutating func bodyLines() -> [String] {
    var lines: [String] = []
    for _ in 0..<roll(9) {
      if roll(12) == 0 {
        lines += ["```", line(), "", line(), "```"]
      } else {
        lines += (0..<(1 + roll(3))).map { _ in line() }
      }
      if roll(4) > 0 { lines.append("") }
    }
    return lines
  }

  private static let headerKeys = ["title", "date", "weather", "tags", "place", "mood"]

  mutating func headerLines() -> [String] {
    var lines: [String] = []
    for key in Self.headerKeys where roll(2) == 0 { lines += field(key) }
    return lines
  }

  mutating func field(_ key: String) -> [String] {
    switch key {
    case "tags":
      let tags = (0..<roll(4)).map { _ in one(["walk", "rain", "family", "비", "x y"]) }
      let unique = tags.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
      switch roll(3) {
      case 0: return ["tags: [\(unique.joined(separator: ", "))]"]
      case 1 where !unique.isEmpty: return ["tags:"] + unique.map { "  - " + $0 }
      default: return ["tags: " + unique.joined(separator: ", ")]
      }
    case "weather":
      return ["weather: " + one(["Rain, 7°C", "Clouds, 8°C", "mild", "none", "warm rain"])]
    case "date": return ["date: 2026-11-2\(roll(9))"]
    default:
      return one([
        ["\(key): " + uniqueWord()], ["\(key): \"" + uniqueWord() + "\""],
        ["\(key): |", "  " + uniqueWord()],
      ])
    }
  }

  /// An optional header and the lines of the body.
  mutating func entryLines() -> (header: [String], body: [String]) {
    (roll(3) > 0 ? headerLines() : [], bodyLines())
  }

  static func text(_ entry: (header: [String], body: [String])) -> String {
    let header =
      entry.header.isEmpty ? "" : "---\n" + entry.header.joined(separator: "\n") + "\n---\n\n"
    return header + entry.body.map { $0 + "\n" }.joined()
  }

  /// The lines after random changes, insertions, removals and moves of lines and words.
  mutating func edited(_ lines: [String], edits: Int) -> [String] {
    var lines = lines
    for _ in 0..<edits {
      let at = roll(lines.count + 1)
      switch roll(7) {
      case 0: lines.insert(line(), at: at)
      case 1: lines.insert(contentsOf: ["", line(), ""], at: at)
      case 2 where at < lines.count: lines.remove(at: at)
      case 3 where at < lines.count:
        let moved = lines.remove(at: at)
        lines.insert(moved, at: roll(lines.count + 1))
      default:
        guard at < lines.count else { continue }
        lines[at] = editedLine(lines[at])
      }
    }
    return lines
  }

  private mutating func editedLine(_ line: String) -> String {
    var words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let at = roll(words.count)
    switch roll(4) {
    case 0: words.insert(uniqueWord(), at: at)
    case 1 where words.count > 1: words.remove(at: at)
    case 2: words[at] = uniqueWord()
    default: words.append(one([uniqueWord(), "", "  "]))
    }
    return words.joined(separator: " ")
  }

  mutating func editedEntry(
    _ entry: (header: [String], body: [String])
  ) -> (header: [String], body: [String]) {
    var header = entry.header
    if roll(2) == 0 {
      let key = one(Self.headerKeys)
      // The lines of the key, with its continuation lines.
      if let at = header.firstIndex(where: { $0.hasPrefix(key + ":") }) {
        let end = header[(at + 1)...].firstIndex { !$0.hasPrefix(" ") } ?? header.count
        header.replaceSubrange(at..<end, with: roll(4) == 0 ? [] : field(key))
      } else {
        let starts = header.indices.filter { !header[$0].hasPrefix(" ") } + [header.count]
        header.insert(contentsOf: field(key), at: one(starts))
      }
    }
    return (header, edited(entry.body, edits: roll(5)))
  }

  /// The text with other line endings, another normal form, or a byte order mark.
  mutating func converted(_ text: String) -> String {
    switch roll(12) {
    case 0: text.replacingOccurrences(of: "\n", with: "\r\n")
    case 1: text.decomposedStringWithCanonicalMapping
    case 2: "\u{FEFF}" + text
    case 3: String(text.trimmingSuffix { $0.isNewline })
    default: text
    }
  }
}

extension String {
  fileprivate func trimmingSuffix(_ drops: (Character) -> Bool) -> Substring {
    var end = endIndex
    while end > startIndex, drops(self[index(before: end)]) { end = index(before: end) }
    return self[..<end]
  }
}
