/// Decodes the text inside one-line double quotes (YAML 1.2, 5.7). Returns `nil` for an escape that
/// YAML does not define.
func unescapedYAML(_ inside: ArraySlice<UInt8>) -> String? {
  var result: [UInt8] = []
  result.reserveCapacity(inside.count)
  var at = inside.startIndex
  while at < inside.endIndex {
    guard inside[at] == UInt8(ascii: "\\") else {
      result.append(inside[at])
      at += 1
      continue
    }
    guard at + 1 < inside.endIndex else { return nil }
    let character = inside[at + 1]
    at += 2
    let width = numberWidth(character)
    if width > 0 {
      guard at + width <= inside.endIndex, let scalar = scalar(hex: inside[at..<(at + width)])
      else { return nil }
      result.append(contentsOf: String(Character(scalar)).utf8)
      at += width
    } else {
      guard let text = namedEscape(character) else { return nil }
      result.append(contentsOf: text.utf8)
    }
  }
  return String(decoding: result, as: UTF8.self)
}

private func numberWidth(_ sign: UInt8) -> Int {
  switch sign {
  case UInt8(ascii: "x"): 2
  case UInt8(ascii: "u"): 4
  case UInt8(ascii: "U"): 8
  default: 0
  }
}

private func scalar(hex digits: ArraySlice<UInt8>) -> Unicode.Scalar? {
  guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
  return UInt32(String(decoding: digits, as: UTF8.self), radix: 16).flatMap(Unicode.Scalar.init)
}

private func namedEscape(_ sign: UInt8) -> String? {
  switch sign {
  case UInt8(ascii: "0"): "\0"
  case UInt8(ascii: "a"): "\u{7}"
  case UInt8(ascii: "b"): "\u{8}"
  case UInt8(ascii: "t"), 0x09: "\t"
  case UInt8(ascii: "n"): "\n"
  case UInt8(ascii: "v"): "\u{B}"
  case UInt8(ascii: "f"): "\u{C}"
  case UInt8(ascii: "r"): "\r"
  case UInt8(ascii: "e"): "\u{1B}"
  case UInt8(ascii: "N"): "\u{85}"
  case UInt8(ascii: "_"): "\u{A0}"
  case UInt8(ascii: "L"): "\u{2028}"
  case UInt8(ascii: "P"): "\u{2029}"
  case UInt8(ascii: " "), UInt8(ascii: "\""), UInt8(ascii: "/"), UInt8(ascii: "\\"):
    String(Unicode.Scalar(sign))
  default: nil
  }
}
