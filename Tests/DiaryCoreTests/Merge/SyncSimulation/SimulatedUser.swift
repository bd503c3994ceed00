import TestSupport
@testable import DiaryCore
import Foundation

/// A user's random edits, reproducible by seed. Unique words are typed once; all entries share
/// the common words.
struct SimulatedUser {
  var dice: SeededGenerator
  /// The number of the next unique word.
  var number: Int

  private static let common = ["the", "the", "and", "rain", "walk", "비", "산책", "は", "を", "집에서"]

  mutating func word() -> String {
    if dice.roll(4) == 0 { return dice.one(Self.common) }
    return uniqueWord()
  }

  mutating func uniqueWord() -> String {
    number += 1
    return UniqueWords.word(number, dice.one(UniqueWords.Script.allCases))
  }

  mutating func line() -> String {
    let opening = dice.one(["", "", "", "", "- ", "- ", "# ", "> ", "12:30 "])
    let gap = dice.one([" ", " ", " ", ""])
    let words = (0..<(1 + dice.roll(6))).map { _ in word() }
    // Latin words need a space between them; without it they would form other words.
    let isTight = gap.isEmpty && words.allSatisfy { $0.utf8.first.map { $0 > 0x7F } ?? false }
    return opening + words.joined(separator: isTight ? "" : " ")
  }

  mutating func paragraph() -> [String] { (0..<(1 + dice.roll(2))).map { _ in line() } }

  /// A new entry, sometimes with a date in its header.
  mutating func entry(_ path: EntryPath) -> [UInt8] {
    var text = ""
    if dice.roll(2) == 0 || path.impliedDay == nil {
      text += "---\n"
      if dice.roll(2) == 0 { text += "title: \(uniqueWord()) \(word())\n" }
      if dice.roll(2) == 0 { text += "date: 2026-11-2\(dice.roll(3))\n" }
      text += field(dice.one(Array(Self.keys.dropFirst()))) + "\n---\n\n"
    }
    for index in 0...dice.roll(3) {
      text += (index == 0 ? "" : "\n") + paragraph().joined(separator: "\n") + "\n"
    }
    return Array(text.utf8)
  }

  mutating func picture() -> [UInt8] { [0xFF, 0xD8, 0x00] + Array(uniqueLatinWord().utf8) }

  private mutating func uniqueLatinWord() -> String {
    number += 1
    return UniqueWords.word(number, .latin)
  }

  mutating func settings(_ bytes: [UInt8]) -> [UInt8] {
    var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    let line = "key\(dice.roll(5)): \(uniqueLatinWord())"
    let at = dice.roll(lines.count + 1)
    if at < lines.count, dice.roll(2) == 0 { lines[at] = line } else { lines.insert(line, at: at) }
    return Array(lines.map { $0 + "\n" }.joined().utf8)
  }

  /// The text after a random edit.
  mutating func edited(_ bytes: [UInt8]) -> [UInt8] {
    let text = EntryText(bytes)
    let (header, body) = (Array(bytes[..<text.bodyRange.lowerBound]), bytes[text.bodyRange])
    switch dice.roll(20) {
    case 0: return converted(bytes)
    case 1...4: return editedHeader(header) + body
    default:
      var lines = String(decoding: body, as: UTF8.self)
        .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
      for _ in 0...dice.roll(3) { edit(&lines) }
      let end: [UInt8] = header.isEmpty || header.last == 0x0A ? [] : [0x0A]
      return header + end + Array(lines.joined(separator: body.contains(0x0D) ? "\r\n" : "\n").utf8)
    }
  }

  private mutating func edit(_ lines: inout [String]) {
    let at = dice.roll(lines.count)
    switch dice.roll(12) {
    case 0: lines.insert(contentsOf: ["", line(), ""], at: at)
    case 1: lines += [line(), ""]
    case 2: lines.insert(line(), at: at)
    case 3: lines.remove(at: at)
    case 4:
      let moved = lines.remove(at: at)
      lines.insert(moved, at: dice.roll(lines.count + 1))
    case 5: lines[at] = line()
    case 6: lines.removeSubrange(at..<min(lines.count, at + 3))
    default: lines[at] = editedLine(lines[at])
    }
    if lines.isEmpty { lines = [""] }
  }

