/// Parses dates written by people and programs. It works on bytes, because it runs for every entry.
struct DateReader {
  /// A parsed date, before any zone is looked up.
  enum Reading: Equatable {
    /// Seconds since 1970.
    case moment(Int)
    case wall(Day, seconds: Int?, offset: Int?)
  }

  let bytes: [UInt8]
  /// The offset of the next byte.
  var position = 0
  /// True if the parsed time includes seconds.
  var hasSeconds = false
  /// True for a mail date, where `CST` is the American zone. In China it is a different one.
  private(set) var isMailDate = false

  init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  /// Parses the date at the start of the text, after any blanks.
  mutating func read() -> Reading? {
    skipBlanks()
    switch digitCount(from: position) {
    case 0...2: return mailDate()
    case 4: return calendarDate()
    case let count: return compactDate(digits: count)
    }
  }

  /// Parses `2026-11-21`, `2026/1/5` or `2026. 11. 21.`, with an optional time and zone.
  private mutating func calendarDate() -> Reading? {
    guard let year = number(digits: 4), let separator = peek(), isDateSeparator(separator) else {
      return nil
    }
    position += 1
    if separator == UInt8(ascii: ".") { skipBlanks() }
    guard let month = number(maxDigits: 2), accept(separator) else { return nil }
    if separator == UInt8(ascii: ".") { skipBlanks() }
    guard let number = number(maxDigits: 2), let day = Day(year: year, month: month, day: number)
    else {
      return nil
    }
    if separator == UInt8(ascii: ".") { _ = accept(separator) }
    return timeAndZone(after: day)
  }

  /// Parses `20261121`, optionally with a time, 12 or 14 digits, or Unix time in (milli)seconds.
  private mutating func compactDate(digits count: Int) -> Reading? {
    switch count {
    case 9, 10: return number(digits: count).map { .moment($0) }
    case 13: return number(digits: count).map { .moment($0 / 1000) }
    case 8, 12, 14:
      guard let year = number(digits: 4), let month = number(digits: 2),
        let number = number(digits: 2),
        let day = Day(year: year, month: month, day: number)
      else { return nil }
      if count == 8 { return timeAndZone(after: day) }
      guard let clock = basicClock(digits: count - 8) else { return nil }
      return dateTime(day, clock)
    default: return nil
    }
  }

  /// Parses the mail format, `Sat, 21 Nov 2026 21:04:00 +0900`.
  private mutating func mailDate() -> Reading? {
    isMailDate = true
    if digitCount(from: position) == 0 {
      guard skipWeekday() else { return nil }
      skipSeparators()
    }
    guard let number = number(maxDigits: 2), skipGap(), let month = month(), skipGap() else {
      return nil
    }
    let width = digitCount(from: position)
    guard (2...4).contains(width), var year = self.number(digits: width) else { return nil }
    // RFC 2822, 4.3: two digits from 50 on and three digits are years after 1900.
    if width == 3 || (width == 2 && year >= 50) { year += 1900 } else if width == 2 { year += 2000 }
    return Day(year: year, month: month, day: number).flatMap { timeAndZone(after: $0) }
  }

  /// Parses the optional time and zone after a date.
  mutating func timeAndZone(after day: Day) -> Reading? {
    guard !isDigit(peek()) else { return nil }
    let end = position
    if peek() == UInt8(ascii: "T") || peek() == UInt8(ascii: "t") {
      position += 1
      if let clock = clock() ?? basicClock(digits: digitCount(from: position)) {
        return dateTime(day, clock)
      }
    } else {
      skipSeparators()
      if skipWeekday() { skipSeparators() }
      if let clock = clock() { return dateTime(day, clock) }
    }
    position = end
    // In `2026-11-21-0930`, the last part belongs to a file name and is not a zone.
    guard peek() != UInt8(ascii: "-") else { return .wall(day, seconds: nil, offset: nil) }
    return .wall(day, seconds: nil, offset: zoneOffset())
  }

  private mutating func dateTime(_ day: Day, _ clock: Int) -> Reading {
    // ISO 8601 allows 24:00, the end of a day.
    let day = clock == 86_400 ? day.adding(1) : day
    return .wall(day, seconds: clock % 86_400, offset: zoneOffset())
  }

  private func isDateSeparator(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "-") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".")
  }
}
