/// Orders the units of the result: the order of the base, with each version's additions after the
/// unit that they follow there.
///
/// An example with the base `A B C` and the versions `A x B C` and `A y B`:
/// - The spine is `A B C`. A unit that both versions added would be a node of it, too.
/// - The slot of `x` and of `y` is 1, after the first node. Slot 0 is before all nodes.
/// - The runs in slot 1 are `x` and `y`, one for each version.
/// - The steps are `A`, the runs `x` and `y`, and `B`. The second version removed `C`.
/// - A cluster collects steps up to the next common unit, here `x` and `y`. It is put in order as a
///   whole, and the result is `A x y B`.
struct MergeOrder {
  private let plan: MergePlan
  private let sides: [UnitMatching.Side]
  private var followers: MergeFollowers
  /// The units of the base and those that both versions added, in order.
  private var spine: [Node] = []
  /// The additions of each version after each node; the first list is before all nodes.
  private var runs: [[[MergedPart]]] = []
  private var blocks = BlockClasses()
  private var parts: [MergedPart] = []
  private var needsReview = false
  /// The version that decides the position of a moved unit.
  private var positionSides: [Int: Int] = [:]
  private var dropped: [Set<Int>] = [[], []]

  private enum Node {
    case base(Int)
    case shared(Int, Int)
  }

  init(_ plan: MergePlan) {
    self.plan = plan
    sides = plan.matching.sides
    followers = MergeFollowers(plan)
    makeSpine()
    let slots = [self.slots(of: 0), self.slots(of: 1)]
    choosePositions(slots)
    followers.collect(&positionSides)
    dropDuplicates(slots)
    runs = (0...1).map { addedRuns($0, slots[$0]) }
    joinBlocks()
  }

  // MARK: The spine

  private mutating func makeSpine() {
    /// The last unit of the base before each unit of a version.
    func last(_ side: Int) -> [Int] {
      var at = -1
      return sides[side].text.units.indices.map { index in
        if let base = sides[side].baseForUnit[index], !sides[side].isMoved[base] {
          at = max(at, base)
        }
        return at
      }
    }
    let (mine, theirs) = (last(0), last(1))
    var behind: [Int: [(Int, Int)]] = [:]
    for (x, y) in plan.matching.shared.sorted(by: { $0.0 < $1.0 }) {
      behind[max(mine[x], theirs[y]), default: []].append((x, y))
    }
    for index in -1..<plan.matching.base.units.count {
      if index >= 0 { spine.append(.base(index)) }
      for (x, y) in behind[index] ?? [] { spine.append(.shared(x, y)) }
    }
  }

  /// The number, plus one, of the node before each unit of a version.
  private func slots(of side: Int) -> [Int] {
    var number: [Int: Int] = [:]
    for (index, node) in spine.enumerated() {
      switch node {
      case .base(let unit):
        if let own = sides[side].unitForBase[unit], !sides[side].isMoved[unit] {
          number[own] = index + 1
        }
      case .shared(let x, let y): number[side == 0 ? x : y] = index + 1
      }
    }
    var at = 0
    return sides[side].text.units.indices.map { index in
      at = max(at, number[index] ?? 0)
      return at
    }
  }

  // MARK: Positions

  /// Chooses the positions of moved units: the later one for a unit that both versions moved.
  private mutating func choosePositions(_ slots: [[Int]]) {
    for unit in plan.decisions.indices {
      let moved = (0...1).filter { sides[$0].isMoved[unit] }
      guard let first = moved.first else { continue }
      guard moved.count == 2, let x = sides[0].unitForBase[unit], let y = sides[1].unitForBase[unit]
      else {
        positionSides[unit] = first
        continue
      }
      let (mine, theirs) = (slots[0][x], slots[1][y])
      positionSides[unit] = mine == theirs ? sideOfLesserRun(slots, mine) : mine > theirs ? 0 : 1
      if mine != theirs { needsReview = true }
    }
  }

  /// Drops one copy of each unit that both versions added in one position in a different order.
  private mutating func dropDuplicates(_ slots: [[Int]]) {
    for (x, y) in plan.matching.sharedOutOfOrder {
      let (mine, theirs) = (slots[0][x], slots[1][y])
      let keptSide = mine == theirs ? sideOfLesserRun(slots, mine) : mine < theirs ? 0 : 1
      dropped[1 - keptSide].insert(keptSide == 0 ? y : x)
    }
  }

  /// The version whose units after a node sort first in bytes.
  private func sideOfLesserRun(_ slots: [[Int]], _ slot: Int) -> Int {
    let texts = (0...1).map { side in
      bytes(of: slots[side].indices.filter { slots[side][$0] == slot }.map { part($0, side) })
    }
    return texts[1].lexicographicallyPrecedes(texts[0]) ? 1 : 0
  }

  private func part(_ index: Int, _ side: Int) -> MergedPart {
    var part = MergedPart(base: nil, units: [nil, nil], side: side)
    part.units[side] = index
    return part
  }

