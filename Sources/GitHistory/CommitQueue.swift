/// Commits that a walk has yet to look at, the youngest first; among those of one second, the one
/// that came first. A commit comes after those that name it as a parent, whatever their clocks say,
/// along any single line.
struct CommitQueue {
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
