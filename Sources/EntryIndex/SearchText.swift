import DiaryCore

/// How texts are prepared so that a search is a comparison of bytes.
enum SearchText {
  /// Stands between the fields of one entry; no folded text holds it.
  static let separator: UInt8 = 1

  /// A text without case and diacritics, with one blank for any run of blanks, line ends and
  /// control characters, so that a phrase is found over the end of a line.
  static func fold(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    append(text, to: &bytes)
    if bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
    return bytes
  }

  /// Appends a folded text; after a blank, a separator or at the start, no blank is added.
  static func append(_ text: String, to bytes: inout [UInt8]) {
    var isBlank = bytes.last.map { $0 <= UInt8(ascii: " ") } ?? true
    var folded = searchFolded(text)
    folded.withUTF8 { folded in
      for byte in folded {
        if byte > UInt8(ascii: " ") {
          bytes.append(byte)
          isBlank = false
        } else if !isBlank {
          bytes.append(UInt8(ascii: " "))
          isBlank = true
        }
      }
    }
  }

  /// The folded fields of an entry: title, body, header, then each tag.
  static func fields(of entry: Entry) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(entry.title.utf8.count + entry.body.utf8.count + entry.header.utf8.count)
    append(entry.title, to: &bytes)
    for field in [entry.body, entry.header] + entry.tags {
      bytes.append(separator)
      append(field, to: &bytes)
    }
    return bytes
  }

  /// The part of ``fields(of:)`` that a scope looks at.
  static func part(
    _ scope: SearchQuery.Scope, of fields: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer {
    switch scope {
    case .anywhere: return fields
    case .title:
      return UnsafeRawBufferPointer(rebasing: fields[..<(start(ofField: 1, fields) - 1)])
    case .tag:
      let start = start(ofField: 3, fields)
      return UnsafeRawBufferPointer(rebasing: fields[min(start, fields.count)...])
    }
  }

  /// Where a field begins; one after the end when there is none.
  private static func start(ofField number: Int, _ fields: UnsafeRawBufferPointer) -> Int {
    var start = 0
    for _ in 0..<number {
      guard let end = fields[start...].firstIndex(of: separator) else { return fields.count + 1 }
      start = end + 1
    }
    return start
  }
}
