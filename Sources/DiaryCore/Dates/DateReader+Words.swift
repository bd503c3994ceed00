extension DateReader {
  func peek(_ distance: Int = 0) -> UInt8? {
    position + distance < bytes.count ? bytes[position + distance] : nil
  }

  func isDigit(_ byte: UInt8?) -> Bool { byte?.isDigit ?? false }

  /// The number of digits from `start` on.
  func digitCount(from start: Int) -> Int {
    var end = start
    while end < bytes.count, isDigit(bytes[end]) { end += 1 }
    return end - start
  }

  mutating func accept(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    position += 1
    return true
  }

  /// Reads exactly `count` digits as a number.
  mutating func number(digits count: Int) -> Int? {
    guard position + count <= bytes.count,
      bytes[position..<position + count].allSatisfy({ isDigit($0) })
    else {
      return nil
    }
    defer { position += count }
    return bytes[position..<position + count].reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  /// Reads all digits at this position as a number, if there are between one and `maximum`.
  mutating func number(maxDigits maximum: Int) -> Int? {
    let count = digitCount(from: position)
    return (1...maximum).contains(count) ? number(digits: count) : nil
  }

  mutating func skipBlanks() {
    while peek() == 0x20 || peek() == 0x09 || peek() == 0x0D || peek() == 0x0A { position += 1 }
  }

  mutating func skipSeparators() {
    skipBlanks()
    if accept(UInt8(ascii: ",")) { skipBlanks() }
  }

  /// Skips a blank, dash or period between the parts of a mail date.
  mutating func skipGap() -> Bool {
    let start = position
    _ = accept(UInt8(ascii: "-")) || accept(UInt8(ascii: "."))
    skipSeparators()
    return position > start
  }

  /// The Latin letters at this position, not consumed.
  func letters() -> ArraySlice<UInt8> {
    var end = position
    while end < bytes.count, bytes[end].isLetter { end += 1 }
    return bytes[position..<end]
  }

  /// True if a letter or digit follows, so that the text before it is only part of a word.
  func isInsideWord() -> Bool {
    peek().map { isDigit($0) || $0.isLetter || $0 >= 0x80 } ?? false
  }

  /// Reads a month by its English name or the first three or more letters of it.
  mutating func month() -> Int? {
    let letters = letters()
    guard let month = index(of: letters, in: DateReader.months) else { return nil }
    position += letters.count
    return month + 1
  }

  /// Reads a weekday (1 is Monday) by its English name or the first three or more letters of it.
  mutating func weekday() -> Int? {
    let letters = letters()
    guard let weekday = index(of: letters, in: DateReader.weekdays) else { return nil }
    position += letters.count
    return weekday + 1
  }

  /// Skips a weekday's name in English, Korean, Japanese or Chinese, with or without brackets.
  mutating func skipWeekday() -> Bool {
    let start = position
    let isBracketed = accept(UInt8(ascii: "(")) || accept(UInt8(ascii: "["))
    if weekday() != nil {
      _ = accept(UInt8(ascii: "."))
    } else if let name = DateReader.weekdayNames.first(where: {
      bytes[position...].starts(with: $0)
    }) {
      position += name.count
    } else {
      position = start
      return false
    }
    if isBracketed { _ = accept(UInt8(ascii: ")")) || accept(UInt8(ascii: "]")) }
    return true
  }

  private func index(of letters: ArraySlice<UInt8>, in names: [String]) -> Int? {
    guard letters.count >= 3 else { return nil }
    let lowered = letters.map { $0 | 0x20 }
    return names.firstIndex { $0.utf8.starts(with: lowered) }
  }

  static let months = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
  ]

  private static let weekdays = [
    "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
  ]

  /// Longer forms are first, because shorter ones are prefixes of them.
  private static let weekdayNames: [[UInt8]] =
    "월화수목금토일".flatMap { ["\($0)요일", "\($0)"] }.map { Array($0.utf8) }
    + "月火水木金土日".flatMap { ["\($0)曜日", "\($0)曜", "\($0)"] }.map { Array($0.utf8) }
}
