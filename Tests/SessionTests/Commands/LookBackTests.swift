import Foundation
import TestSupport
import Testing

/// Reviews of the past: the line about this day in earlier years, the calendar and the statistics.
@Suite(.serialized) struct LookBackTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    try await home.diary("init", "j")
  }

  @Test func `on a terminal a line about this day in earlier years is printed`()
    async throws
  {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "Asia/Seoul"))
    // Not on February 29, which few years have.
    let today = calendar.dateComponents([.year, .month, .day], from: .now)
    let (year, month, day) = (today.year ?? 0, today.month ?? 0, today.day ?? 0)
    if month == 2, day == 29 { try Test.cancel("few years have this day") }
    func date(_ ago: Int) -> String { String(format: "%04d-%02d-%02d", year - ago, month, day) }
    try await home.diary("new", "Soup", "-m", "Hot.", "--date", date(2), in: "j")
    try await home.diary("new", "First snow", "-m", "Cold.", "--date", date(5), in: "j")
    let quiet = try await home.diary("add", "Words.", in: "j")
    #expect(!quiet.errors.contains("On this day"), "\(quiet)")
    try await home.diary("config", "on_this_day", "true", in: "j")
    let piped = try await home.diary("add", "More words.", in: "j")
    #expect(!(piped.output + piped.errors).contains("On this day"), "\(piped)")

    let terminal = try await Terminal(home, in: "j")
    let line = "On this day: \(year - 5) First snow, \(year - 2) Soup\n"
    try await terminal.enter("clear; diary add Even more.; echo end")
    #expect(try await terminal.shows("\nend\n"))
    var screen = try await terminal.screen()
    #expect(screen.contains(line), "\(screen)")
    try await terminal.enter("clear; EDITOR='touch' diary new Tea -m Green; echo over")
    #expect(try await terminal.shows("\nover\n"))
    screen = try await terminal.screen()
    #expect(screen.contains(line), "\(screen)")
    try await terminal.enter("clear; diary add -q Last words.; diary add Piped | cat; echo done")
    #expect(try await terminal.shows("\ndone\n"))
    screen = try await terminal.screen()
    #expect(!screen.contains("On this day"), "\(screen)")
    await terminal.close()
  }

  @Test func `statistics of one day name it once, round, and count an icon once`() async throws {
    for (weather, text) in [("Mist", "One."), ("Fog", "One two."), ("Rain", "One two.")] {
      try home.write(
        "---\ndate: 2026-11-02 09:00\nweather: \(weather), 9 °C\n---\n\n\(text)\n",
        to: "j/2026/11/2026-11-02-\(weather).md")
    }
    let stats = try await home.diary("stats", in: "j").output
    #expect(stats.contains("on 1 day, 2026-11-02\n"), "\(stats)")
    #expect(stats.contains("5  2 per entry\n"), "\(stats)")
    #expect(stats.contains(" 2, ") && !stats.contains(" 1, "), "\(stats)")
  }

  @Test func `calendar and statistics start the week as the user's language does`() async throws {
    // A Monday, and a Wednesday that is not the end of a week.
    for day in ["2026-11-02", "2026-11-04"] {
      try await home.diary("new", "A", "-m", "Words.", "--date", day + " 09:00", in: "j")
    }
    for (language, first, last) in [
      ("en_US.UTF-8", "Sun", "Sat"), ("de_DE.UTF-8", "Mo", "So"), ("ko_KR.UTF-8", "일", "토"),
      ("C.UTF-8", "Mon", "Sun"),
    ] {
      home.set("LC_ALL", language)
      let month = try await home.diary("calendar", "2026-11", in: "j").output
      let year = try await home.diary("calendar", "2026", in: "j").output
      let stats = try await home.diary("stats", in: "j").output
      for text in [month, year, stats] {
        let blank = text.split(separator: "\n").filter { $0.hasSuffix(" ") }
        #expect(blank.isEmpty, "\(language): \(blank)")
      }
      let names = month.split(separator: "\n")[1].split(separator: " ")
      #expect(names.first == first[...] && names.last == last[...], "\(month)")
      let rows = stats.split(separator: "\n").map(String.init)
      let row = try #require(rows.firstIndex { $0.hasPrefix("Weekdays") || $0.hasPrefix("요일") })
      #expect(rows[row].contains(" \(first) "), "\(stats)")
      #expect(rows[row + 6].trimmingCharacters(in: .whitespaces).hasPrefix(last), "\(stats)")
    }
    home.set("LC_ALL", nil)
    let json = try await home.diary("stats", "--json", in: "j").output
    #expect(json.contains("\"weekdays\":[1,0,1,0,0,0,0]"), "\(json)")
  }

  @Test func `statistics by month and by year`() async throws {
    for (day, text) in [
      ("2025-12-31", "One two."), ("2026-11-02", "Three."), ("2026-11-04", "Four five six."),
    ] {
      try await home.diary("new", "-m", text, "--date", day, in: "j")
    }
    let months = try await home.diary("stats", "--by", "month", in: "j").output
    let bar = { String(repeating: "█", count: $0) }
    #expect(
      months == "2025-12    1 entry  2 words  \(bar(16))\n2026-11  2 entries  4 words  \(bar(32))\n"
    )
    let json = try await home.diary(
      "stats", "--by", "year", "--since", "2026", "--json", in: "j"
    ).output
    #expect(json == "[{\"entries\":2,\"span\":\"2026\",\"words\":4}]\n")
    home.set("LC_ALL", "ko_KR.UTF-8")
    #expect(
      try await home.diary("stats", "--by", "month", in: "j").output.hasPrefix("2025년 12월  "))
    let wrong = try await home.diary("stats", "--by", "week", in: "j")
    #expect(wrong.status == 64 && wrong.errors.contains("month"), "\(wrong)")
  }
}
