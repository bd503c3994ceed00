extension EntryPath {
  /// The path with `%XX` for each byte outside printable ASCII, and for `%` and blanks.
  package var percentEncoded: String {
    bytes.map { byte in
      byte == UInt8(ascii: "%") || byte < 0x21 || byte > 0x7E
        ? "%" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        : String(UnicodeScalar(byte))
    }.joined()
  }

  /// Decodes a path from such a text. Fails if the text is invalid.
  package init?(percentEncoded text: String) {
    var bytes: [UInt8] = []
    var remaining = Array(text.utf8)[...]
    while let byte = remaining.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = String(decoding: remaining.prefix(2), as: UTF8.self)
      guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16) else { return nil }
      bytes.append(value)
      remaining = remaining.dropFirst(2)
    }
    self.init(bytes: bytes)
  }
}
