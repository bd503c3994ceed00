/// The version among `versions` from which an entry and a conflict copy of it both came, as far as the
/// texts can tell: the one that differs least from both. `nil` when none can have been it; a merge
/// then keeps all that stands in either.
///
/// A line that only one of the two has is new there, unless a version says that the other one took it
/// away. A version that is in truth half a step towards one of the two would say so wrongly, and the
/// merge would drop new words. So a version counts only if each of its lines stands, hardly changed,
/// in both texts or in neither.
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

/// A text as its words, line by line.
private struct CountedLines {
  private var counts: [Substring: Int] = [:]
  /// The lines of the body that hold words.
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

  /// How many words one of them has and the other has not.
  func distance(to other: CountedLines) -> Int {
    Set(counts.keys).union(other.counts.keys).reduce(0) { sum, word in
      sum + abs(counts[word, default: 0] - other.counts[word, default: 0])
    }
  }

  func canBeBase(of a: CountedLines, and b: CountedLines) -> Bool {
    lines.allSatisfy { line in a.hasSimilarLine(line) == b.hasSimilarLine(line) }
  }

  /// Whether the line stands there, with no more than one word in eight changed, or a single one of
  /// at least four.
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
