import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// A save after one that found nothing to save.
@Suite struct RepeatedSaveTests {
  @Test func `every change after a save without changes is found by the next save`()
    async throws
  {
    let world = try await TestJournal(["a.md": "one\n", "x/b.md": "one\n"])
    try await saveNothing(world)
    try world.write("two\n", "a.md")
    #expect(try await world.journal().save().commit?.paths == ["a.md"])
    try await saveNothing(world)
    try world.write("new\n", "x/new.md")
    #expect(try await world.journal().save().commit?.paths == ["x/new.md"])
    try await saveNothing(world)
    try world.remove("x/b.md")
    #expect(try await world.journal().save().commit?.paths == ["x/b.md"])
  }

  @Test func `a write that resets the file's time is saved`() async throws {
    let world = try await TestJournal()
    try world.write("one\n", "a.md")
    try await saveNothing(world)
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: world.home.homePath + "/j/a.md"))
    try file.write(contentsOf: Data("two\n".utf8))
    try file.close()
    try world.backdate("a.md")
    #expect(try await world.journal().save().commit?.paths == ["a.md"])
  }

  @Test func `a save names only the files whose text was not saved before`() async throws {
    let world = try await TestJournal(["a.md": "one\n", "b.md": "one\n"])
    let journal = try world.journal()
    try world.write("two\n", "b.md")
    #expect(try await journal.savePaths("a.md", "b.md").saved == ["b.md"])
    #expect(try await journal.savePaths("a.md", "b.md").saved == [])
    try world.remove("a.md")
    try world.write("one\n", "b.md")
    #expect(try await journal.savePaths("a.md", "b.md").saved == ["a.md", "b.md"])
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

  /// Saves, makes all files old, and saves again.
  private func saveNothing(_ world: TestJournal) async throws {
    _ = try await world.journal().save()
    let root = world.home.homePath + "/j"
    let names = try #require(FileManager.default.enumerator(atPath: root))
    for case let name as String in names where !name.contains("objects/") {
      try world.backdate(name)
    }
    let outcome = try await world.journal().save()
    #expect(outcome.saved.isEmpty && outcome.commit == nil)
  }
}
