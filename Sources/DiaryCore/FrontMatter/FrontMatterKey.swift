/// The colon of a key that begins at `start`, or `nil`: a letter or `_`, then letters, digits, `_`,
/// `-` and `.`, up to three words, then `:` and a blank or the line's end.
func keyColon(_ bytes: [UInt8], _ start: Int, _ end: Int) -> Int? {
  guard start < end, let first = keyCharacter(bytes, start, end), first.mayBegin else { return nil }
  var at = start
  for _ in 1...3 {
    let word = at
    while let character = keyCharacter(bytes, at, end) { at += character.length }
    guard at > word else { return nil }
    var next = at
    while next < end, bytes[next] == 0x20 || bytes[next] == 0x09 { next += 1 }
    guard next < end else { return nil }
    if bytes[next] == UInt8(ascii: ":") {
      return next + 1 == end || isBlank(bytes[next + 1]) ? next : nil
    }
    guard next > at else { return nil }
    at = next
  }
  return nil
}

/// Whether a key may be written: as it is read, in one piece and not over YAML's bound for keys.
func isWritableKey(_ key: String) -> Bool {
  let bytes = Array(key.utf8)
  guard bytes.count <= 256, !bytes.contains(0x09), !key.contains("  ") else { return false }
  return keyColon(bytes + [UInt8(ascii: ":")], 0, bytes.count + 1) == bytes.count
    && bytes.last != 0x20
}

/// One sign of a word of a key, with its length in bytes.
private func keyCharacter(
  _ bytes: [UInt8], _ at: Int, _ end: Int
) -> (length: Int, mayBegin: Bool)? {
  guard at < end else { return nil }
  switch bytes[at] {
  case 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): return (1, true)
  case 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "."): return (1, false)
  case 0..<0x80: return nil
  default:
    guard let (scalar, length) = scalarAt(bytes, at, end) else { return nil }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter:
      return (length, true)
    case .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber: return (length, false)
    default: return nil
    }
  }
}

/// The scalar that begins at `at`, with its length in bytes; `nil` where the bytes are not UTF-8.
func scalarAt(_ bytes: [UInt8], _ at: Int, _ end: Int) -> (scalar: Unicode.Scalar, length: Int)? {
  let length =
    switch bytes[at] {
    case 0..<0x80: 1
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 0
    }
  guard length > 0, at + length <= end else { return nil }
  var value = length == 1 ? UInt32(bytes[at]) : UInt32(bytes[at]) & (0x7F >> UInt32(length))
  for index in (at + 1)..<(at + length) {
    guard bytes[index] & 0xC0 == 0x80 else { return nil }
    value = value << 6 | UInt32(bytes[index] & 0x3F)
  }
  return Unicode.Scalar(value).map { ($0, length) }
}
