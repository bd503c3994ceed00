import Localization

extension JSONReader {
  /// Reads a quoted string and resolves its escapes.
  mutating func string() throws(ImportError) -> String {
    let start = offset
    advance(by: 1)
    var text: [UInt8] = []
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        advance(by: 1)
        skipBlanks()
        return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text += Array(String(try escape()).utf8)
      case 0..<0x20:
        throw error(localized("a string contains an unescaped control character"), at: offset)
      default:
        text.append(byte)
        advance(by: 1)
      }
    }
    throw error(localized("the string that begins here has no closing quote"), at: start)
  }

  /// Reads one escape, or the two escapes of a surrogate pair.
  private mutating func escape() throws(ImportError) -> Unicode.Scalar {
    let start = offset
    advance(by: 1)
    let letter = next
    advance(by: letter == nil ? 0 : 1)
    switch letter {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try scalar(from: start)
    default:
      throw error(
        localized(
          "a string contains an escape that is not valid in JSON"), at: start)
    }
  }

  /// Reads the text after `\u`. In RFC 8259 an emoji is a surrogate pair of two escapes.
  private mutating func scalar(from start: Int) throws(ImportError) -> Unicode.Scalar {
    let unit = try hexadecimal(from: start)
    if let scalar = Unicode.Scalar(unit) { return scalar }
    let half = localized("a string contains half of a surrogate pair")
    guard unit < 0xDC00, bytes[offset...].starts(with: "\\u".utf8) else {
      throw error(half, at: start)
    }
    let second = offset
    advance(by: 2)
    let low = try hexadecimal(from: second)
    guard (0xDC00...0xDFFF).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
    else { throw error(half, at: start) }
    return scalar
  }

  private mutating func hexadecimal(from start: Int) throws(ImportError) -> UInt32 {
    let digits = bytes[offset...].prefix(4)
    // `UInt32` would accept a plus or minus sign.
    guard digits.count == 4, digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
      let unit = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw error(localized("\\u is not followed by four hexadecimal digits"), at: start) }
    advance(by: 4)
    return unit
  }
}
