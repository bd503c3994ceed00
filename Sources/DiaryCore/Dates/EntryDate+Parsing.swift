import Foundation

extension EntryDate {
  /// Parses RFC 3339, a calendar date with or without a time and zone, digits alone, Unix time, or
  /// RFC 2822. A date without a zone is in `zone`. Text after the date is ignored. Fails if the
  /// text does not start with a date.
  package init?(reading text: some StringProtocol, zone: TimeZone) {
    var reader = DateReader(text.utf8)
    guard let reading = reader.read() else { return nil }
    self.init(reading, zone: zone)
  }

  /// Fails outside the years 1 to 9999.
  init?(_ reading: DateReader.Reading, zone: TimeZone) {
    switch reading {
    case .moment(let instant):
      self.init(instant: instant, zone: zone)
    case .wall(let day, let seconds, let offset?):
      self.init(date: day, seconds: seconds, offset: offset)
    case .wall(let day, let seconds, nil):
      self.init(wallClock: day, seconds: seconds, zone: zone)
    }
  }

  /// Returns the text after the date that ``init(reading:zone:)`` parses, without separators around
  /// it. Empty if that is only the name of a weekday, which brackets may end.
  package static func words(afterDateIn text: String) -> String {
    var reader = DateReader(text.utf8)
    guard reader.read() != nil else { return "" }
    let isSeparator = { (byte: UInt8) in " \t_-,.:;]>".utf8.contains(byte) }
    var words = reader.bytes[reader.position...].drop(while: isSeparator)
    while let last = words.last, isSeparator(last) { words.removeLast() }
    reader.position = words.startIndex
    if reader.skipWeekday() {
      let rest = words[max(words.startIndex, min(reader.position, words.endIndex))...]
      let isEnd = rest.first.map { "]>".utf8.contains($0) } ?? true
      if isEnd { words = rest.drop(while: isSeparator) }
    }
    return String(decoding: words, as: UTF8.self)
  }
}
