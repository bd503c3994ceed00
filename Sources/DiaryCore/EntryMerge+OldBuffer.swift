/// Whether a save came from an editor's old buffer, which the sync's words never reached.
///
/// `seen` is the version before a sync replaced the file by `brought`, `saved` what was written
/// afterwards. True if the sync brought words and `saved` holds none of what it brought: none of
/// the new pairs of neighbouring words, and less than half of the words that are new altogether
/// (a single one may have been typed by chance). Where the sync only took words away, true if
/// `saved` still holds all of them.
public func isFromOldBuffer(seen: [UInt8], brought: [UInt8], saved: [UInt8]) -> Bool {
  var spellings = Spellings()
  let before = CountedWords(seen, &spellings)
  let after = CountedWords(brought, &spellings)
  let now = CountedWords(saved, &spellings)
  if after.counts.contains(where: { $0.value > before.counts[$0.key, default: 0] }) {
    guard after.pairs.subtracting(before.pairs).isDisjoint(with: now.pairs) else { return false }
    let new = Set(after.counts.keys).subtracting(before.counts.keys)
    return new.isEmpty || 2 * new.intersection(now.counts.keys).count < new.count
  }
  let taken = before.counts.filter { $0.value > after.counts[$0.key, default: 0] }
  return !taken.isEmpty && taken.allSatisfy { now.counts[$0.key, default: 0] >= $0.value }
}

/// The words of a text, and which stand side by side.
private struct CountedWords {
  struct Pair: Hashable {
    let left: Int
    let right: Int
  }

  private(set) var counts: [Int: Int] = [:]
  private(set) var pairs: Set<Pair> = []

  init(_ bytes: [UInt8], _ spellings: inout Spellings) {
    let text = DecodedText(bytes).utf8
    var last = Spellings.paragraphBreak
    for token in WordTokens(text).tokens where token.isWord {
      let number = spellings.number(text[token.start..<token.end])
      counts[number, default: 0] += 1
      pairs.insert(Pair(left: last, right: number))
      last = number
    }
    pairs.insert(Pair(left: last, right: Spellings.end))
  }
}
