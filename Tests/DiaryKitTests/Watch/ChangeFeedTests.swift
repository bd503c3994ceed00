import DiaryCore
import Foundation
import GitHistory
import Synchronization
import TestSupport
import Testing

@testable import DiaryKit

/// Notifications to web pages about a journal's changes.
@Suite struct ChangeFeedTests {
  /// Collects everything that a listener receives.
  private final class ChangeRecorder: Sendable {
    private let received = Mutex<[String]>([])

    init(_ feed: ChangeFeed) {
      let stream = feed.listen()
      Task { [self] in
        for await change in stream { received.withLock { $0.append("\(change)") } }
        received.withLock { $0.append("end") }
      }
    }

    func count(_ part: String) -> Int { received.withLock { $0.count { $0.contains(part) } } }

    func hasReceived(_ part: String) async -> Bool {
      await Sandbox.holds { self.received.withLock { $0.contains { $0.contains(part) } } }
    }
  }

  @Test func `a listener that does not read is told to reload everything`() async {
    let feed = ChangeFeed()
    let (idle, gone) = (feed.listen(), feed.listen())
    withExtendedLifetime(gone) {}
    for number in 0..<1_000 { feed.send(.editorChanged("a.md", editor: "\(number)")) }
    feed.finish()
    var heard: [JournalChange] = []
    for await change in idle { heard.append(change) }
    for await _ in feed.listen() { Issue.record("a feed that has ended goes on") }
    #expect(heard.count == ChangeFeed.capacity)
    guard case .everything = heard.last else {
      Issue.record("\(heard.last.debugDescription)")
      return
    }
  }

  @Test func `a page's watcher saves, notifies and commits what pages wrote`() async throws {
    let world = try await TestJournal(["a.md": "One.\n"])
    try world.write("autosave: {settle: 200ms, sitting: 500ms}\n", ".diary/config.yml")
    let journal = try world.journal()
    let watch = PageWatch(journal)
    let (one, two) = (ChangeRecorder(watch.changes), ChangeRecorder(watch.changes))
    let running = Task { try await watch.run() }
    #expect(await Sandbox.holds { journal.runningWatcher != nil })
    #expect(await watch.isWatcher)
    #expect(await one.hasReceived("status"))
    try world.write("From elsewhere.\n", "b.md")
    #expect(await one.hasReceived("b.md"))
    #expect(await two.hasReceived("b.md"))
    let entry = try await journal.page.editable("a.md")
    let text = try #require(entry.text)
    _ = try await journal.page.write("a.md", title: text.title, body: "More.", from: entry.version)
    #expect(try await journal.repository.savedContent("a.md") != Array("One.\n".utf8))
    // The watcher notices what the page has saved itself, and commits it.
    #expect(
      await Sandbox.holds { (try? await world.git("show", "HEAD:a.md"))?.contains("More.") == true }
    )
    // A command saves its own changes, so the watcher has nothing left to save.
    let beside = try world.journal()
    try world.write("Rain.\n", "c.md")
    #expect(await one.hasReceived("c.md"))
    #expect(await Sandbox.holds { (try? await world.git("show", "HEAD:c.md")) != nil })
    let told = one.count("c.md")
    _ = try await beside.entries.star(["c.md"], true)
    #expect(await Sandbox.holds { one.count("c.md") > told })
    _ = try await beside.entries.delete(["c.md"])
    #expect(await one.hasReceived("changed: [], removed: [c.md]"))
    try world.write("swap", ".a.md.kate-swp")
    #expect(await two.hasReceived("Kate"))
    await watch.stop()
    try await running.value
    #expect(await one.hasReceived("end"))
    #expect(journal.runningWatcher == nil)
  }

  @Test func `with another watcher it only listens, and takes over later`() async throws {
    let world = try await TestJournal(["a.md": "One.\n"])
    try world.write("autosave: {settle: 200ms, sitting: 500ms}\n", ".diary/config.yml")
    let journal = try world.journal()
    var other: Autosave? = try Autosave(try world.journal()) { _ in }
    let others = Task { [other] in try await other?.run() }
    let watch = PageWatch(journal, checkInterval: .milliseconds(100))
    let ear = ChangeRecorder(watch.changes)
    let running = Task { try await watch.run() }
    #expect(await ear.hasReceived("everything"))
    #expect(await !watch.isWatcher)
    try world.write("From elsewhere.\n", "b.md")
    #expect(await ear.hasReceived("b.md"))
    try world.remove("b.md")
    #expect(await ear.hasReceived("removed: [b.md]"))
    other?.stop()
    try await others.value
    other = nil
    #expect(await Sandbox.holds { await watch.isWatcher })
    await watch.stop()
    try await running.value
  }
}
