import TestSupport

/// A writer's random texts. Each word such as `q17z` is typed once, so that it can be followed.
struct DeviceWriter {
  var random: SeededGenerator
  /// The number of the next word.
  var number: Int

  private static let common = ["the", "the", "and", "rain", "walk", "비", "산책"]

  private mutating func word() -> String {
    number += 1
    return "q\(number)z"
  }

  mutating func sentence() -> String {
    let words = (0...random.roll(4)).map { _ in
      random.roll(4) == 0 ? random.one(Self.common) : word()
    }
    return (words + [word()]).joined(separator: " ") + "."
  }

  /// A line of a text: one or two sentences, or an item.
  private mutating func line() -> String {
    let mark = random.one(["", "", "", "- ", "# ", "> "])
    return mark + (0...random.roll(2)).map { _ in sentence() }.joined(separator: " ")
  }

  mutating func entry() -> String {
    let header =
      random.roll(2) == 0
      ? "---\ntitle: \(word())\ndate: 2026-11-2\(random.roll(5))\n---\n\n" : ""
    return header + (0...random.roll(3)).map { _ in line() + "\n" }.joined(separator: "\n")
  }

  /// The text after a random edit of its body.
  mutating func edited(_ text: String) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    for _ in 0...random.roll(2) {
      // The first line may be the header's mark.
      let first = lines.first == "---" ? (lines.dropFirst().firstIndex(of: "---") ?? 0) + 1 : 0
      let at = min(first + random.roll(max(1, lines.count - first)), lines.count)
      switch random.roll(8) {
      case 0, 1: lines.insert(contentsOf: ["", line(), ""], at: at)
      case 2: lines += [line(), ""]
      case 3 where at < lines.count: lines.remove(at: at)
      case 4 where at < lines.count: lines[at] = line()
      case 5 where at < lines.count && lines.count > first + 1:
        let moved = lines.remove(at: at)
        lines.insert(moved, at: first + random.roll(lines.count - first + 1))
      default:
        guard at < lines.count else { continue }
        var words = lines[at].split(separator: " ").map(String.init)
        words.insert(word(), at: random.roll(words.count + 1))
        lines[at] = words.joined(separator: " ")
      }
    }
    // A file without text waits, because an editor may be about to write it.
    if lines.allSatisfy(\.isEmpty) { lines = [line(), ""] }
    return lines.joined(separator: "\n")
  }

  /// How often each word such as `q17z` is in a text.
  static func words(_ text: String) -> [String: Int] {
    var counts: [String: Int] = [:]
    for word in text.split(whereSeparator: { !($0.isASCII && ($0.isLetter || $0.isNumber)) })
    where word.count > 2 && word.first == "q" && word.last == "z" {
      counts[String(word), default: 0] += 1
    }
    return counts
  }
}
