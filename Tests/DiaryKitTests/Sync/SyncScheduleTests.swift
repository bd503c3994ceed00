import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// A watcher's exchange with the remote comes, whatever became of the moment that was set for it.
@Suite struct SyncScheduleTests {
  @Test func `an exchange that was due while the folder was away is made up for`() async throws {
    let world = try await World()
    try world.write("", ".git/diary/made")
    try await world.home.git("init", "-q", "--bare", "remote.git", in: "")
    _ = try await world.git("remote", "add", "origin", world.home.home + "/remote.git")
    _ = try await world.git("push", "-q", "-u", "origin", "main")
    try await world.home.git("clone", "-q", "remote.git", "other", in: "")
    let autosave = try Autosave(try world.journal(), shouldSync: true) { _ in }
    let watching = Task { try await autosave.run() }
    #expect(await Sandbox.holds { await autosave.waitsForLong })
    try world.home.write("From the other.\n", to: "other/b.md")
    try await world.home.git("add", "-A", in: "other")
    try await world.home.git("commit", "-qm", "other", in: "other")
    try await world.home.git("push", "-q", in: "other")
    await autosave.missBeat()
    #expect(await Sandbox.holds { world.home.exists("j/b.md") })
    #expect(await Sandbox.holds { await autosave.waitsForLong })
    autosave.stop()
    try await watching.value
  }
}

extension Autosave {
  /// Whether there was an exchange, and the next one is minutes away.
  fileprivate var waitsForLong: Bool {
    nextSyncAt.map { $0 > Self.monotonicNow + Self.nanoseconds(60) } ?? false
  }

  /// The moment comes while the journal's folder is not there.
  fileprivate func missBeat() {
    sync?.at = Self.monotonicNow
    reopenRetry = Backoff(first: 1)
    eventQueue.enqueue(.wakeUp)
  }
}
