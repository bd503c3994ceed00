extension DateReader {
  /// Parses `9:04`, `21:04:05`, `21:04:05.123` or `9:04 PM` to seconds, or consumes nothing.
  mutating func clock() -> Int? {
    let start = position
    guard let hour = number(maxDigits: 2), accept(UInt8(ascii: ":")), let minute = number(digits: 2)
    else {
      position = start
      return nil
    }
    var second = 0
    if peek() == UInt8(ascii: ":"), digitCount(from: position + 1) >= 2 {
      position += 1
      second = number(digits: 2) ?? 0
      hasSeconds = true
      skipFraction()
    }
    guard !isDigit(peek()), let clock = seconds(hour24(hour), minute, second) else {
      position = start
      return nil
    }
    return clock
  }

  /// Parses `2104` or `210405` to seconds, depending on the number of digits.
  mutating func basicClock(digits count: Int) -> Int? {
    guard count == 4 || count == 6, let hour = number(digits: 2), let minute = number(digits: 2)
    else {
      return nil
    }
    let second = count == 6 ? number(digits: 2) ?? 0 : 0
    hasSeconds = count == 6
    skipFraction()
    return seconds(hour, minute, second)
  }

  /// Parses a zone to seconds east of UTC: `Z`, `+9`, `-05`, `+0900`, `+09:00`, `UTC`, `GMT` or, in
  /// mail dates, an American name. Consumes nothing on failure.
  mutating func zoneOffset() -> Int? {
    let start = position
    skipBlanks()
    if let named = namedOffset() { return named }
    if let shifted = numericOffset() { return shifted }
    position = start
    return nil
  }

  private mutating func namedOffset() -> Int? {
    let letters = letters()
    switch String(decoding: letters, as: UTF8.self).uppercased() {
    case "Z": break
    case "UTC", "GMT", "UT":
      position += letters.count
      return numericOffset() ?? 0
    case "EDT" where isMailDate: return offset(skipping: letters.count, hours: -4)
    case "EST" where isMailDate, "CDT" where isMailDate:
      return offset(skipping: letters.count, hours: -5)
    case "CST" where isMailDate, "MDT" where isMailDate:
      return offset(skipping: letters.count, hours: -6)
    case "MST" where isMailDate, "PDT" where isMailDate:
      return offset(skipping: letters.count, hours: -7)
    case "PST" where isMailDate: return offset(skipping: letters.count, hours: -8)
    default: return nil
    }
    return offset(skipping: letters.count, hours: 0)
  }

  private mutating func offset(skipping count: Int, hours: Int) -> Int {
    position += count
    return hours * 3600
  }

  private mutating func numericOffset() -> Int? {
    let start = position
    guard let sign = peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else {
      return nil
    }
    position += 1
    var hours: Int?
    var minutes: Int? = 0
    switch digitCount(from: position) {
    case 1, 2:
      hours = number(maxDigits: 2)
      if peek() == UInt8(ascii: ":"), digitCount(from: position + 1) == 2 {
        position += 1
        minutes = number(digits: 2)
      }
    case 4:
      hours = number(digits: 2)
      minutes = number(digits: 2)
    default: break
    }
    guard let hours, let minutes, hours < 24, minutes < 60, !isInsideWord() else {
      position = start
      return nil
    }
    return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 3600 + minutes * 60)
  }

  private func seconds(_ hour: Int, _ minute: Int, _ second: Int) -> Int? {
    guard minute < 60, second <= 60, hour < 24 || (hour == 24 && minute == 0 && second == 0) else {
      return nil
    }
    // A leap second becomes second 59, the last one that `EntryDate` can represent.
    return hour * 3600 + minute * 60 + min(second, 59)
  }

  private mutating func skipFraction() {
    guard peek() == UInt8(ascii: ".") || peek() == UInt8(ascii: ","), isDigit(peek(1)) else {
      return
    }
    position += 1
    position += digitCount(from: position)
  }

  private mutating func hour24(_ hour: Int) -> Int {
    let start = position
    skipBlanks()
    let letters = letters()
    let mark = String(decoding: letters, as: UTF8.self).uppercased()
    guard mark == "AM" || mark == "PM", (1...12).contains(hour) else {
      position = start
      return hour
    }
    position += letters.count
    return hour % 12 + (mark == "PM" ? 12 : 0)
  }
}
