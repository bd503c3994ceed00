/// The first temperature in a text (`7°C`, `-5 °C`, `7,2℃`, `45F`), and the text without it.
struct TemperatureReading {
  let celsius: Double
  let remainder: String

  init?(_ text: String) {
    let bytes = Array(text.utf8)
    var at = 0
    while at < bytes.count {
      guard bytes[at].isDigit else {
        at += 1
        continue
      }
      let end = TemperatureReading.endOfNumber(bytes, from: at)
      if end - at <= 8, let unit = TemperatureReading.unit(bytes, from: end) {
        let start = TemperatureReading.sign(bytes, before: at)
        let digits = String(decoding: bytes[at..<end], as: UTF8.self).map { $0 == "," ? "." : $0 }
        guard let size = Double(String(digits)) else { return nil }
        let number = start < at && bytes[start] != UInt8(ascii: "+") ? -size : size
        celsius = unit.isFahrenheit ? (number - 32) * 5 / 9 : number
        remainder = String(decoding: bytes[..<start] + [0x20] + bytes[unit.end...], as: UTF8.self)
        return
      }
      at = end
    }
    return nil
  }

  private static func endOfNumber(_ bytes: [UInt8], from start: Int) -> Int {
    var end = start
    while end < bytes.count, bytes[end].isDigit { end += 1 }
    if end + 1 < bytes.count, ".,".utf8.contains(bytes[end]), bytes[end + 1].isDigit {
      end += 1
      while end < bytes.count, bytes[end].isDigit { end += 1 }
    }
    return end
  }

  /// The start of a sign directly before the number (`+`, `-` or U+2212), else `at`.
  private static func sign(_ bytes: [UInt8], before at: Int) -> Int {
    if at >= 1, "+-".utf8.contains(bytes[at - 1]) { return at - 1 }
    if at >= 3, bytes[(at - 3)..<at].elementsEqual("\u{2212}".utf8) { return at - 3 }
    return at
  }

  private static func unit(_ bytes: [UInt8], from end: Int) -> (isFahrenheit: Bool, end: Int)? {
    func scale(_ at: Int) -> (Bool, Int)? {
      guard at < bytes.count, bytes[at] | 0x20 == 0x63 || bytes[at] | 0x20 == 0x66,
        at + 1 == bytes.count || !isWordCharacter(bytes[at + 1])
      else { return nil }
      return (bytes[at] | 0x20 == 0x66, at + 1)
    }
    if let close = scale(end) { return close }
    var at = end
    while at < bytes.count, bytes[at] == 0x20 { at += 1 }
    let unitBytes = bytes[at...]
    if unitBytes.starts(with: "\u{2103}".utf8) { return (false, at + 3) }
    if unitBytes.starts(with: "\u{2109}".utf8) { return (true, at + 3) }
    for degree in ["\u{B0}", "\u{BA}", "\u{2DA}"] where unitBytes.starts(with: degree.utf8) {
      at += 2
      while at < bytes.count, bytes[at] == 0x20 { at += 1 }
      return scale(at)
    }
    return nil
  }
}

private func isWordCharacter(_ byte: UInt8) -> Bool {
  byte.isDigit || byte.isLetter || byte >= 0x80
}
