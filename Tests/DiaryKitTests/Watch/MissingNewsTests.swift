import DiaryCore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DiaryKit

/// When the watcher reports that entries are missing.
@Suite struct MissingNewsTests {
  @Test func `entries missing during the first scan are reported only if they stay missing`()
    async throws
  {
    let world = try await TestJournal(["trip/1.md": "one\n", "trip/2.md": "two\n"])
    _ = try await world.journal().catalog.list()
    let away = world.home.homePath + "/away"
    try FileManager.default.moveItem(atPath: world.home.homePath + "/j/trip", toPath: away)
    let settle = Duration.seconds(1)
    let journal = try world.journal(["DIARY_AUTOSAVE__SETTLE": "1s"])
    let begin = ContinuousClock.now
    let told = Mutex<[Duration]>([])
    let watcher = try Autosave(journal) { event in
      if case .missing = event { told.withLock { $0.append(ContinuousClock.now - begin) } }
    }
    let running = Task { try await watcher.run() }
    #expect(await Sandbox.holds { !told.withLock { $0.isEmpty } })
    watcher.stop()
    try await running.value
    #expect(try #require(told.withLock { $0.first }) >= settle)
  }
}
