extension TOMLJSONHeaderReader {
  /// A string of JSON or TOML in any of its four quotes; `nil` when it does not end.
  mutating func quoted() -> String? {
    let quote = bytes[at]
    let isTriple =
      separator == UInt8(ascii: "=") && at + 2 < end && bytes[at + 1] == quote
      && bytes[at + 2] == quote
    at += isTriple ? 3 : 1
    if isTriple, sign == 0x0D, at + 1 < end, bytes[at + 1] == 0x0A { at += 1 }
    if isTriple, sign == 0x0A { at += 1 }
    var result: [UInt8] = []
    while at < end {
      let byte = bytes[at]
      if byte == quote, !isTriple || closesTriple(quote) {
        at += isTriple ? 3 : 1
        return String(decoding: result, as: UTF8.self)
      }
      if byte == 0x0A, !isTriple { return nil }
      at += 1
      if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        guard let scalars = escape() else { return nil }
        result.append(contentsOf: scalars.utf8)
      } else {
        result.append(byte)
      }
    }
    return nil
  }

  /// Up to two quotes may stand before the three that close.
  private func closesTriple(_ quote: UInt8) -> Bool {
    guard at + 2 < end, bytes[at + 1] == quote, bytes[at + 2] == quote else { return false }
    return at + 3 >= end || bytes[at + 3] != quote
  }

  /// What stands after a backslash.
  private mutating func escape() -> String? {
    guard let sign else { return nil }
    at += 1
    switch sign {
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "e"): return "\u{1B}"
    case UInt8(ascii: "u"): return unicode(digits: 4)
    case UInt8(ascii: "U"): return unicode(digits: 8)
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
      return String(UnicodeScalar(sign))
    case 0x0A, 0x0D, 0x20, 0x09:
      // In TOML a backslash at a line's end joins the lines.
      while let sign = self.sign, isBlank(sign) { at += 1 }
      return ""
    default: return nil
    }
  }

  private mutating func unicode(digits: Int) -> String? {
    guard let first = number(digits: digits) else { return nil }
    if let scalar = Unicode.Scalar(first) { return String(Character(scalar)) }
    // JSON spells what lies above U+FFFF as two surrogates.
    guard (0xD800...0xDBFF).contains(first), at + 1 < end, bytes[at] == UInt8(ascii: "\\"),
      bytes[at + 1] == UInt8(ascii: "u")
    else { return "\u{FFFD}" }
    let mark = at
    at += 2
    guard let second = number(digits: 4), (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else {
      at = mark
      return "\u{FFFD}"
    }
    return String(Character(scalar))
  }

  private mutating func number(digits: Int) -> UInt32? {
    guard at + digits <= end,
      bytes[at..<(at + digits)].allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
      let value = UInt32(String(decoding: bytes[at..<(at + digits)], as: UTF8.self), radix: 16)
    else { return nil }
    at += digits
    return value
  }
}
