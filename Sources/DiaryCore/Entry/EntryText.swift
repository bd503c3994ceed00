// The text of an entry's file: the position of its header, the values of its fields, and changes to
// one field that preserve every other byte. It opens no file, and never rewrites a text that it
// cannot read.

/// The kind of header at the start of a text.
package enum HeaderKind: Sendable, Hashable {
  /// No header: the whole text is body.
  case none
  /// Between `---` lines. The only kind that is rewritten.
  case yaml
  /// Between `+++` lines. Read only.
  case toml
  /// A JSON object at the top. Read only.
  case json
  /// The text starts like a header that cannot be read. It is body, and never gets a header.
  case unreadable
}

/// The bytes of an entry's file, with the parsed header.
package struct EntryText: Sendable {
  /// A key of the header and its lines.
  package struct Field: Sendable, Hashable {
    /// The key as spelled in the file. Keys are compared without case.
    package let key: String
    /// The line number, 1 for the first line of the file.
    package let line: Int
    /// The field's lines with their line endings: a range in ``EntryText/bytes``, or in the decoded
    /// text if the file is not UTF-8. Comments and blank lines below the value are not included.
    package let range: Range<Int>
    /// The offset after the colon.
    let valueStart: Int
    /// The offset of the next key or the closing line.
    let end: Int
  }

  /// The exact bytes of the file.
  package private(set) var bytes: [UInt8]
  /// The encoding of the bytes. Only UTF-8 is rewritten.
  package private(set) var encoding: TextEncoding
  /// True if some bytes could not be decoded or are NUL, or a letter has more than 30 combining
  /// marks. Such a text is never rewritten.
  package private(set) var isDamaged: Bool
  /// The bytes as UTF-8. Identical if ``encoding`` is UTF-8, except for excessive marks, else
  /// without the byte order mark.
  let text: [UInt8]
  let frontMatter: FrontMatter

  /// Creates a text from any bytes of a file.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    let decoded = DecodedText(bytes)
    encoding = decoded.encoding
    isDamaged = decoded.isDamaged
    text = decoded.utf8
    frontMatter = FrontMatter(scanning: decoded.utf8, from: decoded.bomLength)
  }

  package var headerKind: HeaderKind { frontMatter.kind }

  /// The header's lines without the fences. Empty if there is no header.
  package var header: String { String(decoding: text[frontMatter.lines], as: UTF8.self) }

  /// The decoded text before the body: the header with its fences and, in a UTF-8 file, the byte
  /// order mark.
  package var wholeHeader: String {
    String(decoding: text[..<frontMatter.bodyStart], as: UTF8.self)
  }

  /// The decoded text after the header's closing line, without the byte order mark.
  package var body: String { String(decoding: bodyBytes, as: UTF8.self) }

  /// Passes the body to `read` in parts of whole lines, about a megabyte each. This avoids a second
  /// copy of a long body.
  package func readBody(_ read: (String) -> Void) {
    var remaining = bodyBytes
    while !remaining.isEmpty {
      let end =
        remaining.dropFirst(1 << 20).firstIndex(of: UInt8(ascii: "\n")) ?? remaining.endIndex - 1
      read(String(decoding: remaining[...end], as: UTF8.self))
      remaining = remaining[(end + 1)...]
    }
  }

  /// The decoded text after the header's closing line, as UTF-8.
  package var bodyBytes: ArraySlice<UInt8> { text[bodyRange] }

  /// The range of the body in the decoded text, and in ``bytes`` if they are UTF-8 and not damaged.
  package var bodyRange: Range<Int> { frontMatter.bodyStart..<text.count }

  /// The header's fields in the order of the file, including duplicates.
  package var fields: [Field] { frontMatter.fields }

  /// The first field with the key, compared without case.
  package func field(_ key: String) -> Field? { index(of: key).map { frontMatter.fields[$0] } }

  /// The value of the field. `nil` if it is absent or empty.
  package func value(_ key: String) -> FieldValue? {
    index(of: key).flatMap { reading(at: $0).value }
  }

  /// The value of the field as one text. A list is joined by commas, a mapping gives `nil`.
  package func string(_ key: String) -> String? {
    switch value(key) {
    case .text(let text): text
    case .list(let items): items.isEmpty ? nil : items.joined(separator: ", ")
    case .mapping, nil: nil
    }
  }

  func reading(at index: Int) -> FieldReading {
    if frontMatter.kind == .yaml {
      return FieldReading(frontMatter.fields[index], in: text)
    }
    return FieldReading(value: frontMatter.foreignValues[index])
  }

  func index(of key: String) -> Int? {
    frontMatter.fields.firstIndex { EntryText.isSameKey($0.key, key) }
  }

  /// Compares keys without case. Equal texts are the common case and take a fast path.
  static func isSameKey(_ left: String, _ right: String) -> Bool {
    if left == right { return true }
    if left.utf8.count != right.utf8.count, left.utf8.allSatisfy({ $0 < 0x80 }),
      right.utf8.allSatisfy({ $0 < 0x80 })
    {
      return false
    }
    return left.lowercased() == right.lowercased()
  }
}

extension EntryText: Equatable {
  /// Compares the bytes.
  package static func == (left: EntryText, right: EntryText) -> Bool { left.bytes == right.bytes }
}
