import DiaryCore

/// Finds the line of an entry that a search result shows.
struct MatchLineFinder {
  let terms: [FoldedTerm]
  /// The cache for marking matches; `nil` if matches are not marked.
  let foldCache: FoldCache?
  private let titleTerms: [FoldedTerm]
  private let tagTerms: [FoldedTerm]
  private let anywhereTerms: [FoldedTerm]

  init(_ needles: [FoldedTerm], foldCache: FoldCache?) {
    self.terms = needles
    self.foldCache = foldCache
    titleTerms = needles.filter { $0.scope != .tag }
    tagTerms = needles.filter { $0.scope != .title }
    anywhereTerms = needles.filter { $0.scope == .anywhere }
  }

  /// The best line of an entry: from the body, else the title, the tags or the header.
  func line(of listed: EntrySummary, _ body: FieldText, _ header: FieldText) throws -> MatchLine {
    func tagLine() -> String { listed.tags.map { "#" + $0 }.joined(separator: " ") }
    return try bestLine(anywhereTerms, .body, body) ?? bestLine(titleTerms, .title, listed.title)
      ?? bestLine(tagTerms, .tags, tagLine()) ?? bestLine(anywhereTerms, .header, header)
      ?? MatchLine(field: .title, text: listed.title, ranges: [])
  }

  private func ranges(of needles: [FoldedTerm], in line: String) -> [Range<Int>] {
    foldCache.map { FoldedLineMap(line, $0).ranges(of: needles) } ?? []
  }

  /// The best line of a field with folded lines: only the line shown is read in the original.
  private func bestLine(
    _ needles: [FoldedTerm], _ field: MatchLine.Field, _ text: FieldText
  ) throws -> MatchLine? {
    guard text.contains(anyOf: needles) else { return nil }
    guard let line = text.bestLine(needles) else {
      return bestLine(needles, field, try text.fullText())
    }
    let shown = line.trimmed
    return MatchLine(field: field, text: shown, ranges: ranges(of: needles, in: shown))
  }

  /// The first of the lines with the most terms. A phrase that spans lines is shown in the line where
  /// it starts.
  private func bestLine(
    _ needles: [FoldedTerm], _ field: MatchLine.Field, _ text: String
  ) -> MatchLine? {
    guard !needles.isEmpty else { return nil }
    var best: (line: Substring, terms: Int) = ("", 0)
    // Split bytes: finding character boundaries costs more than everything else here.
    for bytes in text.utf8.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
      let line = Substring(bytes)
      let folded = SearchText.fold(String(line))
      let terms = folded.withUnsafeBytes { bytes in
        needles.count { $0.firstOffset(in: bytes, from: 0) != nil }
      }
      if terms > best.terms { best = (line, terms) }
      if terms == needles.count { break }
    }
    if best.terms > 0 {
      let shown = String(best.line).trimmed
      return MatchLine(field: field, text: shown, ranges: ranges(of: needles, in: shown))
    }
    return lineSpanningMatch(needles, field, text)
  }

  private func lineSpanningMatch(
    _ needles: [FoldedTerm], _ field: MatchLine.Field, _ text: String
  ) -> MatchLine? {
    guard let range = FoldedLineMap(text, foldCache ?? FoldCache()).ranges(of: needles).first
    else {
      return nil
    }
    let start = text.utf8.index(text.startIndex, offsetBy: range.lowerBound)
    let lineStart = text[..<start].lastIndex(where: \.isNewline).map(text.index(after:))
    let lineEnd = text[start...].firstIndex(where: \.isNewline) ?? text.endIndex
    let line = text[(lineStart ?? text.startIndex)..<lineEnd]
    let shown = String(line).trimmed
    let blanks = line.prefix(while: \.isWhitespace).utf8.count
    let shift = text.utf8.distance(from: text.startIndex, to: line.startIndex) + blanks
    let shownRange = (range.lowerBound - shift)..<min(range.upperBound - shift, shown.utf8.count)
    return MatchLine(field: field, text: shown, ranges: [shownRange])
  }
}

extension String {
  /// The text without blanks at both ends.
  var trimmed: String {
    if let first = unicodeScalars.first, let last = unicodeScalars.last,
      isSimpleNonblank(first), isSimpleNonblank(last)
    {
      return self
    }
    let start = drop(while: \.isWhitespace)
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(start[...last])
  }
}

/// True for letters and punctuation that are no blanks and start a character. Most lines start and
/// end with one, and the check avoids slow grapheme breaking.
private func isSimpleNonblank(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x21...0x7E, 0xC0...0x24F, 0x3041...0x3096, 0x30A1...0x30FA, 0x4E00...0x9FFF,
    0xAC00...0xD7A3:
    true
  default: false
  }
}

extension MatchLine {
  /// The ranges in order, with overlapping or adjacent ranges joined.
  static func joined(_ ranges: [Range<Int>]) -> [Range<Int>] {
    var joined: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = joined.last, range.lowerBound <= last.upperBound {
        joined[joined.count - 1] =
          last.lowerBound..<Swift.max(last.upperBound, range.upperBound)
      } else {
        joined.append(range)
      }
    }
    return joined
  }
}
