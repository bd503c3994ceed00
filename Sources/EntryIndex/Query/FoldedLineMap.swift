import DiaryCore
/// A text that is folded by character, with a map from folded bytes to the original text.
struct FoldedLineMap {
  private var bytes: [UInt8] = []
  /// The UTF-8 range of the original character of each folded byte.
  private var origins: [Range<Int>] = []

  init(_ text: String, _ letters: FoldCache) {
    var start = 0
    for character in text {
      let end = start + character.utf8.count
      let folded = letters[character]
      // As in every folded text, a run of blanks becomes one blank.
      if folded != [UInt8(ascii: " ")] || (bytes.last ?? 0) != UInt8(ascii: " ") {
        bytes += folded
        while origins.count < bytes.count { origins.append(start..<end) }
      }
      start = end
    }
  }

  /// The ranges of the terms in the original text, with overlapping ranges joined.
  func ranges(of needles: [FoldedTerm]) -> [Range<Int>] {
    let found = bytes.withUnsafeBytes { bytes in needles.flatMap { $0.ranges(in: bytes) } }
    return MatchLine.joined(
      found.map { origins[$0.lowerBound].lowerBound..<origins[$0.upperBound - 1].upperBound })
  }
}

/// A cache of folded characters for the duration of a search.
final class FoldCache {
  private var cache: [Character: [UInt8]] = [:]

  subscript(_ character: Character) -> [UInt8] {
    if let folded = cache[character] { return folded }
    var folded = SearchText.fold(String(character))
    let isControl = character.asciiValue.map { $0 < 32 } ?? false
    if folded.isEmpty, isControl || character.isWhitespace { folded = [UInt8(ascii: " ")] }
    cache[character] = folded
    return folded
  }
}
