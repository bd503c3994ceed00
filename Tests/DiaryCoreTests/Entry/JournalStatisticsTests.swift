import DiaryCore
import Testing

/// Statistics of entries.
@Suite struct JournalStatisticsTests {
  private func entry(
    _ day: String?, words: Int, tags: [String] = [], hour: Int? = nil, title: String = "x"
  ) throws -> EntrySummary {
    let date = day.flatMap { day -> EntryDate? in
      let numbers = day.split(separator: "-").compactMap { Int($0) }
      return Day(year: numbers[0], month: numbers[1], day: numbers[2]).map {
        EntryDate(date: $0, seconds: hour.map { $0 * 3600 }, offset: 0)
      }
    }
    return EntrySummary(
      number: 1, path: try #require(EntryPath("x.md")), title: title, date: date, day: date?.date,
      weather: nil,
      tags: tags,
      place: nil, words: words, preview: "")
  }

  private func day(_ text: String) throws -> Day {
    let numbers = text.split(separator: "-").compactMap { Int($0) }
    return try #require(Day(year: numbers[0], month: numbers[1], day: numbers[2]))
  }

  @Test func `no entries give empty statistics`() throws {
    let none = JournalStatistics(of: [], today: try day("2026-11-21"))
    #expect(none.entries == 0 && none.words == 0 && none.days.isEmpty && none.longestEntry == nil)
    #expect(none.currentStreak == nil && none.longestStreak == nil && none.tags.isEmpty)
    #expect(none.shade(of: try day("2026-11-21")) == 0)
  }

  @Test func `entries, words, weekdays and hours are counted`() throws {
    let found = JournalStatistics(
      of: [
        try entry("2026-11-21", words: 10, hour: 21),
        try entry("2026-11-21", words: 30, title: "long"),
        try entry("2026-11-16", words: 5, hour: 0), try entry(nil, words: 1),
      ], today: try day("2026-11-21"))
    #expect(found.entries == 4 && found.words == 46 && found.days.count == 2)
    let saturday = found.days[try day("2026-11-21")]
    #expect(saturday?.entries == 2 && saturday?.words == 40)
    #expect(found.weekdays == [1, 0, 0, 0, 0, 2, 0])
    #expect(found.hours[21] == 1 && found.hours[0] == 1 && found.hours.reduce(0, +) == 2)
    #expect(found.longestEntry?.title == "long")
  }

  @Test func `a streak ends at a day without entries, but not before today is over`() throws {
    let days = ["2026-11-20", "2026-11-19", "2026-11-10", "2026-11-09", "2026-11-08"]
    func found(_ today: String) throws -> JournalStatistics {
      try JournalStatistics(of: days.map { try entry($0, words: 1) }, today: try day(today))
    }
    #expect(try found("2026-11-21").currentStreak?.length == 2)
    #expect(try found("2026-11-20").currentStreak?.length == 2)
    #expect(try found("2026-11-22").currentStreak == nil)
    let longest = try #require(try found("2026-11-21").longestStreak)
    #expect(longest.length == 3)
    #expect(longest.days.lowerBound == (try day("2026-11-08")))
  }

  @Test func `tags count entries, in their most frequent spelling`() throws {
    let found = JournalStatistics(
      of: [
        try entry(nil, words: 1, tags: ["Walk", "b"]), try entry(nil, words: 1, tags: ["walk"]),
        try entry(nil, words: 1, tags: ["walk", "walk"]),
      ], today: try day("2026-11-21"))
    #expect(found.tags == [TagCount(tag: "walk", count: 3), TagCount(tag: "b", count: 1)])
  }

  @Test func `days with more words have darker shades`() throws {
    let all = try (1...20).map { try entry("2026-10-\($0)", words: $0 * 10) }
    let found = JournalStatistics(of: all, today: try day("2026-11-21"))
    let shades = try (1...20).map { found.shade(of: try day("2026-10-\($0)")) }
    #expect(shades == shades.sorted() && Set(shades) == [1, 2, 3, 4])
    #expect(found.shade(of: try day("2026-10-21")) == 0)
    // The days of a writer who always writes the same amount are no extremes.
    let alike = try (1...20).map { try entry("2026-10-\($0)", words: $0 == 9 ? 3_000 : 2_000 + $0) }
    let steady = JournalStatistics(of: alike, today: try day("2026-11-21"))
    #expect(try Set((1...20).map { steady.shade(of: try day("2026-10-\($0)")) }) == [2])
    let one = JournalStatistics(of: [all[0]], today: try day("2026-11-21"))
    #expect(one.shade(of: try day("2026-10-1")) == 2)
  }
}
