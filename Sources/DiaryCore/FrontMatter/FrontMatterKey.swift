/// The offset of the colon after a key at `start`, or `nil`. A key has up to three words of
/// letters, digits, `_`, `-` and `.`, and starts with a letter or `_`. A blank or line end follows.
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

/// True if the key can be written: it reads back as one key within YAML's length limit for keys.
func isWritableKey(_ key: String) -> Bool {
  let bytes = Array(key.utf8)
  guard bytes.count <= 256, !bytes.contains(0x09), !key.contains("  ") else { return false }
  return keyColon(bytes + [UInt8(ascii: ":")], 0, bytes.count + 1) == bytes.count
    && bytes.last != 0x20
}

/// The kind and byte length of one character of a word in a key.
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

/// The scalar at `at` and its length in bytes. `nil` if the bytes are not UTF-8.
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
