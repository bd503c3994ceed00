import TestSupport
import DiaryCore
import Testing

@Suite struct AnyTextTests {
  static let pieces = [
    "2026", "-", "/", ".", "11", "21", ":", "04", " ", "T", "Z", "+", "09", "°", "C", "℃", ",",
    "Rain",
    "*", "**", "?", "[", "]", "!", "\\", "last", "ago", "days", "monday", "nov", "at", "é", "서",
    "🙂",
    "\u{0}", "\u{301}", "{date}", "{slug}", "{", "}", ".md", "~", "#", "99999999999",
  ]

  static func text(_ random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 0...9, using: &random)).map { _ in
      pieces.randomElement(using: &random) ?? ""
    }.joined()
  }

  @Test func `random text crashes no reader and gives valid values`() throws {
    var random = SeededGenerator()
    let today = try #require(Day(year: 2026, month: 11, day: 21))
    let seoul = zone("Asia/Seoul")
    for _ in 0..<2000 {
      let (one, two) = (Self.text(&random), Self.text(&random))
      let note: Comment = "\(random): \(one.debugDescription) \(two.debugDescription)"
      if let weather = Weather(reading: one) { #expect(!weather.text.isEmpty, note) }
      if let days = DateExpression(reading: one, today: today, now: 0, zone: seoul)?.days(
        startingAt: 0)
      {
        #expect(days.lowerBound <= days.upperBound, note)
      }
      #expect(
        (EntryReference(reading: one, today: today, now: 0, zone: seoul) == nil) == blank(one), note
      )
      let path = EntryPath(two)
      if let path, path.impliedDay == nil { #expect(!path.isDateOnlyName, note) }
      if let path, let glob = PathGlob(one) { _ = glob.matches(path) }
      if let path { _ = FileName.isNeverSaved(path) || FileName.isSecret(path) }
      if let layout = PathTemplate(one) {
        let date = EntryDate(date: today, seconds: 60, offset: 0)
        let made = layout.path(title: two, date: date, day: today)
        #expect(made.isMarkdown && !made.isHidden, note)
      }
      #expect(displayWidth(truncated(one, toWidth: 7)) <= 7, note)
    }
  }

  private func blank(_ text: String) -> Bool { text.utf8.allSatisfy { $0 == 0x20 } }
}
