import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import DiaryKit

@Suite struct LockedJournalTests {
  private struct Failure: Error {}

  /// True if another process could take the journal's lock.
  private func isFree(_ journal: Journal) throws -> Bool {
    try ProcessLock(journal.stateFolder + "/lock") != nil
  }

  @Test func `the lock is held during the body, and free after it returns or throws`() async throws
  {
    let world = try await TestJournal()
    let journal = try world.journal()
    let isFreeInside = try await journal.locked { _ in try self.isFree(journal) }
    #expect(!isFreeInside)
    #expect(try await Sandbox.holds { try self.isFree(journal) })
    await #expect(throws: Failure.self) {
      try await journal.locked { journal in
        _ = try await journal.saver.saveDeletions([])
        throw Failure()
      }
    }
    #expect(try await Sandbox.holds { try self.isFree(journal) })
  }

  @Test func `tasks of one process wait for one another`() async throws {
    let world = try await TestJournal()
    let journal = try world.journal()
    try await withThrowingTaskGroup { group in
      for name in ["b.md", "c.md", "d.md"] {
        group.addTask {
          try await journal.locked { locked in
            try world.write("two\n", name)
            let found = try await locked.saver.collectAllChanges()
            #expect(try await locked.saver.saveChanges(found).saved.map(\.text) == [name])
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `a task that has locked the journal is refused to lock it again`() async throws {
    let world = try await TestJournal()
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      [
        root = world.home.homePath + "/j" as String,
        variables = world.home.environment as [String: String]
      ] in
      let journal = try Journal(
        root: root,
        environment: RuntimeEnvironment(
          variables: variables, currentFolder: root, now: { 0 }, zone: .gmt,
          executableDirectory: Sandbox.programs))
      try await journal.locked { _ in try await journal.locked { _ in } }
    }
    let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(errors.contains("locked the journal already"))
  }
}
