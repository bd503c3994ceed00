extension UInt8 {
  /// Two hexadecimal digits in upper case.
  fileprivate var hexDigits: [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return [digits[Int(self >> 4)], digits[Int(self & 15)]]
  }
}

/// Two lower-case hexadecimal digits for each byte.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef".utf8)
  return String(
    decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

/// Decodes hexadecimal digits. Returns `nil` for anything else.
package func bytes(hexadecimal digits: some StringProtocol) -> [UInt8]? {
  let digits = digits.map { $0.isASCII ? $0.hexDigitValue : nil }
  guard digits.count.isMultiple(of: 2) else { return nil }
  return stride(from: 0, to: digits.count, by: 2).reduce(into: [] as [UInt8]?) { bytes, index in
    guard let high = digits[index], let low = digits[index + 1] else { return bytes = nil }
    bytes?.append(UInt8(high << 4 | low))
  }
}

/// A number in upper-case hexadecimal, with at least `width` digits.
package func hexadecimal(_ value: UInt32, width: Int) -> String {
  let digits = String(value, radix: 16, uppercase: true)
  return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

/// Bytes as part of a URL: `%XX` for each byte that is not allowed unescaped.
package func percentEncoded(
  _ bytes: some Sequence<UInt8>, allowing isAllowed: (UInt8) -> Bool
) -> [UInt8] {
  bytes.flatMap { isAllowed($0) ? [$0] : [UInt8(ascii: "%")] + $0.hexDigits }
}

/// A text as a value in a URL query: `%XX` for all but the unreserved characters of RFC 3986.
/// `URLComponents` does not escape `+`, which servers read as a blank.
package func percentEncoded(_ text: String) -> String {
  let encoded = percentEncoded(text.utf8) {
    $0.isDigit || $0.isLetter || "-._~".utf8.contains($0)
  }
  return String(decoding: encoded, as: UTF8.self)
}

/// Decodes `%XX`. Returns `nil` if a `%` is not followed by two digits.
package func percentDecoded(_ text: some StringProtocol) -> [UInt8]? {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(text.utf8.count)
  var remainder = Substring(text).utf8
  while let byte = remainder.popFirst() {
    guard byte == UInt8(ascii: "%") else {
      bytes.append(byte)
      continue
    }
    guard let high = remainder.popFirst().flatMap(hexadecimalValue),
      let low = remainder.popFirst().flatMap(hexadecimalValue)
    else { return nil }
    bytes.append(high << 4 | low)
  }
  return bytes
}

private func hexadecimalValue(_ digit: UInt8) -> UInt8? {
  Character(Unicode.Scalar(digit)).hexDigitValue.map { UInt8($0) }
}
