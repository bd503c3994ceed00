import Foundation
import TestSupport
import Testing

@testable import DiaryCore

/// Merges of unusual texts, and saves from old buffers.
struct EntryMergeEdgeTests {
  private static func utf16(_ text: String) -> [UInt8] {
    [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
  }

  @Test func `a text that is not UTF-8 is never mixed with another`() {
    let base = Array("One.\n".utf8)
    for odd in [Self.utf16("One two.\n"), Array("One\0two.\n".utf8), [0x4F, 0xE9, 0x0A]] {
      #expect(!EntryMerge.canMerge(odd))
      #expect(EntryMerge(base: base, odd, base).bytes == odd)
      let other = Array("One, and more.\n".utf8)
      let merge = EntryMerge(base: base, odd, other)
      #expect(merge == EntryMerge(base: base, other, odd))
      #expect([odd, other].contains(merge.bytes) && !merge.hasConflict)
    }
  }

  @Test func `a base in UTF-16 is read`() {
    let merge = EntryMerge(
      base: Self.utf16("One.\n\nTwo.\n"), Array("Uno.\n\nTwo.\n".utf8),
      Array("One.\n\nDue.\n".utf8))
    #expect(String(decoding: merge.bytes, as: UTF8.self) == "Uno.\n\nDue.\n")
  }

  @Test func `a paragraph repeated a thousand times is merged once each`() {
    let many = [String](repeating: "The same again.", count: 1000)
    func text(_ paragraphs: [String]) -> String { paragraphs.joined(separator: "\n\n") + "\n" }
    var mine = many
    mine.insert("Mine.", at: 300)
    let merge = EntryMergeBodyTests.merged(text(many), text(mine), text(Array(many.dropLast(10))))
    let paragraphs = merge.text.split(separator: "\n\n")
    #expect(paragraphs.count == 991 && paragraphs.count { $0 == "Mine." } == 1)
    #expect(!merge.keptBoth)
  }

  @Test(.timeLimit(.minutes(1)))
  func `a long line and texts without common words are merged in time`() {
    let long = (0..<20_000).map { "word\($0)" }
    var (mine, theirs) = (long, long)
    mine[17] = "mine"
    theirs[19_990] = "theirs"
    let merge = EntryMergeBodyTests.merged(
      long.joined(separator: " "), mine.joined(separator: " "), theirs.joined(separator: " "))
    #expect(
      merge.text == [mine, theirs].map { $0.joined(separator: " ") }.joined(separator: "\n\n"))
    #expect(merge.keptBoth)
    let other = EntryMergeBodyTests.merged(
      long.joined(separator: " "), (0..<3_000).map { "a\($0 % 70)" }.joined(separator: " "),
      (0..<3_000).map { "b\($0 % 69)" }.joined(separator: " "))
    #expect(other.keptBoth)
  }

  @Test func `the same new paragraphs in both versions are merged in time`() throws {
    let isFast = try growsLinearly(to: 800) { count in
      func text(_ words: String, _ last: String) -> String {
        ((0..<count).map { "\(words) number \($0)." } + [last]).joined(separator: "\n\n") + "\n"
      }
      let merge = EntryMergeBodyTests.merged(
        text("It rained on day", ""), text("The sun shone upon us", "Mine."),
        text("The sun shone upon us", "Theirs."))
      #expect(merge.text.hasSuffix("Mine.\n\nTheirs.\n"))
    }
    #expect(isFast)
  }

  @Test(arguments: [
    ("", "", ""), ("\n", "\n\n", ""), ("a", "", ""), ("", "a", "a\n"), ("a", "a ", "a\n"),
    ("---\n", "---\na: b\n---\n", "---"), ("\u{FEFF}", "\u{FEFF}\u{FEFF}a", "\n"),
    ("```\n", "```\na", "```\n\n```"),
    // Regression: one-line versions of a base with several lines lost the base's last characters.
    ("a\nは\nb", "a は", "は b"), ("\r", "a\rb", "a\r\nb"),
  ])
  func `almost empty texts merge without foreign words`(_ base: String, _ a: String, _ b: String) {
    let merge = EntryMergeBodyTests.merged(base, a, b)
    let words = Set((a + " " + b).split(whereSeparator: \.isWhitespace))
    #expect(merge.text.split(whereSeparator: \.isWhitespace).allSatisfy { words.contains($0) })
    _ = EntryMergeBodyTests.merged(nil, a, b)
  }

