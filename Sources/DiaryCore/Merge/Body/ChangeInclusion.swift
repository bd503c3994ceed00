/// Finds out if one version has all changes of the other one, and more. It is then the result, as it
/// is. So a result that is merged again with one of its versions stays the same.
struct ChangeInclusion {
  private let base: BodyUnits
  /// The version whose changes are looked for, and the one that they are looked for in.
  private let mine: UnitMatching.Side
  private let theirs: UnitMatching.Side
  /// The unit of the other version for each unit of this one that has to be there.
  private var partners: [Int: Int] = [:]

  /// The version that has all changes of the other one; of two, the preferred one.
  static func side(_ matching: UnitMatching) -> Int? {
    let including = (0...1).filter { side in
      var inclusion = ChangeInclusion(matching, in: side)
      return inclusion.isIncluded()
    }
    guard including.count == 2 else { return including.first }
    let texts = matching.sides.map(\.text.bytes)
    return isPreferred(texts[0], over: texts[1]) ? 0 : 1
  }

  private init(_ matching: UnitMatching, in side: Int) {
    base = matching.base
    mine = matching.sides[1 - side]
    theirs = matching.sides[side]
  }

  private mutating func isIncluded() -> Bool {
    base.units.indices.allSatisfy(hasChange) && findPartners() && areMarksIncluded()
      && areGapsIncluded()
  }

  // MARK: Units

  /// False if this version removed, replaced or moved a unit that the other one leaves as it was.
  private func hasChange(_ unit: Int) -> Bool {
    guard !mine.isSame[unit], theirs.isSame[unit], let other = theirs.unitForBase[unit] else {
      return true
    }
    return !mine.isMoved[unit] && hasDependent(other)
  }

  /// True if something that the other version added depends on its unit, which therefore stays.
  private func hasDependent(_ unit: Int) -> Bool {
    let units = theirs.text.units
    return units.indices.contains { index in
      let base = theirs.baseForUnit[index]
      let isNew = base.map { !theirs.isSimilar[$0] } ?? true
      if isNew, units[index].parent == unit { return true }
      guard let base, mine.unitForBase[base] == nil, !theirs.isSame[base] else { return false }
      var at = theirs.text.container(of: index)
      while let container = at, container != unit { at = theirs.text.container(of: container) }
      return at != nil
    }
  }

  /// True if the other version has, in the same order, the units that this one changed, moved or
  /// added, and those that both left where they were.
  private mutating func findPartners() -> Bool {
    var (own, others) = (mine.text.units.map(\.key), theirs.text.units.map(\.key))
    for unit in base.units.indices {
      guard let x = mine.unitForBase[unit], let y = theirs.unitForBase[unit] else { continue }
      if isTextIncluded(unit, x, y) {
        (own[x], others[y]) = (-1 - unit, -1 - unit)
      } else if own[x] == others[y] {
        return false
      }
    }
    let required = mine.text.units.indices.filter { index in
      guard let unit = mine.baseForUnit[index], mine.isSame[unit] else { return true }
      return theirs.isSame[unit]
    }
    let pairs = alignedPairs(required.map { own[$0] }, others)
    guard pairs.count == required.count else { return false }
    for pair in pairs { partners[required[pair.first]] = pair.second }
    return hasAllCopies()
      && partners.allSatisfy { x, y in
        mine.baseForUnit[x] != nil && mine.baseForUnit[x] == theirs.baseForUnit[y]
          || isUsed(bytes(theirs, y), over: bytes(mine, x))
      }
  }

  private func isTextIncluded(_ unit: Int, _ x: Int, _ y: Int) -> Bool {
    if bytes(mine, x) == bytes(theirs, y) { return true }
    let versions = UnitVersions((base, unit), (mine.text, x), (theirs.text, y))
    switch versions.mergedUnit() {
    case .one(let side): return side == 1
    case .tags(let text): return text == bytes(theirs, y)
    case .both: return false
    }
  }

  private func isUsed(_ text: [UInt8], over other: [UInt8]) -> Bool {
    text == other || isPreferred(text, over: other)
  }

  private func bytes(_ side: UnitMatching.Side, _ index: Int) -> [UInt8] {
    Array(side.text.bytes[side.text.units[index].text])
  }

  /// True if the other version has each unit of which this one added a copy as often.
  private func hasAllCopies() -> Bool {
    func counts(_ text: BodyUnits) -> [Int: Int] {
      text.units.reduce(into: [:]) { $0[$1.key, default: 0] += 1 }
    }
    let (was, own, other) = (counts(base), counts(mine.text), counts(theirs.text))
    return own.allSatisfy { key, count in
      was[key] == nil || count <= was[key, default: 0] || count <= other[key, default: 0]
    }
  }

