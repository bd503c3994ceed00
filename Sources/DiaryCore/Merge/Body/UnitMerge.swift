/// The text of a unit that both versions have.
enum MergedUnit {
  /// One version's text: it includes all of the other's changes, or the other changed no letters.
  case one(side: Int)
  /// A line of tags with those of both versions.
  case tags([UInt8])
  /// Both texts stay.
  case both
}

/// The versions of one unit.
struct UnitVersions {
  private let base: BodyUnits.Unit
  private let units: [BodyUnits.Unit]
  /// The unchanged bytes of the base and of each version.
  private let unitBytes: [[UInt8]]

  init(_ base: (BodyUnits, Int), _ a: (BodyUnits, Int), _ b: (BodyUnits, Int)) {
    let all = [base, a, b]
    self.base = base.0.units[base.1]
    units = [a.0.units[a.1], b.0.units[b.1]]
    unitBytes = all.map { Array($0.0.bytes[$0.0.units[$0.1].text]) }
  }

  func mergedUnit() -> MergedUnit {
    if unitBytes[1] == unitBytes[0] { return .one(side: 1) }
    if unitBytes[2] == unitBytes[0] || unitBytes[1] == unitBytes[2] { return .one(side: 0) }
    let hasBaseLetters = units.map { $0.key == base.key }
    // The letters are equal: the case, punctuation and emphasis of one version are used as a whole.
    if units[0].key == units[1].key {
      return .one(side: isPreferred(unitBytes[1], over: unitBytes[2]) ? 0 : 1)
    }
    if hasBaseLetters[0] { return .one(side: 1) }
    if hasBaseLetters[1] { return .one(side: 0) }
    guard units.allSatisfy({ $0.kind != .code }), base.kind != .code else { return .both }
    if let tags = mergedTags() { return .tags(tags) }
    let changes = units.map { WordChange.all(from: base.words, to: $0.words) }
    if WordChange.hasChanges(changes[0], all: changes[1]) { return .one(side: 0) }
    if WordChange.hasChanges(changes[1], all: changes[0]) { return .one(side: 1) }
    return .both
  }

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
}

/// A range of words that a version replaced with others.
struct WordChange {
  let base: Range<Int>
  let new: ArraySlice<BodyUnits.Word>

  static func all(from base: [BodyUnits.Word], to words: [BodyUnits.Word]) -> [WordChange] {
    let pairs = alignedPairs(base.map(\.number), words.map(\.number))
    return Hunk.all(between: pairs, base.indices, words.indices).map { hunk in
      WordChange(base: hunk.base, new: words[hunk.side])
    }
  }

  /// True if the changes include each of `others`, at the same words and at least as a prefix.
  static func hasChanges(_ changes: [WordChange], all others: [WordChange]) -> Bool {
    others.allSatisfy { other in
      changes.contains { $0.base == other.base && $0.new.starts(with: other.new) }
    }
  }
}
