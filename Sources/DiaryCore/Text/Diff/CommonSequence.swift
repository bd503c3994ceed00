/// The longest sequence that two lists have in common, as pairs of positions in order: Myers' O(ND)
/// algorithm in linear space ("An O(ND) Difference Algorithm and Its Variations", 1986).
///
/// If more than `bound` steps are needed between two points, the search continues from the farthest
/// point that it has reached. The result may then be shorter than the longest, but the time is at
/// most `bound` times the length.
func commonSequence(
  _ first: [Int], _ second: [Int], bound: Int = 512
) -> [(first: Int, second: Int)] {
  var search = CommonSequence(first: first, second: second, bound: max(bound, 2))
  search.run(first.indices, second.indices)
  return search.pairs
}

private struct CommonSequence {
  let first: [Int]
  let second: [Int]
  let bound: Int
  var pairs: [(first: Int, second: Int)] = []

  /// Appends the pairs of a box, in order.
  mutating func run(_ a: Range<Int>, _ b: Range<Int>) {
    var (a, b) = (a, b)
    var tail = 0
    while let x = a.first, let y = b.first, first[x] == second[y] {
      pairs.append((x, y))
      a.removeFirst()
      b.removeFirst()
    }
    while let x = a.last, let y = b.last, first[x] == second[y] {
      tail += 1
      a.removeLast()
      b.removeLast()
    }
    if !a.isEmpty, !b.isEmpty, let (x, y) = split(a, b) {
      run(a.lowerBound..<x, b.lowerBound..<y)
      run(x..<a.upperBound, y..<b.upperBound)
    }
    for step in 0..<tail { pairs.append((a.upperBound + step, b.upperBound + step)) }
  }

  /// A point on a shortest path through the box, inside it or on its edge. `nil` if the search
  /// found nothing that the two sides have in common.
  private func split(_ a: Range<Int>, _ b: Range<Int>) -> (Int, Int)? {
    var frontiers = SearchFrontiers(columns: a.count, rows: b.count, bound: bound)
    let found = frontiers.meetingPoint(
      same: { first[a.lowerBound + $0] == second[b.lowerBound + $1] },
      sameFromEnd: { first[a.upperBound - 1 - $0] == second[b.upperBound - 1 - $1] })
    guard let (x, y) = found, (x, y) != (0, 0), (x, y) != (a.count, b.count) else { return nil }
    return (a.lowerBound + x, b.lowerBound + y)
  }
}

/// Two searches that start at opposite corners of a box and advance by one difference at a time.
/// For each diagonal `k` (column minus row), each stores the farthest column that it has reached.
private struct SearchFrontiers {
  let columns: Int
  let rows: Int
  let steps: Int
  let isBounded: Bool
  private var forward: Frontier
  private var backward: Frontier

  init(columns: Int, rows: Int, bound: Int) {
    self.columns = columns
    self.rows = rows
    let neededSteps = (columns + rows + 1) / 2
    steps = min(neededSteps, bound)
    isBounded = steps < neededSteps
    forward = Frontier(steps)
    backward = Frontier(steps)
  }

  mutating func meetingPoint(
    same: (Int, Int) -> Bool, sameFromEnd: (Int, Int) -> Bool
  ) -> (Int, Int)? {
    let delta = columns - rows
    let isOdd = delta % 2 != 0
    for step in 0...steps {
      for k in diagonals(step) {
        let x = forward.advance(k, step, columns, rows, same)
        guard isOdd, isInBox(x, x - k), let other = backward[delta - k], other >= 0,
          abs(delta - k) < step, x + other >= columns
        else { continue }
        return (x, x - k)
      }
      for k in diagonals(step) {
        let x = backward.advance(k, step, columns, rows, sameFromEnd)
        guard !isOdd, isInBox(x, x - k), let other = forward[delta - k], other >= 0,
          abs(delta - k) <= step, isInBox(other, other - delta + k), x + other >= columns
        else { continue }
        return (other, other - delta + k)
      }
    }
    return isBounded ? farthestPoint() : nil
  }

  /// The diagonals of a step that cross the box.
  private func diagonals(_ step: Int) -> StrideThrough<Int> {
    func fit(_ k: Int) -> Int { (k + step) % 2 == 0 ? k : k + 1 }
    let low = step <= rows ? -step : fit(-rows)
    return stride(from: low, through: min(step, columns), by: 2)
  }

  private func isInBox(_ x: Int, _ y: Int) -> Bool {
    (0...columns).contains(x) && (0...rows).contains(y)
  }

  private func farthestPoint() -> (Int, Int)? {
    var best: (x: Int, y: Int)?
    for k in diagonals(steps) {
      guard let x = forward[k], isInBox(x, x - k) else { continue }
      if best.map({ x + x - k > $0.x + $0.y }) ?? true { best = (x, x - k) }
    }
    return best
  }
}

/// The farthest columns of one search, by diagonal.
private struct Frontier {
  private var reached: [Int]
  private let middle: Int
  private static let unreached = -1

  init(_ steps: Int) {
    middle = steps + 1
    reached = Array(repeating: Frontier.unreached, count: 2 * steps + 3)
  }

  subscript(_ k: Int) -> Int? {
    let index = middle + k
    return reached.indices.contains(index) ? reached[index] : nil
  }

  /// Adds a difference to reach the diagonal `k`, and follows it while both lists are equal.
  mutating func advance(
    _ k: Int, _ step: Int, _ columns: Int, _ rows: Int, _ same: (Int, Int) -> Bool
  ) -> Int {
    let (left, right) = (reached[middle + k - 1], reached[middle + k + 1])
    var x = step == 0 ? 0 : max(left == Frontier.unreached ? Frontier.unreached : left + 1, right)
    while x >= 0, x < columns, x - k >= 0, x - k < rows, same(x, x - k) { x += 1 }
    // A path outside of the box is a dead end.
    if x > columns || x - k > rows { x = Frontier.unreached }
    reached[middle + k] = x
    return x
  }
}
