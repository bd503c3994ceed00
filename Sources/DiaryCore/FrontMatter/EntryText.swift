// The text half of an entry's file: where its header lies, what its fields say, and how one field is
// written while every other byte stays. Called by whoever reads or changes an entry; it never opens
// a file itself, and never rewrites what it cannot read.

/// Which kind of header a text begins with.
package enum HeaderKind: Sendable, Hashable {
  /// No header: all of it is body.
  case none
  /// Between `---` lines; the only kind that is ever rewritten.
  case yaml
  /// Between `+++` lines; read only.
  case toml
  /// A JSON object at the top; read only.
  case json
  /// It begins like a header but holds none that can be read; it is body, and never given a header.
  case unreadable
}

/// The bytes of an entry's file, and what they say.
package struct EntryText: Sendable {
  /// One key of the header with the lines that are its own.
  package struct Field: Sendable, Hashable {
    /// As it is spelled in the file; keys are compared without case.
    package let key: String
    /// 1 for the file's first line.
    package let line: Int
    /// The field's own lines with their line ends: bytes of ``EntryText/bytes`` (of the decoded text
    /// in a file that is not UTF-8). Comments and blank lines below the value are not its own.
    package let range: Range<Int>
    /// Just after the colon.
    let valueStart: Int
    /// Where the next key, or the closing line, begins.
    let end: Int
  }

  /// Exactly the file's bytes.
  package private(set) var bytes: [UInt8]
  /// How the bytes are decoded; only UTF-8 is ever rewritten.
  package private(set) var encoding: TextEncoding
  /// Whether some bytes could not be decoded, or are NUL, or a letter bears more than 30 marks; such
  /// a text is never rewritten.
  package private(set) var isDamaged: Bool
  /// The bytes as UTF-8: the very same where ``encoding`` is UTF-8, but for heaps of marks, else
  /// without the byte order mark.
  let text: [UInt8]
  let frontMatter: FrontMatter

  /// A text from a file's bytes; any bytes will do.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    let decoded = DecodedText(bytes)
    encoding = decoded.encoding
    isDamaged = decoded.isDamaged
    text = decoded.utf8
    frontMatter = FrontMatter(scanning: decoded.utf8, from: decoded.bomLength)
  }

  /// Which kind of header it begins with.
  package var headerKind: HeaderKind { frontMatter.kind }

  /// The header's lines without the fences; empty when there is none.
  package var header: String { String(decoding: text[frontMatter.lines], as: UTF8.self) }

  /// All that stands before the body, decoded: the header with its fences, and, where the file is
  /// UTF-8, the byte order mark.
  package var wholeHeader: String {
    String(decoding: text[..<frontMatter.bodyStart], as: UTF8.self)
  }

  /// All that follows the header's closing line, decoded; without the byte order mark.
  package var body: String { String(decoding: text[bodyRange], as: UTF8.self) }

  /// Hands over the body in parts of whole lines, of about a megabyte each: of a long one no second
  /// copy is made.
  package func readBody(_ read: (String) -> Void) {
    var remaining = text[bodyRange]
    while !remaining.isEmpty {
      let end =
        remaining.dropFirst(1 << 20).firstIndex(of: UInt8(ascii: "\n")) ?? remaining.endIndex - 1
      read(String(decoding: remaining[...end], as: UTF8.self))
      remaining = remaining[(end + 1)...]
    }
  }

  /// Where the body lies in ``bytes`` (in the decoded text of a file that is not UTF-8).
  package var bodyRange: Range<Int> { frontMatter.bodyStart..<text.count }

  /// The header's fields in the order of the file, with those given twice.
  package var fields: [Field] { frontMatter.fields }

  /// The first field of that key, compared without case.
  package func field(_ key: String) -> Field? { index(of: key).map { frontMatter.fields[$0] } }

  /// What the field says; `nil` when it is absent or empty.
  package func value(_ key: String) -> FieldValue? {
    index(of: key).flatMap { reading(at: $0).value }
  }

  /// The field's value as one text: a list is joined by commas, a mapping is none.
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
    let value = frontMatter.foreignValues[index]
    return FieldReading(value: value, isBad: false)
  }

  func index(of key: String) -> Int? {
    frontMatter.fields.firstIndex { EntryText.isSameKey($0.key, key) }
  }

  /// Keys are matched without case; equal texts are the common case and cost nothing.
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
  /// Two texts are equal when their bytes are.
  package static func == (left: EntryText, right: EntryText) -> Bool { left.bytes == right.bytes }
}
