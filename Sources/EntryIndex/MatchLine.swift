import DiaryCore

extension MatchLine {
  /// The best line of an entry for these terms: of the body, else the title, the tags, the header.
  init(
    _ needles: [Needle], title: String, tags: [String], body: String, header: String,
    _ letters: FoldedLetters
  ) {
    let titled = needles.filter { $0.scope != .tag }
    let tagged = needles.filter { $0.scope != .title }
    let free = needles.filter { $0.scope == .anywhere }
    let tagLine = tags.map { "#" + $0 }.joined(separator: " ")
    self =
      MatchLine.best(free, .body, body, letters) ?? MatchLine.best(titled, .title, title, letters)
      ?? MatchLine.best(tagged, .tags, tagLine, letters) ?? MatchLine.best(
        free, .header, header, letters)
      ?? MatchLine(field: .title, text: title, ranges: [])
  }

  /// The first of the lines that hold the most terms, and hold them best. A phrase that runs over
  /// the end of a line is shown in the line where it begins.
  private static func best(
    _ needles: [Needle], _ field: Field, _ text: String, _ letters: FoldedLetters
  ) -> MatchLine? {
    guard !needles.isEmpty else { return nil }
    var best: (line: Substring, terms: Int, rank: Int)?
    // Bytes, because telling characters apart costs more than all the rest.
    for bytes in text.utf8.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
      let line = Substring(bytes)
      let folded = SearchText.fold(String(line))
      let ranks = folded.withUnsafeBytes { bytes in needles.compactMap { $0.rank(in: bytes) } }
      let rank = ranks.reduce(0) { $0 + $1.rawValue }
      guard !ranks.isEmpty else { continue }
      if let known = best, (known.terms, -known.rank) >= (ranks.count, -rank) { continue }
      best = (line, ranks.count, rank)
      if ranks.count == needles.count, rank == 0 { break }
    }
    if let line = best?.line {
      let shown = String(line).trimmed
      return MatchLine(
        field: field, text: shown, ranges: FoldedLine(shown, letters).places(of: needles))
    }
    return overEnds(needles, field, text, letters)
  }

  private static func overEnds(
    _ needles: [Needle], _ field: Field, _ text: String, _ letters: FoldedLetters
  ) -> MatchLine? {
    guard let place = FoldedLine(text, letters).places(of: needles).first else { return nil }
    let start = text.utf8.index(text.startIndex, offsetBy: place.lowerBound)
    let lineStart = text[..<start].lastIndex(where: \.isNewline).map(text.index(after:))
    let lineEnd = text[start...].firstIndex(where: \.isNewline) ?? text.endIndex
    let line = text[(lineStart ?? text.startIndex)..<lineEnd]
    let shown = String(line).trimmed
    let blanks = line.prefix(while: \.isWhitespace).utf8.count
    let shift = text.utf8.distance(from: text.startIndex, to: line.startIndex) + blanks
    let range = (place.lowerBound - shift)..<min(place.upperBound - shift, shown.utf8.count)
    return MatchLine(field: field, text: shown, ranges: [range])
  }
}

extension String {
  /// Without the blanks at both ends.
  var trimmed: String {
    let start = drop(while: \.isWhitespace)
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(start[...last])
  }
}

extension MatchLine {
  /// The same places in order, those that overlap or touch made one.
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
