/// The units that move along with a unit that the other version moved, because they depend on it.
struct MergeFollowers {
  /// The followers, by the moved unit.
  private(set) var parts: [Int: [MergedPart]] = [:]
  /// True for each unit of the versions that is not at its own position in the result.
  private(set) var isRelocated: [[Bool]]
  private let plan: MergePlan
  private let sides: [UnitMatching.Side]

  init(_ plan: MergePlan) {
    self.plan = plan
    sides = plan.matching.sides
    isRelocated = sides.map { Array(repeating: false, count: $0.text.units.count) }
  }

  /// Finds the followers, given the version that decides the position of each moved unit.
  mutating func collect(_ positionSides: inout [Int: Int]) {
    for side in 0...1 {
      let units = sides[side].text.units
      var before: Int?
      for index in units.indices {
        if let base = sides[side].baseForUnit[index] {
          if !moveWithHead(base, side, &positionSides) { before = base }
          continue
        }
        guard !sides[side].isShared[index], let parent = units[index].parent else { continue }
        var target: Int?
        if let baseParent = sides[side].baseForUnit[parent] {
          guard positionSides[baseParent] == 1 - side else { continue }
          target = before.flatMap { positionSides[$0] == 1 - side ? $0 : nil } ?? baseParent
        } else if isRelocated[side][parent] {
          target = parts.first { $0.value.contains { $0.units[side] == parent } }?.key
        }
        guard let target else { continue }
        isRelocated[side][index] = true
        if isAlreadyAdded(units[index], side, below: parent) { continue }
        var part = MergedPart(base: nil, units: [nil, nil], side: side)
        part.units[side] = index
        parts[target, default: []].append(part)
      }
    }
  }

  /// Moves a row, which one version removed and the other changed or moved, along with its head.
  /// Returns true if it did.
  private mutating func moveWithHead(_ unit: Int, _ side: Int, _ positionSides: inout [Int: Int])
    -> Bool
  {
    guard case .only(side) = plan.decisions[unit], plan.matching.base.units[unit].kind == .row,
      let head = plan.matching.base.units[unit].parent, positionSides[head] == 1 - side
    else { return false }
    // The row leaves its old position, and no other unit takes it.
    positionSides[unit] = 1 - side
    parts[head, default: []].append(MergePlan.singlePart(unit, side, plan.matching))
    return true
  }

  /// True if the version that moved `parent` has added a unit with the same text below it.
  private func isAlreadyAdded(_ unit: BodyUnits.Unit, _ side: Int, below parent: Int) -> Bool {
    let other = sides[1 - side]
    guard let baseParent = sides[side].baseForUnit[parent] else { return false }
    return other.text.units.indices.contains { index in
      other.baseForUnit[index] == nil && other.text.units[index].key == unit.key
        && other.text.units[index].parent.flatMap { other.baseForUnit[$0] } == baseParent
    }
  }
}
