extension DateReader {
  /// Seconds of `9:04`, `21:04:05`, `21:04:05.123` or `9:04 PM`; nothing is taken when it is none.
  mutating func clock() -> Int? {
    let start = at
    guard let hour = number(upTo: 2), take(UInt8(ascii: ":")), let minute = number(of: 2) else {
      at = start
      return nil
    }
    var second = 0
    if peek() == UInt8(ascii: ":"), digits(from: at + 1) >= 2 {
      at += 1
      second = number(of: 2) ?? 0
      saidSeconds = true
      skipFraction()
    }
    guard !isDigit(peek()), let clock = seconds(twelveHour(hour), minute, second) else {
      at = start
      return nil
    }
    return clock
  }

  /// Seconds of `2104` or `210405`, by the number of digits.
  mutating func basicClock(digits count: Int) -> Int? {
    guard count == 4 || count == 6, let hour = number(of: 2), let minute = number(of: 2) else {
      return nil
    }
    let second = count == 6 ? number(of: 2) ?? 0 : 0
    saidSeconds = count == 6
    skipFraction()
    return seconds(hour, minute, second)
  }

  /// Seconds east of UTC: `Z`, `+9`, `-05`, `+0900`, `+09:00`, `UTC`, `GMT` and the American names
  /// of mail; nothing is taken when it is none.
  mutating func zone() -> Int? {
    let start = at
    skipBlanks()
    if let named = namedZone() { return named }
    if let shifted = shift() { return shifted }
    at = start
    return nil
  }

  private mutating func namedZone() -> Int? {
    let letters = word()
    switch String(decoding: letters, as: UTF8.self).uppercased() {
    case "Z": break
    case "UTC", "GMT", "UT":
      at += letters.count
      return shift() ?? 0
    case "EDT" where isMail: return taken(letters.count, hours: -4)
    case "EST" where isMail, "CDT" where isMail: return taken(letters.count, hours: -5)
    case "CST" where isMail, "MDT" where isMail: return taken(letters.count, hours: -6)
    case "MST" where isMail, "PDT" where isMail: return taken(letters.count, hours: -7)
    case "PST" where isMail: return taken(letters.count, hours: -8)
    default: return nil
    }
    return taken(letters.count, hours: 0)
  }

  private mutating func taken(_ count: Int, hours: Int) -> Int {
    at += count
    return hours * 3600
  }

  private mutating func shift() -> Int? {
    let start = at
    guard let sign = peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else {
      return nil
    }
    at += 1
    var hours: Int?
    var minutes: Int? = 0
    switch digits(from: at) {
    case 1, 2:
      hours = number(upTo: 2)
      if peek() == UInt8(ascii: ":"), digits(from: at + 1) == 2 {
        at += 1
        minutes = number(of: 2)
      }
    case 4:
      hours = number(of: 2)
      minutes = number(of: 2)
    default: break
    }
    guard let hours, let minutes, hours < 24, minutes < 60, !continuesWord() else {
      at = start
      return nil
    }
    return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 3600 + minutes * 60)
  }

  private func seconds(_ hour: Int, _ minute: Int, _ second: Int) -> Int? {
    guard minute < 60, second <= 60, hour < 24 || (hour == 24 && minute == 0 && second == 0) else {
      return nil
    }
    // A leap second is the last one that EntryDate can hold.
    return hour * 3600 + minute * 60 + min(second, 59)
  }

  private mutating func skipFraction() {
    guard peek() == UInt8(ascii: ".") || peek() == UInt8(ascii: ","), isDigit(peek(1)) else {
      return
    }
    at += 1
    at += digits(from: at)
  }

  private mutating func twelveHour(_ hour: Int) -> Int {
    let start = at
    skipBlanks()
    let letters = word()
    let mark = String(decoding: letters, as: UTF8.self).uppercased()
    guard mark == "AM" || mark == "PM", (1...12).contains(hour) else {
      at = start
      return hour
    }
    at += letters.count
    return hour % 12 + (mark == "PM" ? 12 : 0)
  }
}