  private mutating func editedLine(_ line: String) -> String {
    if !line.isEmpty, line.utf8.allSatisfy({ $0 > 0x7F }) {
      var characters = Array(line)
      let at = dice.roll(characters.count + 1)
      if at < characters.count, dice.roll(2) == 0 {
        characters.remove(at: at)
      } else {
        number += 1
        characters.insert(contentsOf: UniqueWords.word(number, .han), at: at)
      }
      return String(characters)
    }
    var words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    let at = dice.roll(words.count)
    switch dice.roll(5) {
    case 0, 1: words.insert(word(), at: at)
    case 2: words.remove(at: at)
    case 3: words[at] = word()
    default: words.append(word())
    }
    return words.joined(separator: " ")
  }

  private mutating func converted(_ bytes: [UInt8]) -> [UInt8] {
    let text = String(decoding: bytes, as: UTF8.self)
    switch dice.roll(4) {
    case 0:
      let plain = text.replacingOccurrences(of: "\r\n", with: "\n")
      return Array((plain == text ? text.replacingOccurrences(of: "\n", with: "\r\n") : plain).utf8)
    case 1: return Array(text.decomposedStringWithCanonicalMapping.utf8)
    case 2: return bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes : [0xEF, 0xBB, 0xBF] + bytes
    default: return bytes.last == 0x0A ? Array(bytes.dropLast()) : bytes + [0x0A]
    }
  }

  private static let tags = ["walk", "rain", "work", "garden", "book", "비", "산책", "여행"]
  private static let keys = ["title", "weather", "tags", "mood", "place"]

  private mutating func field(_ key: String) -> String {
    // Two users rarely choose the same words: a save with them looks like one of a user who has seen
    // those of the other device (docs/merge.md).
    let common = Self.tags[(number / 64) % Self.tags.count]
    switch key {
    case "weather":
      return "weather: "
        + dice.one(["Rain, 7°C", "Clouds, 8°C", "none", "\(common) \(uniqueWord())"])
    case "tags":
      let tags = [common, common + "s", uniqueWord(), uniqueWord()].prefix(1 + dice.roll(4))
        .shuffled(
          using: &dice)
      switch dice.roll(3) {
      case 0: return "tags: [\(tags.joined(separator: ", "))]"
      case 1: return (["tags:"] + tags.map { "  - " + $0 }).joined(separator: "\n")
      default: return "tags: " + tags.joined(separator: ", ")
      }
    default:
      return "\(key): " + [word(), uniqueWord()].prefix(1 + dice.roll(2)).joined(separator: " ")
    }
  }

  private mutating func editedHeader(_ bytes: [UInt8]) -> [UInt8] {
    let text = EntryText(bytes)
    guard text.headerKind == .yaml else {
      let top = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.prefix(3)) : []
      let header = "---\n" + field(dice.one(Self.keys)) + "\n---\n\n"
      return top + Array(header.utf8) + bytes.dropFirst(top.count)
    }
    let lines = text.frontMatter.lines
    let newline = bytes.contains(0x0D) ? "\r\n" : "\n"
    func ended(_ text: String) -> [UInt8] {
      Array((text.replacingOccurrences(of: "\n", with: newline) + newline).utf8)
    }
    if dice.roll(5) == 0 {
      let starts = text.fields.map(\.range.lowerBound) + [lines.upperBound]
      let at = dice.one(starts)
      return bytes[..<at] + ended("# " + uniqueWord()) + bytes[at...]
    }
    let key = dice.one(Self.keys)
    guard let field = text.fields.first(where: { $0.key == key }) else {
      return bytes[..<lines.upperBound] + ended(self.field(key)) + bytes[lines.upperBound...]
    }
    let new = dice.roll(4) == 0 ? [] : ended(self.field(key))
    return bytes[..<field.range.lowerBound] + new + bytes[field.range.upperBound...]
  }
}
