/// The date of an entry: the user's wall clock and its offset from UTC.
package struct EntryDate: Hashable, Sendable {
  /// The calendar date as written.
  package let date: Day
  /// Seconds since local midnight, 0 to 86 399. `nil` if only a date was written.
  package let seconds: Int?
  /// Seconds east of UTC at that moment. For a date alone, at its start.
  package let offset: Int

  /// Creates a date from its parts. Seconds of the day are clamped to 0 to 86 399.
  package init(date: Day, seconds: Int?, offset: Int) {
    self.date = date
    self.seconds = seconds.map { min(max($0, 0), 86_399) }
    self.offset = offset
  }

  /// Creates the date at `instant` (seconds after 1970-01-01T00:00:00Z) on a clock `offset` seconds
  /// east of UTC. Fails outside the years 1 to 9999.
  package init?(instant: Int, offset: Int) {
    let local = instant + offset
    let days = local >= 0 ? local / 86_400 : (local - 86_399) / 86_400
    guard let date = Day(ordinal: days) else { return nil }
    self.init(date: date, seconds: local - days * 86_400, offset: offset)
  }

  /// Seconds since 1970-01-01T00:00:00Z. For a date alone, its start.
  package var instant: Int { date.ordinal * 86_400 + (seconds ?? 0) - offset }

  /// The journal day. An entry with a time before `dayStart` (seconds since midnight) belongs to
  /// the previous day. A date alone stays unchanged.
  package func day(startingAt dayStart: Int) -> Day {
    guard let seconds, seconds < dayStart else { return date }
    return date.adding(-1)
  }

  /// The wall clock time as `HH:MM`. `nil` for a date alone.
  package var clock: String? {
    seconds.map { padded($0 / 3600, 2) + ":" + padded($0 / 60 % 60, 2) }
  }
}

extension EntryDate: CustomStringConvertible {
  /// RFC 3339 (`2026-11-21T21:04:00+09:00`), or `YYYY-MM-DD` without a time.
  package var description: String {
    guard let seconds else { return date.description }
    let clock =
      padded(seconds / 3600, 2) + ":" + padded(seconds / 60 % 60, 2) + ":" + padded(seconds % 60, 2)
    // RFC 3339 has no seconds in an offset, so old local mean times are rounded to the minute.
    let minutes = Int((Double(offset) / 60).rounded())
    let sign = minutes < 0 ? "-" : "+"
    let zone = sign + padded(abs(minutes) / 60, 2) + ":" + padded(abs(minutes) % 60, 2)
    return "\(date)T\(clock)\(zone)"
  }
}
