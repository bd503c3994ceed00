import Foundation

extension EntryDate {
  /// The moment that is so many seconds after 1970-01-01T00:00:00Z, on the wall clock of `zone`;
  /// `nil` outside the years 1 to 9999.
  package init?(instant: Int, zone: TimeZone) {
    self.init(instant: instant, offset: zone.offset(at: instant))
  }

  /// What a wall clock in `zone` showed. An hour that a clock change skips moves forward by the width
  /// of the gap, a repeated one is its first; a date alone keeps its date whatever the clocks did.
  package init(wallClock date: Day, seconds: Int?, zone: TimeZone) {
    let local = date.ordinal * 86_400 + min(max(seconds ?? 0, 0), 86_399)
    // No zone was ever 16 hours away from UTC, so the true moment lies between these two.
    let before = zone.offset(at: local - 57_600)
    let after = zone.offset(at: local + 57_600)
    if before == after || zone.offset(at: local - before) == before {
      self.init(date: date, seconds: seconds, offset: before)
    } else if zone.offset(at: local - after) == after {
      self.init(date: date, seconds: seconds, offset: after)
    } else if seconds != nil, let moved = EntryDate(instant: local - before, offset: after) {
      self = moved
    } else {
      // The day began when the clocks jumped, which is midnight by the clock before the jump.
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
