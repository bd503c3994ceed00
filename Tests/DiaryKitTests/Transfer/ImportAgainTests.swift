import DiaryCore
import Foundation
import GitHistory
import TestSupport
import Testing

@testable import DiaryKit

/// Imports that are repeated after changes in the source and in the journal.
@Suite struct ImportAgainTests {
  let world: TestJournal
  let journal: Journal

  init() async throws {
    world = try await TestJournal([:])
    journal = try world.journal()
  }

  private func importSource(_ name: String, as format: String? = nil) async throws -> ImportOutcome
  {
    let journal = try world.journal()
    let source = try ImportSource(world.home.homePath + "/" + name, for: journal)
    return try await journal.transfer.importEntries(
      journal.transfer.readImport([source], format: format)
    ) {
      _, _, _ in
    }
  }

  /// Imports one note of a folder, or one entry of a phone, with this text.
  @discardableResult
  private func importText(_ text: String, asFile: Bool) async throws -> ImportOutcome {
    guard !asFile else { return try await importNotes(["walk.md": "# Walk\n\n" + text]) }
    let body = text.replacing("\n", with: "\\n")
    try world.home.write(
      "[{\"id\":\"w\",\"title\":\"Walk\",\"body\":\"\(body)\",\"created_at\":1700000000}]",
      to: "phone.json")
    return try await importSource("phone.json")
  }

  @discardableResult
  private func importNotes(_ notes: [String: String]) async throws -> ImportOutcome {
    for (name, text) in notes { try world.home.write(text, to: "notes/" + name) }
    return try await importSource("notes", as: "markdown")
  }

  private func read(_ path: String) throws -> String { try world.home.read("j/" + path) }

  private func edit(_ path: String, _ change: (String) -> String) async throws {
    try world.write(change(try read(path)), path)
    _ = try await journal.save()
  }

  private func undo(keepingChanged: Bool = false) async throws {
    _ = try await journal.history.undo(
      try await journal.history.planUndo(keepingChanged: keepingChanged))
  }

  private func redo() async throws {
    _ = try await journal.history.undo(try await journal.history.planRedo())
  }

  private func notes() -> [String] {
    world.home.files(in: "j").filter { $0.hasSuffix(".md") && $0 != "INDEX.md" }.sorted()
  }

