import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// A save without changes since the last one does not run git, but must not miss a change.
@Suite struct CleanSnapshotTests {
  @Test func `every change after a save without changes is found by the next save`()
    async throws
  {
    let world = try await TestJournal(["a.md": "one\n", "x/b.md": "one\n"])
    try await recordCleanState(world)
    try world.write("two\n", "a.md")
    #expect(try await world.journal().save().commit?.paths == ["a.md"])
    try await recordCleanState(world)
    try world.write("new\n", "x/new.md")
    #expect(try await world.journal().save().commit?.paths == ["x/new.md"])
    try await recordCleanState(world)
    try world.remove("x/b.md")
    #expect(try await world.journal().save().commit?.paths == ["x/b.md"])
    try await recordCleanState(world)
    _ = try await world.git("reset", "-q", "--soft", "HEAD~1")
    let journal = try world.journal()
    let look = try #require(journal.cleanSnapshot())
    #expect(!journal.isUnchangedSinceSave(look))
  }

  @Test func `a file that was written just now is not considered unchanged`() async throws {
    let world = try await TestJournal()
    _ = try await world.journal().save()
    // A time that is still new when a slow machine scans the file.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: 3_600)],
      ofItemAtPath: world.home.homePath + "/j/a.md")
    let journal = try world.journal()
    let look = try #require(journal.cleanSnapshot())
    #expect(!look.isConclusive)
    #expect(!journal.isUnchangedSinceSave(look))
  }

  @Test func `a write that resets the file's time is saved`() async throws {
    let world = try await TestJournal()
    try world.write("one\n", "a.md")
    try await recordCleanState(world)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: world.home.homePath + "/j/a.md"))
    try file.write(contentsOf: Data("two\n".utf8))
    try file.close()
    try world.backdate("a.md")
    #expect(try await world.journal().save().commit?.paths == ["a.md"])
  }

  @Test func `INDEX.md is written again only if it was changed`() async throws {
    let world = try await TestJournal()
    try world.home.write("", to: "j/.git/diary/made")
    _ = try await world.journal().save()
    let list = world.home.homePath + "/j/INDEX.md"
    let made = try String(contentsOfFile: list, encoding: .utf8)
    #expect(made.contains("(a.md)"))
    _ = try await world.journal().save()
    #expect(try String(contentsOfFile: list, encoding: .utf8) == made)
    try world.write(made + "- mine\n", "INDEX.md")
    _ = try await world.journal().save()
    #expect(try String(contentsOfFile: list, encoding: .utf8) == made)
  }

  /// Saves, makes all files old, and saves again, so that the clean state is recorded.
  private func recordCleanState(_ world: TestJournal) async throws {
    _ = try await world.journal().save()
    let root = world.home.homePath + "/j"
    let names = try #require(FileManager.default.enumerator(atPath: root))
    for case let name as String in names where !name.contains("objects/") {
      try world.backdate(name)
    }
    // Longer than a tick of the kernel's clock.
    try await Task.sleep(for: .milliseconds(50))
    _ = try await world.journal().save()
    let journal = try world.journal()
    let look = try #require(journal.cleanSnapshot())
    #expect(look.isConclusive)
    #expect(journal.isUnchangedSinceSave(look))
  }
}
