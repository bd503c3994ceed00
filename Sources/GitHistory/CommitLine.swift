/// The commits that can be reached from some, each after all those that have it as a parent, whatever
/// their clocks say; else the youngest first.
struct CommitLine {
  /// The starts that no earlier walk of the reader has seen.
  let starts: [CommitFacts]
  private let walk: Int
  private let reader: ObjectReader
  private var queue = CommitQueue()
  private var last: CommitFacts?

  /// `walk` counts the walks of the reader, 1 the first: what one has seen, a later one passes over.
  init(_ starts: [ObjectKey], walk: Int, _ reader: ObjectReader) throws(GitError) {
    self.walk = walk
    self.reader = reader
    var fresh: [CommitFacts] = []
    for start in starts {
      let commit = try reader.commit(start)
      if commit.walk != 0 { continue }
      commit.walk = walk
      fresh.append(commit)
    }
    self.starts = fresh
    var open = fresh
    while let commit = open.popLast() {
      for key in commit.parents {
        let parent = try reader.commit(key)
        if parent.walk == 0 {
          parent.walk = walk
          open.append(parent)
        }
        if parent.walk == walk { parent.waiting += 1 }
      }
    }
    for commit in fresh where commit.waiting == 0 { queue.push(commit) }
  }

  /// The next commit; `nil` at the end.
  mutating func next() throws(GitError) -> CommitFacts? {
    for key in last?.parents ?? [] {
      let parent = try reader.commit(key)
      guard parent.walk == walk else { continue }
      parent.waiting -= 1
      if parent.waiting == 0 { queue.push(parent) }
    }
    last = queue.pop()
    return last
  }
}

/// Commits that a walk may look at next, the youngest first; among those of one second, the one that
/// came first.
private struct CommitQueue {
  private struct Item {
    var time: Int
    var order: Int
    var commit: CommitFacts
  }

  private var heap: [Item] = []
  private var count = 0

  mutating func push(_ commit: CommitFacts) {
    heap.append(Item(time: commit.committed, order: count, commit: commit))
    count += 1
    var child = heap.count - 1
    while child > 0, isBefore(heap[child], heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func pop() -> CommitFacts? {
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
    (right.time, left.order) < (left.time, right.order)
  }
}
