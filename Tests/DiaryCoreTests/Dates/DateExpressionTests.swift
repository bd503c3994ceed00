import DiaryCore
import Testing

/// Saturday, 21 November 2026, 21:04:30 in Seoul.
private let now = 1_795_262_670

private func when(_ text: String) -> DateExpression? {
  Day(year: 2026, month: 11, day: 21).flatMap {
    DateExpression(reading: text, today: $0, now: now, zone: zone("Asia/Seoul"))
  }
}

private func reference(_ text: String) -> EntryReference? {
  Day(year: 2026, month: 11, day: 21).flatMap {
    EntryReference(reading: text, today: $0, now: now, zone: zone("Asia/Seoul"))
  }
}

@Suite struct `When a person says when` {
  @Test(arguments: [
    ("2026-11-21", "2026-11-21"), ("2026/1/5", "2026-01-05"), ("20261121", "2026-11-21"),
    ("2026-11", "2026-11-01 2026-11-30"), ("2026.2", "2026-02-01 2026-02-28"),
    ("2026", "2026-01-01 2026-12-31"), ("1234", "1234-01-01 1234-12-31"),
    ("today", "2026-11-21"), ("Yesterday", "2026-11-20"),
    ("tomorrow", "2026-11-22"), ("the day before yesterday", "2026-11-19"),
    ("last monday", "2026-11-16"), ("last saturday", "2026-11-14"), ("monday", "2026-11-16"),
    ("saturday", "2026-11-21"), ("this saturday", "2026-11-21"), ("next sat", "2026-11-28"),
    ("this sunday", "2026-11-22"), ("3 days ago", "2026-11-18"), ("a week ago", "2026-11-14"),
    ("1 month ago", "2026-10-21"), ("9 months ago", "2026-02-21"), ("2 years ago", "2024-11-21"),
    ("last week", "2026-11-09 2026-11-15"), ("this week", "2026-11-16 2026-11-22"),
    ("last month", "2026-10-01 2026-10-31"), ("this month", "2026-11-01 2026-11-30"),
    ("last year", "2025-01-01 2025-12-31"), ("november", "2026-11-01 2026-11-30"),
    ("december", "2025-12-01 2025-12-31"), ("last november", "2025-11-01 2025-11-30"),
    ("nov 2024", "2024-11-01 2024-11-30"), ("21 nov", "2026-11-21"), ("nov 22", "2025-11-22"),
    ("November 3rd, 2024", "2024-11-03"), ("3 Nov 2024", "2024-11-03"),
    ("two weeks ago", "2026-11-07"), ("ten days ago", "2026-11-11"), ("29 feb", "2024-02-29"),
    ("Sun, Nov 22, 2026", "2026-11-22"), ("Saturday, 21 November 2026", "2026-11-21"),
    ("22.11.2026", "2026-11-22"), ("22.11.", "2025-11-22"), ("3.4.26", "2026-04-03"),
    ("11/20", "2026-11-20"), ("11/22", "2025-11-22"), ("11/20/2026", "2026-11-20"),
    ("20/11/2026", "2026-11-20"), ("11-20", "2026-11-20"),
    ("오늘", "2026-11-21"), ("어제", "2026-11-20"), ("그저께", "2026-11-19"), ("내일", "2026-11-22"),
    ("3일 전", "2026-11-18"), ("3일전", "2026-11-18"), ("2주 전", "2026-11-07"),
    ("한강", ""), ("어제 밤 12시", ""), ("2 hours ago 9pm", ""), ("11월 20일", "2026-11-20"),
    ("11월 22일", "2025-11-22"),
    ("2026년 11월 22일 (일)", "2026-11-22"), ("2026년 11월", "2026-11-01 2026-11-30"),
    ("2025년", "2025-01-01 2025-12-31"), ("지난 월요일", "2026-11-16"), ("지난주", "2026-11-09 2026-11-15"),
    ("지난달", "2026-10-01 2026-10-31"), ("작년", "2025-01-01 2025-12-31"), ("6개월 전", "2026-05-21"),
    ("last year dec 25", "2025-12-25"), ("Dec 25 last year", "2025-12-25"),
    ("december last year", "2025-12-01 2025-12-31"), ("christmas last year", ""),
    ("the year before last", "2024-01-01 2024-12-31"), ("may of the year before last", ""),
    ("may the year before last", "2024-05-01 2024-05-31"), ("last year 2024 may", ""),
    ("작년 12월 25일", "2025-12-25"), ("재작년", "2024-01-01 2024-12-31"),
    ("재작년 여름", ""), ("작년 5월", "2025-05-01 2025-05-31"),
    ("weekend", "2026-11-21 2026-11-22"), ("주말", "2026-11-21 2026-11-22"),
    ("the day after tomorrow", "2026-11-23"), ("last weekend", "2026-11-14 2026-11-15"),
    ("this weekend", "2026-11-21 2026-11-22"), ("this morning", "2026-11-21"),
    ("last night", "2026-11-20"), ("tonight", "2026-11-21"), ("tomorrow evening", "2026-11-22"),
    ("monday night", "2026-11-16"), ("last week monday", "2026-11-09"),
    ("the 21st", "2026-11-21"), ("24th", "2026-10-24"), ("the 31st", "2026-10-31"),
    ("next 24th", "2026-11-24"), ("last 21st", "2026-10-21"), ("last month 24th", "2026-10-24"),
    ("모레", "2026-11-23"), ("그끄저께", "2026-11-18"), ("엊그제", "2026-11-19"), ("하루 전", "2026-11-20"),
    ("이틀 전", "2026-11-19"), ("사흘 전", "2026-11-18"), ("사흘전", "2026-11-18"),
    ("나흘 전에", "2026-11-17"), ("열흘 전", "2026-11-11"), ("보름 전", "2026-11-06"),
    ("일주일 전", "2026-11-14"), ("이 주 전", "2026-11-07"), ("한 달 전", "2026-10-21"),
    ("한달 전", "2026-10-21"), ("두 달 전", "2026-09-21"), ("석 달 전", "2026-08-21"),
    ("일 년 전", "2025-11-21"), ("일곱 달 전", "2026-04-21"), ("작년 오늘", "2025-11-21"),
    ("어젯밤", "2026-11-20"), ("어제밤", "2026-11-20"), ("오늘아침", "2026-11-21"),
    ("오늘 점심", "2026-11-21"), ("한 해 전", "2025-11-21"), ("두 해 전", "2024-11-21"),
    ("간밤", "2026-11-20"), ("오늘 새벽", "2026-11-21"),
    ("오늘 아침", "2026-11-21"), ("어제 저녁", "2026-11-20"), ("다음 주 월요일", "2026-11-23"),
    ("지난주 월요일", "2026-11-09"), ("지난 주말", "2026-11-14 2026-11-15"),
    ("지난주말", "2026-11-14 2026-11-15"), ("24일", "2026-10-24"), ("21일", "2026-11-21"),
    ("다음 24일", "2026-11-24"), ("오는 24일", "2026-11-24"), ("오는 월요일", "2026-11-23"),
    ("24일 토요일", "2026-10-24"), ("24일 (토)", "2026-10-24"), ("지난달 24일", "2026-10-24"),
    ("20일 아침", "2026-11-20"),
  ])
  func `days and ranges of days are read`(_ text: String, _ days: String) throws {
    if days.isEmpty { return #expect(when(text) == nil) }
    guard case .days(let span) = try #require(when(text)) else {
      Issue.record("\(text) is no span of days")
      return
    }
    let shown =
      span.isOneDay ? "\(span.lowerBound)" : "\(span.lowerBound) \(span.upperBound)"
    #expect(shown == days)
  }