  // MARK: Marks

  private func areMarksIncluded() -> Bool {
    for x in mine.text.units.indices {
      let unit = mine.baseForUnit[x]
      guard let y = partners[x] ?? unit.flatMap({ theirs.unitForBase[$0] }) else { continue }
      guard areMarksIncluded(unit, x, y) else { return false }
    }
    return true
  }

  private func areMarksIncluded(_ unit: Int?, _ x: Int, _ y: Int) -> Bool {
    let (own, other) = (mine.text.units[x], theirs.text.units[y])
    guard let unit, theirs.baseForUnit[y] == unit else {
      return own.kind == other.kind && own.level == other.level
        && isMarkIncluded(\.task, nil, x, y)
    }
    let was = base.units[unit]
    guard own.kind == was.kind || own.kind == other.kind else { return false }
    return [\BodyUnits.Unit.linePrefix, \.task, \.closing]
      .allSatisfy { isMarkIncluded($0, unit, x, y) } && isMarkerIncluded(unit, x, y)
  }

  private func isMarkIncluded(
    _ path: KeyPath<BodyUnits.Unit, Range<Int>>, _ unit: Int?, _ x: Int, _ y: Int
  ) -> Bool {
    let own = Array(mine.text.bytes[mine.text.units[x][keyPath: path]])
    let other = Array(theirs.text.bytes[theirs.text.units[y][keyPath: path]])
    let was = unit.map { Array(base.bytes[base.units[$0][keyPath: path]]) }
    return mergedMark(was, own, other) == other
  }

  /// Compares the markers, and their numbers if both versions have the same items.
  private func isMarkerIncluded(_ unit: Int, _ x: Int, _ y: Int) -> Bool {
    func marker(_ text: BodyUnits, _ index: Int) -> [UInt8] {
      Array(text.bytes[markerRange(text.units[index])])
    }
    let all = [marker(base, unit), marker(mine.text, x), marker(theirs.text, y)]
    let signs = all.map { Array($0.drop { $0.isDigit }) }
    guard mergedMark(signs[0], signs[1], signs[2]) == signs[2] else { return false }
    let numbers = all.map { itemNumber($0[...]) }
    return numbers[1] == numbers[0] || numbers[1] == numbers[2] || numbers[2] != numbers[0]
      || !haveSameItems(x, y)
  }

  private func haveSameItems(_ x: Int, _ y: Int) -> Bool {
    func items(_ text: BodyUnits, _ index: Int) -> [Int] {
      text.units.indices.filter { text.units[$0].list == text.units[index].list }
    }
    return items(mine.text, x).map(partner) == items(theirs.text, y)
  }

  // MARK: Gaps

  /// True if the other version has the blank lines and line breaks that this one changed.
  private func areGapsIncluded() -> Bool {
    let (own, other) = (mine.text, theirs.text)
    func edges(_ text: BodyUnits) -> [[UInt8]] {
      [0, text.units.count].map { Array(text.bytes[text.gap(before: $0)]) }
    }
    let (was, mineEdges, theirEdges) = (edges(base), edges(own), edges(other))
    guard
      (0...1).allSatisfy({ mergedMark(was[$0], mineEdges[$0], theirEdges[$0]) == theirEdges[$0] })
    else { return false }
    for x in own.units.indices.dropFirst() {
      guard let before = partner(x - 1), let y = partner(x), before < y else { continue }
      let gap = Array(own.bytes[own.gap(before: x)])
      let old = oldGap(before: x)
      if gap == old { continue }
      let gaps = ((before + 1)...y).map { Array(other.bytes[other.gap(before: $0)]) }
      let isIncluded =
        old != nil && gaps.count == 1
        ? mergedMark(old, gap, gaps[0]) == gaps[0] : gaps.contains { breaks($0) >= breaks(gap) }
      if !isIncluded {
        return false
      }
    }
    return true
  }

  private func partner(_ x: Int) -> Int? {
    partners[x] ?? mine.baseForUnit[x].flatMap { theirs.unitForBase[$0] }
  }

  /// The gap of the base, if it has both units side by side.
  private func oldGap(before x: Int) -> [UInt8]? {
    guard let unit = mine.baseForUnit[x], unit > 0, mine.baseForUnit[x - 1] == unit - 1 else {
      return nil
    }
    return Array(base.bytes[base.gap(before: unit)])
  }

  /// The number of line ends, of which no more than two matter.
  private func breaks(_ gap: [UInt8]) -> Int { min(2, gap.count { $0 == 0x0A }) }
}
