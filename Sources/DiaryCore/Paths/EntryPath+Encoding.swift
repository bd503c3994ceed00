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
    guard let bytes = percentDecoded(text) else { return nil }
    self.init(bytes: bytes)
  }
}
