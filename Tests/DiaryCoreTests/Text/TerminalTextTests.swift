import TestSupport
import DiaryCore
import Testing

@Suite struct `Text on a terminal` {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("서울", 4), ("東京", 4), ("カナ", 4), ("ｶﾅ", 2), ("Ａ", 2), ("é", 1),
    ("e\u{301}", 1), ("☀️", 2), ("☀", 1), ("🌧️", 2), ("🙂", 2), ("👨‍👩‍👧", 2), ("👍🏽", 2), ("🇰🇷", 2),
    ("1️⃣", 2), ("각", 2), ("\u{1112}\u{1161}\u{11AB}", 2), ("か\u{3099}", 2), ("한 a", 4), ("✔", 1),
    ("❄️", 2), ("\u{7}", 0), ("\u{200B}", 0), ("…", 1), ("⛈️", 2), ("ｶﾞ", 2), ("❤️‍🔥", 2), ("©", 1),
  ])
  func `columns are counted as in terminals`(_ text: String, _ width: Int) {
    #expect(displayWidth(text) == width)
  }

  @Test func `every weather icon is two columns wide`() {
    for condition in Condition.allCases {
      #expect(displayWidth(condition.icon(isNight: false)) == 2)
      #expect(displayWidth(condition.icon(isNight: true)) == 2)
    }
  }

  @Test(arguments: [
    ("hello", 5, "hello"), ("hello", 4, "hel…"), ("서울에서", 5, "서울…"), ("서울에서", 6, "서울…"),
    ("hello", 1, "…"), ("hello", 0, ""), ("", 3, ""), ("👨‍👩‍👧 x", 3, "👨‍👩‍👧…"),
  ])
  func `a text that is too wide ends in an ellipsis`(_ text: String, _ width: Int, _ cut: String) {
    #expect(truncated(text, toWidth: width) == cut)
    #expect(displayWidth(truncated(text, toWidth: width)) <= width)
  }

  @Test(arguments: [
    ("plain\n\ttext", "plain\n\ttext"), ("\u{1B}[31mred", "\\x1B[31mred"), ("a\u{7F}b", "a\\x7Fb"),
    ("\u{9B}2J", "\\x9B2J"), ("a\u{202E}b", "a\\u202Eb"), ("\u{2066}x\u{2069}", "\\u2066x\\u2069"),
    ("a\r\nb", "a\nb"), ("a\rb", "a\\x0Db"), ("a\r", "a\\x0D"), ("\u{0}", "\\x00"),
    ("한글 👨‍👩‍👧", "한글 👨‍👩‍👧"), ("\u{61C}", "\\u061C"),
  ])
  func `control characters are escaped`(_ text: String, _ safe: String) {
    #expect(terminalText(text).unicodeScalars.elementsEqual(safe.unicodeScalars))
  }

  @Test(arguments: [
    ("a\nb", "a b"), ("a \r\n\t b", "a b"), ("\u{1B}]0;x\u{7}", "\\x1B]0;x\\x07"),
    ("plain", "plain"),
  ])
  func `a text of several lines becomes one line`(_ text: String, _ line: String) {
    #expect(terminalLine(text) == line)
  }

  @Test func `no control character of a random text is left`() {
    var random = SeededGenerator()
    for _ in 0..<2000 {
      var view = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...12, using: &random) {
        let limit: UInt32 = Bool.random(using: &random) ? 0xA5 : 0x2070
        if let scalar = Unicode.Scalar(UInt32.random(in: 0...limit, using: &random)) {
          view.append(scalar)
        }
      }
      for safe in [terminalText(String(view)), terminalLine(String(view))] {
        let bad = safe.unicodeScalars.contains { scalar in
          switch scalar.value {
          case 0x0A, 0x09: false
          case 0..<0x20, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
          default: false
          }
        }
        #expect(!bad, "\(random)")
      }
    }
  }
}
