import DiaryCore
import Foundation
import Localization

/// Dates in the user's language, on the Gregorian calendar and the entry's own wall clock.
package struct UserLocale: Sendable {
  /// `nil` if the user has chosen none (`C`, `POSIX`); dates are then in ISO format.
  private let locale: Locale?
  /// A style without any part.
  private let bareStyle: Date.FormatStyle?
  private let style: Date.FormatStyle?
  private let timeStyle: Date.FormatStyle?
  /// The zone of moments, such as the time of a save.
  private let zone: TimeZone

  /// The locale of the environment.
  package init(_ environment: [String: String]) {
    self.init(named: Self.name(in: environment))
  }

  /// The name of the locale in `LC_ALL`, `LC_TIME` or `LANG`.
  static func name(in environment: [String: String]) -> String {
    let names = ["LC_ALL", "LC_TIME", "LANG"]
    return names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "C"
  }

  /// The locale of a name such as `ko_KR.UTF-8` or `ko-KR`.
  package init(named name: String, zone: TimeZone = MachineZone.current.zone) {
    self.zone = zone
    let plain = String(name.prefix { $0 != "." && $0 != "@" })
    guard !["C", "POSIX"].contains(plain) else {
      (locale, bareStyle, style, timeStyle) = (nil, nil, nil, nil)
      return
    }
    let locale = Locale(identifier: plain)
    let utc = TimeZone(secondsFromGMT: 0) ?? .gmt
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = utc
    let bareStyle = Date.FormatStyle(locale: locale, calendar: calendar, timeZone: utc)
    let style = bareStyle.year().month(.abbreviated).day().weekday(.abbreviated)
    // An unknown language has no names of months: January is "M01".
    guard !style.format(Date(timeIntervalSince1970: 0)).contains("M01") else {
      (self.locale, self.bareStyle, self.style, timeStyle) = (nil, nil, nil, nil)
      return
    }
    (self.locale, self.bareStyle, self.style) = (locale, bareStyle, style)
    timeStyle = bareStyle.hour().minute()
  }

  /// The BCP 47 tag of the user's language; `nil` for `C`.
  package var tag: String? { locale?.identifier(.bcp47) }

  /// The wall clock's date and time in full: `Saturday, November 21, 2026, 9:04 PM`.
  package func fullText(of entry: EntrySummary) -> String? {
    guard let day = entry.date?.date ?? entry.day else { return nil }
    let long = style?.month(.wide).weekday(.wide)
    return [long?.format(noon(of: day)) ?? day.description, timeText(of: entry.date)]
      .compactMap(\.self).joined(separator: long == nil ? " " : ", ")
  }

  /// The date formats of a shared copy.
  package var shareLocale: ShareLocale { ShareLocale(language: tag) { fullText(of: $0) } }

  /// A day, such as `Sat, Nov 21, 2026` or `2026년 11월 21일 (토)`.
  package func text(of day: Day?) -> String {
    guard let day else { return "–" }
    return style?.format(noon(of: day)) ?? day.description
  }

  /// A day in the long form, such as `November 21, 2026` or `2026년 11월 21일`.
  package func longText(of day: Day) -> String {
    dayStyle?.month(.wide).day().format(noon(of: day)) ?? day.description
  }

  /// The month of a day, such as `November 2026` or `2026년 11월`.
  package func monthText(of day: Day) -> String {
    dayStyle?.month(.wide).format(noon(of: day)) ?? String(day.description.dropLast(3))
  }

  /// A day of any year, such as `November 21` or `11월 21일`.
  package func dayOfYearText(of day: Day) -> String {
    bareStyle?.month(.wide).day().format(noon(of: day)) ?? String(day.description.suffix(5))
  }

  /// A month of any year, such as `November` or `11월`.
  package func monthOfYearText(of day: Day) -> String {
    bareStyle?.month(.wide).format(noon(of: day)) ?? "\(day.components.month)"
  }

  /// How many days a month has: `November has 30 days`, `February 2026 has 28 days`.
  package func lengthText(of month: ClosedRange<Day>) -> String {
    let first = month.lowerBound
    let needsYear = locale == nil || first.components.month == 2
    let name = needsYear ? monthText(of: first) : monthOfYearText(of: first)
    return localized("\(name) has \(month.length) days")
  }

  /// A style with the year alone, to which other parts are added.
  private var dayStyle: Date.FormatStyle? { bareStyle?.year() }

  /// True if April 3 is written `3/4` instead of `4/3`; `nil` without a language.
  package var isDayFirst: Bool? {
    let text = bareStyle?.month(.defaultDigits).day(.defaultDigits)
      .format(Date(timeIntervalSince1970: 92 * 86_400))
    guard let text else { return nil }
    guard let day = text.firstIndex(of: "3"), let month = text.firstIndex(of: "4") else {
      return false
    }
    return day < month
  }

  /// The day in a text of ``text(of:)-(Day?)``, ``longText(of:)`` or ``fullText(of:)`` (no time).
  package func day(parsing text: String) -> Day? {
    guard let style, let dayStyle else { return nil }
    let forms = [
      style, style.month(.wide).weekday(.wide), dayStyle.month(.wide).day(), dayStyle.month().day(),
    ]
    return forms.lazy.compactMap { form in
      // The parser is lenient, so the parsed day must print as the same text.
      guard let date = try? form.parseStrategy.parse(text) else { return nil }
      let day = Day(ordinal: Int((date.timeIntervalSince1970 / 86_400).rounded(.down)))
      return day.flatMap { form.format(noon(of: $0)) == text ? $0 : nil }
    }.first
  }

  /// The short names of the weekdays, Monday first.
  package var weekdays: [String] {
    // 5 January 1970 was a Monday.
    (4...10).compactMap { Day(ordinal: $0) }.map { day in
      bareStyle?.weekday(.abbreviated).format(noon(of: day))
        ?? ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"][day.weekday - 1]
    }
  }

  /// The first day of the user's week, 1 Monday to 7 Sunday (CLDR); Monday without a language.
  package var firstWeekday: Int {
    guard let locale else { return 1 }
    let names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
    return (names.firstIndex(of: locale.firstDayOfWeek.rawValue) ?? 0) + 1
  }

  /// The weekdays, 1 Monday to 7 Sunday, in the order of the user's week.
  package var weekdayOrder: [Int] { (0..<7).map { (firstWeekday - 1 + $0) % 7 + 1 } }

  /// Noon of the day in UTC, which no time zone changes.
  private func noon(of day: Day) -> Date {
    Date(timeIntervalSince1970: Double(day.ordinal) * 86_400 + 43_200)
  }

  /// The time of a wall clock, such as `9:04 PM` or `21:04`; with seconds `9:04:31 PM`.
  package func timeText(of date: EntryDate?, showsSeconds: Bool = false) -> String? {
    guard let date, let seconds = date.seconds else { return nil }
    return timeText(ofSecond: seconds, showsSeconds)
  }

  /// The time at `minute` minutes after midnight.
  package func timeText(ofMinute minute: Int) -> String { timeText(ofSecond: minute * 60, false) }

  private func timeText(ofSecond second: Int, _ showsSeconds: Bool) -> String {
    guard let timeStyle else {
      return [second / 3600, second / 60 % 60, second % 60].prefix(showsSeconds ? 3 : 2)
        .map { ($0 < 10 ? "0" : "") + "\($0)" }.joined(separator: ":")
    }
    return (showsSeconds ? timeStyle.second() : timeStyle)
      .format(Date(timeIntervalSince1970: Double(second)))
      .replacing("\u{202F}", with: " ")
  }

  /// The day and time of a moment on this machine, for logs and `status`.
  package func text(of instant: Int) -> String {
    let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant)))
    let date = EntryDate(instant: instant, offset: offset)
    return text(of: date?.date) + " " + (timeText(of: date) ?? "")
  }
}
