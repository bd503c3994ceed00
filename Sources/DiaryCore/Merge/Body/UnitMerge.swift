/// The text of a unit that both versions have.
enum MergedUnit {
  /// One version's text: it includes all of the other's changes, or the other changed no letters.
  case one(side: Int)
  /// One version's text, with the other's spelling corrections or distant changes.
  case composed(side: Int, text: [UInt8], needsReview: Bool)
  /// Both texts stay.
  case both
}

/// The versions of one unit.
struct UnitVersions {
  private let base: BodyUnits.Unit
  private let units: [BodyUnits.Unit]
  private let texts: [[UInt8]]
  /// The unchanged bytes of the base and of each version.
  private let unitBytes: [[UInt8]]

  init(_ base: (BodyUnits, Int), _ a: (BodyUnits, Int), _ b: (BodyUnits, Int)) {
    let all = [base, a, b]
    self.base = base.0.units[base.1]
    units = [a.0.units[a.1], b.0.units[b.1]]
    texts = all.map { $0.0.bytes }
    unitBytes = all.map { Array($0.0.bytes[$0.0.units[$0.1].text]) }
  }

  func mergedUnit() -> MergedUnit {
    if unitBytes[1] == unitBytes[0] { return .one(side: 1) }
    if unitBytes[2] == unitBytes[0] || unitBytes[1] == unitBytes[2] { return .one(side: 0) }
    let hasBaseLetters = units.map { $0.key == base.key }
    // The letters are equal: the case, punctuation and emphasis of one version are used as a whole.
    if units[0].key == units[1].key { return .one(side: longerOrGreater(1, 2) - 1) }
    if hasBaseLetters[0] { return .one(side: 1) }
    if hasBaseLetters[1] { return .one(side: 0) }
    guard units.allSatisfy({ $0.kind != .code }), base.kind != .code else { return .both }
    if let tags = mergedTags() { return .composed(side: 0, text: tags, needsReview: false) }
    let changes = units.map { WordChange.all(from: base.words, to: $0.words) }
    if WordChange.hasChanges(changes[0], all: changes[1]) { return .one(side: 0) }
    if WordChange.hasChanges(changes[1], all: changes[0]) { return .one(side: 1) }
    return correction(changes) ?? distantChanges(changes) ?? .both
  }

  private func longerOrGreater(_ one: Int, _ other: Int) -> Int {
    isLongerOrGreater(unitBytes[one], than: unitBytes[other]) ? one : other
  }

  // MARK: Spelling

  private func correction(_ changes: [[WordChange]]) -> MergedUnit? {
    let found = (0...1).map {
      respelledWords(base, in: texts[0], units[$0], in: texts[$0 + 1])
    }
    if let mine = found[0], let theirs = found[1] {
      for (position, word) in mine where theirs[position].map({ $0 != word }) ?? false {
        return .both
      }
      let carrier = longerOrGreater(1, 2) - 1
      return spellingCorrection(
        carrier == 0 ? theirs : mine, in: carrier, changes[carrier], isPlain: true)
    }
    if let mine = found[0] { return spellingCorrection(mine, in: 1, changes[1], isPlain: false) }
    if let theirs = found[1] {
      return spellingCorrection(theirs, in: 0, changes[0], isPlain: false)
    }
    return nil
  }

  /// Applies the other side's spelling of words to a version that kept these words.
  private func spellingCorrection(
    _ words: [Int: BodyUnits.Word], in index: Int, _ changes: [WordChange], isPlain: Bool
  ) -> MergedUnit {
    var replacements: [(Range<Int>, ArraySlice<UInt8>)] = []
    for (position, word) in words.sorted(by: { $0.key < $1.key }) {
      if let change = changes.first(where: { $0.base.contains(position) }) {
        let isOther = change.base.count == 1 && change.new.count == 1
        if isOther, change.new.first == word { continue }
        // This version replaced the word, which the other one respelled.
        if change.base.count == 1, !change.new.isEmpty { return .both }
        continue
      }
      let shift = changes.filter { $0.base.upperBound <= position }
        .reduce(0) { $0 + $1.new.count - $1.base.count }
      replacements.append(
        (units[index].words[position + shift].range, texts[2 - index][word.range]))
    }
    guard !replacements.isEmpty else { return .one(side: index) }
    let text = textWithReplacements(texts[index + 1], units[index].text, replacements)
    return .composed(side: index, text: text, needsReview: !isPlain)
  }

