import DiaryCore
/// A text, folded character by character, that remembers where each folded byte came from.
struct FoldedLineMap {
  private var bytes: [UInt8] = []
  /// For each folded byte, the UTF-8 range of its character.
  private var origins: [Range<Int>] = []

  init(_ text: String, _ letters: FoldCache) {
    var start = 0
    for character in text {
      let end = start + character.utf8.count
      let folded = letters[character]
      // Runs of blanks are one blank in every folded text.
      if folded != [UInt8(ascii: " ")] || (bytes.last ?? 0) != UInt8(ascii: " ") {
        bytes += folded
        while origins.count < bytes.count { origins.append(start..<end) }
      }
      start = end
    }
  }

  /// Where the terms stand in the text as it is written, overlapping places joined.
  func ranges(of needles: [FoldedTerm]) -> [Range<Int>] {
    let found = bytes.withUnsafeBytes { bytes in needles.flatMap { $0.ranges(in: bytes) } }
    return MatchLine.joined(
      found.map { origins[$0.lowerBound].lowerBound..<origins[$0.upperBound - 1].upperBound })
  }
}

/// What characters fold to, worked out once in a search.
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
