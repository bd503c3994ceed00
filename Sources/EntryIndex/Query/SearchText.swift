import DiaryCore
import Glibc

/// The folding of texts, by which a search becomes a comparison of bytes.
enum SearchText {
  /// The separator between the fields of an entry; it occurs in no folded text.
  static let separator: UInt8 = 1

  /// A text without case and diacritics. Each run of blanks, line ends and control characters
  /// becomes one blank, so that a phrase is found across line ends.
  static func fold(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    append(text, to: &bytes)
    if bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
    return bytes
  }

  /// The byte that replaces a blank at a line end in texts that keep their lines.
  static let lineEnd = UInt8(ascii: "\n")

  /// Appends a folded text. No blank is added at the start or after a blank or separator.
  static func append(_ text: String, to bytes: inout [UInt8], keepingLines: Bool = false) {
    var isBlank = bytes.last.map { $0 <= UInt8(ascii: " ") } ?? true
    for byte in bytesFoldedForSearch(text) {
      if byte > UInt8(ascii: " ") {
        bytes.append(byte)
        isBlank = false
        continue
      }
      if !isBlank { bytes.append(UInt8(ascii: " ")) }
      isBlank = true
      guard keepingLines, byte == 10 || byte == 13 else { continue }
      if let last = bytes.indices.last, bytes[last] == UInt8(ascii: " ") { bytes[last] = lineEnd }
    }
  }

  /// The folded fields of an entry: title, body, header, then each tag. Body and header keep their
  /// lines, except those that are empty after folding.
  static func fields(of entry: Entry) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(entry.body.utf8.count + entry.header.utf8.count + 128)
    append(entry.title, to: &bytes)
    for field in [entry.body, entry.header] {
      bytes.append(separator)
      append(field, to: &bytes, keepingLines: true)
    }
    for tag in entry.tags {
      bytes.append(separator)
      append(tag, to: &bytes)
    }
    return bytes
  }

  /// A folded field: 0 is the title, 1 the body, 2 the header.
  static func field(_ number: Int, of fields: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let start = start(ofField: number, fields)
    guard start <= fields.count else { return UnsafeRawBufferPointer(rebasing: fields[..<0]) }
    let end = self.start(ofField: 1, UnsafeRawBufferPointer(rebasing: fields[start...])) - 1
    return UnsafeRawBufferPointer(rebasing: fields[start..<(start + end)])
  }

  /// The part of ``fields(of:)`` that belongs to a scope.
  static func part(
    _ scope: SearchQuery.Scope, of fields: UnsafeRawBufferPointer
  ) -> UnsafeRawBufferPointer {
    switch scope {
    case .anywhere: return fields
    case .title:
      return UnsafeRawBufferPointer(rebasing: fields[..<(start(ofField: 1, fields) - 1)])
    case .tag:
      // With the separator before the first tag, by which each tag's start is found.
      let start = start(ofField: 3, fields) - 1
      return UnsafeRawBufferPointer(rebasing: fields[min(start, fields.count)...])
    }
  }

  /// The offset of a field; one past the end if it does not exist.
  private static func start(ofField number: Int, _ fields: UnsafeRawBufferPointer) -> Int {
    var start = 0
    for _ in 0..<number {
      guard start <= fields.count, let base = fields.baseAddress,
        let end = memchr(base + start, Int32(separator), fields.count - start)
      else { return fields.count + 1 }
      start = UnsafeRawPointer(end) - base + 1
    }
    return start
  }
}