  @Test(arguments: [
    ("now", "2026-11-21T21:04:30+09:00", 1), ("2026-11-20 9:04", "2026-11-20T09:04:00+09:00", 60),
    ("2026-11-20T09:04:05Z", "2026-11-20T09:04:05+00:00", 1),
    ("2026-11-20 21:04 -5", "2026-11-20T21:04:00-05:00", 60),
    ("yesterday 21:04", "2026-11-20T21:04:00+09:00", 60),
    ("yesterday at 9:04 pm", "2026-11-20T21:04:00+09:00", 60),
    ("last monday at 07:00:00", "2026-11-16T07:00:00+09:00", 1),
    ("9:04", "2026-11-21T09:04:00+09:00", 60), ("2 hours ago", "2026-11-21T19:04:30+09:00", 1),
    ("an hour ago", "2026-11-21T20:04:30+09:00", 1), ("1795262640", "2026-11-21T21:04:00+09:00", 1),
    ("10 min ago", "2026-11-21T20:54:30+09:00", 1), ("9pm", "2026-11-21T21:00:00+09:00", 60),
    ("yesterday 9 pm", "2026-11-20T21:00:00+09:00", 60),
    ("yesterday noon", "2026-11-20T12:00:00+09:00", 60),
    ("nov 20 at midnight", "2026-11-20T00:00:00+09:00", 60),
    ("11/20 9:30pm", "2026-11-20T21:30:00+09:00", 60),
    ("Saturday, November 21, 2026, 9:04 PM", "2026-11-21T21:04:00+09:00", 60),
    ("어제 오후 9:04", "2026-11-20T21:04:00+09:00", 60),
    ("어제 오전 9:04", "2026-11-20T09:04:00+09:00", 60),
    ("11월 20일 오전 7시", "2026-11-20T07:00:00+09:00", 60), ("9시 30분", "2026-11-21T09:30:00+09:00", 60),
    ("2026년 11월 20일 금요일 오후 9시", "2026-11-20T21:00:00+09:00", 60),
    ("two weeks ago at 9pm", "2026-11-07T21:00:00+09:00", 60),
    ("3 days ago 21:04", "2026-11-18T21:04:00+09:00", 60),
    ("3일 전 저녁 9시", "2026-11-18T21:00:00+09:00", 60),
    ("어제 저녁 9시 반", "2026-11-20T21:30:00+09:00", 60),
    ("어제 새벽 12:10", "2026-11-20T00:10:00+09:00", 60),
    ("어제 낮 12시", "2026-11-20T12:00:00+09:00", 60),
    ("10분 전", "2026-11-21T20:54:30+09:00", 1), ("지금", "2026-11-21T21:04:30+09:00", 1),
    ("last night at 11pm", "2026-11-20T23:00:00+09:00", 60),
    ("this morning 9:30", "2026-11-21T09:30:00+09:00", 60),
    ("어젯밤 11시", "2026-11-20T23:00:00+09:00", 60), ("한 시간 전", "2026-11-21T20:04:30+09:00", 1),
    ("어제 오후 세 시", "2026-11-20T15:00:00+09:00", 60), ("방금", "2026-11-21T21:04:30+09:00", 1),
    ("그끄저께 밤 10시", "2026-11-18T22:00:00+09:00", 60),
    ("20일 오후 9시", "2026-11-20T21:00:00+09:00", 60),
  ])
  func `moments have their precision`(_ text: String, _ date: String, _ width: Int) throws {
    guard case .moment(let moment, let seconds) = try #require(when(text)) else {
      Issue.record("\(text) is no moment")
      return
    }
    #expect(moment.description == date)
    #expect(seconds == width)
  }

  @Test func `numeric dates follow the day and month order of the user`() throws {
    let today = try #require(Day(year: 2026, month: 11, day: 21))
    func read(_ text: String, _ isDayFirst: Bool?) -> String? {
      DateExpression(
        reading: text, today: today, now: now, zone: zone("UTC"), isDayFirst: { isDayFirst })?
        .days(startingAt: 0)?.lowerBound.description
    }
    #expect(read("3/4", true) == "2026-04-03")
    #expect(read("3/4", false) == "2026-03-04")
    #expect(read("11/20", true) == "2026-11-20")
    #expect(read("3.4.", false) == "2026-04-03")
    // Without a language, only a number over 12 or two equal numbers tell the order.
    #expect(read("1/2/24", nil) == nil && read("3/4", nil) == nil)
    #expect(read("20/11", nil) == "2026-11-20" && read("11/20", nil) == "2026-11-20")
    #expect(read("5/5", nil) == "2026-05-05")
  }

  @Test func `versions and commits are read`() {
    #expect(when("3") == .versionsAgo(3))
    #expect(when("120") == .versionsAgo(120))
    #expect(when("deadbeef") == .commit("deadbeef"))
    #expect(when("DEADBEE") == .commit("deadbee"))
    #expect(when("1234567") == .commit("1234567"))
    #expect(when("123456789") == .commit("123456789"))
    #expect(when("99999999") == .commit("99999999"))
  }

  @Test(arguments: [
    "", "someday", "2026-13", "2026-11-21 a walk", "last", "ago", "days ago", "x days ago",
    "next to nothing", "2026-11-2121", "12:60", "dead", "last year at 9:04", "may be", "-3",
    "0000", "99999999999999999999 days ago", "31 feb 2026", "Mon, Nov 22, 2026",
    "31.2.2026",
    "13/13", "1/2/3/4", "a/b", "13pm", "전", "13월 1일", "3일 3일", "산책 3일", "오늘은", "오후",
    "last night at 1am", "어젯밤 1시", "하루", "이틀", "일주일", "한 달", "아침", "night", "good morning",
    "last morning", "32nd", "24 th", "32일", "24일 월요일", "the", "지난 달 31일 3시 전", "주말 산책",
    "어제 (ab)", "어제 (비옴)", "2026년 11월 22일 (월)", "어제 ()", "11월 (일)",
  ])
  func `other text is not an expression`(_ text: String) {
    #expect(when(text) == nil)
  }

  @Test(arguments: [
    ("2026-11-31", "2026-11-01 2026-11-30"), ("2026-02-30", "2026-02-01 2026-02-28"),
    ("31.11.2026", "2026-11-01 2026-11-30"), ("31 feb", "2026-02-01 2026-02-28"),
    ("11/31", "2025-11-01 2025-11-30"), ("2026-11-31 21:30", "2026-11-01 2026-11-30"),
    ("11월 31일", "2025-11-01 2025-11-30"), ("2024-02-30", "2024-02-01 2024-02-29"),
  ])
  func `a day that its month does not have names the month`(_ text: String, _ days: String) {
    let month = DateExpression.monthWithoutDay(text) { when($0) }
    #expect(month.map { "\($0.lowerBound) \($0.upperBound)" } == days)
  }

  @Test(arguments: ["", "someday", "2026-11-30", "2026-13-31", "31", "31 walks", "30 days", "x 29"])
  func `any other text names no month`(_ text: String) {
    #expect(DateExpression.monthWithoutDay(text) { when($0) } == nil)
  }

  @Test func `a range ends at the start of the next day`() throws {
    let day = try #require(when("2026-11-21")?.instants(dayStart: 14_400, zone: zone("Asia/Seoul")))
    #expect(day.count == 86_400)
    #expect(EntryDate(instant: day.lowerBound, offset: 32_400)?.clock == "04:00")
    let berlin = zone("Europe/Berlin")
    let long = try #require(
      DateExpression(reading: "2026-10-25", today: .init(ordinal: 0)!, now: 0, zone: berlin))
    #expect(long.instants(dayStart: 0, zone: berlin)?.count == 25 * 3600)
    #expect(when("2026-11-20 9:04")?.instants(dayStart: 0, zone: berlin)?.count == 60)
    #expect(when("3")?.instants(dayStart: 0, zone: berlin) == nil)
  }

  @Test func `an entry date is a day or a moment, never a range`() {
    let seoul = zone("Asia/Seoul")
    #expect(when("yesterday")?.entryDate(zone: seoul)?.description == "2026-11-20")
    #expect(when("9:04")?.entryDate(zone: seoul)?.description == "2026-11-21T09:04:00+09:00")
    #expect(when("2026-11")?.entryDate(zone: seoul) == nil)
    #expect(when("3")?.entryDate(zone: seoul) == nil)
  }

  @Test func `a month without the given day gives its last day`() {
    let leap = Day(year: 2024, month: 3, day: 31)
    let read = leap.flatMap {
      DateExpression(reading: "a month ago", today: $0, now: 0, zone: zone("UTC"))
    }
    #expect(read?.days(startingAt: 0)?.lowerBound.description == "2024-02-29")
  }

  @Test func `a time in the small hours belongs to the diary day before`() {
    let days = when("2026-11-20 02:00")?.days(startingAt: 14_400)
    #expect(days?.lowerBound.description == "2026-11-19")
  }
}