  private func addedRuns(_ side: Int, _ slots: [Int]) -> [[MergedPart]] {
    var runs = Array(repeating: [MergedPart](), count: spine.count + 1)
    let anchored = Set(plan.matching.shared.map { side == 0 ? $0.0 : $0.1 })
    for index in sides[side].text.units.indices {
      if let unit = sides[side].baseForUnit[index] {
        guard sides[side].isMoved[unit], positionSides[unit] == side else { continue }
        runs[slots[index]] += movedParts(unit, side)
      } else if !anchored.contains(index), !followers.isRelocated[side][index],
        !dropped[side].contains(index)
      {
        runs[slots[index]].append(part(index, side))
      }
    }
    return runs
  }

  private func movedParts(_ unit: Int, _ side: Int) -> [MergedPart] {
    let own: [MergedPart]
    switch plan.decisions[unit] {
    case .removed: return []
    case .common(let part): own = [part]
    case .both(let one, let other): own = orderedRuns([[one], [other]]).flatMap { $0 }
    case .only(let side): own = [MergePlan.singlePart(unit, side, plan.matching)]
    }
    return own.map { part in
      var part = part
      if part.units[side] != nil { part.movedBy = side }
      return part
    } + (followers.parts[unit] ?? [])
  }

  // MARK: The order

  /// The content of one step of the spine.
  private enum Step {
    case common(MergedPart)
    case sides([[MergedPart]], isKept: Bool)
  }

  private func steps() -> [Step] {
    var steps: [Step] = []
    for (index, node) in ([nil] + spine.map { Optional($0) }).enumerated() {
      switch node {
      case nil: break
      case .shared(let x, let y)?:
        let (one, other) = (text(0, x), text(1, y))
        let side = isPreferred(one, over: other) ? 0 : 1
        steps.append(.common(MergedPart(base: nil, units: [x, y], side: side)))
      case .base(let unit)?:
        if positionSides[unit] != nil { break }
        switch plan.decisions[unit] {
        case .removed: break
        case .common(let part): steps.append(.common(part))
        case .both(let one, let other): steps.append(.sides([[one], [other]], isKept: true))
        case .only(let side):
          var both: [[MergedPart]] = [[], []]
          both[side] = [MergePlan.singlePart(unit, side, plan.matching)]
          steps.append(.sides(both, isKept: true))
        }
      }
      let added = [runs[0][index], runs[1][index]]
      if added != [[], []] { steps.append(.sides(added, isKept: false)) }
    }
    return steps
  }

  /// Returns the parts in their order.
  mutating func parts(_ review: inout Bool) -> [MergedPart] {
    var cluster: [[MergedPart]] = [[], []]
    var isKept = false
    for step in steps() {
      switch step {
      case .common(let part):
        append(cluster, isKept)
        (cluster, isKept) = ([[], []], false)
        parts.append(part)
      case .sides(let added, let keeps):
        if !isContinuation(added, keeps, of: cluster, isKept) {
          append(cluster, isKept)
          (cluster, isKept) = ([[], []], false)
        }
        for side in 0...1 { cluster[side] += added[side] }
        isKept = isKept || keeps
      }
    }
    append(cluster, isKept)
    if needsReview { review = true }
    return parts
  }

  /// True if the additions belong to the collected run: they continue a block, or they stay where
  /// the other version has something different.
  private func isContinuation(
    _ added: [[MergedPart]], _ keeps: Bool, of cluster: [[MergedPart]], _ isKept: Bool
  ) -> Bool {
    for side in 0...1 {
      guard let last = cluster[side].last, let first = added[side].first else { continue }
      guard block(last) == block(first) else { continue }
      if unit(first).kind == .sentence { return true }
      // A row stays in its table; the parts of the other version come after it.
      if unit(first).kind == .row, cluster[1 - side].contains(where: { block($0) != block(first) })
      {
        return true
      }
    }
    // No kept unit is between the two, so both versions added in the same place.
    guard keeps || isKept else { return true }
    return (0...1).contains { side in
      !cluster[side].isEmpty && cluster[1 - side].isEmpty && added[side].isEmpty
        && !added[1 - side].isEmpty
    }
  }

  /// Adds the parts of both versions in one position: first those that continue the block above,
  /// then new blocks, the deeper first. At one level, runs stay whole, the lesser in bytes first.
  private mutating func append(_ cluster: [[MergedPart]], _ isKept: Bool) {
    var remaining = cluster.map { $0[...] }
    if !remaining[0].isEmpty, !remaining[1].isEmpty {
      let above = parts.last
      let isNewBlock = cluster.map { $0[0] }.allSatisfy { unit($0).isBlockStart }
      let levels = Set(
        cluster.flatMap { run in run.map { level($0, above, within: run) } }
      ).sorted(by: >)
      for level in levels {
        let levelRuns = (0...1).map { side in
          Array(remaining[side].prefix { self.level($0, above, within: cluster[side]) >= level })
        }
        remaining = (0...1).map { remaining[$0].dropFirst(levelRuns[$0].count) }
        append(levelRuns, isKept: isKept, isNewBlock: isNewBlock)
      }
    }
    parts += remaining[0] + remaining[1]
  }

