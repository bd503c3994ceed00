extension UnitMatching {
  // MARK: Joined and split units

  /// Joins units with the same words that one side splits differently. Returns true if it did.
  mutating func joinSameLetters() -> Bool {
    var hasJoined = false
    for index in sides.indices {
      // Start at the end, so that the units before keep their numbers.
      for gap in gaps(sides[index]).reversed()
      where gap.base.count * gap.side.count <= UnitMatching.maxComparisons / 10 {
        guard let (mine, theirs) = sameWords(in: gap, sides[index].text) else { continue }
        if mine.count > 1 { base.join(mine, &numbers) }
        if theirs.count > 1 { sides[index].text.join(theirs, &numbers) }
        hasJoined = true
      }
      if hasJoined { return true }
    }
    return false
  }

  private func sameWords(
    in gap: Hunk, _ text: BodyUnits
  ) -> (Range<Int>, Range<Int>)? {
    for gone in gap.base {
      for new in gap.side {
        if let found = sameWords(gone, new, gap, text) { return found }
      }
    }
    return nil
  }

  private func sameWords(
    _ gone: Int, _ new: Int, _ gap: Hunk, _ text: BodyUnits
  ) -> (Range<Int>, Range<Int>)? {
    guard let first = base.units[gone].words.first, first == text.units[new].words.first else {
      return nil
    }
    var (mine, theirs) = (base.units[gone].words, text.units[new].words)
    var (end, otherEnd) = (gone + 1, new + 1)
    while mine.count != theirs.count {
      if mine.count < theirs.count {
        guard end < gap.base.upperBound, isContinuation(base, end), theirs.starts(with: mine) else {
          return nil
        }
        mine += base.units[end].words
        end += 1
      } else {
        guard otherEnd < gap.side.upperBound, isContinuation(text, otherEnd),
          mine.starts(with: theirs)
        else {
          return nil
        }
        theirs += text.units[otherEnd].words
        otherEnd += 1
      }
    }
    guard mine == theirs, (end - gone) + (otherEnd - new) > 2 else { return nil }
    return (gone..<end, new..<otherEnd)
  }

  /// True if a unit continues the block of the unit before it.
  private func isContinuation(_ text: BodyUnits, _ index: Int) -> Bool {
    text.units[index].kind == .sentence && text.units[index].block == text.units[index - 1].block
  }

  // MARK: Changed units

  /// Pairs changed units. Returns true if it joined units instead; the matching then starts again.
  mutating func pairChanged() -> Bool {
    for index in sides.indices {
      var hasJoined = false
      for gap in gaps(sides[index]).reversed() {
        let side = sides[index]
        let new = gap.side.filter { !side.isShared[$0] && side.baseForUnit[$0] == nil }
        let gone = gap.base.filter { side.unitForBase[$0] == nil }
        guard !new.isEmpty, !gone.isEmpty else { continue }
        if gone.count == new.count,
          zip(gone, new).allSatisfy({ isSameClass($0, $1, side) })
        {
          for (unit, partner) in zip(gone, new) { pairAsChanged(unit, partner, index) }
          continue
        }
        guard gone.count * new.count <= UnitMatching.maxComparisons else { continue }
        let pairs = similarPairs(gone, new, side)
        if let join = neighbourToJoin(in: gap, pairs, side) {
          if join.isInBase {
            base.join(join.range, &numbers)
          } else {
            sides[index].text.join(join.range, &numbers)
          }
          hasJoined = true
        } else if !hasJoined {
          for (unit, partner) in pairs { pairAsChanged(unit, partner, index) }
        }
      }
      if hasJoined { return true }
    }
    return false
  }

  private mutating func pairAsChanged(_ unit: Int, _ partner: Int, _ index: Int) {
    sides[index].pair(unit, partner)
    sides[index].isSimilar[unit] = areSimilar(base.units[unit], sides[index].text.units[partner])
  }

  /// Separates units that one version moved and the other replaced: that is not a change.
  mutating func separateReplaced() {
    for index in sides.indices {
      for unit in base.units.indices
      where sides[1 - index].isMoved[unit] && !sides[index].isSimilar[unit] {
        guard let partner = sides[index].unitForBase[unit] else { continue }
        sides[index].unitForBase[unit] = nil
        sides[index].baseForUnit[partner] = nil
      }
    }
  }

  private func isSameClass(_ unit: Int, _ partner: Int, _ side: Side) -> Bool {
    func number(_ kind: BodyUnits.Kind) -> Int {
      switch kind {
      case .sentence, .item, .heading, .other: 0
      case .tableHead: 1
      case .row: 2
      case .code: 3
      }
    }
    let (was, now) = (base.units[unit], side.text.units[partner])
    return number(was.kind) == number(now.kind) && isSameTable(unit, partner, side)
      && (was.isBlockStart == now.isBlockStart && isSameDepth(was, now) || areSimilar(was, now))
  }

  /// False for items at two depths.
  private func isSameDepth(_ one: BodyUnits.Unit, _ other: BodyUnits.Unit) -> Bool {
    one.kind != .item || other.kind != .item || one.level == other.level
  }

  /// False for rows of two tables, and for a row and a head.
  private func isSameTable(_ unit: Int, _ partner: Int, _ side: Side) -> Bool {
    let (was, now) = (base.units[unit], side.text.units[partner])
    guard was.kind == .row || now.kind == .row,
      [was.kind, now.kind].allSatisfy({ [.row, .tableHead].contains($0) })
    else { return true }
    return was.kind == now.kind && was.parent.flatMap { side.unitForBase[$0] } == now.parent
  }

  /// The longest list of similar pairs, in order; of equally long ones, the earliest.
  private func similarPairs(_ gone: [Int], _ new: [Int], _ side: Side) -> [(Int, Int)] {
    var isSimilar: [[Bool]] = []
    for unit in gone {
      isSimilar.append(
        new.map {
          isSameTable(unit, $0, side) && areSimilar(base.units[unit], side.text.units[$0])
        })
    }
    // The number of pairs from each position on.
    var pairCounts = Array(
      repeating: Array(repeating: 0, count: new.count + 1), count: gone.count + 1)
    for i in gone.indices.reversed() {
      for j in new.indices.reversed() {
        pairCounts[i][j] = max(
          pairCounts[i + 1][j], pairCounts[i][j + 1],
          isSimilar[i][j] ? pairCounts[i + 1][j + 1] + 1 : 0)
      }
    }
    var pairs: [(Int, Int)] = []
    var (i, j) = (0, 0)
    while i < gone.count, j < new.count {
      if isSimilar[i][j], pairCounts[i][j] == pairCounts[i + 1][j + 1] + 1 {
        pairs.append((gone[i], new[j]))
        (i, j) = (i + 1, j + 1)
      } else if pairCounts[i + 1][j] == pairCounts[i][j] {
        i += 1
      } else {
        j += 1
      }
    }
    return pairs
  }

  private func neighbourToJoin(
    in gap: Hunk, _ pairs: [(Int, Int)], _ side: Side
  ) -> (isInBase: Bool, range: Range<Int>)? {
    for (unit, partner) in pairs {
      if let found = neighbourToJoin(unit, partner, gap, pairs, side) { return found }
    }
    return nil
  }

  /// The unit and a neighbour that was split off or joined: half of the neighbour's letters are in
  /// the words of the partner that the unit itself does not match.
  private func neighbourToJoin(
    _ unit: Int, _ partner: Int, _ gap: Hunk,
    _ pairs: [(Int, Int)], _ side: Side
  ) -> (isInBase: Bool, range: Range<Int>)? {
    let (was, now) = (base.units[unit], side.text.units[partner])
    guard was.kind == .sentence, now.kind == .sentence else { return nil }
    let common = alignedPairs(was.words.map(\.number), now.words.map(\.number))
    func isLeftover(_ other: BodyUnits.Unit, _ words: [BodyUnits.Word]) -> Bool {
      let commonCount = commonLetters(other.words, words)
      return commonCount > 0 && 2 * commonCount >= other.words.reduce(0) { $0 + $1.letters }
    }
    let matched = Set(common.map(\.first))
    let unmatched = was.words.indices.filter { !matched.contains($0) }.map { was.words[$0] }
    for other in [partner - 1, partner + 1] where gap.side.contains(other) {
      guard !side.isShared[other], side.baseForUnit[other] == nil,
        !pairs.contains(where: { $0.1 == other }),
        isContinuation(side.text, max(other, partner)),
        isLeftover(side.text.units[other], unmatched)
      else { continue }
      return (false, min(other, partner)..<(max(other, partner) + 1))
    }
    let matchedInVersion = Set(common.map(\.second))
    let unmatchedInVersion = now.words.indices.filter { !matchedInVersion.contains($0) }.map {
      now.words[$0]
    }
    for other in [unit - 1, unit + 1] where gap.base.contains(other) {
      guard side.unitForBase[other] == nil, !pairs.contains(where: { $0.0 == other }),
        isContinuation(base, max(other, unit)),
        isLeftover(base.units[other], unmatchedInVersion)
      else { continue }
      return (true, min(other, unit)..<(max(other, unit) + 1))
    }
    return nil
  }
}

/// True if one unit may be a change of the other: half of the longer one's letters are in words
/// that both have in order, or one begins with all words of the other.
func areSimilar(_ one: BodyUnits.Unit, _ other: BodyUnits.Unit) -> Bool {
  if one.key == other.key { return true }
  guard one.kind != .code, other.kind != .code, !one.words.isEmpty, !other.words.isEmpty else {
    return one.kind == other.kind
  }
  let (mine, theirs) = (one.words, other.words)
  if mine.starts(with: theirs) || theirs.starts(with: mine) { return true }
  let longer = max(
    mine.reduce(0) { $0 + $1.letters }, theirs.reduce(0) { $0 + $1.letters })
  return 2 * commonLetters(mine, theirs) >= longer
}

/// The number of letters in the words that both have, in order.
private func commonLetters(_ one: [BodyUnits.Word], _ other: [BodyUnits.Word]) -> Int {
  alignedPairs(one.map(\.number), other.map(\.number)).reduce(0) { $0 + one[$1.first].letters }
}
