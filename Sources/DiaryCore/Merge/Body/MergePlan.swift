/// A unit of the result, and the units of the versions that it represents.
struct MergedPart: Equatable {
  var base: Int?
  /// Its unit in each of the two versions.
  var units: [Int?]
  /// The version whose text is used.
  var side: Int
  /// The version that moved it to its position; `nil` for a unit that did not move.
  var movedBy: Int?
  /// The tags of both versions, if it is a line of tags.
  var text: [UInt8]?
  /// True if it is the last of two, because something that the other version lacks depends on it.
  var mustComeLast = false
}

/// Decides which units the result contains, and in what order.
struct MergePlan {
  enum Decision {
    case removed
    /// One text represents both versions.
    case common(MergedPart)
    /// The result contains both versions.
    case both(MergedPart, MergedPart)
    /// The other version removed or replaced the unit; this version's unit stays.
    case only(Int)
  }

  let matching: UnitMatching
  private(set) var parts: [MergedPart] = []
  /// The number of each part's block in the result.
  private(set) var blocks: [Int] = []
  /// True if the user should review the result.
  var needsReview = false
  private(set) var decisions: [Decision] = []

  private var sides: [UnitMatching.Side] { matching.sides }

  init(_ matching: UnitMatching) {
    self.matching = matching
    decisions = matching.base.units.indices.map { MergePlan.decision($0, matching) }
    keepOnce()
    for case .both in decisions { needsReview = true }
    keepChanged()
    keepCopies()
    keepSimilarNeighbours()
    for side in 0...1 { keepDependencies(side) }
    keepRemainders()
    var order = MergeOrder(self)
    parts = order.parts(&needsReview)
    blocks = parts.map(order.block)
  }

  // MARK: Decisions

  /// Where a version has both texts of a unit side by side, from an earlier merge, the result has each
  /// once.
  private mutating func keepOnce() {
    var used: [Set<Int>] = [[], []]
    for unit in decisions.indices {
      guard case .both(let a, let b) = decisions[unit], let x = a.units[0], let y = b.units[1]
      else { continue }
      let keys = [sides[0].text.units[x].key, sides[1].text.units[y].key]
      let copies = [(side: 0, own: x), (side: 1, own: y)].compactMap { side, own in
        neighbour(of: own, in: side, with: keys[1 - side], except: used[side])
          .map { (side: side, unit: $0) }
      }
      guard copies.count == 1, let copy = copies.first else { continue }
      used[copy.side].insert(copy.unit)
      decisions[unit] = .common(MergedPart(base: unit, units: [x, y], side: copy.side))
      needsReview = true
    }
  }

  /// The unit with these letters that a version added next to a unit, with nothing but other added
  /// units between.
  private func neighbour(of own: Int, in side: Int, with key: Int, except used: Set<Int>) -> Int? {
    let side = sides[side]
    for step in [1, -1] {
      var index = own + step
      while side.text.units.indices.contains(index), side.baseForUnit[index] == nil,
        !side.isShared[index]
      {
        if side.text.units[index].key == key, !used.contains(index) { return index }
        index += step
      }
    }
    return nil
  }

  private static func decision(_ unit: Int, _ matching: UnitMatching) -> Decision {
    guard let x = matching.sides[0].unitForBase[unit], let y = matching.sides[1].unitForBase[unit]
    else {
      return .removed
    }
    var part = MergedPart(base: unit, units: [x, y], side: 0)
    let versions = UnitVersions(
      (matching.base, unit), (matching.sides[0].text, x), (matching.sides[1].text, y))
    switch versions.mergedUnit() {
    case .one(let side):
      part.side = side
      return .common(part)
    case .tags(let text):
      part.text = text
      return .common(part)
    case .both:
      return .both(singlePart(unit, 0, matching), singlePart(unit, 1, matching))
    }
  }

  /// The part that represents only one version.
  static func singlePart(_ unit: Int, _ side: Int, _ matching: UnitMatching) -> MergedPart {
    var part = MergedPart(base: unit, units: [nil, nil], side: side)
    part.units[side] = matching.sides[side].unitForBase[unit]
    return part
  }

  /// True if a version has the unit at its position, with the letters of the base.
  private func isUnchanged(_ unit: Int, _ side: Int) -> Bool {
    guard let partner = sides[side].unitForBase[unit], !sides[side].isMoved[unit] else {
      return false
    }
    return sides[side].text.units[partner].key == matching.base.units[unit].key
  }

  private func isRemoved(_ unit: Int, _ side: Int) -> Bool { sides[side].unitForBase[unit] == nil }

  /// True if a version has something different in place of the unit.
  private func isReplaced(_ unit: Int, _ side: Int) -> Bool {
    sides[side].unitForBase[unit] != nil && !sides[side].isSimilar[unit]
  }

  private mutating func keep(_ unit: Int, _ side: Int) {
    decisions[unit] = .only(side)
    needsReview = true
  }

  /// Keeps units that one version removed and the other changed or moved.
  private mutating func keepChanged() {
    for unit in decisions.indices {
      for side in 0...1 where isRemoved(unit, 1 - side) && !isRemoved(unit, side) {
        guard !isUnchanged(unit, side), isMoveVisible(unit, side) else { continue }
        decisions[unit] = .only(side)
        if !isReplacementShared(unit, 1 - side) { needsReview = true }
      }
    }
  }

