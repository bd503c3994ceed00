import Foundation

extension EntryDate {
  /// Parses the date of a header: what ``init(reading:zone:)`` parses, and forms that people write,
  /// if they have only one meaning.
  ///
  /// - Parameter allowsMore: true if text may follow the date. A time, a zone and a weekday are
  ///   parts of it.
  package init?(written text: String, zone: TimeZone, allowsMore: Bool = true) {
    var text = text
    if text.hasPrefix("[") {
      // Obsidian's link to a daily note.
      let name = text.drop { $0 == "[" }
      let end = name.firstIndex(of: "]") ?? name.endIndex
      guard allowsMore || name[end...].allSatisfy({ $0 == "]" }) else { return nil }
      text = String(name[..<end])
    }
    var reader = DateReader(text.utf8)
    if let reading = reader.read(), allowsMore || reader.isAtEnd() {
      self.init(reading, zone: zone)
    } else {
      self.init(onlyWritten: text, zone: zone, allowsMore: allowsMore)
    }
  }

  /// Parses a text that is only a date in one of the forms that people write.
  ///
  /// - Parameter allowsMore: true if text may follow the date.
  package init?(onlyWritten text: String, zone: TimeZone, allowsMore: Bool = false) {
    var reader = DateReader(text.utf8)
    guard let reading = reader.writtenDate(), allowsMore || reader.isAtEnd() else { return nil }
    self.init(reading, zone: zone)
  }
}

extension DateReader {
  /// Parses what ``writtenDay()`` does, with an optional time and zone.
  mutating func writtenDate() -> Reading? { writtenDay().flatMap { timeAndZone(after: $0) } }

  /// Parses `06.05.2024`, `5/16/2024` if one number is over 12, `May 6, 2024`, `6. Mai 2024` and
  /// `2024년 5월 6일`.
  mutating func writtenDay() -> Day? {
    skipBlanks()
    if skipWeekday() { skipSeparators() }
    let start = position
    var day = numericDate()
    if day == nil {
      position = start
      day = namedDate()
    }
    if day == nil {
      position = start
      day = koreanDate()
    }
    return day
  }

  private mutating func numericDate() -> Day? {
    guard let first = number(maxDigits: 2), let sign = peek(), "./".utf8.contains(sign),
      accept(sign)
    else { return nil }
    if sign == UInt8(ascii: ".") { skipBlanks() }
    guard let second = number(maxDigits: 2), accept(sign) else { return nil }
    if sign == UInt8(ascii: ".") { skipBlanks() }
    guard let year = year() else { return nil }
    let dayFirst = Day(year: year, month: second, day: first)
    guard sign == UInt8(ascii: "/") else { return dayFirst }
    let monthFirst = Day(year: year, month: first, day: second)
    guard let dayFirst, let monthFirst else { return dayFirst ?? monthFirst }
    return dayFirst == monthFirst ? dayFirst : nil
  }

  private mutating func namedDate() -> Day? {
    var day = number(maxDigits: 2)
    if day != nil, !skipGap() { return nil }
    guard let month = monthName() else { return nil }
    _ = skipGap()
    if day == nil {
      day = number(maxDigits: 2)
      if ["st", "nd", "rd", "th"].contains(where: { letters().elementsEqual($0.utf8) }) {
        position += 2
      }
      _ = skipGap()
    }
    guard let day, let year = year() else { return nil }
    return Day(year: year, month: month, day: day)
  }

  private mutating func koreanDate() -> Day? {
    var numbers: [Int] = []
    for unit in Self.koreanUnits {
      // Some programs decompose file names.
      guard let number = number(maxDigits: 4),
        let length = unit.first(where: { bytes[position...].starts(with: $0) })?.count
      else { return nil }
      position += length
      skipBlanks()
      numbers.append(number)
    }
    return Day(year: numbers[0], month: numbers[1], day: numbers[2])
  }

  /// True if nothing but a weekday follows, which is skipped.
  mutating func isAtEnd() -> Bool {
    skipSeparators()
    _ = skipWeekday()
    skipBlanks()
    return peek() == nil
  }

  /// Reads four digits that end there.
  private mutating func year() -> Int? {
    digitCount(from: position) == 4 ? number(digits: 4) : nil
  }

  /// Reads a month by its English or German name, or the first three or more letters of it.
  private mutating func monthName() -> Int? {
    if let month = month() { return month }
    let word = bytes[position...].prefix { $0.isLetter || $0 >= 0x80 }
    let name = String(decoding: word, as: UTF8.self).lowercased()
    guard name.count >= 3,
      let month = Self.germanMonths.firstIndex(where: { $0.hasPrefix(name) })
    else { return nil }
    position += word.count
    return month + 1
  }

  private static let koreanUnits = ["년", "월", "일"].map { unit in
    [Array(unit.utf8), Array(unit.decomposedStringWithCanonicalMapping.utf8)]
  }

  private static let germanMonths = [
    "januar", "februar", "märz", "april", "mai", "juni", "juli", "august", "september", "oktober",
    "november", "dezember",
  ]
}
