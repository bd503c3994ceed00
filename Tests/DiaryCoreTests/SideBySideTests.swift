import DiaryCore
import Synchronization
import Testing

@Suite struct SideBySideTests {
  @Test(arguments: [0, 1, 2, 7, 1_000])
  func `each part is done once, and all when it ends`(_ count: Int) {
    let done = Mutex<[Int]>([])
    sideBySide(count) { part in done.withLock { $0.append(part) } }
    #expect(done.withLock { $0.sorted() } == Array(0..<count))
  }
}