  // MARK: Tags

  /// Merges a line of only tags as a set.
  private func mergedTags() -> [UInt8]? {
    let lists = unitBytes.map {
      String(decoding: $0, as: UTF8.self).split(whereSeparator: \.isWhitespace).map(String.init)
    }
    guard lists.allSatisfy({ list in list.allSatisfy { $0.hasPrefix("#") && $0.utf8.count > 1 } })
    else { return nil }
    let kept = lists[0].filter { lists[1].contains($0) && lists[2].contains($0) }
    let added = Set(lists[1] + lists[2]).subtracting(lists[0])
      .sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
    return Array((kept + added).joined(separator: " ").utf8)
  }

  // MARK: Long units

  private static let longUnitWidth = 400
  private static let minDistance = 120

  /// Applies both sides' changes of a very long unit, if enough common text is between them.
  private func distantChanges(_ changes: [[WordChange]]) -> MergedUnit? {
    guard unitBytes.contains(where: { $0.count > UnitVersions.longUnitWidth }),
      unitBytes.contains(where: {
        displayWidth(String(decoding: $0, as: UTF8.self)) > UnitVersions.longUnitWidth
      })
    else { return nil }
    for one in changes[0] {
      for other in changes[1] {
        let (first, second) =
          one.base.lowerBound <= other.base.lowerBound ? (one, other) : (other, one)
        guard first.base.upperBound < second.base.lowerBound else { return nil }
        let words = base.words[first.base.upperBound..<second.base.lowerBound]
        let text = texts[0][
          words[words.startIndex].range.lowerBound..<words[words.endIndex - 1].range.upperBound]
        if displayWidth(String(decoding: text, as: UTF8.self)) < UnitVersions.minDistance {
          return nil
        }
      }
    }
    let carrier = longerOrGreater(1, 2) - 1
    var replacements: [(Range<Int>, ArraySlice<UInt8>)] = []
    for change in changes[1 - carrier] {
      let shift = changes[carrier].filter { $0.base.upperBound <= change.base.lowerBound }
        .reduce(0) { $0 + $1.new.count - $1.base.count }
      guard let piece = replacement(change, shift, in: carrier) else { return nil }
      replacements.append(piece)
    }
    let text = textWithReplacements(texts[carrier + 1], units[carrier].text, replacements)
    return .composed(side: carrier, text: text, needsReview: true)
  }

  /// A change of the other version as a change of the carrier's text. It includes the word before
  /// or the word after, so that the blanks between them are replaced, too.
  private func replacement(
    _ change: WordChange, _ shift: Int, in carrier: Int
  ) -> (Range<Int>, ArraySlice<UInt8>)? {
    let (mine, theirs) = (units[carrier].words, units[1 - carrier].words)
    let (start, newStart) = (change.base.lowerBound + shift, change.start)
    let (end, newEnd) = (start + change.base.count, newStart + change.new.count)
    let text = texts[2 - carrier]
    if start > 0, newStart > 0 {
      return (
        mine[start - 1].range.upperBound..<mine[end - 1].range.upperBound,
        text[theirs[newStart - 1].range.upperBound..<theirs[newEnd - 1].range.upperBound]
      )
    }
    guard end < mine.count, newEnd < theirs.count else { return nil }
    return (
      mine[start].range.lowerBound..<mine[end].range.lowerBound,
      text[theirs[newStart].range.lowerBound..<theirs[newEnd].range.lowerBound]
    )
  }

