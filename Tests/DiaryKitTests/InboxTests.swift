import FolderWatch
import Testing

@testable import DiaryKit

@Suite struct InboxTests {
  @Test func `however much comes in, it is one wake-up`() async {
    let inbox = Inbox()
    inbox.put(.folder(.touched("a.md")))
    inbox.put(.tick)
    inbox.put(.stop)
    inbox.close()
    var wakes = 0
    for await _ in inbox.wakes { wakes += 1 }
    #expect(wakes == 1)
    #expect(inbox.takeAll() == [.folder(.touched("a.md")), .tick, .stop])
    #expect(inbox.takeAll() == [])
  }

  @Test func `more than it can hold becomes a look at everything, and an end stays an end`() {
    let inbox = Inbox(capacity: 100)
    inbox.put(.stop)
    for _ in 1...1_000 { inbox.put(.folder(.gone("a.md"))) }
    let inputs = inbox.takeAll()
    #expect(inputs.count <= 101)
    #expect(inputs.contains(.stop) && inputs.contains(.folder(.rescan(.overflow))))
  }
}
