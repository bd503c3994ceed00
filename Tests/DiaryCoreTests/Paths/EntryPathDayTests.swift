import DiaryCore
import Foundation
import Testing

@Suite struct `Days in names` {
  @Test(arguments: [
    ("2024-01-15.md", "2024-01-15"), ("2024-01-15-a-walk.md", "2024-01-15"),
    ("2024_01_15.md", "2024-01-15"), ("2024.01.15.md", "2024-01-15"),
    ("20240115.md", "2024-01-15"), ("journal/20240115 lake.markdown", "2024-01-15"),
    ("202401152104.md", "2024-01-15"), ("Meeting 2024-01-15.md", "2024-01-15"),
    ("2026/11/2026-11-21-2104.md", "2026-11-21"), ("2024-01-15/notes.md", "2024-01-15"),
    ("2024/01/15.md", "2024-01-15"), ("2024/1/5.md", "2024-01-05"),
    ("2024/01/15-walk.md", "2024-01-15"), ("2024-01/15.md", "2024-01-15"),
    ("2020-12-2-this-week.md", "2020-12-02"), ("2024_1_5.md", "2024-01-05"),
    ("2024/01/15/notes.md", "2024-01-15"), ("x/2023-05-06/2024-01-15.md", "2024-01-15"),
    ("2024/0115.md", "2024-01-15"),
    ("2024년 1월 15일.md".decomposedStringWithCanonicalMapping, "2024-01-15"),
    ("Jan 15th, 2024.md", "2024-01-15"), ("January 15, 2024 at the lake.md", "2024-01-15"),
    ("15. Januar 2024.md", "2024-01-15"), ("15.01.2024.md", "2024-01-15"),
    ("Mon, 15 Jan 2024.md", "2024-01-15"), ("2024년 1월 15일 산책.md", "2024-01-15"),
  ])
  func `the day is read from a name or its folders`(_ path: String, _ day: String) {
    #expect(EntryPath(path)?.impliedDay?.description == day)
  }

  @Test(arguments: [
    "notes.md", "2024-01.md", "2024-13-01.md", "12345678.md", "2024/01/32.md", "2024/13/15.md",
    "15.md", "01/15.md", "2024/01/10 things.md", "2024-01-155.md", "120240115.md", "2024/01/a.md",
    "0115.md", "2024/1315.md", "notes/0115.md", "2024/0115a.md", "Meeting of Jan 15, 2024.md",
    "May 2024.md", "1월 15일.md",
    "2024/1030-meeting.md", "May 6 1430 standup.md", "March 3 5000m run.md", "1.2.3456 firmware.md",
    "1.10.2024.3 release.md", "12.05.2024km.md", "24년 1월 15일 산책.md",
  ])
  func `other numbers are not a day`(_ path: String) {
    #expect(EntryPath(path)?.impliedDay == nil)
  }

  @Test(arguments: [
    ("2024-01-15.md", true), ("2026-11-21-2104.md", true), ("2026-11-21-2104-2.md", true),
    ("20240115.md", true), ("2024/01/15.md", true), ("2024-01-15-walk.md", false),
    ("2024/01/15-walk.md", false), ("notes.md", false), ("2024-01-15/notes.md", false),
    ("2020-12-2.md", true), ("2020-12-2-week.md", false), ("2024-01-15 산책.md", false),
    ("15.md", false), ("2024/0115.md", true), ("2024년 1월 15일.md", true),
    ("Jan 15th, 2024.md", true), ("Jan 15th, 2024 lake.md", false), ("15.01.2024 Mon.md", true),
    ("15.01.2024 10.30.md", true), ("15.01.2024 (2).md", true),
  ])
  func `a name that is only a date is recognised`(_ path: String, _ isOnly: Bool) {
    #expect(EntryPath(path)?.isDateOnlyName == isOnly)
  }

  @Test(arguments: [
    ("2024_1_5 lake.md", "2024_2_14 lake.md"), ("20240105.md", "20240214.md"),
    ("2024년 1월 5일 산책.md", "2024년 2월 14일 산책.md"), ("Jan 5th, 2024.md", "2024-02-14.md"),
    ("05.01.2024.md", "2024-02-14.md"),
  ])
  func `a name gets another day in its form, or with the year first`(_ old: String, _ new: String)
    throws
  {
    let day = try #require(Day(year: 2024, month: 2, day: 14))
    #expect(EntryPath(old)?.replacingDayInName(with: day)?.text == new)
  }
}
