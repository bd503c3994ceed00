/// Judges a merge by plain strings. The units of a text are what its author typed: sentences, items,
/// headings, rows, blocks of code. The oracle uses nothing of the merge.
struct MergeOracle {
  let base: [String]
  let sides: [[String]]
  let result: [String]
  private let keys: [String: String]
  private let words: [String: [String: Int]]
  private let pairs: [String: [String: Int]]
  private let counts: [[String: Int]]
  /// True if a version changed the columns of a table.
  private let hasOtherColumns: Bool

  init(base: [String], _ a: [String], _ b: [String], result: [String]) {
    (self.base, sides, self.result) = (base, [a, b], result)
    let all = Set(base + a + b + result)
    let keys = all.reduce(into: [:]) { $0[$1] = MergeOracle.letters($1) }
    words = all.reduce(into: [:]) { $0[$1] = MergeOracle.counts(MergeOracle.words($1)) }
    pairs = all.reduce(into: [:]) {
      let words = [""] + MergeOracle.words($1) + [""]
      $0[$1] = MergeOracle.counts(zip(words, words.dropFirst()).map { "\($0) \($1)" })
    }
    counts = [base, a, b, result].map { units in
      units.reduce(into: [:]) { $0[keys[$1] ?? "", default: 0] += 1 }
    }
    self.keys = keys
    let heads = [base, a, b].map { $0.filter { $0.hasPrefix("| day | km") } }
    hasOtherColumns = heads[1...].contains { !$0.isEmpty && $0 != heads[0] } && !heads[0].isEmpty
  }

  /// The rule that the result violates, or `nil`. Units that differ only in case and punctuation
  /// are equal.
  func complaint(isReviewed: Bool) -> String? {
    let known = Set(sides.joined())
    if let unit = result.first(where: { !known.contains($0) }) {
      return "\(unit.debugDescription) was written by nobody"
    }
    let complaints = Set(base).union(known).compactMap { unit in
      countComplaint(unit, isReviewed).map { complaint in
        "\(unit.debugDescription) \(complaint): \(counts.map { $0[folded(unit)] ?? 0 })"
      }
    }
    return complaints.min()
  }

  private func countComplaint(_ unit: String, _ isReviewed: Bool) -> String? {
    let key = folded(unit)
    let number = counts.map { $0[key] ?? 0 }
    let (was, mine, theirs, now) = (number[0], number[1], number[2], number[3])
    let added = max(0, mine - was) + max(0, theirs - was)
    // A flagged result may have copies of both versions, for copies cannot be told apart. If the
    // columns of a table change, its rows stay with each version of it.
    let isRow = unit.hasPrefix("|")
    let hasCopies = isReviewed && max(was, mine, theirs) > 1 || isRow && hasOtherColumns
    if now > max(mine, theirs, was + added, hasCopies ? mine + theirs : 0) {
      return "is there too often"
    }
    for (side, (own, other)) in [(mine, theirs), (theirs, mine)].enumerated() {
      if own == 0, was > 0, other == was, now > 0, !isReviewed, !isRow {
        return "was removed, and stays"
      }
      let least = own - max(0, was - other)
      if now < least, own == was || !isIncluded(unit, of: side) {
        return own == was ? "was touched by nobody, and is lost" : "was added, and is lost"
      }
    }
    return nil
  }

  /// True if a unit of the other version, which is in the result, has all changes that this unit
  /// makes to one of the base: those of its words, or those of its pairs of neighbouring words. Of a
  /// word that one side moved and the other added, only the pairs tell.
  private func isIncluded(_ unit: String, of side: Int) -> Bool {
    let others = Set(sides[1 - side]).intersection(result)
    return base.contains { old in
      others.contains { other in
        [words, pairs].contains { parts in
          let more = changes(parts[old], parts[other])
          return changes(parts[old], parts[unit]).allSatisfy { part, count in
            count > 0 ? more[part, default: 0] >= count : more[part, default: 0] <= count
          }
        }
      }
    }
  }

  /// The numbers of added words or pairs, and negative ones of removed ones.
  private func changes(_ old: [String: Int]?, _ new: [String: Int]?) -> [String: Int] {
    (new ?? [:]).merging((old ?? [:]).mapValues { -$0 }, uniquingKeysWith: +)
      .filter { $0.value != 0 }
  }

  // MARK: Neighbours

  /// A new unit of `line`, sentences of the result side by side, that follows one that was before,
  /// although its author had another one before it, which is in the result, too.
  func neighbourComplaint(in line: [String]) -> String? {
    for (one, other) in zip(line, line.dropFirst()) {
      let (before, new) = (folded(one), folded(other))
      guard counts[0][new] == nil, counts[0][before] != nil, !isMoved(before),
        [before, new].allSatisfy(isSingle)
      else { continue }
      let isKnown = sides.contains { units in
        let at = units.firstIndex { folded($0) == new }
        guard let at, at > 0 else { return at == 0 }
        let own = folded(units[at - 1])
        return own == before || counts[3][own] == nil || !isSingle(own)
          || areSimilar(units[at - 1], one)
      }
      if !isKnown { return "\(other.debugDescription) stands behind \(one.debugDescription)" }
    }
    return nil
  }

  private func isSingle(_ key: String) -> Bool { counts[..<3].allSatisfy { $0[key] ?? 0 < 2 } }

  private func isMoved(_ key: String) -> Bool {
    let before = ([base] + sides).map { units in
      let keys = [""] + units.map(folded)
      return keys.firstIndex(of: key).map { keys[$0 - 1] }
    }
    return before[1...].contains { $0 != nil && $0 != before[0] }
  }

  /// True if half of the longer unit's letters are in words that both have.
  private func areSimilar(_ one: String, _ other: String) -> Bool {
    func letters(_ words: [String: Int]) -> Int {
      words.reduce(0) { $0 + $1.key.count * $1.value }
    }
    let (mine, theirs) = (words[one] ?? [:], words[other] ?? [:])
    let common = mine.merging(theirs, uniquingKeysWith: min).filter {
      mine[$0.key] != nil && theirs[$0.key] != nil
    }
    return 2 * letters(common) >= max(letters(mine), letters(theirs))
  }

  // MARK: Strings

  private func folded(_ unit: String) -> String { keys[unit] ?? "" }

  /// The letters and digits in small letters. For code, rows and a unit without any, the unit itself.
  private static func letters(_ unit: String) -> String {
    let letters = unit.lowercased().filter { $0.isLetter || $0.isNumber }
    return unit.hasPrefix("```") || unit.hasPrefix("|") || letters.isEmpty ? unit : letters
  }

  /// The words in small letters, each Han or kana character as one.
  private static func words(_ unit: String) -> [String] {
    var words: [String] = []
    for chunk in unit.lowercased().split(whereSeparator: \.isWhitespace) {
      var word = ""
      for letter in chunk where letter.isLetter || letter.isNumber {
        if ("\u{3040}"..."\u{9FFF}").contains(letter) {
          words.append(String(letter))
        } else {
          word.append(letter)
        }
      }
      if !word.isEmpty { words.append(word) }
    }
    return words
  }

  private static func counts(_ parts: [String]) -> [String: Int] {
    parts.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }
}
