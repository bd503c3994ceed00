import FolderWatch
import Testing

@testable import DiaryKit

@Suite struct EventQueueTests {
  @Test func `however much comes in, it is one wake-up`() async {
    let inbox = EventQueue()
    inbox.put(.folder(.touched("a.md")))
    inbox.put(.tick)
    inbox.put(.stop)
    inbox.close()
    var wakeups = 0
    for await _ in inbox.wakeups { wakeups += 1 }
    #expect(wakeups == 1)
    #expect(inbox.drain() == [.folder(.touched("a.md")), .tick, .stop])
    #expect(inbox.drain() == [])
  }

  @Test func `more than it can hold becomes a look at everything, and an end stays an end`() {
    let inbox = EventQueue(capacity: 100)
    inbox.put(.stop)
    for _ in 1...1_000 { inbox.put(.folder(.gone("a.md"))) }
    let inputs = inbox.drain()
    #expect(inputs.count <= 101)
    #expect(inputs.contains(.stop) && inputs.contains(.folder(.rescan(.overflow))))
  }
}
