/// The units of two versions, matched with those of their base.
///
/// Units with the same letters are matched first, in order; then moved units, which occur once in
/// each text. Between the first matches, equal numbers of removed and new units are matched in
/// order, or else the similar ones. Sentences that one version splits differently are joined in
/// all, so that each unit has at most one partner.
struct UnitMatching {
  /// A version, compared with the base.
  struct Side {
    var text: BodyUnits
    /// The unit that matches each one of the base, and the reverse.
    var unitForBase: [Int?] = []
    var baseForUnit: [Int?] = []
    /// Flags for the units of the base: the letters are the same here, the partner is a change of
    /// the unit, the unit was moved.
    var isSame: [Bool] = []
    var isSimilar: [Bool] = []
    var isMoved: [Bool] = []
    /// True for the units that both versions added in one position.
    var isShared: [Bool] = []
  }

  var base: BodyUnits
  var sides: [Side]
  /// Pairs of units that both versions added in one position: those in the same order, and those in
  /// a different order.
  private(set) var shared: [(Int, Int)] = []
  private(set) var sharedOutOfOrder: [(Int, Int)] = []
  var numbers: UnitNumbers

  /// The limit of word comparisons between two kept units; more would take seconds.
  static let maxComparisons = 40_000

  init(base: BodyUnits, _ a: BodyUnits, _ b: BodyUnits, _ numbers: UnitNumbers) {
    self.base = base
    self.numbers = numbers
    sides = [Side(text: a), Side(text: b)]
    repeat {
      matchSame()
      findShared()
      findMoved()
    } while joinSameLetters() || pairChanged()
    pairSharedChanges()
    separateReplaced()
    pairMovedChanges()
  }

  // MARK: Equal units

  private mutating func matchSame() {
    for index in sides.indices {
      let units = sides[index].text.units
      sides[index].unitForBase = Array(repeating: nil, count: base.units.count)
      sides[index].baseForUnit = Array(repeating: nil, count: units.count)
      sides[index].isSame = Array(repeating: false, count: base.units.count)
      sides[index].isSimilar = sides[index].isSame
      sides[index].isMoved = sides[index].isSame
      sides[index].isShared = Array(repeating: false, count: units.count)
      for pair in alignedPairs(base.units.map(\.key), units.map(\.key)) {
        sides[index].pair(pair.first, pair.second)
        sides[index].isSame[pair.first] = true
        sides[index].isSimilar[pair.first] = true
      }
    }
  }

  /// The ranges between two units that a side kept: removed units of the base, and new units.
  func gaps(_ side: Side) -> [Hunk] {
    let kept = base.units.indices.filter { side.isSame[$0] }
      .map { (first: $0, second: side.unitForBase[$0] ?? 0) }
    return Hunk.all(between: kept, base.units.indices, side.text.units.indices)
  }

  // MARK: Units added by both

  private mutating func findShared() {
    shared = []
    sharedOutOfOrder = []
    var (aAt, bAt) = (0, 0)
    for index in 0...base.units.count {
      let isEnd = index == base.units.count
      guard isEnd || (sides[0].isSame[index] && sides[1].isSame[index]) else { continue }
      let (aEnd, bEnd) = (
        isEnd ? sides[0].text.units.count : sides[0].unitForBase[index] ?? 0,
        isEnd ? sides[1].text.units.count : sides[1].unitForBase[index] ?? 0
      )
      pairShared(aAt..<max(aAt, aEnd), bAt..<max(bAt, bEnd))
      (aAt, bAt) = (aEnd + 1, bEnd + 1)
    }
  }

