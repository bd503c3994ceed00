import TestSupport
import DiaryCore
import Foundation
import Testing

@Suite struct `Folding for the search` {
  @Test(arguments: [
    ("Hello World 12:30", "hello world 12:30"), ("café", "cafe"), ("cafe\u{301}", "cafe"),
    ("São Paulo", "sao paulo"), ("Straße", "strasse"), ("STRAẞE", "strasse"),
    ("Ångström", "angstrom"), ("Łódź", "lodz"), ("Việt Nam", "viet nam"), ("İstanbul", "istanbul"),
    ("Μάιος", "μαιοσ"), ("ΜΆΙΟΣ", "μαιοσ"), ("Ёлка", "елка"), ("Æsir", "aesir"),
    ("서울에서", "서울에서"), ("한글", "한글"), ("ㅋㅋㅏ", "ㅋㅋㅏ"),
    ("がぎ", "がぎ"), ("か\u{3099}", "が"), ("ｶﾞ", "ガ"), ("ｳ\u{3099}", "ヴ"), ("Ｔｏｋｙｏ", "tokyo"),
    ("東京", "東京"),
    ("ﬁne", "fine"), ("don’t “stop”", "don't \"stop\""), ("①", "1"), ("", ""), ("a\u{AD}b", "ab"),
    ("हिन्दी", "हिन्दी"), ("❤️", "❤"), ("e\u{301}\u{302}x", "ex"),
  ])
  func `folding removes case, marks and compatibility forms`(_ text: String, _ folded: String) {
    #expect(Array(foldedForSearch(text).unicodeScalars) == Array(folded.unicodeScalars))
  }

  @Test func `a decomposed Hangul syllable is composed`() {
    let text = "각설탕"
    #expect(foldedForSearch(text.decomposedStringWithCanonicalMapping) == text)
    #expect(!foldedForSearch("각").utf8.elementsEqual(foldedForSearch("가").utf8))
  }

  @Test func `folding is idempotent and equal for both normal forms`() {
    var random = SeededGenerator()
    let ranges: [ClosedRange<UInt32>] = [
      0x20...0x7E, 0xA0...0x52F, 0x1E00...0x1FFF, 0x300...0x36F, 0x2000...0x214F, 0x3040...0x30FF,
      0xAC00...0xD7A3, 0x4E00...0x9FFF, 0xFF00...0xFF9D, 0x900...0x97F, 0x1F300...0x1F6FF,
    ]
    for _ in 0..<3000 {
      var view = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        let range = ranges[Int.random(in: 0..<ranges.count, using: &random)]
        if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) {
          view.append(scalar)
        }
      }
      let text = String(view)
      let once = foldedForSearch(text)
      let note: Comment = "\(random): \(view.map { String($0.value, radix: 16) })"
      #expect(foldedForSearch(once).utf8.elementsEqual(once.utf8), note)
      let composed = foldedForSearch(text.precomposedStringWithCanonicalMapping)
      let decomposed = foldedForSearch(text.decomposedStringWithCanonicalMapping)
      #expect(composed.utf8.elementsEqual(decomposed.utf8), note)
      // Long texts use a lookup table, which must give the same result.
      let tail = String(repeating: ".", count: 300)
      #expect(foldedForSearch(text + tail).utf8.elementsEqual((once + tail).utf8), note)
    }
  }

  @Test(arguments: [
    ("", 0), ("one", 1), ("two words", 2), ("  tabs\tand\nlines  ", 3), ("— - *", 0),
    ("don't stop-it", 2), ("오늘은 날씨가 좋다", 3), ("今日は", 3), ("今日はgood天気", 6),
    ("カレー 12:30", 4), ("東京、京都", 4), ("2026", 1), ("a\u{A0}b", 2), ("🙂 🙂", 0),
    ("«où»", 1), ("हिन्दी भाषा", 2),
  ])
  func `words are separated by spaces, Han and kana are single`(_ text: String, _ count: Int) {
    #expect(wordCount(text) == count)
  }

  @Test(arguments: [
    ("# Title", 0), ("## What I saw\n\nTwo words\n###### Six\n#", 2), ("#tag and #another", 3),
    ("####### seven", 1), ("- ## Ground\n  > # Quoted\nend", 1), ("a # b", 2), ("## 오늘\r\n걸었다", 1),
    ("1. one\n2) two\n3.\n10. ten", 3), ("1.5 litres\n2026. Later", 4), ("- 2 eggs\n* [ ] milk", 3),
    ("10:15 lunch", 1), ("- **10:15** lunch", 1), ("> [9:05:30] a\n_7:00_: b\n(8:00)", 2),
    ("10:15am lunch\nat 10:15", 4), ("12:30:lunch\n1:2:3 x", 3), ("10:15", 0),
    ("Text ^a-1\n^alone\r\n^two words\nx^2\n^", 4), ("- Block\n  id:: 1b-2c\nkid:: x", 3),
    ("![p](p.png)", 0), ("![The fourth loaf](bread.svg) is good", 2), ("Hi ![[a b.png]] you", 2),
    ("![a", 1), ("![a](b c", 2), ("![a]] b", 2), ("![[a] b", 2), ("A![b](c)d", 1),
    ("^한글", 1), ("- ", 0), (">", 0), ("1", 1), ("12:", 1), ("#", 0), ("^", 0), ("id:: ", 0),
  ])
  func `what only orders a text is not counted`(_ text: String, _ count: Int) {
    #expect(wordCount(text) == count, "\(text)")
  }
}
