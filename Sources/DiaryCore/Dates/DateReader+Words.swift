extension DateReader {
  func peek(_ ahead: Int = 0) -> UInt8? { at + ahead < bytes.count ? bytes[at + ahead] : nil }

  func isDigit(_ byte: UInt8?) -> Bool { byte?.isDigit ?? false }

  /// How many digits stand from `start` on.
  func digits(from start: Int) -> Int {
    var end = start
    while end < bytes.count, isDigit(bytes[end]) { end += 1 }
    return end - start
  }

  mutating func take(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    at += 1
    return true
  }

  /// The number of exactly the next `count` digits.
  mutating func number(of count: Int) -> Int? {
    guard at + count <= bytes.count, bytes[at..<at + count].allSatisfy({ isDigit($0) }) else {
      return nil
    }
    defer { at += count }
    return bytes[at..<at + count].reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  /// The number of all the digits here, if there are one to `most`.
  mutating func number(upTo most: Int) -> Int? {
    let count = digits(from: at)
    return (1...most).contains(count) ? number(of: count) : nil
  }

  mutating func skipBlanks() {
    while peek() == 0x20 || peek() == 0x09 || peek() == 0x0D || peek() == 0x0A { at += 1 }
  }

  mutating func skipSeparators() {
    skipBlanks()
    if take(UInt8(ascii: ",")) { skipBlanks() }
  }

  /// A blank, dash or point between the parts of a date of mail.
  mutating func takeGap() -> Bool {
    let start = at
    _ = take(UInt8(ascii: "-")) || take(UInt8(ascii: "."))
    skipSeparators()
    return at > start
  }

  /// The Latin letters here, not taken.
  func word() -> ArraySlice<UInt8> {
    var end = at
    while end < bytes.count, bytes[end].isLetter { end += 1 }
    return bytes[at..<end]
  }

  /// Whether a letter or digit follows, so that what was read is only a part of a word.
  func continuesWord() -> Bool {
    peek().map { isDigit($0) || $0.isLetter || $0 >= 0x80 } ?? false
  }

  /// The month whose English name begins with the letters here, at least three of them.
  mutating func month() -> Int? {
    let letters = word()
    guard let month = index(of: letters, in: DateReader.months) else { return nil }
    at += letters.count
    return month + 1
  }

  /// The weekday (1 Monday) whose English name begins with the letters here.
  mutating func weekday() -> Int? {
    let letters = word()
    guard let weekday = index(of: letters, in: DateReader.weekdays) else { return nil }
    at += letters.count
    return weekday + 1
  }

  /// Passes a weekday's name in English, Korean, Japanese or Chinese, in brackets or not.
  mutating func skipWeekday() -> Bool {
    let start = at
    let isBracketed = take(UInt8(ascii: "(")) || take(UInt8(ascii: "["))
    if weekday() != nil {
      _ = take(UInt8(ascii: "."))
    } else if let name = DateReader.weekdayNames.first(where: { bytes[at...].starts(with: $0) }) {
      at += name.count
    } else {
      at = start
      return false
    }
    if isBracketed { _ = take(UInt8(ascii: ")")) || take(UInt8(ascii: "]")) }
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

  /// The longer form first, for the shorter one begins it.
  private static let weekdayNames: [[UInt8]] =
    "월화수목금토일".flatMap { ["\($0)요일", "\($0)"] }.map { Array($0.utf8) }
    + "月火水木金土日".flatMap { ["\($0)曜日", "\($0)曜", "\($0)"] }.map { Array($0.utf8) }
}
