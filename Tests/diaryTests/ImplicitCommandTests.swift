import Testing

@testable import diary

/// A day, a number, `@name` or `WHEN: TEXT` in place of a command.
@Suite struct ImplicitCommandTests {
  @Test(arguments: [
    (["today"], ["show", "--on=today"]), (["last", "monday"], ["show", "--on=last monday"]),
    (["3 days ago"], ["show", "--on=3 days ago"]), (["오늘"], ["show", "--on=오늘"]),
    (["2026-11-21", "--json"], ["show", "--on=2026-11-21", "--json"]),
    (["-q", "yesterday"], ["show", "-q", "--on=yesterday"]),
    (["22.11.2026"], ["show", "--on=22.11.2026"]), (["2026-11"], ["list", "--on=2026-11"]),
    (["last", "month", "-n", "3"], ["list", "--on=last month", "-n", "3"]),
    (["@anna"], ["search", "--full", "--", "@anna"]),
    (
      ["-q", "@anna", "@kim", "--json"],
      ["search", "-q", "--full", "--json", "--", "@anna", "@kim"]
    ),
    (["3"], ["show", "--", "3"]), (["2026-11-21.2"], ["show", "--", "2026-11-21.2"]),
    (
      ["yesterday:", "Rain", "and", "soup."],
      ["new", "--date=yesterday", "--message=Rain and soup."]
    ),
    (["yesterday 9:30: Up late"], ["new", "--date=yesterday 9:30", "--message=Up late"]),
    (["2026-11-21:"], ["new", "--date=2026-11-21"]),
    (["today:", "Sun:", "at last"], ["new", "--message=Sun: at last"]),
    (["어제:", "비가", "왔다"], ["new", "--date=어제", "--message=비가 왔다"]),
    (
      ["yesterday:", "Rain", "--tag", "walk"],
      ["new", "--date=yesterday", "--message=Rain", "--tag", "walk"]
    ),
    (["yesterday: -5도였다"], ["new", "--date=yesterday", "--message=-5도였다"]),
  ])
  func `a day, number or text selects its command`(_ words: [String], _ meant: [String]) throws {
    #expect(try ArgumentPreprocessor.parserArguments(for: words) == meant)
  }

  @Test(arguments: [
    ["someday"], ["Lunch: soup"], ["0"], ["9:30"], ["deadbeef"], ["today", "and", "tomorrow"],
    ["last", "month:", "Rain"], ["@anna", "came"], ["@"],
  ])
  func `other arguments are an unknown command`(_ words: [String]) {
    #expect(throws: (any Error).self) { try ArgumentPreprocessor.parserArguments(for: words) }
  }

  @Test func `a command's name takes precedence over a day's`() throws {
    #expect(try ArgumentPreprocessor.parserArguments(for: ["list"]) == ["list"])
    #expect(
      try ArgumentPreprocessor.parserArguments(for: ["new", "today:", "x"]) == [
        "new", "--", "today:", "x",
      ])
  }
}