@Suite struct `References to entries` {
  @Test func `every form of reference is recognised`() throws {
    let today = try #require(Day(year: 2026, month: 11, day: 21))
    #expect(reference("1") == .number(1))
    #expect(reference(" 12 ") == .number(12))
    #expect(reference("2026") == .number(2026))
    #expect(reference("2026-11-21") == .date(.days(today...today)))
    #expect(reference("20261121") == .date(.days(today...today)))
    #expect(reference("today") == .date(.days(today...today)))
    #expect(reference("last saturday") == .date(.days(today.adding(-7)...today.adding(-7))))
    #expect(reference("3 days ago") == .date(.days(today.adding(-3)...today.adding(-3))))
    #expect(reference("어젯밤") == .date(.days(today.adding(-1)...today.adding(-1))))
    #expect(reference("21일") == .date(.days(today...today)))
    #expect(reference("the 21st") == .date(.days(today...today)))
    #expect(reference("2026-11-21.2") == .nth(2, of: today))
    #expect(reference("yesterday.1") == .nth(1, of: today.adding(-1)))
    #expect(reference("2026.11.21") == .date(.days(today...today)))
    #expect(reference("2026/11/2026-11-21-walk.md") == .path("2026/11/2026-11-21-walk.md"))
    #expect(reference("walk.MD") == .path("walk.MD"))
    #expect(reference("./walk") == .path("./walk"))
    #expect(reference("a walk") == .title("a walk"))
    for words in [
      "may", "monday", "12:30", "0", "-5도였다", "deadbeef", "last summer", "2026-11-21.0",
    ] {
      #expect(reference(words) == .title(words))
    }
    #expect(reference("99999999") == .number(99_999_999))
    #expect(reference("") == nil)
    #expect(reference(" \t") == nil)
  }
}