  @Test(arguments: [
    ("One.\n", "One.\n\nTwo words.\n", "One.\n", true),
    ("One.\n", "One.\n\nTwo words.\n", "One. And typed.\n", true),
    ("One.\n", "One.\n\nTwo words.\n", "One.\n\nTwo words. And typed.\n", false),
    ("One.\n", "One.\n\nTwo words.\n", "One.\n\nTwo of them.\n", true),
    // Regression: a key or first word that both sides happened to type hid an old buffer.
    ("One.\n", "One.\n\nThen we slept.\n", "One.\n\nThen it rained.\n", true),
    (
      "---\ntags: walk\n---\n", "---\ntags: walk\nplace: home\n---\n",
      "---\ntags: walk\nplace: the lake\n---\n", true
    ),
    ("One.\n", "One.\n\nWe saw the lake.\n", "One. It was the cold.\n", true),
    // Both filled in the same template.
    (
      "One.\n", "One.\n\n## Evening\nMood: tired\nWeather: sun\nThankful for: Mina\n",
      "One.\n\n## Evening\nMood: good\nWeather: rain\nThankful for: tea\n", true
    ),
    // Most of it is there, with a word in another spelling.
    (
      "One.\n", "One.\n\nMina told me that she will move to Busan.\n",
      "One.\n\nMina told me that she will relocate to Busan.\n", false
    ),
    ("One two.\n", "One new two.\n", "One two, three.\n", true),
    // Both appended the same word, and one wrote a paragraph anew.
    ("Late up.\n\nthe soup\n", "Snow\nthe soup\nthe\n", "Late up.\n\nthe soup\nthe \n", true),
    // A word of the sync is changed back on purpose.
    (
      "We saw two geese.\n", "We saw ten geese.\n\nThen it rained until four.\n",
      "We saw two geese.\n\nThen it rained until four.\n", false
    ),
    ("One two.\n", "One new two.\n", "One new two, three.\n", false),
    ("so cold.\n", "so so cold.\n", "so so cold. And typed.\n", false),
    ("so cold.\n", "so so cold.\n", "so cold. And typed.\n", true),
    ("so so so.\n", "so so so so.\n", "so so so so. And typed.\n", false),
    ("so so so.\n", "so so so so.\n", "so so so. And typed.\n", true),
    ("One.\n\nTwo words.\n", "One.\n", "One.\n\nTwo words. And typed.\n", true),
    ("One.\n\nTwo words.\n", "One.\n", "One. And typed.\n", false),
    ("One.\n", "One.\r\n", "One. And typed.\n", false),
    ("Caf\u{E9}.\n", "Cafe\u{301}.\n", "Caf\u{E9}. More.\n", false),
    ("비가 왔다.\n", "비가 왔다.\n\n오후에 갰다.\n", "비가 왔다. 추웠다.\n", true),
    (
      "---\ntitle: A\n---\n", "---\ntitle: A\nweather: Rain, 7°C\n---\n", "---\ntitle: B\n---\n",
      true
    ),
    ("We met.\n", "We met.\n\nDinner wiht Anna.\n", "We met.\n\nDinner with Anna.\n", false),
    ("We ate fish.\n", "We ate a big bream.\n", "We ate a big fish.\n", false),
    (
      "Walked home late.\n\nRain.\n",
      "---\nweather: none\n---\n\nNew soup.\n\nRain.\n",
      "---\nweather: none\n---\n\nWalked home late.\n\nRain.\n", true
    ),
  ])
  func `a save from an old buffer is detected`(
    _ seen: String, _ brought: String, _ saved: String, _ isOld: Bool
  ) {
    #expect(
      isOldBuffer(
        seen: Array(seen.utf8), incoming: Array(brought.utf8), saved: Array(saved.utf8))
        == isOld)
  }

  @Test func `lines that both added between blank lines are there once`() {
    let (base, a, b) = ("k\nx\n\ny\n", "l\nx\n\nq\n\ny\n", "k\nx\n\nq\n\ny\nz\n")
    let merged = mergedLines(base: Array(base.utf8), Array(a.utf8), Array(b.utf8))
    #expect(merged.map { String(decoding: $0, as: UTF8.self) } == "l\nx\n\nq\n\ny\nz\n")
  }

  @Test func `an old buffer comes from the oldest version, or from one whose changes it has`() {
    let old = "We met Anna at the station. She told us about the lake and the old house.\n"
    let first = old + "\nAnna told us about the old house and the rain.\n"
    let second = first + "\nBen cooked noodles for everybody tonight.\n"
    func base(_ saved: String, returned: [String] = []) -> String? {
      oldBufferBase(
        seen: [old, first].map { Array($0.utf8) }, returned: returned.map { Array($0.utf8) },
        incoming: Array(second.utf8), saved: Array(saved.utf8)
      ).map { String(decoding: $0, as: UTF8.self) }
    }
    // The only entirely new word of the first sync is in the save.
    #expect(base(old + "\nLater came the rain.\n") == old)
    #expect(base(first + "\nLater came the night.\n") == first)
    // The writer saved it, and then took back some words.
    let shorter = old + "\nAnna told us about the rain.\n"
    #expect(base(shorter) == old)
    #expect(base(shorter, returned: [first]) == first)
  }

  @Test func `a text is compared with an earlier one in any encoding`() {
    let latin = "Le caf\u{E9} est ferm\u{E9}.\n".unicodeScalars.map { UInt8($0.value) }
    #expect(isBased(latin, on: latin))
    #expect(isBased(Array("Le caf\u{E9} est ferm\u{E9}.\n".utf8), on: latin))
    let decomposed = Array("비가 왔다.\n".decomposedStringWithCanonicalMapping.utf8)
    #expect(isBased(decomposed, on: Array("비가 왔다.\n".utf8)))
    #expect(!isBased(Array(repeating: 0xE9, count: 300), on: latin))
  }
}
