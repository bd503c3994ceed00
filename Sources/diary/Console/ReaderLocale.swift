import DiaryCore
import DiaryKit
import Foundation

/// Dates in the reader's own language.
struct ReaderLocale {
  /// `nil`: the reader asked for none (`C`, `POSIX`), so dates are ISO.
  private let locale: Locale?
  private let style: Date.FormatStyle?
  private let clock: Date.FormatStyle?

  init(_ environment: [String: String] = Console.environment) {
    let names = ["LC_ALL", "LC_TIME", "LANG"]
    let name = names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? "C"
    let plain = String(name.prefix { $0 != "." && $0 != "@" })
    guard !["C", "POSIX"].contains(plain) else {
      (locale, style, clock) = (nil, nil, nil)
      return
    }
    let locale = Locale(identifier: plain)
    let utc = TimeZone(secondsFromGMT: 0) ?? .gmt
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = utc
    let style = Date.FormatStyle(locale: locale, calendar: calendar, timeZone: utc)
      .year().month(.abbreviated).day().weekday(.abbreviated)
    // A language that is not known has no names of months: January is "M01".
    guard !style.format(Date(timeIntervalSince1970: 0)).contains("M01") else {
      (self.locale, self.style, clock) = (nil, nil, nil)
      return
    }
    (self.locale, self.style) = (locale, style)
    clock = Date.FormatStyle(locale: locale, calendar: calendar, timeZone: utc).hour().minute()
  }

  /// The BCP 47 tag of the reader's language; `nil` for `C`.
  var tag: String? { locale?.identifier(.bcp47) }

  /// The date of the wall clock in full, with the time: `Saturday, November 21, 2026, 9:04 PM`.
  func fullText(of entry: EntrySummary) -> String? {
    guard let day = entry.date?.date ?? entry.day else { return nil }
    let long = style?.month(.wide).weekday(.wide)
    // The day at noon in UTC: no zone can move it.
    let date = long?.format(Date(timeIntervalSince1970: Double(day.ordinal) * 86_400 + 43_200))
    return [date ?? day.description, clock(of: entry.date)].compactMap(\.self)
      .joined(separator: long == nil ? " " : ", ")
  }

  /// How a copy that is handed on says its dates.
  var shareWords: ShareLocale { ShareLocale(language: tag) { fullText(of: $0) } }

  /// A day, such as `Sat, Nov 21, 2026` or `2026년 11월 21일 (토)`.
  func text(of day: Day?) -> String {
    guard let day else { return "–" }
    guard let style else { return day.description }
    // The day at noon in UTC: no zone can move it.
    return style.format(Date(timeIntervalSince1970: Double(day.ordinal) * 86_400 + 43_200))
  }

  /// A wall clock's time, such as `9:04 PM` or `21:04`.
  func clock(of date: EntryDate?) -> String? {
    guard let date, let seconds = date.seconds else { return nil }
    guard let clock else { return date.clock }
    return clock.format(Date(timeIntervalSince1970: Double(seconds)))
      .replacing("\u{202F}", with: " ")
  }

  /// Day and time of a moment on this machine, for logs and `status`.
  func text(of instant: Int) -> String {
    let offset = TimeZone.current.secondsFromGMT(
      for: Date(timeIntervalSince1970: Double(instant)))
    let date = EntryDate(instant: instant, offset: offset)
    return text(of: date?.date) + " " + (clock(of: date) ?? "")
  }
}
