import FolderWatch
import Testing

@testable import DiaryKit

@Suite struct EventQueueTests {
  @Test func `any number of events causes one wake-up`() async {
    let inbox = EventQueue()
    inbox.enqueue(.folder(.changed("a.md")))
    inbox.enqueue(.wakeUp)
    inbox.enqueue(.stop)
    inbox.close()
    var wakeups = 0
    for await _ in inbox.wakeups { wakeups += 1 }
    #expect(wakeups == 1)
    #expect(inbox.drain() == [.folder(.changed("a.md")), .wakeUp, .stop])
    #expect(inbox.drain() == [])
  }

  @Test func `a full queue becomes a rescan and does not drop the end event`() {
    let inbox = EventQueue(capacity: 100)
    inbox.enqueue(.stop)
    for _ in 1...1_000 { inbox.enqueue(.folder(.removed("a.md"))) }
    let inputs = inbox.drain()
    #expect(inputs.count <= 101)
    #expect(inputs.contains(.stop) && inputs.contains(.folder(.rescan(.overflow))))
  }
}
