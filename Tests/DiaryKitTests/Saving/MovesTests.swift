import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// Entries that the user moved with a file manager or `mv`, before a save.
@Suite struct MovesTests {
  private func text(_ name: String) -> String {
    "---\ndate: 2026-01-02\n---\n\n# \(name)\n\nWords of \(name).\n"
  }

  private func makeJournal(_ names: String...) async throws -> TestJournal {
    try await TestJournal(Dictionary(uniqueKeysWithValues: names.map { ($0, text($0)) }))
  }

  private func move(_ world: TestJournal, _ from: String, _ to: String) async throws {
    let target = URL(fileURLWithPath: world.home.homePath + "/j/" + to)
    try FileManager.default.createDirectory(
      at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
    let moved = try await world.home.run("mv", [from, to], in: "j")
    try #require(moved.status == 0, "\(moved)")
  }

  private func committedFiles(_ world: TestJournal) async throws -> Set<String> {
    let names = try await world.git("ls-tree", "-r", "--name-only", "HEAD").split(separator: "\n")
    return Set(names.map(String.init)).subtracting([".diary/config.yml"])
  }

  private func subject(_ world: TestJournal) async throws -> String {
    try await world.git("log", "-1", "--format=%s")
  }

  @Test func `a folder with more entries than may be deleted silently is moved`() async throws {
    let names = (10..<40).map { "trip/e\($0).md" }
    let world = try await TestJournal(
      Dictionary(uniqueKeysWithValues: names.map { ($0, text($0)) }))
    try await move(world, "trip", "journey")
    let outcome = try await world.journal().save()
    #expect(outcome.missing.isEmpty && outcome.moved.count == 30)
    #expect(
      try await committedFiles(world) == Set(names.map { $0.replacing("trip/", with: "journey/") }))
    let changes = try await world.git("diff", "-M", "--name-status", "HEAD~", "HEAD")
    #expect(changes.split(separator: "\n").allSatisfy { $0.hasPrefix("R100") })
    #expect(try await subject(world) == "Move 30 entries\n")
    #expect(try await world.git("status", "--porcelain") == "")
  }

  @Test func `a folder moves into another one, and so does a single entry`() async throws {
    let world = try await makeJournal("a/1.md", "a/2.md", "b/1.md")
    try await move(world, "a", "other/a")
    try await move(world, "b/1.md", "other/1.md")
    let outcome = try await world.journal().save()
    #expect(outcome.missing.isEmpty)
    #expect(try await committedFiles(world) == ["other/a/1.md", "other/a/2.md", "other/1.md"])
  }

  @Test func `one entry that keeps its title is moved, not renamed`() async throws {
    let world = try await makeJournal("a/1.md", "a/2.md")
    try await move(world, "a/1.md", "b/1.md")
    _ = try await world.journal().save()
    #expect(try await subject(world) == "Move \"a/1.md\" to b/1.md\n")
  }

  @Test func `entries missing next to moved ones are still missing`() async throws {
    let world = try await makeJournal("trip/1.md", "trip/2.md", "trip/3.md")
    try await move(world, "trip", "journey")
    try world.remove("journey/3.md")
    let outcome = try await world.journal().save()
    #expect(outcome.missing == ["trip/3.md"])
    #expect(try await committedFiles(world) == ["journey/1.md", "journey/2.md", "trip/3.md"])
  }

  @Test func `a copy is no move and a later removal of its original is missing`()
    async throws
  {
    let world = try await makeJournal("trip/1.md", "trip/2.md")
    let copied = try await world.home.run("cp", ["-r", "trip", "journey"], in: "j")
    #expect(copied.status == 0)
    #expect(try await world.journal().save().moved.isEmpty)
    try world.remove("trip")
    #expect(try await world.journal().save().missing == ["trip/1.md", "trip/2.md"])
    #expect(try await committedFiles(world).count == 4)
  }

  @Test func `an entry that was moved and edited at once is not recognized`() async throws {
    let world = try await makeJournal("trip/1.md", "trip/2.md")
    try await move(world, "trip", "journey")
    try world.write("Other words.\n", "journey/2.md")
    let outcome = try await world.journal().save()
    #expect(outcome.missing == ["trip/2.md"] && outcome.moved == ["trip/1.md": "journey/1.md"])
  }

