import DiaryCore
import Testing

/// Tests of `concurrentMap`.
@Suite struct SideBySideTests {
  /// Callers match each result to its path by position.
  @Test(arguments: [0, 1, 49, 50, 51, 1234], [1, 7, 50])
  func `results are in the order of their items`(_ count: Int, _ portion: Int) {
    let items = Array(0..<count)
    let found = concurrentMap(items, chunkSize: portion) { item in
      // The first items take the longest.
      (0..<(count - item)).reduce(0, &+) &* 0 &+ 3 * item
    }
    #expect(found == items.map { 3 * $0 })
  }
}