  private func textWithReplacements(
    _ text: [UInt8], _ range: Range<Int>, _ replacements: [(Range<Int>, ArraySlice<UInt8>)]
  ) -> [UInt8] {
    var result: [UInt8] = []
    var at = range.lowerBound
    for (old, new) in replacements {
      result += text[at..<max(at, old.lowerBound)]
      result += new
      at = max(at, old.upperBound)
    }
    return result + text[at..<range.upperBound]
  }
}

/// The words that a unit only spells differently, by their positions; `nil` if it differs in
/// anything else.
func respelledWords(
  _ base: BodyUnits.Unit, in text: [UInt8], _ unit: BodyUnits.Unit, in newText: [UInt8]
) -> [Int: BodyUnits.Word]? {
  guard unit.words.count == base.words.count else { return nil }
  var found: [Int: BodyUnits.Word] = [:]
  for (position, (was, now)) in zip(base.words, unit.words).enumerated() where was != now {
    guard isSpellingVariant(text[was.range], newText[now.range]) else { return nil }
    found[position] = now
  }
  return found
}

/// A range of words that a version replaced with others.
struct WordChange {
  let base: Range<Int>
  /// The position of the new words in the version.
  let start: Int
  let new: ArraySlice<BodyUnits.Word>

  static func all(from base: [BodyUnits.Word], to words: [BodyUnits.Word]) -> [WordChange] {
    let pairs = alignedPairs(base.map(\.number), words.map(\.number))
    return Hunk.all(between: pairs, base.indices, words.indices).map { hunk in
      WordChange(base: hunk.base, start: hunk.side.lowerBound, new: words[hunk.side])
    }
  }

  /// True if the changes include each of `others`, at the same words and at least as a prefix.
  static func hasChanges(_ changes: [WordChange], all others: [WordChange]) -> Bool {
    others.allSatisfy { other in
      changes.contains { $0.base == other.base && $0.new.starts(with: other.new) }
    }
  }
}

/// True if `one` wins where only one text can stay: the longer one, or of equal length the greater
/// in bytes. ``isPreferred(_:over:)`` prefers the lesser. Neither order has a meaning, but both are
/// part of the merge's format: two devices must merge alike.
func isLongerOrGreater(_ one: some Collection<UInt8>, than other: some Collection<UInt8>) -> Bool {
  one.count == other.count ? other.lexicographicallyPrecedes(one) : one.count > other.count
}

/// True if two words differ by a typing mistake: two neighbouring letters swapped, or one letter
/// changed, added or removed in words of five or more. Only for scripts with small letters, with
/// the same small letter first, and without digits.
func isSpellingVariant(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Bool {
  let (was, now) = (letters(one), letters(other))
  guard let was, let now, was.first == now.first else { return false }
  if was.count == now.count {
    let positions = was.indices.filter { was[$0] != now[$0] }
    if positions.count == 2, positions[1] == positions[0] + 1, was.count >= 3 {
      return was[positions[0]] == now[positions[1]] && was[positions[1]] == now[positions[0]]
    }
    return positions.count == 1 && was.count >= 5
  }
  let (short, long) = was.count < now.count ? (was, now) : (now, was)
  guard long.count == short.count + 1, short.count >= 5 else { return false }
  let same = zip(short, long).prefix { $0 == $1 }.count
  return Array(short[same...]) == Array(long[(same + 1)...])
}

/// The letters of a word that begins with a small letter, in such a script; `nil` for other words.
private func letters(_ word: ArraySlice<UInt8>) -> [String]? {
  let text = Array(String(decoding: word, as: UTF8.self))
  guard let first = text.first, first.isLowercase,
    text.allSatisfy({ $0.isLowercase || $0.isUppercase })
  else { return nil }
  return text.map { $0.lowercased() }
}