  @Test func `of two equal entries the removed one is the moved one`() async throws {
    let world = try await TestJournal(["a/1.md": text("x"), "b/1.md": text("x")])
    try await move(world, "b", "c")
    #expect(try await world.journal().save().moved == ["b/1.md": "c/1.md"])
    #expect(try await committedFiles(world) == ["a/1.md", "c/1.md"])
  }

  @Test func `of two equal removed entries the one with the same name is the moved one`()
    async throws
  {
    let same = ["a/1.md": text("x"), "a/2.md": text("x")]
    let world = try await TestJournal(same)
    try world.remove("a")
    try world.write(text("x"), "b/3.md")
    #expect(try await world.journal().save().missing == ["a/1.md", "a/2.md"])
    let other = try await TestJournal(same)
    try await move(other, "a/2.md", "b/2.md")
    try other.remove("a")
    let outcome = try await other.journal().save()
    #expect(outcome.missing == ["a/1.md"] && outcome.moved == ["a/2.md": "b/2.md"])
  }

  @Test func `an entry without text moves only together with its folder`()
    async throws
  {
    let blank = "---\nweather: clear\n---\n"
    let world = try await TestJournal(["a/1.md": text("x"), "a/2.md": blank, "c/3.md": blank])
    try await move(world, "a", "b")
    try world.remove("c")
    try world.write(blank, "d/4.md")
    let outcome = try await world.journal().save()
    #expect(outcome.missing == ["c/3.md"])
    #expect(outcome.moved == ["a/1.md": "b/1.md", "a/2.md": "b/2.md"])
  }

  @Test func `an image is moved too in an adopted folder`() async throws {
    let world = try await TestJournal([
      "trip/1.md": "# One\n\n![](p.jpg)\n", "trip/p.jpg": "a picture",
      "trip/not-shown.jpg": "other",
    ])
    try await move(world, "trip", "journey")
    let outcome = try await world.journal().save()
    #expect(outcome.missing.isEmpty)
    #expect(
      try await committedFiles(world) == ["journey/1.md", "journey/p.jpg", "trip/not-shown.jpg"])
  }

  @Test func `a moved entry is not restored as missing`() async throws {
    let world = try await makeJournal("trip/1.md", "trip/2.md")
    try await move(world, "trip", "journey")
    #expect(try await world.journal().history.restoreMissing().paths.isEmpty)
    #expect(!world.home.exists("j/trip"))
    #expect(try await world.journal().status().missing.isEmpty)
  }

  @Test func `a folder can replace an entry and an entry a folder`() async throws {
    let world = try await makeJournal("trip.md", "notes/1.md", "notes/2.md")
    try world.remove("trip.md")
    try world.write("Day one.\n", "trip.md/1.md")
    try world.remove("notes")
    try world.write("A file now.\n", "notes")
    let outcome = try await world.journal(["DIARY_AUTOSAVE__FILES": "all"]).save()
    #expect(outcome.missing.isEmpty && outcome.stagedByUser.isEmpty && outcome.skipped.isEmpty)
    #expect(try await committedFiles(world) == ["trip.md/1.md", "notes"])
  }

  @Test func `a file that git does not compare with the disk is saved`() async throws {
    let world = try await makeJournal("sub/1.md", "sub/2.md", "a.md")
    _ = try await world.git("sparse-checkout", "set", "--no-cone", "/*", "!/sub/")
    _ = try await world.git("update-index", "--assume-unchanged", "a.md")
    try world.write("In the hole.\n", "sub/1.md")
    try world.write("Assumed unchanged.\n", "a.md")
    let status = try await world.journal().status()
    #expect(status.unsaved == ["a.md", "sub/1.md"] && status.missing.isEmpty)
    #expect(try await world.journal().save().commit?.paths == ["a.md", "sub/1.md"])
    #expect(try await committedFiles(world) == ["a.md", "sub/1.md", "sub/2.md"])
    #expect(try await world.journal().save().commit == nil)
  }
}