  private mutating func append(_ runs: [[MergedPart]], isKept: Bool, isNewBlock: Bool) {
    guard let x = runs[0].first, let y = runs[1].first else {
      parts += runs[0] + runs[1]
      return
    }
    if !isKept, let chronological = chronologicalParts(runs) {
      parts += chronological
      return
    }
    if !isKept, !isNewBlock, !unit(x).isLineStart, !unit(y).isLineStart { needsReview = true }
    parts += orderedRuns(runs).flatMap { $0 }
  }

  /// Orders two runs: the one that must come last, otherwise the lesser in bytes first.
  private func orderedRuns(_ runs: [[MergedPart]]) -> [[MergedPart]] {
    let mustComeLast = runs.map { $0.contains(where: \.mustComeLast) }
    let isInOrder =
      mustComeLast[0] == mustComeLast[1]
      ? !bytes(of: runs[1]).lexicographicallyPrecedes(bytes(of: runs[0])) : mustComeLast[1]
    return isInOrder ? runs : runs.reversed()
  }

  /// The level of a part. A part that continues the block above is above all other levels.
  private func level(_ part: MergedPart, _ above: MergedPart?, within run: [MergedPart]) -> Int {
    let own = unit(part)
    guard let above, block(above) == block(part), own.kind == .sentence || own.kind == .row,
      !own.isBlockStart
    else { return own.level }
    return Int.max
  }

  // MARK: Times of day

  /// Sorts two runs by time of day, if each of them has times that ascend.
  private func chronologicalParts(_ runs: [[MergedPart]]) -> [MergedPart]? {
    guard let mine = timeGroups(runs[0]), let theirs = timeGroups(runs[1]) else { return nil }
    var sorted: [MergedPart] = []
    var (x, y) = (mine[...], theirs[...])
    while let one = x.first, let other = y.first {
      let isFirst =
        one.time == other.time
        ? !bytes(of: other.parts).lexicographicallyPrecedes(bytes(of: one.parts))
        : one.time < other.time
      sorted += isFirst ? one.parts : other.parts
      if isFirst { x.removeFirst() } else { y.removeFirst() }
    }
    return sorted + x.flatMap(\.parts) + y.flatMap(\.parts)
  }

  /// Groups a run by the times of its lines; `nil` if it begins without a time, or descends.
  private func timeGroups(_ run: [MergedPart]) -> [(time: Int, parts: [MergedPart])]? {
    var groups: [(time: Int, parts: [MergedPart])] = []
    for part in run {
      if unit(part).isLineStart, let time = time(part) {
        if let last = groups.last, last.time > time { return nil }
        groups.append((time, [part]))
      } else if groups.isEmpty {
        return nil
      } else {
        groups[groups.count - 1].parts.append(part)
      }
    }
    return groups
  }

  private func time(_ part: MergedPart) -> Int? {
    let text = sides[part.movedBy ?? part.side].text.bytes[unit(part).text].prefix(24)
    return timeOfDay(String(decoding: text, as: UTF8.self).unicodeScalars)
  }

  // MARK: Units and blocks

  /// The unit in the version that decides the part's position.
  private func unit(_ part: MergedPart) -> BodyUnits.Unit {
    let side = part.movedBy ?? part.side
    return sides[side].text.units[part.units[side] ?? 0]
  }

  private func text(_ side: Int, _ index: Int) -> ArraySlice<UInt8> {
    sides[side].text.bytes[sides[side].text.units[index].text]
  }

  private func bytes(of run: [MergedPart]) -> [UInt8] {
    var text: [UInt8] = []
    for part in run {
      let (unit, bytes) = (unit(part), sides[part.movedBy ?? part.side].text.bytes)
      let hasNumber = bytes[unit.marker].first?.isDigit ?? false
      let start = unit.kind == .sentence || hasNumber ? unit.text.lowerBound : unit.start
      text += bytes[start..<unit.end]
      text.append(0x0A)
    }
    return text
  }

  /// The block of the result that a part belongs to.
  func block(_ part: MergedPart) -> Int {
    blocks.find(key(unit(part), part.movedBy ?? part.side))
  }

  private func key(_ unit: BodyUnits.Unit, _ side: Int) -> Int { unit.block * 2 + side }

  /// Joins blocks of two versions that have a unit in common.
  private mutating func joinBlocks() {
    func join(_ x: Int, _ y: Int) {
      blocks.join(key(sides[0].text.units[x], 0), key(sides[1].text.units[y], 1))
    }
    for (x, y) in plan.matching.shared + plan.matching.sharedOutOfOrder { join(x, y) }
    for case .common(let part) in plan.decisions {
      if let x = part.units[0], let y = part.units[1] { join(x, y) }
    }
  }
}

/// Sets of blocks that are one block in the result.
struct BlockClasses {
  private var parents: [Int: Int] = [:]

  func find(_ block: Int) -> Int {
    var at = block
    while let next = parents[at] { at = next }
    return at
  }

  mutating func join(_ one: Int, _ other: Int) {
    let (x, y) = (find(one), find(other))
    if x != y { parents[max(x, y)] = min(x, y) }
  }
}
