/// A walk over the commits that are reachable from some starts. Each commit comes after all its
/// children, whatever their clocks say; otherwise the newest comes first.
struct CommitWalk {
  /// The starts that no earlier walk of this reader has visited.
  let starts: [CommitNode]
  private let walk: Int
  private var queue = CommitQueue()
  private var last: CommitNode?

  /// `walk` is this walk's number in the reader, from 1. Commits of earlier walks are skipped.
  init(_ starts: [ObjectID], walk: Int, _ reader: ObjectReader) throws(GitError) {
    self.walk = walk
    var fresh: [CommitNode] = []
    for start in starts {
      let commit = try reader.commit(start)
      if commit.walkID != 0 { continue }
      commit.walkID = walk
      fresh.append(commit)
    }
    self.starts = fresh
    var open = fresh
    while let commit = open.popLast() {
      commit.parentNodes = try commit.parents.map { id throws(GitError) in try reader.commit(id) }
      for parent in commit.parentNodes {
        if parent.walkID == 0 {
          parent.walkID = walk
          open.append(parent)
        }
        if parent.walkID == walk { parent.unvisitedChildren += 1 }
      }
    }
    setMonotonicTimes()
    for commit in fresh where commit.unvisitedChildren == 0 { queue.push(commit) }
  }

  /// A clock that was set back, here or on another device, must not sort a commit behind its
  /// parents. A first pass finds an order that respects the parents; times are set from its end.
  private func setMonotonicTimes() {
    var order = starts.filter { $0.unvisitedChildren == 0 }
    var index = 0
    while index < order.count {
      for parent in order[index].parentNodes where parent.walkID == walk {
        parent.unvisitedChildren -= 1
        if parent.unvisitedChildren == 0 { order.append(parent) }
      }
      index += 1
    }
    for commit in order.reversed() {
      commit.monotonicTime = max(
        commit.commitTime, commit.parentNodes.map(\.monotonicTime).max() ?? commit.commitTime)
      for parent in commit.parentNodes where parent.walkID == walk { parent.unvisitedChildren += 1 }
    }
  }

  /// Returns the next commit, or `nil` at the end.
  mutating func next() -> CommitNode? {
    for parent in last?.parentNodes ?? [] where parent.walkID == walk {
      parent.unvisitedChildren -= 1
      if parent.unvisitedChildren == 0 { queue.push(parent) }
    }
    last = queue.pop()
    return last
  }
}

/// The commits that a walk may visit next, newest first. Of equally old commits the last added
/// comes first, so that a line is followed to its fork before another is started.
private struct CommitQueue {
  private struct Item {
    var time: Int
    var order: Int
    var commit: CommitNode
  }

  private var heap: [Item] = []
  private var count = 0

  mutating func push(_ commit: CommitNode) {
    heap.append(Item(time: commit.monotonicTime, order: count, commit: commit))
    count += 1
    var child = heap.count - 1
    while child > 0, isBefore(heap[child], heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func pop() -> CommitNode? {
    guard let top = heap.first else { return nil }
    let last = heap.removeLast()
    guard !heap.isEmpty else { return top.commit }
    heap[0] = last
    var parent = 0
    while true {
      var best = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
        if isBefore(heap[child], heap[best]) { best = child }
      }
      guard best != parent else { return top.commit }
      heap.swapAt(best, parent)
      parent = best
    }
  }

  private func isBefore(_ left: Item, _ right: Item) -> Bool {
    (right.time, right.order) < (left.time, left.order)
  }
}
