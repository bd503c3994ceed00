import Foundation

/// A date argument: days, a moment, a number of versions ago, or a commit. One grammar serves
/// `--date`, `--since`, `--until`, `--on`, `--at` and the dates of a REF.
package enum DateExpression: Hashable, Sendable {
  /// A range of journal days: `2026-11-21`, `2026-11`, `last monday`, `3 days ago`.
  case days(ClosedRange<Day>)
  /// A moment, and its precision in seconds: 60 for `21:04`, 1 for `21:04:05`.
  case moment(EntryDate, width: Int)
  /// One to three digits.
  case versionsAgo(Int)
  /// Seven or more hex digits, in lower case.
  case commit(String)

  /// Parses the whole text, relative to the journal's `today` and the moment `now` (seconds since
  /// 1970). Returns `nil` if any part of the text does not fit the grammar.
  ///
  /// - Parameter isDayFirst: true if `3/4` means the third of April, `nil` if the order is unknown.
  ///   Called only for such dates.
  package init?(
    reading text: String, today: Day, now: Int, zone: TimeZone,
    isDayFirst: @escaping () -> Bool? = { nil }
  ) {
    let text = trimmed(text)
    let calendar = DateContext(today: today, now: now, zone: zone)
    let bytes = Array(text.utf8)
    let isDigits = bytes.allSatisfy { $0.isDigit }
    if isDigits, (1...3).contains(bytes.count), let count = Int(text) {
      self = .versionsAgo(count)
    } else if let date = calendar.parsedDate(bytes) {
      self = date
    } else if (7...64).contains(bytes.count), bytes.allSatisfy({ DateExpression.isHex($0) }) {
      self = .commit(text.lowercased())
    } else {
      let korean = KoreanDatePhrase(text)
      let parser = DatePhraseParser(korean?.english ?? text, calendar, isDayFirst)
      guard let date = parser.read(), korean?.matches(date) ?? true else { return nil }
      self = date
    }
  }

  /// The month of a text that would be a day if its month were longer, such as `2026-11-31`; `nil`
  /// for any other text. `read` parses a text as a date.
  package static func monthWithoutDay(
    _ text: String, read: (String) -> DateExpression?
  ) -> ClosedRange<Day>? {
    let text = trimmed(text)
    guard read(text) == nil else { return nil }
    for number in ["29", "30", "31"] {
      for place in text.ranges(of: number).reversed() {
        var day: Day?
        switch read(text.replacingCharacters(in: place, with: "28")) {
        case .days(let days) where days.isOneDay: day = days.lowerBound
        case .moment(let moment, _): day = moment.date
        default: break
        }
        guard let day, day.components.day == 28 else { continue }
        let (year, month, _) = day.components
        return day.adding(-27)...day.adding(Day.length(ofMonth: month, year: year) - 28)
      }
    }
    return nil
  }

  /// The journal days that the expression touches. `nil` for versions and commits.
  package func days(startingAt dayStart: Int) -> ClosedRange<Day>? {
    switch self {
    case .days(let days): days
    case .moment(let date, _): date.day(startingAt: dayStart)...date.day(startingAt: dayStart)
    case .versionsAgo, .commit: nil
    }
  }

  /// The half-open range of seconds since 1970. A day starts `dayStart` seconds after midnight in
  /// `zone`. `nil` for versions and commits.
  package func instants(dayStart: Int, zone: TimeZone) -> Range<Int>? {
    switch self {
    case .days(let days):
      let start = EntryDate(wallClock: days.lowerBound, seconds: dayStart, zone: zone).instant
      let last = days.upperBound.ordinal + 1
      guard let next = Day(ordinal: last) else { return start..<(last * 86_400) }
      return start..<EntryDate(wallClock: next, seconds: dayStart, zone: zone).instant
    case .moment(let date, let width): return date.instant..<(date.instant + width)
    case .versionsAgo, .commit: return nil
    }
  }

  /// The date of an entry created with `--date`: a moment, or one day without a time. `nil` for
  /// longer ranges, versions and commits.
  package func entryDate(zone: TimeZone) -> EntryDate? {
    switch self {
    case .days(let days) where days.isOneDay:
      EntryDate(wallClock: days.lowerBound, seconds: nil, zone: zone)
    case .moment(let date, _): date
    default: nil
    }
  }

  private static func isHex(_ byte: UInt8) -> Bool {
    byte.isDigit || (0x61...0x66).contains(byte | 0x20)
  }
}

