/// Whether a save came from an editor's old buffer, which the sync's words never reached.
///
/// `seen` is the version before a sync replaced the file by `brought`, `saved` what was written
/// afterwards. True if the sync brought words and `saved` hardly holds what it brought: less than three
/// in ten of the new pairs of neighbouring words, or a single one (typed by chance: two devices add
/// the same key, or begin a sentence alike), and not all of the words that are new altogether, nor all
/// that it brought. Where the sync only took words away, true if `saved` still holds all of them.
package func isStaleBuffer(seen: [UInt8], incoming: [UInt8], saved: [UInt8]) -> Bool {
  var numbers = UnitNumbers()
  let before = WordBigrams(seen, &numbers)
  let after = WordBigrams(incoming, &numbers)
  let now = WordBigrams(saved, &numbers)
  let addedCounts = after.counts.filter { $0.value > before.counts[$0.key, default: 0] }
  if !addedCounts.isEmpty {
    let pairs = after.pairs.subtracting(before.pairs)
    let new = Set(after.counts.keys).subtracting(before.counts.keys)
    if !new.isEmpty, new.isSubset(of: now.counts.keys) { return false }
    // A word said twice is one new pair, or none: nothing of it can be taken back where all is there.
    let isAllThere =
      pairs.isSubset(of: now.pairs)
      && addedCounts.allSatisfy { now.counts[$0.key, default: 0] >= $0.value }
    if isAllThere { return false }
    let sharedPairs = pairs.intersection(now.pairs).count
    return sharedPairs < 2 || 10 * sharedPairs < 3 * pairs.count
  }
  let removedCounts = before.counts.filter { $0.value > after.counts[$0.key, default: 0] }
  return !removedCounts.isEmpty
    && removedCounts.allSatisfy { now.counts[$0.key, default: 0] >= $0.value }
}

/// Which of the versions that the disk showed, the oldest first, a save was written from that holds
/// none of what came since; `nil` if the writer has seen `brought`, which stands there now.
///
/// An editor may have been opened before any of several syncs. What came after the oldest version
/// that can be meant counts as not seen, so that nothing of it is taken back.
package func staleBufferBase(seen: [[UInt8]], incoming: [UInt8], saved: [UInt8]) -> [UInt8]? {
  seen.first { isStaleBuffer(seen: $0, incoming: incoming, saved: saved) }
}

/// The words of a text, and which stand side by side.
private struct WordBigrams {
  struct Pair: Hashable {
    let left: Int
    let right: Int
  }

  private(set) var counts: [Int: Int] = [:]
  private(set) var pairs: Set<Pair> = []

  init(_ bytes: [UInt8], _ numbers: inout UnitNumbers) {
    let text = DecodedText(bytes).utf8
    var last = -1
    for token in WordTokens(text).tokens where token.isWord {
      let number = numbers.number(String(decoding: text[token.start..<token.end], as: UTF8.self))
      counts[number, default: 0] += 1
      pairs.insert(Pair(left: last, right: number))
      last = number
    }
    pairs.insert(Pair(left: last, right: -2))
  }
}
