import Foundation

extension EntryDate {
  /// What a person meant by a date: RFC 3339, a calendar date with or without a time and a zone,
  /// digits alone, Unix time, RFC 2822. Without a zone of its own it stands in `zone`. What follows
  /// a date is ignored; `nil` when there is none at the beginning.
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