  private mutating func pairShared(_ a: Range<Int>, _ b: Range<Int>) {
    let new = [a, b].enumerated().map { side, range in
      range.filter { sides[side].baseForUnit[$0] == nil }
    }
    guard !new[0].isEmpty, !new[1].isEmpty else { return }
    let texts = (0...1).map { side in
      new[side].flatMap { sides[side].text.bytes[sides[side].text.units[$0].text] }
    }
    // The byte order of the lists decides which of several longest sequences is found.
    let first = texts[1].lexicographicallyPrecedes(texts[0]) ? 1 : 0
    func keys(_ side: Int) -> [Int] {
      new[side].map {
        let unit = sides[side].text.units[$0]
        return unit.key * 8 + Int(unit.kind.rawValue)
      }
    }
    func pair(_ x: Int, _ y: Int) -> (Int, Int) { first == 0 ? (x, y) : (y, x) }
    var free = new[1 - first]
    var paired: Set<Int> = []
    for found in alignedPairs(keys(first), keys(1 - first)) {
      let (x, y) = (new[first][found.first], new[1 - first][found.second])
      let both = pair(x, y)
      guard canShare(both.0, both.1) else { continue }
      shared.append(both)
      paired.insert(x)
      free.removeAll { $0 == y }
    }
    for x in new[first] where !paired.contains(x) {
      let position = free.firstIndex { y in
        let both = pair(x, y)
        return canShare(both.0, both.1)
      }
      if let position { sharedOutOfOrder.append(pair(x, free.remove(at: position))) }
    }
    for (x, y) in shared + sharedOutOfOrder {
      sides[0].isShared[x] = true
      sides[1].isShared[y] = true
    }
  }

  /// True if two new units are one: both versions added it, or moved it there. Sentences of new
  /// paragraphs are one only if the paragraphs are equal: two users' paragraphs stay whole.
  private func canShare(_ x: Int, _ y: Int) -> Bool {
    let (one, other) = (sides[0].text.units[x], sides[1].text.units[y])
    guard one.key == other.key, one.kind == other.kind else { return false }
    if one.kind == .item, one.level != other.level, !haveSameParent(x, y) { return false }
    guard one.kind == .sentence, !base.units.contains(where: { $0.key == one.key }) else {
      return true
    }
    let blocks = [(0, x), (1, y)].map { index, unit in blockUnits(sides[index].text, unit) }
    let isKept = blocks.enumerated().map { index, units in
      units.contains { sides[index].baseForUnit[$0] != nil }
    }
    if isKept[0] && isKept[1] { return true }
    if isKept[0] || isKept[1] { return one.isBlockStart == other.isBlockStart }
    return sides[0].text.units[blocks[0]].map(\.key) == sides[1].text.units[blocks[1]].map(\.key)
  }

  /// True if two new units are below one of the base, such as an item that one version made a heading.
  private func haveSameParent(_ x: Int, _ y: Int) -> Bool {
    let parents = [(0, x), (1, y)].map { index, unit in
      sides[index].text.units[unit].parent.flatMap { sides[index].baseForUnit[$0] }
    }
    return parents[0] != nil && parents[0] == parents[1]
  }

  private func blockUnits(_ text: BodyUnits, _ index: Int) -> Range<Int> {
    let block = text.units[index].block
    var (start, end) = (index, index + 1)
    while start > 0, text.units[start - 1].block == block { start -= 1 }
    while end < text.units.count, text.units[end].block == block { end += 1 }
    return start..<end
  }

  // MARK: Moved units

  private mutating func findMoved() {
    func uniqueUnits(_ text: BodyUnits) -> [Int: Int] {
      var found: [Int: Int] = [:]
      for (index, unit) in text.units.enumerated() {
        found[unit.key] = found[unit.key] == nil ? index : -1
      }
      return found
    }
    let inBase = uniqueUnits(base)
    for index in sides.indices {
      let inVersion = uniqueUnits(sides[index].text)
      for unit in base.units.indices where sides[index].unitForBase[unit] == nil {
        let key = base.units[unit].key
        guard inBase[key] == unit, let position = inVersion[key],
          position >= 0, sides[index].baseForUnit[position] == nil, !sides[index].isShared[position]
        else { continue }
        sides[index].pair(unit, position)
        sides[index].isMoved[unit] = true
        sides[index].isSimilar[unit] = true
      }
    }
  }

