import Foundation

extension EntryDate {
  /// Creates the date at `instant` (seconds after 1970-01-01T00:00:00Z) on the wall clock of
  /// `zone`. Fails outside the years 1 to 9999.
  package init?(instant: Int, zone: TimeZone) {
    self.init(instant: instant, offset: zone.offset(at: instant))
  }

  /// Creates the date from a wall clock in `zone`. A time skipped by a clock change moves forward
  /// by the gap. A repeated time is the first one. A date alone is unaffected by clock changes.
  package init(wallClock date: Day, seconds: Int?, zone: TimeZone) {
    let local = date.ordinal * 86_400 + min(max(seconds ?? 0, 0), 86_399)
    // No zone was ever more than 16 hours from UTC, so the true moment is between these two.
    let before = zone.offset(at: local - 57_600)
    let after = zone.offset(at: local + 57_600)
    if before == after || zone.offset(at: local - before) == before {
      self.init(date: date, seconds: seconds, offset: before)
    } else if zone.offset(at: local - after) == after {
      self.init(date: date, seconds: seconds, offset: after)
    } else if seconds != nil, let moved = EntryDate(instant: local - before, offset: after) {
      self = moved
    } else {
      // The day started with the clock change, which is midnight on the clock before the change.
      self.init(date: date, seconds: seconds, offset: before)
    }
  }
}

extension TimeZone {
  /// Seconds east of UTC at a moment (seconds since 1970).
  func offset(at instant: Int) -> Int {
    secondsFromGMT(for: Date(timeIntervalSince1970: TimeInterval(instant)))
  }
}
