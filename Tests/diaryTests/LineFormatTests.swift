import DiaryCore
import Testing

@testable import diary

/// The option `--format`, which prints one line for each entry.
@Suite struct LineFormatTests {
  private func entry() throws -> EntrySummary {
    EntrySummary(
      number: 7, path: try #require(EntryPath("2026/a b.md")), title: " First \n\nsnow",
      date: EntryDate(instant: 0, offset: 3600),
      day: Day(ordinal: 0), weather: Weather(text: "Rain, 4°C", condition: .rain, celsius: 4),
      tags: ["a", "b/c"], place: "Seoul", isStarred: true,
      words: 12, preview: "It snowed.")
  }

  @Test func `every placeholder is replaced by its field`() throws {
    let line = try LineFormat("%n|%d|%c|%t|%s|%p|%w|%l|%g|%*|%W|100%%|")
    #expect(
      line.text(of: try entry())
        == "7|1970-01-01|01:00|First snow|It snowed.|2026/a b.md|Rain, 4°C|Seoul|a,b/c|★|12|100%|")
  }

  @Test func `missing fields are empty`() throws {
    var bare = try entry()
    (bare.date, bare.day, bare.weather, bare.place, bare.tags) = (nil, nil, nil, nil, [])
    bare.isStarred = false
    #expect(try LineFormat("[%d%c%w%l%g%*]").text(of: bare) == "[]")
  }

  @Test(arguments: ["%x", "%", "50%", "%é"])
  func `an unknown placeholder is refused`(_ format: String) {
    #expect(throws: (any Error).self) { try LineFormat(format) }
  }
}
