/// A calendar day in the proleptic Gregorian calendar, years 1 to 9999, without a time zone.
package struct Day: Hashable, Sendable, Codable {
  /// Days since 1970-01-01.
  package let ordinal: Int

  /// Creates the day `ordinal` days after 1970-01-01. Fails outside the years 1 to 9999.
  package init?(ordinal: Int) {
    guard Day.span.contains(ordinal) else { return nil }
    self.ordinal = ordinal
  }

  /// Creates a day from its components. Fails if the calendar has no such day.
  package init?(year: Int, month: Int, day: Int) {
    guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
      day <= Day.length(ofMonth: month, year: year)
    else { return nil }
    // Days from civil, after Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    ordinal = era * 146_097 + dayOfEra - 719_468
  }

  /// The ordinals of the first and last supported day: 0001-01-01 and 9999-12-31.
  package static let span = -719_162...2_932_896

  package var components: (year: Int, month: Int, day: Int) {
    let shifted = ordinal + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  /// The ISO weekday: 1 is Monday, 7 is Sunday.
  package var weekday: Int { ((ordinal + 3) % 7 + 7) % 7 + 1 }

  /// The first supported day: 0001-01-01.
  package static let first: Day = {
    guard let day = Day(ordinal: span.lowerBound) else {
      preconditionFailure("the span has a start")
    }
    return day
  }()

  /// Returns the day `days` later (earlier if negative), clamped to ``span``.
  package func adding(_ days: Int) -> Day {
    Day(ordinal: min(max(ordinal + days, Day.span.lowerBound), Day.span.upperBound)) ?? self
  }

  /// The number of days in a month.
  package static func length(ofMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension Day: Comparable {
  /// Orders earlier days first.
  package static func < (left: Day, right: Day) -> Bool { left.ordinal < right.ordinal }
}

extension Day: CustomStringConvertible {
  /// The day in ISO 8601 format: `2026-11-21`.
  package var description: String {
    let (year, month, day) = components
    let dash = UInt8(ascii: "-")
    func digit(_ number: Int) -> UInt8 { UInt8(ascii: "0") + UInt8(number % 10) }
    return String(
      decoding: [
        digit(year / 1000), digit(year / 100), digit(year / 10), digit(year), dash,
        digit(month / 10), digit(month), dash, digit(day / 10), digit(day),
      ], as: UTF8.self)
  }
}

/// Formats a number with leading zeros, without the cost of a formatter.
func padded(_ number: Int, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}
