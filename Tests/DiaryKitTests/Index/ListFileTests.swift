import DiaryCore
import EntryIndex
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DiaryKit

/// `INDEX.md` is equal to a list that is generated completely.
@Suite struct ListFileTests {
  @Test(arguments: 1...3)
  func `after any change a save leaves the complete list`(_ part: Int) async throws {
    var dice = SeededGenerator(part: part)
    let world = try await TestJournal()
    try world.home.write("", to: "j/.git/diary/made")
    for round in 1...20 {
      for _ in 1...Int.random(in: 1...4, using: &dice) { try change(world, &dice) }
      let journal = try world.journal()
      _ = try await journal.save(deletions: true)
      #expect(try list(world) == text(of: journal), "\(dice), round \(round)")
    }
  }

  @Test func `paths are escaped so that editors can follow them`() async throws {
    let names = ["산책.md", "비 오는 날.md", "c[1].md", "50%.md", "x (1).md", "a\u{202E}b.md"]
    let world = try await TestJournal(Dictionary(uniqueKeysWithValues: names.map { ($0, "words") }))
    try world.home.write("", to: "j/.git/diary/made")
    _ = try await world.journal().save()
    let text = try list(world)
    for target in [
      "](산책.md)\n", "](<비 오는 날.md>)\n", "](c%5B1%5D.md)\n", "](50%25.md)\n", "](<x (1).md>)\n",
      "](a%E2%80%AEb.md)\n",
    ] {
      #expect(text.contains(target), "\(target) in \(text)")
    }
  }

  @Test func `a list that was edited is generated again`() async throws {
    let world = try await TestJournal(["a.md": entry("A", 1), "b.md": entry("B", 2)])
    try world.home.write("", to: "j/.git/diary/made")
    _ = try await world.journal().save()
    let made = try list(world)
    try world.write(made.replacing("[A](a.md)", with: "[Mine](a.md)"), "INDEX.md")
    try world.write(entry("C", 3), "c.md")
    let journal = try world.journal()
    _ = try await journal.save()
    #expect(try list(world) == text(of: journal))
  }

  @Test func `a list without a changed line is not written again`() async throws {
    let world = try await TestJournal(["a.md": entry("A", 1), "b.md": entry("B", 2)])
    try world.home.write("", to: "j/.git/diary/made")
    _ = try await world.journal().save()
    var (before, after) = (stat(), stat())
    let path = world.home.homePath + "/j/INDEX.md"
    #expect(stat(path, &before) == 0)
    try world.write(entry("B", 2) + "More words.\n", "b.md")
    _ = try await world.journal().save()
    #expect(stat(path, &after) == 0)
    #expect(before.st_ino == after.st_ino && before.st_ctim.tv_nsec == after.st_ctim.tv_nsec)
  }

  @Test func `titles and paths that contain link syntax are told apart`() async throws {
    let world = try await TestJournal(["x](a.md": entry("A](a.md)", 1), "a.md": entry("B", 2)])
    try world.home.write("", to: "j/.git/diary/made")
    try FileManager.default.moveItem(
      atPath: world.home.homePath + "/j/x](a.md", toPath: world.home.homePath + "/j/x](a.md).md")
    _ = try await world.journal().save(deletions: true)
    try world.write(entry("C", 3), "a.md")
    let journal = try world.journal()
    _ = try await journal.save()
    #expect(try list(world) == text(of: journal))
  }

  /// A command that names its changed files scans nothing else.
  @Test func `deletions, renames and undo appear in the list at once`()
    async throws
  {
    let world = try await TestJournal([
      "a.md": entry("A", 1), "b.md": entry("B", 2), "c.md": entry("C", 3),
    ])
    try world.home.write("", to: "j/.git/diary/made")
    _ = try await world.journal().save()
    _ = try await world.journal().entries.delete(["a.md"])
    #expect(try names(world) == ["c.md", "b.md"])
    let renamed = try await world.journal().entries.rename("b.md", to: "New").path
    #expect(try names(world) == ["c.md", renamed.text])
    let journal = try world.journal()
    let plan = try await journal.history.planUndo()
    _ = try await journal.history.undo(plan)
    #expect(try names(world) == ["c.md", "b.md"])
  }

  @Test func `an entry that git ignores leaves the list and returns later`() async throws {
    let world = try await TestJournal(["a.md": entry("A", 1), "b.md": entry("B", 2)])
    try world.home.write("", to: "j/.git/diary/made")
    try world.write(entry("C", 3), "c.md")
    _ = try await world.journal().save()
    try world.write("c.md\n", ".gitignore")
    _ = try await world.git("rm", "-q", "--cached", "c.md")
    _ = try await world.git("commit", "-qm", "mine alone")
    _ = try await world.journal().save()
    #expect(try names(world) == ["b.md", "a.md"])
    try world.remove(".gitignore")
    _ = try await world.journal().save()
    #expect(try names(world) == ["c.md", "b.md", "a.md"])
  }

  private func names(_ world: TestJournal) throws -> [String] {
    try list(world).split(separator: "\n").compactMap { line in
      line.hasSuffix(")") ? line.dropLast().split(separator: "(").last.map(String.init) : nil
    }
  }

  private func change(_ world: TestJournal, _ dice: inout SeededGenerator) throws {
    let names = ["a.md", "b.md", "2026/한강.md", "2026/x (1).md", "c[1].md", "d%20.md", "e e.md"]
    let name = names.randomElement(using: &dice) ?? ""
    let path = world.home.homePath + "/j/" + name
    switch Int.random(in: 0...6, using: &dice) {
    case 0 where FileManager.default.fileExists(atPath: path): try world.remove(name)
    case 1: try world.write("no date, \(dice.next() % 9)\n", name)
    case 2: try world.write(dice.next() % 2 == 0 ? "b.md\n" : "e*\n", ".gitignore")
    default:
      let title = ["Plain", "한강에서", "[x](y)", "](a.md)", "🌧️"].randomElement(using: &dice) ?? ""
      try world.write(entry(title, Int.random(in: 1...9, using: &dice)), name)
    }
  }

  private func entry(_ title: String, _ day: Int) -> String {
    "---\ntitle: \"\(title)\"\ndate: 2026-11-0\(day) 10:00\nweather: rain\n---\n\nWords.\n"
  }

  private func list(_ world: TestJournal) throws -> String {
    try String(contentsOfFile: world.home.homePath + "/j/INDEX.md", encoding: .utf8)
  }

  private func text(of journal: Journal) throws -> String {
    var list = ListText()
    for entry in try journal.indexDatabase.list() { list.append(entry) }
    return String(decoding: list.bytes, as: UTF8.self)
  }
}
