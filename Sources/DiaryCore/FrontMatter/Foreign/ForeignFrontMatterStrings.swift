extension TOMLJSONHeaderReader {
  /// Parses a JSON or TOML string in any kind of quotes. Returns `nil` if it is not closed.
  mutating func quotedString() -> String? {
    let quote = bytes[position]
    let isTriple =
      separator == UInt8(ascii: "=") && position + 2 < end && bytes[position + 1] == quote
      && bytes[position + 2] == quote
    position += isTriple ? 3 : 1
    if isTriple, currentByte == 0x0D, position + 1 < end, bytes[position + 1] == 0x0A {
      position += 1
    }
    if isTriple, currentByte == 0x0A { position += 1 }
    var result: [UInt8] = []
    while position < end {
      let byte = bytes[position]
      if byte == quote, !isTriple || isTripleClosing(quote) {
        position += isTriple ? 3 : 1
        return String(decoding: result, as: UTF8.self)
      }
      if byte == 0x0A, !isTriple { return nil }
      position += 1
      if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        guard let scalars = escape() else { return nil }
        result.append(contentsOf: scalars.utf8)
      } else {
        result.append(byte)
      }
    }
    return nil
  }

  /// Up to two quotes may precede the three closing ones.
  private func isTripleClosing(_ quote: UInt8) -> Bool {
    guard position + 2 < end, bytes[position + 1] == quote, bytes[position + 2] == quote else {
      return false
    }
    return position + 3 >= end || bytes[position + 3] != quote
  }

  /// The text of the escape sequence after a backslash.
  private mutating func escape() -> String? {
    guard let currentByte else { return nil }
    position += 1
    switch currentByte {
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "e"): return "\u{1B}"
    case UInt8(ascii: "u"): return unicode(digits: 4)
    case UInt8(ascii: "U"): return unicode(digits: 8)
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
      return String(UnicodeScalar(currentByte))
    case 0x0A, 0x0D, 0x20, 0x09:
      // In TOML, a backslash at the end of a line joins the lines.
      while let sign = self.currentByte, isBlank(sign) { position += 1 }
      return ""
    default: return nil
    }
  }

  private mutating func unicode(digits: Int) -> String? {
    guard let first = number(digits: digits) else { return nil }
    if let scalar = Unicode.Scalar(first) { return String(Character(scalar)) }
    // JSON encodes characters above U+FFFF as two surrogates.
    guard (0xD800...0xDBFF).contains(first), position + 1 < end,
      bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    else { return "\u{FFFD}" }
    let start = position
    position += 2
    guard let second = number(digits: 4), (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else {
      position = start
      return "\u{FFFD}"
    }
    return String(Character(scalar))
  }

  private mutating func number(digits: Int) -> UInt32? {
    guard position + digits <= end,
      bytes[position..<(position + digits)].allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
      let value = UInt32(
        String(decoding: bytes[position..<(position + digits)], as: UTF8.self), radix: 16)
    else { return nil }
    position += digits
    return value
  }
}
