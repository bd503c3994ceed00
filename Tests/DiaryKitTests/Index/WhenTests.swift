import DiaryCore
import TestSupport
import Testing

@testable import DiaryKit

/// Dates as users type them, and as Diary prints them.
@Suite struct WhenTests {
  @Test(arguments: ["en_US", "en_GB", "ko_KR", "de_DE", "fr_FR", "ja_JP", "pt_BR", "C"])
  func `dates printed by the list are understood`(_ language: String) async throws {
    let world = try await TestJournal()
    let journal = try world.journal(["LC_ALL": language + ".UTF-8"])
    let locale = UserLocale(named: language)
    for ordinal in stride(from: 20_000, to: 20_400, by: 7) {
      let day = try #require(Day(ordinal: ordinal))
      for text in [locale.text(of: day), locale.longText(of: day)] {
        #expect(try journal.catalog.timeSpan(of: text).days == day...day, "\(text)")
      }
    }
  }

  @Test(arguments: [("en_US", "2026-03-04"), ("en_GB", "2026-04-03"), ("ko_KR", "2026-03-04")])
  func `day and month are ordered by language`(_ language: String, _ day: String) async throws {
    let journal = try (try await TestJournal()).journal(["LC_ALL": language + ".UTF-8"])
    #expect(try journal.catalog.timeSpan(of: "3/4/2026").days?.lowerBound.description == day)
  }

  @Test func `weeks start on the day of the user's locale`() {
    #expect(UserLocale(named: "en_US").firstWeekday == 7)
    #expect(UserLocale(named: "de_DE").firstWeekday == 1)
    #expect(UserLocale(named: "C").firstWeekday == 1)
    #expect(UserLocale(named: "ko_KR").weekdays == ["월", "화", "수", "목", "금", "토", "일"])
    #expect(UserLocale(named: "C").weekdays.first == "Mon")
  }

  @Test func `several entries are named at once but a title is never several`()
    async throws
  {
    let world = try await TestJournal([
      "a.md": "# Tea\n", "b.md": "# Walk\n", "c.md": "# Tea and walk\n",
    ])
    let journal = try world.journal()
    func named(_ words: String...) async throws -> Set<String> {
      Set(try await journal.catalog.resolveAll(words).entries.map(\.title))
    }
    #expect(try await named("a.md", "b.md", "a.md") == ["Tea", "Walk"])
    #expect(try await named("Tea", "and", "walk") == ["Tea and walk"])
    await #expect(throws: DiaryError.self) { try await named("Walk", "tea", "soup") }
    await #expect(throws: DiaryError.self) { try await named("Walk", "3") }
    #expect(try await named("1", "Tea and walk", "2").count == 2)
  }

  @Test func `this day in earlier years`() async throws {
    let world = try await TestJournal([
      "a.md": "---\ndate: 2024-02-29\n---\nLeap.\n", "b.md": "---\ndate: 2023-03-01\n---\nMarch.\n",
      "c.md": "---\ndate: 2026-03-01\n---\nThe same year.\n",
    ])
    let journal = try world.journal()
    func titles(_ day: String) async throws -> [String] {
      let day = try journal.catalog.timeSpan(of: day).days?.lowerBound
      return try await journal.catalog.currentEntriesOnThisDay(day).map(\.title)
    }
    #expect(try await titles("2026-03-01") == ["March."])
    #expect(try await titles("2028-02-29") == ["Leap."])
    #expect(try await titles("2023-03-01") == [])
  }
}
