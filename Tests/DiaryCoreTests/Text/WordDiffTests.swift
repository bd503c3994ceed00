import TestSupport
import DiaryCore
import HostileInput
import Testing

@Suite struct WordDiffTests {
  private func marked(_ old: String, _ new: String) -> String {
    WordDiff(from: old, to: new).parts.map { part in
      switch part {
      case .same(let text): text
      case .removed(let text): "[-\(text)-]"
      case .added(let text): "{+\(text)+}"
      }
    }.joined()
  }

  @Test(arguments: [
    ("It rained all day.", "It snowed all day.", "It [-rained-]{+snowed+} all day."),
    ("한강을 걸었다. 추웠다.", "한강을 달렸다. 추웠다.", "한강을 [-걸었다.-]{+달렸다.+} 추웠다."),
    ("今日は雨", "今日は雪", "今日は[-雨-]{+雪+}"),
    ("one two", "one new two", "one {+new +}two"),
    ("one two three", "one three", "one [-two -]three"),
    ("a b", "a  b", "a {+ +}b"),
    ("same", "same", "same"),
    ("", "words came", "{+words came+}"),
    ("か\u{3099}く", "か\u{3099}き", "か\u{3099}[-く-]{+き+}"),
    ("caf\u{E9}", "cafe\u{301}", "[-caf\u{E9}-]{+cafe\u{301}+}"),
  ])
  func `words of every script are compared`(_ old: String, _ new: String, _ expected: String) {
    let shown = marked(old, new)
    #expect(Array(shown.utf8) == Array(expected.utf8), "\(shown)")
  }

  @Test func `words are counted as in the list`() {
    let diff = WordDiff(from: "A walk — 비 온 날 東京 1", to: "A run — 비 갠 날 東北 1 2 !")
    #expect(diff.removed == 3)
    #expect(diff.added == 4)
  }

  @Test func `the parts restore both texts, and the reverse diff has equal counts`() {
    var random = SeededGenerator()
    let pieces = [
      "a", "b", "rain", "비", "산책했다.", "東", "か", "\n", "\n\n", " ", "  ", "\r\n", "\t", "—", "é",
      "😀",
      "\u{3099}", "\u{200D}", "12:30", "\0",
    ]
    for _ in 0..<1_500 {
      let size = Int.random(in: 0...60, using: &random)
      let old = (0..<size).map { _ in pieces.randomElement(using: &random) ?? "" }
      var new = old
      for _ in 0..<Int.random(in: 0...12, using: &random) where !new.isEmpty {
        let at = Int.random(in: 0..<new.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: new.remove(at: at)
        case 1: new.insert(pieces.randomElement(using: &random) ?? "", at: at)
        default: new[at] = pieces.randomElement(using: &random) ?? ""
        }
      }
      expectConsistentDiff(old.joined(), new.joined(), "\(random)")
    }
  }

  @Test func `entirely different texts are compared in reasonable time`() throws {
    var random = SeededGenerator()
    let old = (0..<6_000).map { _ in String(Int.random(in: 0..<5_000, using: &random)) }
    let new = (0..<6_000).map { _ in String(Int.random(in: 0..<5_000, using: &random)) }
    let isFast = try growsLinearly(to: 6_000) { count in
      expectConsistentDiff(
        old.prefix(count).joined(separator: " "), new.prefix(count).joined(separator: " "),
        "\(random)")
    }
    #expect(isFast)
  }

  private func expectConsistentDiff(_ old: String, _ new: String, _ note: Comment) {
    let there = WordDiff(from: old, to: new)
    let back = WordDiff(from: new, to: old)
    let (before, after) = sides(of: there)
    #expect(Array(before.utf8) == Array(old.utf8), note)
    #expect(Array(after.utf8) == Array(new.utf8), note)
    #expect(there.added == back.removed && there.removed == back.added, note)
    if old == new { #expect(there.added == 0 && there.removed == 0) }
  }

  @Test func `few edits in a long text give few changes`() {
    let words = (0..<5_000).map { "word\($0 % 700)" }
    var edited = words
    for at in stride(from: 100, to: 5_000, by: 500) { edited[at] = "new\(at)" }
    let diff = WordDiff(
      from: words.joined(separator: " "), to: edited.joined(separator: " "))
    #expect(diff.added == 10 && diff.removed == 10)
  }

  @Test func `an excerpt has the first changes, with an ellipsis for what lies between`() {
    let diff = WordDiff(from: "a b c d e f", to: "a x c d y f g")
    #expect(
      diff.excerpt(of: 3)
        == [.removed("b"), .added("x"), .same(" … "), .removed("e")])
    #expect(
      diff.excerpt(of: 100)
        == [
          .removed("b"), .added("x"), .same(" … "), .removed("e"), .added("y"), .same(" … "),
          .added(" g"),
        ])
    #expect(WordDiff(from: "", to: "word by word").excerpt(of: 6) == [.added("word b")])
    #expect(WordDiff(from: "a", to: "a").excerpt(of: 6) == [])
  }
}
