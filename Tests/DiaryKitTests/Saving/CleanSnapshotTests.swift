import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// A save that finds everything as the last one left it asks git nothing; it must miss nothing.
@Suite struct CleanSnapshotTests {
  @Test func `whatever is touched after a save with nothing to do is seen by the next`()
    async throws
  {
    let world = try await World(["a.md": "one\n", "x/b.md": "one\n"])
    try await rest(world)
    try world.write("two\n", "a.md")
    #expect(try await world.journal().save().commit?.paths == ["a.md"])
    try await rest(world)
    try world.write("new\n", "x/new.md")
    #expect(try await world.journal().save().commit?.paths == ["x/new.md"])
    try await rest(world)
    try world.remove("x/b.md")
    #expect(try await world.journal().save().commit?.paths == ["x/b.md"])
    try await rest(world)
    _ = try await world.git("reset", "-q", "--soft", "HEAD~1")
    let journal = try world.journal()
    let look = try #require(journal.cleanSnapshot())
    #expect(!journal.isUnchangedSinceSave(look))
  }

  @Test func `a file that was written this moment is not taken for known`() async throws {
    let world = try await World()
    _ = try await world.journal().save()
    // Of this moment, however long the machine takes to look.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: 3_600)],
      ofItemAtPath: world.home.home + "/j/a.md")
    let journal = try world.journal()
    let look = try #require(journal.cleanSnapshot())
    #expect(!look.isConclusive)
    #expect(!journal.isUnchangedSinceSave(look))
  }

  @Test func `a write that puts the file's time back is saved`() async throws {
    let world = try await World()
    try world.write("one\n", "a.md")
    try await rest(world)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: world.home.home + "/j/a.md"))
    try file.write(contentsOf: Data("two\n".utf8))
    try file.close()
    try world.age("a.md")
    #expect(try await world.journal().save().commit?.paths == ["a.md"])
  }

  @Test func `INDEX.md is made again when it was changed, and not when nothing was`() async throws {
    let world = try await World()
    try world.home.write("", to: "j/.git/diary/made")
    _ = try await world.journal().save()
    let list = world.home.home + "/j/INDEX.md"
    let made = try String(contentsOfFile: list, encoding: .utf8)
    #expect(made.contains("(a.md)"))
    _ = try await world.journal().save()
    #expect(try String(contentsOfFile: list, encoding: .utf8) == made)
    try world.write(made + "- mine\n", "INDEX.md")
    _ = try await world.journal().save()
    #expect(try String(contentsOfFile: list, encoding: .utf8) == made)
  }

  /// Saves, lets everything look old, and saves again, so that the state is remembered.
  private func rest(_ world: World) async throws {
    _ = try await world.journal().save()
    let root = world.home.home + "/j"
    let names = try #require(FileManager.default.enumerator(atPath: root))
    for case let name as String in names where !name.contains("objects/") { try world.age(name) }
    // Longer than a tick of the kernel's clock.
    try await Task.sleep(for: .milliseconds(50))
    _ = try await world.journal().save()
    let journal = try world.journal()
    let look = try #require(journal.cleanSnapshot())
    #expect(look.isConclusive)
    #expect(journal.isUnchangedSinceSave(look))
  }
}
