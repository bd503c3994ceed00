import Foundation

extension EntryDate {
  /// Parses RFC 3339, a calendar date with or without a time and zone, digits alone, Unix time, or
  /// RFC 2822. A date without a zone is in `zone`. Text after the date is ignored. Fails if the
  /// text does not start with a date.
  package init?(reading text: some StringProtocol, zone: TimeZone) {
    var reader = DateReader(text.utf8)
    switch reader.read() {
    case .moment(let instant):
      self.init(instant: instant, zone: zone)
    case .wall(let day, let seconds, let offset?):
      self.init(date: day, seconds: seconds, offset: offset)
    case .wall(let day, let seconds, nil):
      self.init(wallClock: day, seconds: seconds, zone: zone)
    case nil:
      return nil
    }
  }
}