  /// False for a unit that is only moved, and only past units that the other version removed, too:
  /// where they are gone, nobody sees the move.
  private func isMoveVisible(_ unit: Int, _ side: Int) -> Bool {
    guard sides[side].isMoved[unit], let own = sides[side].unitForBase[unit],
      sides[side].text.units[own].key == matching.base.units[unit].key
    else { return true }
    return decisions.indices.contains { other in
      guard let partner = sides[side].unitForBase[other], !isRemoved(other, 1 - side),
        !sides[0].isMoved[other], !sides[1].isMoved[other]
      else { return false }
      return (unit < other) != (own < partner)
    }
  }

  /// True if the other version also contains everything that this version has in place of a removed
  /// unit: the other one is then a merge that includes this version.
  private func isReplacementShared(_ unit: Int, _ side: Int) -> Bool {
    let own = sides[side]
    func partner(_ units: some Sequence<Int>) -> Int? {
      units.lazy.compactMap { own.isMoved[$0] ? nil : own.unitForBase[$0] }.first { _ in true }
    }
    let start = partner((0..<unit).reversed()).map { $0 + 1 } ?? 0
    let end = partner((unit + 1)..<own.isSame.count) ?? own.text.units.count
    return start < end && (start..<end).allSatisfy { own.isShared[$0] }
  }

  /// Keeps the last of several equal units if each version removed a different one.
  private mutating func keepCopies() {
    var copies: [Int: [Int]] = [:]
    for (index, unit) in matching.base.units.enumerated() where unit.kind != .code {
      copies[unit.key, default: []].append(index)
    }
    for list in copies.values where list.count > 1 {
      let removed = (0...1).map { side in
        list.filter {
          (isRemoved($0, side) || isReplaced($0, side)) && isUnchanged($0, 1 - side)
        }
      }
      let count = min(removed[0].count, removed[1].count)
      for unit in (removed[0] + removed[1]).sorted().suffix(count) {
        if isRemoved(unit, 0) || isRemoved(unit, 1) {
          decisions[unit] = .only(isRemoved(unit, 0) ? 1 : 0)
        } else {
          decisions[unit] = .both(
            MergePlan.singlePart(unit, 0, matching), MergePlan.singlePart(unit, 1, matching))
        }
      }
    }
  }

  /// Keeps two similar neighbours if each version removed the other one: each meant to keep one.
  private mutating func keepSimilarNeighbours() {
    for unit in decisions.indices.dropLast() {
      let (one, other) = (matching.base.units[unit], matching.base.units[unit + 1])
      guard [.sentence, .heading].contains(one.kind), one.kind == other.kind else { continue }
      for side in 0...1
      where isRemoved(unit, side) && isUnchanged(unit, 1 - side) && isRemoved(unit + 1, 1 - side)
        && isUnchanged(unit + 1, side) && areSimilar(one, other)
      {
        keep(unit, 1 - side)
        keep(unit + 1, side)
      }
    }
  }

  /// Keeps what each version left, if the other one removed all of it: nothing would be left.
  private mutating func keepRemainders() {
    let isEmpty = decisions.allSatisfy { if case .removed = $0 { true } else { false } }
    guard isEmpty, sides.allSatisfy({ !$0.text.units.isEmpty && !$0.baseForUnit.contains(nil) })
    else { return }
    for unit in decisions.indices {
      for side in 0...1 where !isRemoved(unit, side) { keep(unit, side) }
    }
  }

  // MARK: Dependencies

  /// Keeps the units that a version's additions depend on, and the item, the head or the heading
  /// above each unit that stays.
  private mutating func keepDependencies(_ side: Int) {
    let text = sides[side].text
    for (index, unit) in text.units.enumerated() {
      guard sides[side].baseForUnit[index] == nil, !sides[side].isShared[index],
        let parent = unit.parent,
        let baseParent = sides[side].baseForUnit[parent]
      else { continue }
      keepParent(baseParent, side)
    }
    for unit in decisions.indices {
      guard case .only(side) = decisions[unit], let index = sides[side].unitForBase[unit] else {
        continue
      }
      keepContainers(index, side)
    }
  }

  private mutating func keepParent(_ unit: Int, _ side: Int) {
    if isRemoved(unit, 1 - side) {
      if case .removed = decisions[unit] { keep(unit, side) }
    } else if isReplaced(unit, 1 - side), case .common = decisions[unit] {
      var mine = MergePlan.singlePart(unit, side, matching)
      mine.mustComeLast = true
      let other = MergePlan.singlePart(unit, 1 - side, matching)
      decisions[unit] = side == 0 ? .both(mine, other) : .both(other, mine)
      needsReview = true
    }
  }

  private mutating func keepContainers(_ index: Int, _ side: Int) {
    var at: Int? = index
    while let unit = at {
      at = sides[side].text.container(of: unit)
      guard let container = at, let baseContainer = sides[side].baseForUnit[container] else {
        return
      }
      if isRemoved(baseContainer, 1 - side), case .removed = decisions[baseContainer] {
        keep(baseContainer, side)
      }
    }
  }
}