/// The current day, moment and time zone, and the dates computed from them.
struct DateContext {
  let today: Day
  let now: Int
  let zone: TimeZone

  /// Parses a whole or partial date in digits. All of `bytes` must be used.
  func parsedDate(_ bytes: [UInt8]) -> DateExpression? {
    if let span = yearOrMonth(bytes) { return .days(span) }
    let width = DateReader(bytes).digitCount(from: 0)
    // Nine digits alone are more likely a commit.
    if width == 9, bytes.count == 9 { return nil }
    guard width > 0 else { return nil }
    var reader = DateReader(bytes)
    guard let reading = reader.read(), reader.position == bytes.count else { return nil }
    switch reading {
    case .moment(let instant):
      return EntryDate(instant: instant, zone: zone).map { .moment($0, width: 1) }
    case .wall(let day, nil, _): return .days(day...day)
    case .wall(let day, let seconds?, let offset):
      return moment(day, seconds, offset, isExact: reader.hasSeconds)
    }
  }

  func moment(_ day: Day, _ seconds: Int, _ offset: Int?, isExact: Bool) -> DateExpression {
    let date =
      offset.map { EntryDate(date: day, seconds: seconds, offset: $0) }
      ?? EntryDate(wallClock: day, seconds: seconds, zone: zone)
    return .moment(date, width: isExact ? 1 : 60)
  }

  /// The day in `year`. Without a year, the latest such day up to today.
  func day(_ day: Int, of month: Int, year: Int?) -> Day? {
    if let year { return Day(year: year, month: month, day: day) }
    let thisYear = today.components.year
    if let found = Day(year: thisYear, month: month, day: day), found <= today { return found }
    // The last 29 February may be up to eight years ago.
    return (1...8).lazy.compactMap { Day(year: thisYear - $0, month: month, day: day) }.first
  }

  /// The nearest day with this number in its month: the latest before today (-1), the latest up to
  /// today (0), or the first after today (1).
  func day(_ number: Int, inMonthNear side: Int) -> ClosedRange<Day>? {
    // Of two neighbouring months, at least one has 31 days.
    let offsets = side > 0 ? [0, 1, 2] : [0, -1, -2]
    for offset in offsets {
      guard let span = month(offset), number <= span.length else { continue }
      let day = span.lowerBound.adding(number - 1)
      if side == 0 ? day <= today : side < 0 ? day < today : day > today { return day...day }
    }
    return nil
  }

  /// `2026` or `2026-11`.
  private func yearOrMonth(_ bytes: [UInt8]) -> ClosedRange<Day>? {
    var reader = DateReader(bytes)
    guard let year = reader.number(digits: 4) else { return nil }
    guard let separator = reader.peek() else { return self.year(year) }
    guard "-/.".utf8.contains(separator), reader.accept(separator),
      let month = reader.number(maxDigits: 2),
      reader.peek() == nil
    else { return nil }
    return self.month(month, of: year)
  }

  func year(_ year: Int) -> ClosedRange<Day>? {
    guard let first = Day(year: year, month: 1, day: 1),
      let last = Day(year: year, month: 12, day: 31)
    else { return nil }
    return first...last
  }

  func month(_ month: Int, of year: Int) -> ClosedRange<Day>? {
    guard let first = Day(year: year, month: month, day: 1) else { return nil }
    return first...first.adding(Day.length(ofMonth: month, year: year) - 1)
  }

  /// The week, Monday to Sunday, at an offset in weeks from the current one.
  func week(_ offset: Int) -> ClosedRange<Day> {
    let monday = today.adding(1 - today.weekday + offset * 7)
    return monday...monday.adding(6)
  }

  /// The month at an offset from the current one.
  func month(_ offset: Int) -> ClosedRange<Day>? {
    let (year, month, _) = today.components
    let months = year * 12 + month - 1 + offset
    return months < 12 ? nil : self.month(months % 12 + 1, of: months / 12)
  }

  /// Today's day of the month at an offset in months, or that month's last day.
  func day(monthsFromNow offset: Int) -> Day? {
    month(offset).map { span in
      min(span.lowerBound.adding(today.components.day - 1), span.upperBound)
    }
  }
}

extension ClosedRange where Bound == Day {
  /// True if the range is a single day.
  package var isOneDay: Bool { lowerBound == upperBound }

  /// The number of days in the range.
  package var length: Int { upperBound.ordinal - lowerBound.ordinal + 1 }
}
