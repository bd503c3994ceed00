extension EntryText {
  /// Adds a paragraph at the end, after one blank line, with the text's own line endings. A text
  /// that does not end in a newline still does not end in one.
  package mutating func append(paragraph: String) throws(FrontMatterError) {
    guard encoding == .utf8, !isDamaged else { throw .notUTF8 }
    let addition = normalizedLineEndings(paragraph)
    guard !addition.isEmpty else { return }
    self = EntryText(bytes + separator + Array(addition.utf8) + lastNewline)
  }

  /// Inserts text at an offset, with the text's own line endings and without surrounding line
  /// endings.
  package mutating func insert(_ addition: String, at offset: Int) throws(FrontMatterError) {
    guard encoding == .utf8, !isDamaged else { throw .notUTF8 }
    let addition = normalizedLineEndings(addition)
    guard !addition.isEmpty else { return }
    let end = offset == bytes.count ? lineEnding : ""
    self = EntryText(bytes[..<offset] + Array((addition + end).utf8) + bytes[offset...])
  }

  /// Returns a copy of the text with a paragraph added by ``append(paragraph:)``.
  package func appending(paragraph: String) throws(FrontMatterError) -> EntryText {
    var result = self
    try result.append(paragraph: paragraph)
    return result
  }

  /// The line ending of the last line that has one, used for the whole text.
  private var lineEnding: String {
    guard let last = bytes.lastIndex(of: 0x0A) else { return "\n" }
    return last > 0 && bytes[last - 1] == 0x0D ? "\r\n" : "\n"
  }

  private var endsInNewline: Bool { bytes.last == 0x0A }

  /// The bytes before a new paragraph: none after a byte order mark alone or a trailing blank line.
  private var separator: [UInt8] {
    let start = headerKind == .yaml || headerKind == .toml || headerKind == .json ? 0 : bomEnd
    guard bytes.count > start else { return [] }
    let end = Array(lineEnding.utf8)
    guard endsInNewline else { return end + end }
    var last = bytes.count - 1
    if last > start, bytes[last - 1] == 0x0D { last -= 1 }
    var line = last
    while line > start, bytes[line - 1] != 0x0A { line -= 1 }
    return isBlank(bytes, line..<last) ? [] : end
  }

  private var bomEnd: Int { bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0 }

  private var lastNewline: [UInt8] {
    let isNew = bytes.count == bomEnd || bodyRange.isEmpty
    return endsInNewline || isNew ? Array(lineEnding.utf8) : []
  }

  /// The text without surrounding line endings, with the line endings of this text.
  private func normalizedLineEndings(_ paragraph: String) -> String {
    var lines = paragraph.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    while let last = lines.last, last.allSatisfy(\.isWhitespace) { lines.removeLast() }
    while let first = lines.first, first.allSatisfy(\.isWhitespace) { lines.removeFirst() }
    return lines.joined(separator: lineEnding)
  }
}
