import TestSupport
import DiaryCore
import Testing

@testable import WeatherService

struct DateRangesTests {
  @Test func `requests whole months, at most a year at once, newest first`() throws {
    let days = [
      try day(2019, 3, 5), try day(2019, 6, 30), try day(2017, 12, 31), try day(2018, 1, 1),
    ]
    let ranges = dateRanges(covering: days, within: try day(1940, 1, 1)...(try day(2026, 1, 1)))
    #expect(
      ranges == [
        try day(2019, 3, 1)...(try day(2019, 6, 30)), try day(2018, 1, 1)...(try day(2018, 1, 31)),
        try day(2017, 12, 1)...(try day(2017, 12, 31)),
      ])
  }

  @Test func `stays within the dates that the provider has`() throws {
    let bounds = try day(2026, 8, 21)...(try day(2026, 11, 21))
    let days = [try day(2026, 8, 25), try day(2026, 11, 2), try day(2026, 11, 25)]
    #expect(dateRanges(covering: days, within: bounds) == [bounds])
    #expect(dateRanges(covering: [], within: bounds).isEmpty)
  }

  @Test func `knows the length of February`() throws {
    let bounds = try day(1940, 1, 1)...(try day(2026, 1, 1))
    let leap = dateRanges(covering: [try day(2024, 2, 3)], within: bounds)
    #expect(leap.first?.upperBound == (try day(2024, 2, 29)))
    let common = dateRanges(covering: [try day(1900 + 123, 2, 3)], within: bounds)
    #expect(common.first?.upperBound == (try day(2023, 2, 28)))
  }

  @Test(arguments: 1...4)
  func `every day is in exactly one range of at most a year`(part: Int) throws {
    var random = SeededGenerator(part: part)
    let bounds = try day(1940, 1, 1)...(try day(2026, 8, 20))
    for _ in 0..<200 {
      let days = (0..<Int.random(in: 1...40, using: &random)).map { _ in
        bounds.lowerBound.adding(Int.random(in: -900...33_000, using: &random))
      }
      let ranges = dateRanges(covering: days, within: bounds)
      for wanted in days {
        let count = ranges.count { $0.contains(wanted) }
        #expect(count == (bounds.contains(wanted) ? 1 : 0), "\(random), \(wanted)")
      }
      for range in ranges {
        #expect(range.upperBound.ordinal - range.lowerBound.ordinal < 366, "\(random)")
        #expect(range.lowerBound.components.day == 1 || range.lowerBound == bounds.lowerBound)
      }
    }
  }

  @Test(arguments: [
    (0, 0), (1799, 0), (1800, 3600), (3599, 3600), (-1, 0), (-1801, -3600), (-1800, 0),
  ])
  func `finds the nearest hour`(moment: Int, hour: Int) {
    #expect(nearestHour(moment) == hour)
  }
}
