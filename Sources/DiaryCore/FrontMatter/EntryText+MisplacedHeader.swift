import Foundation

extension EntryText {
  /// A header that is not at the top of the text.
  struct MisplacedHeader {
    /// The offset of the three dashes that open it. Text may precede them on the line.
    var opening: Int
    /// From the line after the opening to the closing line.
    var lines: Range<Int>
    /// The offset after the closing line.
    var end: Int
    /// The line number of the opening, 1 for the first of the file.
    var line: Int
  }

  /// The text with its misplaced header moved to the top and all other bytes in their order. `nil`
  /// if no misplaced header is found.
  ///
  /// - Parameter previousText: the entry before it was edited. Its header is recognised by
  ///   identical lines. Without it, only a header that contains a date is recognised.
  package func withHeaderAtTop(previous previousText: EntryText? = nil) -> EntryText? {
    guard encoding == .utf8, !isDamaged else { return nil }
    guard let found = misplacedHeader(previous: previousText) else { return nil }
    let start = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let lineEnding = Array(newline(at: found.opening).utf8)
    var newBytes = Array(text[..<start]) + Array("---".utf8) + lineEnding
    newBytes += text[found.lines.lowerBound..<found.end]
    if newBytes.last != 0x0A { newBytes += lineEnding }
    let before = text[start..<found.opening]
    if let first = before.first, !isBlank(first) { newBytes += lineEnding }
    newBytes += before
    if let last = before.last, last != 0x0A { newBytes += lineEnding }
    let after = text[found.end...]
    if !before.isEmpty, let first = after.first, !isBlank(first) { newBytes += lineEnding }
    let result = EntryText(newBytes + after)
    guard result.headerKind == .yaml, result.frontMatter.openingLine == 1 else { return nil }
    return result
  }

  /// True if the text starts with a header, as other programs expect.
  package var isHeaderAtTop: Bool { headerKind == .yaml && frontMatter.openingLine == 1 }

  /// True if the header lines of the other text occur somewhere in this one.
  package func containsHeader(of other: EntryText) -> Bool {
    let lines = other.text[other.frontMatter.lines]
    return !lines.isEmpty && text.firstRange(of: lines) != nil
  }

  /// The first header below the top that looks like the entry's own. It has dash lines around it,
  /// contains only fields, and one is a `date` that can be parsed.
  func misplacedHeader(previous previousText: EntryText? = nil) -> MisplacedHeader? {
    if headerKind == .yaml {
      guard frontMatter.openingLine > 1, previousText != nil else { return nil }
      let lines = frontMatter.lines
      let opening = text[..<(lines.lowerBound - 1)].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
      return MisplacedHeader(
        opening: opening, lines: lines, end: frontMatter.bodyStart, line: frontMatter.openingLine)
    }
    guard headerKind == .none || headerKind == .unreadable else { return nil }
    var (at, line, isCode, attempts) = (0, 1, false, 0)
    while at < text.count, attempts < 20 {
      let next = lineEnd(text, at)
      var end = next
      while end > at, isBlank(text[end - 1]) { end -= 1 }
      if text[at..<end].starts(with: "```".utf8) || text[at..<end].starts(with: "~~~".utf8) {
        isCode.toggle()
      } else if !isCode, text[at..<end].suffix(3).elementsEqual("---".utf8),
        end - 3 == at || text[end - 4] != UInt8(ascii: "-")
      {
        attempts += 1
        if let found = header(from: end - 3, line, previous: previousText) { return found }
      }
      (at, line) = (next, line + 1)
    }
    return nil
  }

  /// The maximum size in bytes of a header below the top.
  private static let maxMisplacedLength = 16_384

  private func header(
    from opening: Int, _ line: Int, previous previousText: EntryText?
  ) -> MisplacedHeader? {
    let slice = Array(text[opening..<min(opening + Self.maxMisplacedLength, text.count)])
    let piece = EntryText(slice)
    guard piece.headerKind == .yaml, piece.hasOnlyFields else { return nil }
    let isPreviousHeader =
      previousText.map { $0.headerKind == .yaml && $0.header == piece.header } ?? false
    guard isPreviousHeader || piece.hasReadableDate else { return nil }
    let lines = piece.frontMatter.lines
    return MisplacedHeader(
      opening: opening, lines: (opening + lines.lowerBound)..<(opening + lines.upperBound),
      end: opening + piece.frontMatter.bodyStart, line: line)
  }

  /// True if the key is exactly `date` and its value starts with a year and can be parsed.
  private var hasReadableDate: Bool {
    guard field("date")?.key == "date", let date = string("date") else { return false }
    return date.prefix(4).allSatisfy(\.isNumber) && EntryDate(reading: date, zone: .gmt) != nil
  }

  /// True if each line of the header is a field or continues the one above it.
  private var hasOnlyFields: Bool {
    let keys = Set(fields.map(\.range.lowerBound))
    var at = frontMatter.lines.lowerBound
    while at < frontMatter.lines.upperBound {
      let end = lineEnd(text, at)
      if !keys.contains(at), !isBlank(text[at]), text[at] != UInt8(ascii: "-"),
        text[at] != UInt8(ascii: "#")
      {
        return false
      }
      at = end
    }
    return true
  }
}