  @Test(arguments: [false, true])
  func `every import is merged with the source's own last text`(_ asFile: Bool) async throws {
    let first = try await importText("One.\n\nTwo.\n\nThree.\n", asFile: asFile)
    let path = try #require(first.added.first).text
    try await edit(path) { $0.replacing("Two.", with: "Two.\n\nMine.") }
    try await importText("One.\n\nTwo.\n\nThree.\n\nFour.\n", asFile: asFile)
    #expect(try read(path).hasSuffix("One.\n\nTwo.\n\nMine.\n\nThree.\n\nFour.\n"))
    try await edit(path) { $0.replacing("Three.", with: "Three, by me.") }
    try await importText("Two.\n\nThree.\n\nFour.\n\nFive.\n", asFile: asFile)
    let third = try read(path)
    #expect(third.hasSuffix("\n\nTwo.\n\nMine.\n\nThree, by me.\n\nFour.\n\nFive.\n"), "\(third)")
    #expect(!third.contains("One."))
    let last = try await importText("Two.\n\nThree.\n\nFour.\n\nFive, there.\n", asFile: asFile)
    #expect(last.updated.map(\.text) == [path] && last.conflicts.isEmpty)
    #expect(
      try read(path).hasSuffix("\n\nTwo.\n\nMine.\n\nThree, by me.\n\nFour.\n\nFive, there.\n"))
    let again = try await importText("Two.\n\nThree.\n\nFour.\n\nFive, there.\n", asFile: asFile)
    #expect(again.alreadyImported == 1 && again.save.saved.isEmpty)
    #expect(notes() == [path])
    #expect(try await world.git("status", "--porcelain") == "")
  }

  @Test(arguments: [false, true])
  func `without the source's last text an import removes nothing`(_ asFile: Bool) async throws {
    let first = try await importText("One.\n", asFile: asFile)
    let path = try #require(first.added.first).text
    try await edit(path) { $0 + "\nMine.\n" }
    try await importText("One.\n\nTwo.\n", asFile: asFile)
    // The state of an earlier version of Diary, or the file of another device.
    let last = try #require(try journal.state.imports.load().all.values.first?.digest)
    try world.home.write(
      asFile ? "[\"file:markdown/walk.md=\(last)\"]" : "[\"source:phone/w\"]",
      to: "j/.git/diary/imported.json")
    try await importText("Two.\n\nThree.\n", asFile: asFile)
    for words in ["One.", "Mine.", "Two.", "Three."] {
      #expect(try read(path).split(separator: words, omittingEmptySubsequences: false).count == 2)
    }
    // From here on, this device has a base.
    try await importText("Two.\n\nFour.\n", asFile: asFile)
    #expect(try !read(path).contains("Three.") && read(path).contains("Mine."))
  }

  @Test func `a note with another name is updated there`() async throws {
    try world.write("# My own walk\n", "walk.md")
    _ = try await journal.save()
    try await importNotes(["walk.md": "# Walk\n\nOne.\n"])
    let again = try await importNotes(["walk.md": "# Walk\n\nOne.\n\nTwo.\n"])
    #expect(again.updated == ["walk-2.md"])
    #expect(try read("walk.md") == "# My own walk\n")
    #expect(try read("walk-2.md") == "# Walk\n\nOne.\n\nTwo.\n")
  }

  @Test func `notes of one name in two folders are two entries`() async throws {
    for (folder, text) in [("work", "Meetings.\n"), ("home", "Snow.\n")] {
      try world.home.write(text, to: folder + "/2025-01-01.md")
      #expect(try await importSource(folder, as: "markdown").added.count == 1)
    }
    for (folder, path) in [("work", "2025-01-01.md"), ("home", "2025-01-01-2.md")] {
      #expect(try await importSource(folder, as: "markdown").alreadyImported == 1)
      try world.home.write("New \(folder).\n", to: folder + "/2025-01-01.md")
      #expect(try await importSource(folder, as: "markdown").updated.map(\.text) == [path])
      #expect(try read(path) == "New \(folder).\n")
    }
    // An archive of the folder elsewhere has the same notes.
    try world.home.write("New work.\n\nMore.\n", to: "copy/2025-01-01.md")
    #expect(try await importSource("copy", as: "markdown").updated == ["2025-01-01.md"])
  }

  @Test(arguments: ["rename", "move", "unsaved move", "edit and unsaved move", "undo"])
  func `a note that moved is updated at its new path`(_ how: String) async throws {
    try await importNotes(["walk.md": "# Walk\n\nOne.\n"])
    if how != "unsaved move" { try await edit("walk.md") { $0 + "\nMine.\n" } }
    switch how {
    case "rename": _ = try await journal.entries.rename("walk.md", to: "Stroll")
    case "undo":
      _ = try await journal.entries.rename("walk.md", to: "Stroll")
      try await undo()
    default:
      try world.write(try read("walk.md"), "x/stroll.md")
      try world.remove("walk.md")
      if how == "move" { try await journal.savePaths("walk.md", "x/stroll.md") }
    }
    let path = try #require(notes().first)
    let again = try await importNotes(["walk.md": "# Walk\n\nOne.\n\nTwo.\n"])
    #expect(again.updated.map(\.text) == [path] && notes() == [path])
    #expect(try read(path).contains("Two."))
  }

  @Test func `a note that another device moved is updated at its new path`() async throws {
    try await importNotes(["walk.md": "# Walk\n\nOne.\n"])
    try await journal.locked {
      try await $0.integration.recordCheckouts([], moved: ["walk.md": "stroll.md"])
    }
    #expect(try journal.state.imports.load().all.values.map(\.entryPath) == ["stroll.md"])
  }

  @Test func `an entry that is open is updated by the next import`() async throws {
    try await importNotes(["walk.md": "# Walk\n\nOne.\n"])
    try world.write("", ".walk.md.swp")
    let open = try await importNotes(["walk.md": "# Walk\n\nOne.\n\nTwo.\n"])
    #expect(open.updated.isEmpty && open.differences.count == 1)
    try world.remove(".walk.md.swp")
    #expect(try await importNotes([:]).updated == ["walk.md"])
    #expect(try read("walk.md") == "# Walk\n\nOne.\n\nTwo.\n")
  }

  @Test func `an entry with a hard link is told, and the others are updated`() async throws {
    try await importNotes(["run.md": "# Run\n\nOne.\n", "walk.md": "# Walk\n\nOne.\n"])
    let other = world.home.homePath + "/backup.md"
    try FileManager.default.linkItem(atPath: world.home.homePath + "/j/run.md", toPath: other)
    let first = try await importNotes([
      "run.md": "# Run\n\nOne.\n\nTwo.\n", "walk.md": "# Walk\n\nOne.\n\nTwo.\n",
    ])
    #expect(first.updated == ["walk.md"])
    #expect(first.differences.count == 1 && first.differences[0].contains("hard link"))
    try FileManager.default.removeItem(atPath: other)
    #expect(try await importNotes([:]).updated == ["run.md"])
    #expect(try read("run.md") == "# Run\n\nOne.\n\nTwo.\n")
  }

  @Test func `an undo of an import restores its marks, and a redo sets them again`() async throws {
    try await importNotes(["walk.md": "# Walk\n\nOne.\n", "b.md": "# B\n\nb\n"])
    try await edit("walk.md") { $0 + "\nMine.\n" }
    let first = try journal.state.imports.load().all
    try await importNotes(["walk.md": "# Walk\n\nOne.\n\nTwo.\n"])
    let second = try journal.state.imports.load().all
    #expect(first != second)
    try await undo()
    #expect(try journal.state.imports.load().all == first)
    try await redo()
    #expect(try journal.state.imports.load().all == second)
    #expect(try await importNotes([:]).alreadyImported == 2)
    try await undo()
    #expect(try await importNotes([:]).updated == ["walk.md"])
    #expect(notes() == ["b.md", "walk.md"])
    #expect(try read("walk.md") == "# Walk\n\nOne.\n\nMine.\n\nTwo.\n")
  }

  @Test func `an undo keeps the mark of an entry that stays`() async throws {
    try await importNotes(["walk.md": "# Walk\n\nOne.\n", "b.md": "# B\n\nb\n"])
    try await edit("walk.md") { $0 + "\nMine.\n" }
    try await undo(keepingChanged: true)
    #expect(notes() == ["walk.md"])
    let again = try await importNotes(["walk.md": "# Walk\n\nOne.\n\nTwo.\n"])
    #expect(again.added == ["b.md"] && again.updated == ["walk.md"])
    #expect(notes() == ["b.md", "walk.md"])
  }

  @Test func `a deleted note stays deleted, and the writer's file of its name is not changed`()
    async throws
  {
    try await importNotes(["walk.md": "# Walk\n\nOne.\n"])
    _ = try await journal.entries.delete(["walk.md"])
    try world.write("# Walk\n\nMy own.\n", "walk.md")
    let again = try await importNotes(["walk.md": "# Walk\n\nOne.\n\nTwo.\n"])
    #expect(again.deletedLocally == 1 && again.updated.isEmpty)
    #expect(try read("walk.md") == "# Walk\n\nMy own.\n")
  }

  @Test func `a restored note is updated again`() async throws {
    try await importNotes(["walk.md": "# Walk\n\nOne.\n"])
    _ = try await journal.entries.delete(["walk.md"])
    try await undo()
    try await edit("walk.md") { $0 + "\nMine.\n" }
    let again = try await importNotes(["walk.md": "# Walk\n\nOne.\n\nTwo.\n"])
    #expect(again.updated == ["walk.md"])
  }

  @Test func `an import that was killed is completed with its marks`() async throws {
    let note = "# Walk\n\nOne.\n"
    try world.write(note, "walk.md")
    try world.home.write("[\"walk.md\"]", to: "j/.git/diary/import.json")
    #expect(try await importNotes(["walk.md": note]).alreadyImported == 1)
    try await edit("walk.md") { $0.replacing("One.", with: "One, by me.\n\nMine.") }
    try await importNotes(["walk.md": note + "\nTwo.\n"])
    #expect(try read("walk.md") == "# Walk\n\nOne, by me.\n\nMine.\n\nTwo.\n")
    // An undo of the completing import removes what the killed one wrote.
    try await undo()
    try world.home.write("# B\n", to: "j/b.md")
    try world.home.write("[\"b.md\"]", to: "j/.git/diary/import.json")
    try await importNotes(["b.md": "# B\n"])
    try await undo()
    #expect(try await importNotes([:]).added == ["b.md"])
  }

  /// A walk through the history would read the first commit, which is gone.
  @Test func `an import of changed entries does not walk through the history`() async throws {
    let root = try await world.git("rev-parse", "HEAD").dropLast()
    let texts = (1...3).map { "# Note \($0)\n\nOne.\n" }
    for round in 0...1 {
      if round == 1 {
        try world.remove(".git/objects/\(root.prefix(2))/\(root.dropFirst(2))")
      }
      let notes = texts.enumerated().map { ("\($0).md", $1 + (round == 0 ? "" : "\nTwo.\n")) }
      let done = try await importNotes(Dictionary(uniqueKeysWithValues: notes))
      #expect(done.updated.count == 3 * round)
      try world.write("# Own\n", "own\(round).md")
      if round == 0 { _ = try await journal.save() }
    }
  }

  @Test func `a portion of an import is saved before the next one, and all is one commit`()
    async throws
  {
    var notes: [String: String] = [:]
    for name in ["a", "b"] {
      notes[name + ".md"] = "[\(name)](\(name).bin)\n"
      notes[name + ".bin"] = String(repeating: name, count: 5 << 20)
    }
    let outcome = try await importNotes(notes)
    #expect(outcome.added == ["a.md", "b.md"])
    #expect(Set(outcome.added).isSubset(of: outcome.save.saved))
    #expect(try await world.git("rev-list", "--count", "HEAD") == "2\n")
    let saves = try await world.git(
      "log", "--format=%s", "--glob=refs/diary/saves/*", "--not", "HEAD")
    #expect(saves.split(separator: "\n").count { $0 != "End of a sitting" } == 2, "\(saves)")
    #expect(try await importNotes([:]).alreadyImported == 2)
    try await undo()
    #expect(self.notes().isEmpty)
  }
}
