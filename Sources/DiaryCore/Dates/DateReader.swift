/// Reads the dates that people and programs write, byte by byte: it runs for every entry of a journal.
struct DateReader {
  /// What was read, before any zone is looked up.
  enum Reading: Equatable {
    /// Seconds since 1970.
    case moment(Int)
    case wall(Day, seconds: Int?, offset: Int?)
  }

  let bytes: [UInt8]
  /// Where the next byte stands.
  var at = 0
  /// Whether the time that was read told its seconds.
  var saidSeconds = false
  /// Whether it is a date of mail, where `CST` is American; in China it is another zone.
  private(set) var isMail = false

  init(_ bytes: some Sequence<UInt8>) { self.bytes = Array(bytes) }

  /// The date at the beginning, blanks aside.
  mutating func read() -> Reading? {
    skipBlanks()
    switch digits(from: at) {
    case 0...2: return mailDate()
    case 4: return calendarDate()
    case let count: return compactDate(digits: count)
    }
  }

  /// `2026-11-21`, `2026/1/5`, `2026. 11. 21.` and what follows it.
  private mutating func calendarDate() -> Reading? {
    guard let year = number(of: 4), let mark = peek(), isDateMark(mark) else { return nil }
    at += 1
    if mark == UInt8(ascii: ".") { skipBlanks() }
    guard let month = number(upTo: 2), take(mark) else { return nil }
    if mark == UInt8(ascii: ".") { skipBlanks() }
    guard let number = number(upTo: 2), let day = Day(year: year, month: month, day: number) else {
      return nil
    }
    if mark == UInt8(ascii: ".") { _ = take(mark) }
    return rest(of: day)
  }

  /// `20261121` with or without a time, 12 or 14 digits, or Unix time in seconds or milliseconds.
  private mutating func compactDate(digits count: Int) -> Reading? {
    switch count {
    case 9, 10: return number(of: count).map { .moment($0) }
    case 13: return number(of: count).map { .moment($0 / 1000) }
    case 8, 12, 14:
      guard let year = number(of: 4), let month = number(of: 2), let number = number(of: 2),
        let day = Day(year: year, month: month, day: number)
      else { return nil }
      if count == 8 { return rest(of: day) }
      guard let clock = basicClock(digits: count - 8) else { return nil }
      return timed(day, clock)
    default: return nil
    }
  }

  /// `Sat, 21 Nov 2026 21:04:00 +0900`, the form of mail.
  private mutating func mailDate() -> Reading? {
    isMail = true
    if digits(from: at) == 0 {
      guard skipWeekday() else { return nil }
      skipSeparators()
    }
    guard let number = number(upTo: 2), takeGap(), let month = month(), takeGap() else {
      return nil
    }
    let width = digits(from: at)
    guard (2...4).contains(width), var year = self.number(of: width) else { return nil }
    // RFC 2822, 4.3: two digits from 50 on and three digits are years after 1900.
    if width == 3 || (width == 2 && year >= 50) { year += 1900 } else if width == 2 { year += 2000 }
    return Day(year: year, month: month, day: number).flatMap { rest(of: $0) }
  }

  /// A time and a zone after a date, if they are there.
  private mutating func rest(of day: Day) -> Reading? {
    guard !isDigit(peek()) else { return nil }
    let end = at
    if peek() == UInt8(ascii: "T") || peek() == UInt8(ascii: "t") {
      at += 1
      if let clock = clock() ?? basicClock(digits: digits(from: at)) { return timed(day, clock) }
    } else {
      skipSeparators()
      if skipWeekday() { skipSeparators() }
      if let clock = clock() { return timed(day, clock) }
    }
    at = end
    // `2026-11-21-0930` is a name, not a zone.
    guard peek() != UInt8(ascii: "-") else { return .wall(day, seconds: nil, offset: nil) }
    return .wall(day, seconds: nil, offset: zone())
  }

  private mutating func timed(_ day: Day, _ clock: Int) -> Reading {
    // ISO 8601 knows 24:00, the end of a day.
    let day = clock == 86_400 ? day.adding(1) : day
    return .wall(day, seconds: clock % 86_400, offset: zone())
  }

  private func isDateMark(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "-") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".")
  }
}
