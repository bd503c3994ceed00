import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// The version of the private state, as seen by code in one process.
@Suite struct StateVersionTests {
  private let version = ".git/diary/version"

  @Test func `an open journal writes nothing after the version has risen`() async throws {
    let world = try await TestJournal()
    let journal = try world.journal()
    _ = try await journal.save()
    try journal.state.queuedStamps.write([QueuedStamp(path: "a.md", moment: 1)])
    try world.write("two\n", "a.md")
    try world.write("2\n", version)
    let before = world.home.state(of: "j")
    await #expect(throws: DiaryError.self) { try await journal.save() }
    await #expect(throws: DiaryError.self) {
      try await journal.weather.queueStamp("a.md", moment: 2)
    }
    #expect(throws: DiaryError.self) { try journal.state.queuedStamps.write([]) }
    journal.state.queuedStamps.remove()
    #expect(throws: DiaryError.self) { try Autosave(journal) { _ in } }
    #expect(throws: DiaryError.self) { try world.journal() }
    #expect(Sandbox.differences(before, world.home.state(of: "j")) == [])
    try world.remove(version)
    #expect(try await journal.save().saved == ["a.md"])
  }

  @Test func `a process that waited for the lock checks the version again`() async throws {
    let world = try await TestJournal()
    let journal = try world.journal()
    _ = try await journal.save()
    try world.write("two\n", "a.md")
    var lock: ProcessLock?
    // A process that another test is just starting may still hold a copy of the descriptor.
    #expect(
      try await Sandbox.holds {
        lock = try ProcessLock(journal.stateFolder + "/lock")
        return lock != nil
      })
    let saving = Task { try await journal.save() }
    // Nothing shows that it waits for the lock; a save that has not started yet also has to fail.
    try await Task.sleep(for: .milliseconds(100))
    try world.write("2\n", version)
    let before = world.home.state(of: "j")
    lock = nil
    await #expect(throws: DiaryError.self) { try await saving.value }
    #expect(Sandbox.differences(before, world.home.state(of: "j")) == [])
  }

  @Test func `the error names the version and the file and tells what to do`() async throws {
    let world = try await TestJournal()
    try world.write("7", version)
    let error = #expect(throws: DiaryError.self) { try world.journal() }
    let root = world.home.homePath + "/j"
    #expect(
      error
        == DiaryError(
          "a newer version of Diary wrote the state of the journal \(root), and this version cannot read it",
          details: ["state: version 7 in \(root)/.git/diary/version; this program uses version 1"],
          hint: "install the newer version of Diary; nothing was changed"))
  }
}
