import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// A watcher's periodic sync happens even if its scheduled time was missed.
@Suite struct SyncScheduleTests {
  @Test func `a sync that was due while the folder was missing is done later`() async throws {
    let world = try await TestJournal()
    try world.write("", ".git/diary/made")
    try await world.home.git("init", "-q", "--bare", "remote.git", in: "")
    _ = try await world.git("remote", "add", "origin", world.home.homePath + "/remote.git")
    _ = try await world.git("push", "-q", "-u", "origin", "main")
    try await world.home.git("clone", "-q", "remote.git", "other", in: "")
    let autosave = try Autosave(try world.journal(), shouldSync: true) { _ in }
    let watching = Task { try await autosave.run() }
    #expect(await Sandbox.holds { await autosave.hasDistantSync })
    try world.home.write("From the other.\n", to: "other/b.md")
    try await world.home.git("add", "-A", in: "other")
    try await world.home.git("commit", "-qm", "other", in: "other")
    try await world.home.git("push", "-q", in: "other")
    await autosave.missSync()
    #expect(await Sandbox.holds { world.home.exists("j/b.md") })
    #expect(await Sandbox.holds { await autosave.hasDistantSync })
    autosave.stop()
    try await watching.value
  }
}

extension Autosave {
  /// Whether a sync has run and the next one is minutes away.
  fileprivate var hasDistantSync: Bool {
    sync.next.map { $0 > MonotonicTime.now + MonotonicTime.nanoseconds(60) } ?? false
  }

  /// Makes the sync due while the journal's folder is missing.
  fileprivate func missSync() {
    sync.at = MonotonicTime.now
    schedule[.reopen] = Backoff(first: 1)
    eventQueue.enqueue(.wakeUp)
  }
}
