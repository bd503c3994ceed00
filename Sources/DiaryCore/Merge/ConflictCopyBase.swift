/// The most likely common base of an entry and its conflict copy: the version in `versions` that
/// differs least from both. `nil` if no version can be the base; a merge then keeps everything that
/// either text contains.
///
/// A line that only one of the texts has is new there, unless a version shows that the other text
/// removed it. A version that already has a part of one text's changes would show this wrongly, and
/// the merge would drop new words. So a version counts only if each of its lines is, hardly
/// changed, in both texts or in neither.
package func conflictCopyBase(_ versions: [[UInt8]], _ a: [UInt8], _ b: [UInt8]) -> [UInt8]? {
  let sides = [CountedLines(a), CountedLines(b)]
  var best: (version: [UInt8], cost: Int)?
  for version in versions where version != a && version != b && EntryMerge.canMerge(version) {
    let lines = CountedLines(version)
    guard lines.canBeBase(of: sides[0], and: sides[1]) else { continue }
    let cost = sides.map { lines.distance(to: $0) }.reduce(0, +)
    if best.map({ cost < $0.cost }) ?? true { best = (version, cost) }
  }
  return best?.version
}

/// The words of a text, by line.
private struct CountedLines {
  private var counts: [Substring: Int] = [:]
  /// The lines of the body that contain words.
  private var lines: Set<[Substring]> = []

  init(_ bytes: [UInt8]) {
    let text = EntryText(bytes)
    for line in text.body.split(whereSeparator: \.isNewline) {
      let words = line.split(whereSeparator: \.isWhitespace)
      for word in words { counts[word, default: 0] += 1 }
      if !words.isEmpty { lines.insert(words) }
    }
    for word in text.header.split(whereSeparator: \.isWhitespace) {
      counts[Substring(String(word)), default: 0] += 1
    }
  }

  /// The number of words that only one of the two texts has.
  func distance(to other: CountedLines) -> Int {
    Set(counts.keys).union(other.counts.keys).reduce(0) { sum, word in
      sum + abs(counts[word, default: 0] - other.counts[word, default: 0])
    }
  }

  func canBeBase(of a: CountedLines, and b: CountedLines) -> Bool {
    lines.allSatisfy { line in a.hasSimilarLine(line) == b.hasSimilarLine(line) }
  }

  /// True if the text contains the line with at most one word in eight changed. In a line of at
  /// least four words, one changed word is always allowed.
  private func hasSimilarLine(_ line: [Substring]) -> Bool {
    if lines.contains(line) { return true }
    var words: [Substring: Int] = [:]
    for word in line { words[word, default: 0] += 1 }
    let allowed = line.count < 4 ? 0 : max(1, line.count / 8)
    return lines.contains { other in
      var missing = words
      for word in other { missing[word].map { missing[word] = $0 - 1 } ?? () }
      return missing.values.reduce(0) { $0 + max(0, $1) } <= allowed
    }
  }
}
