/// True if an editor saved a buffer that it had loaded before a sync replaced the file.
///
/// The arguments are the version before the sync, the version that replaced it, and the bytes saved
/// afterwards. If the sync added words, the buffer is old if it contains fewer than three in ten of
/// the new pairs of neighbouring words, or only one: two devices may add the same key, or begin a
/// sentence alike. It is old with fewer than half of them if it also has words of its own, because
/// both may have filled in the same template, or if it has all of several words that the sync
/// removed. It is also old if it contains none of the entirely new words: the pairs that it shares
/// may be those of a word that two devices appended. It is not old if it contains all entirely new
/// words, or everything that was added. If the sync only removed words, it is old if it still
/// contains all of them.
package func isOldBuffer(seen: [UInt8], incoming: [UInt8], saved: [UInt8]) -> Bool {
  var numbers = UnitNumbers()
  let before = WordBigrams(seen, &numbers)
  let after = WordBigrams(incoming, &numbers)
  let now = WordBigrams(saved, &numbers)
  let addedCounts = after.counts.filter { $0.value > before.counts[$0.key, default: 0] }
  let removedCounts = before.counts.filter { $0.value > after.counts[$0.key, default: 0] }
  let hasRemovedWords =
    !removedCounts.isEmpty
    && removedCounts.allSatisfy { now.counts[$0.key, default: 0] >= $0.value }
  if !addedCounts.isEmpty {
    let pairs = after.pairs.subtracting(before.pairs)
    let new = Set(after.counts.keys).subtracting(before.counts.keys)
    if !new.isEmpty {
      if new.isSubset(of: now.counts.keys) { return false }
      if new.isDisjoint(with: now.counts.keys) { return true }
    }
    // A repeated word gives one new pair or none. If everything is there, the save removes nothing.
    let isAllThere =
      pairs.isSubset(of: now.pairs)
      && addedCounts.allSatisfy { now.counts[$0.key, default: 0] >= $0.value }
    if isAllThere { return false }
    let sharedPairs = pairs.intersection(now.pairs).count
    let hasOwnWords = now.bareCounts.contains {
      $0.value > max(before.bareCounts[$0.key, default: 0], after.bareCounts[$0.key, default: 0])
    }
    let isHalf = hasOwnWords || hasRemovedWords && removedCounts.count > 1
    return sharedPairs < 2 || 10 * sharedPairs < (isHalf ? 5 : 3) * pairs.count
  }
  return hasRemovedWords
}

/// The version on disk from which an old buffer was loaded; `nil` if the editor had loaded the version
/// that is on disk now. `seen` contains the oldest version first.
///
/// An editor may have been opened before any of several syncs: the oldest version counts that the
/// save can come from, or a later one whose changes the save has, all of them. Everything newer counts
/// as not seen by the user, so that the merge removes none of it. Of the versions that an old buffer
/// itself has saved, `returned`, the changes need only be recognizable: they are the same writer's.
/// Bytes that are no text have no base.
package func oldBufferBase(
  seen: [[UInt8]], returned: [[UInt8]] = [], incoming: [UInt8], saved: [UInt8]
) -> [UInt8]? {
  guard !DecodedText(saved).isDamaged, !DecodedText(incoming).isDamaged else { return nil }
  let possible = seen.filter { isOldBuffer(seen: $0, incoming: incoming, saved: saved) }
  return possible.dropFirst().reduce(possible.first) { base, next in
    base.map { base in
      let hasSeen =
        returned.contains(next)
        ? !isOldBuffer(seen: base, incoming: next, saved: saved)
        : hasChanges(from: base, to: next, saved)
      return hasSeen ? next : base
    }
  }
}

/// True if a text has each word and each pair of words that a later version added, as often, and no
/// word that the later version removed.
private func hasChanges(from old: [UInt8], to new: [UInt8], _ text: [UInt8]) -> Bool {
  var numbers = UnitNumbers()
  let (before, after) = (WordBigrams(old, &numbers), WordBigrams(new, &numbers))
  let now = WordBigrams(text, &numbers)
  let pairs = after.pairs.subtracting(before.pairs).filter { $0.left >= 0 && $0.right >= 0 }
  return pairs.isSubset(of: now.pairs)
    && after.counts.allSatisfy {
      $0.value <= before.counts[$0.key, default: 0] || now.counts[$0.key, default: 0] >= $0.value
    }
    && before.counts.allSatisfy {
      after.counts[$0.key] != nil || now.counts[$0.key] == nil
    }
}

/// True if a text contains no word that another lacks, and none more often.
package func hasNoNewWords(_ text: [UInt8], beyond other: [UInt8]) -> Bool {
  var numbers = UnitNumbers()
  let known = WordBigrams(other, &numbers).counts
  return WordBigrams(text, &numbers).counts.allSatisfy { known[$0.key, default: 0] >= $0.value }
}

/// True if a text contains at least half of another's body, by the length of its lines. Composed and
/// decomposed characters are equal. A line that is not UTF-8 counts for nothing.
package func isBased(_ text: [UInt8], on seen: [UInt8]) -> Bool {
  func lines(_ bytes: [UInt8]) -> Set<String> {
    let lines = EntryText(bytes).bodyBytes.split { $0 == UInt8(ascii: "\n") || $0 == 0x0D }
    return Set(lines.compactMap { String(validating: $0, as: UTF8.self) })
  }
  let (old, new) = (lines(seen), lines(text))
  let all = old.reduce(0) { $0 + $1.utf8.count }
  let common = old.reduce(0) { new.contains($1) ? $0 + $1.utf8.count : $0 }
  return common > 0 && 2 * common >= all
}

/// Two neighbouring words, by their numbers.
struct WordPair: Hashable {
  let left: Int
  let right: Int
}

/// The words of a text, and its pairs of neighbouring words.
private struct WordBigrams {
  private(set) var counts: [Int: Int] = [:]
  /// The words without punctuation around them: a cut sentence has no words of its own.
  private(set) var bareCounts: [Int: Int] = [:]
  private(set) var pairs: Set<WordPair> = []

  init(_ bytes: [UInt8], _ numbers: inout UnitNumbers) {
    let text = DecodedText(bytes).utf8
    var last = -1
    for token in WordTokens(text).tokens where token.isWord {
      let word = String(decoding: text[token.start..<token.end], as: UTF8.self)
      let number = numbers.number(word)
      counts[number, default: 0] += 1
      var bare = word.drop { $0.isPunctuation }
      while bare.last?.isPunctuation == true { bare.removeLast() }
      bareCounts[numbers.number(String(bare)), default: 0] += 1
      pairs.insert(WordPair(left: last, right: number))
      last = number
    }
    pairs.insert(WordPair(left: last, right: -2))
  }
}
