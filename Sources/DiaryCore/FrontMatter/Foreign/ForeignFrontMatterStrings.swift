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

  /// The text of the escape sequence after a backslash. Half of a surrogate pair is U+FFFD.
  private mutating func escape() -> String? {
    switch currentByte {
    case nil: return nil
    case UInt8(ascii: "e"):
      position += 1
      return "\u{1B}"
    case UInt8(ascii: "U"):
      position += 1
      guard let number = try? hexadecimalNumber(bytes, &position, digits: 8) else { return nil }
      return String(Character(Unicode.Scalar(number) ?? "\u{FFFD}"))
    case 0x0A, 0x0D, 0x20, 0x09:
      // In TOML, a backslash at the end of a line joins the lines.
      while let sign = currentByte, isBlank(sign) { position += 1 }
      return ""
    default:
      do {
        return String(Character(try jsonEscape(bytes, &position)))
      } catch {
        return error == .halfPair ? "\u{FFFD}" : nil
      }
    }
  }
}
