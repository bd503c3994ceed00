/// The reason why an escape is not one of JSON.
package enum JSONEscapeFault: Error {
  case unknown
  /// `\u` without four hexadecimal digits.
  case digits
  /// One half of a surrogate pair. The offset is behind it.
  case halfPair
}

/// Reads the escape after a backslash and moves `offset` behind it. In RFC 8259, a character above
/// U+FFFF is a surrogate pair of two escapes.
package func jsonEscape(
  _ bytes: [UInt8], _ offset: inout Int
) throws(JSONEscapeFault) -> Unicode.Scalar {
  guard offset < bytes.count else { throw .unknown }
  offset += 1
  switch bytes[offset - 1] {
  case UInt8(ascii: "\""): return "\""
  case UInt8(ascii: "\\"): return "\\"
  case UInt8(ascii: "/"): return "/"
  case UInt8(ascii: "b"): return "\u{8}"
  case UInt8(ascii: "f"): return "\u{C}"
  case UInt8(ascii: "n"): return "\n"
  case UInt8(ascii: "r"): return "\r"
  case UInt8(ascii: "t"): return "\t"
  case UInt8(ascii: "u"): break
  default: throw .unknown
  }
  let unit = try hexadecimalNumber(bytes, &offset, digits: 4)
  if let scalar = Unicode.Scalar(unit) { return scalar }
  var next = offset + 2
  guard unit < 0xDC00, bytes[offset...].starts(with: "\\u".utf8) else { throw .halfPair }
  let low = try hexadecimalNumber(bytes, &next, digits: 4)
  guard (0xDC00...0xDFFF).contains(low),
    let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
  else { throw .halfPair }
  offset = next
  return scalar
}

/// Reads a number with exactly so many digits. `UInt32` alone would accept a sign.
func hexadecimalNumber(
  _ bytes: [UInt8], _ offset: inout Int, digits count: Int
) throws(JSONEscapeFault) -> UInt32 {
  let digits = bytes[offset...].prefix(count)
  guard digits.count == count,
    digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
    let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
  else { throw .digits }
  offset += count
  return number
}
