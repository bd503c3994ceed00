/// A range of a list that was changed, and the range of the other version that replaces it.
struct Hunk: Equatable {
  var base: Range<Int>
  var side: Range<Int>

  /// The ranges between the pairs that two lists have in common.
  static func all(
    between pairs: [(first: Int, second: Int)], _ base: Range<Int>, _ side: Range<Int>
  ) -> [Hunk] {
    var hunks: [Hunk] = []
    var (basePosition, sidePosition) = (base.lowerBound, side.lowerBound)
    for pair in pairs + [(base.upperBound, side.upperBound)] {
      if pair.first > basePosition || pair.second > sidePosition {
        hunks.append(Hunk(base: basePosition..<pair.first, side: sidePosition..<pair.second))
      }
      (basePosition, sidePosition) = (pair.first + 1, pair.second + 1)
    }
    return hunks
  }
}

/// A region of a list and its two versions, changed or not. Changes of both sides that touch the
/// same elements are in one region, and the regions are in the order of the base.
struct ChangeRegion {
  /// The elements of the base, and their replacements on each side.
  var base: Range<Int>
  var a: Range<Int>
  var b: Range<Int>
  /// The changes of each side in this region. If neither side has any, all three are equal.
  var changesOfA: ArraySlice<Hunk> = []
  var changesOfB: ArraySlice<Hunk> = []

  /// Splits a whole list into regions.
  static func all(_ a: [Hunk], _ b: [Hunk], count: Int) -> [ChangeRegion] {
    var builder = RegionBuilder(a: a, b: b)
    while let group = builder.nextGroup() { builder.add(group) }
    builder.addUnchanged(until: count)
    return builder.regions
  }

  /// Overlapping changes: their range in the base, and their ranges in the lists of changes.
  private struct Group {
    var base: Range<Int>
    var a: Range<Int>
    var b: Range<Int>
  }

  private struct RegionBuilder {
    let a: [Hunk]
    let b: [Hunk]
    var regions: [ChangeRegion] = []
    private var (nextA, nextB) = (0, 0)
    private var (basePosition, aPosition, bPosition) = (0, 0, 0)

    init(a: [Hunk], b: [Hunk]) {
      self.a = a
      self.b = b
    }

    /// Returns the next change with all that overlap it. Adjacent changes do not overlap, but two
    /// insertions at one position do.
    mutating func nextGroup() -> Group? {
      let (x, y) = (a[safe: nextA]?.base, b[safe: nextB]?.base)
      guard var base = x.map({ x in y.map { ChangeRegion.earlierRange(x, $0) } ?? x }) ?? y else {
        return nil
      }
      let (startA, startB) = (nextA, nextB)
      while true {
        if let next = a[safe: nextA]?.base, ChangeRegion.isOverlapping(base, next) {
          base = base.lowerBound..<max(base.upperBound, next.upperBound)
          nextA += 1
        } else if let next = b[safe: nextB]?.base, ChangeRegion.isOverlapping(base, next) {
          base = base.lowerBound..<max(base.upperBound, next.upperBound)
          nextB += 1
        } else {
          return Group(base: base, a: startA..<nextA, b: startB..<nextB)
        }
      }
    }

    mutating func add(_ group: Group) {
      addUnchanged(until: group.base.lowerBound)
      let aEnd = end(of: a[group.a], aPosition, group.base)
      let bEnd = end(of: b[group.b], bPosition, group.base)
      regions.append(
        ChangeRegion(
          base: group.base, a: aPosition..<aEnd, b: bPosition..<bEnd, changesOfA: a[group.a],
          changesOfB: b[group.b]))
      (basePosition, aPosition, bPosition) = (group.base.upperBound, aEnd, bEnd)
    }

    mutating func addUnchanged(until base: Int) {
      let count = base - basePosition
      guard count > 0 else { return }
      regions.append(
        ChangeRegion(
          base: basePosition..<base, a: aPosition..<(aPosition + count),
          b: bPosition..<(bPosition + count)))
      (basePosition, aPosition, bPosition) = (base, aPosition + count, bPosition + count)
    }

    private func end(
      of hunks: ArraySlice<Hunk>, _ start: Int, _ base: Range<Int>
    ) -> Int {
      hunks.reduce(start + base.count) { $0 + $1.side.count - $1.base.count }
    }
  }

  private static func earlierRange(_ x: Range<Int>, _ y: Range<Int>) -> Range<Int> {
    (x.lowerBound, x.isEmpty ? 0 : 1) <= (y.lowerBound, y.isEmpty ? 0 : 1) ? x : y
  }

  private static func isOverlapping(_ group: Range<Int>, _ next: Range<Int>) -> Bool {
    if group == next { return true }
    if group.isEmpty { return false }
    return next.isEmpty
      ? group.lowerBound < next.lowerBound && next.lowerBound < group.upperBound
      : next.lowerBound < group.upperBound
  }
}

extension Array {
  fileprivate subscript(safe index: Int) -> Element? { index < count ? self[index] : nil }
}