  /// Matches a unit that both versions changed in the same way with the one of the base, so that
  /// their marks are merged.
  private mutating func pairSharedChanges() {
    var comparisons = 0
    let limit = UnitMatching.maxComparisons / 10
    shared.removeAll { x, y in
      func isFree(_ unit: Int) -> Bool { sides.allSatisfy { $0.unitForBase[unit] == nil } }
      var found = sides[0].unitInPlace(of: x)
      if let unit = found, sides[1].unitInPlace(of: y) != unit || !isFree(unit) { found = nil }
      if found == nil, comparisons < limit {
        let range = sides[0].rangeBetweenNeighbours(x)
          .clamped(to: sides[1].rangeBetweenNeighbours(y))
        found = range.first { unit in
          guard isFree(unit), comparisons < limit else { return false }
          comparisons += 1
          return areSimilar(base.units[unit], sides[0].text.units[x])
        }
      }
      guard let found else { return false }
      for (index, partner) in [x, y].enumerated() {
        sides[index].pair(found, partner)
        sides[index].isSimilar[found] = true
        sides[index].isShared[partner] = false
      }
      return true
    }
  }

  /// Matches units that one version moved and changed, if the other version shows it: it changed
  /// the unit in the same way, or has a similar unit in the same place.
  private mutating func pairMovedChanges() {
    for index in sides.indices {
      for unit in base.units.indices where sides[index].unitForBase[unit] == nil {
        guard sides[1 - index].isSimilar[unit], let other = sides[1 - index].unitForBase[unit]
        else { continue }
        let (units, others) = (sides[index].text.units, sides[1 - index].text.units)
        let new = units.indices.filter {
          sides[index].baseForUnit[$0] == nil && !sides[index].isShared[$0]
        }
        let key = others[other].key
        let equal = new.filter { units[$0].key == key }
        let found =
          equal.count == 1 && others.count(where: { $0.key == key }) == 1
          ? equal.first
          : new.first { isSamePlace($0, other, index) && areSimilar(base.units[unit], units[$0]) }
        guard let found else { continue }
        sides[index].pair(unit, found)
        sides[index].isMoved[unit] = true
        sides[index].isSimilar[unit] = true
      }
    }
  }

  /// True if a unit of a version follows the same unit as one of the other version.
  private func isSamePlace(_ unit: Int, _ other: Int, _ side: Int) -> Bool {
    let (units, others) = (sides[side].text.units, sides[1 - side].text.units)
    guard unit > 0, other > 0 else { return unit == other }
    return units[unit - 1].key == others[other - 1].key
  }
}

extension UnitMatching.Side {
  mutating func pair(_ unit: Int, _ partner: Int) {
    unitForBase[unit] = partner
    baseForUnit[partner] = unit
  }

  /// The unit of the base between the partners of both neighbours of a unit.
  func unitInPlace(of partner: Int) -> Int? {
    guard let before = partner == 0 ? -1 : baseForUnit[partner - 1] else { return nil }
    let isLast = partner + 1 == baseForUnit.count
    let after = isLast ? unitForBase.count : baseForUnit[partner + 1]
    return after == before + 2 ? before + 1 : nil
  }

  /// The units of the base with which a unit can be paired so that those that did not move remain in
  /// order.
  func rangeBetweenNeighbours(_ partner: Int) -> Range<Int> {
    func base(_ indices: some Sequence<Int>) -> Int? {
      indices.lazy.compactMap { baseForUnit[$0] }.first { !isMoved[$0] }
    }
    let start = base((0..<partner).reversed()).map { $0 + 1 } ?? 0
    let end = base((partner + 1)..<max(partner + 1, baseForUnit.count)) ?? unitForBase.count
    return start..<max(start, end)
  }
}
