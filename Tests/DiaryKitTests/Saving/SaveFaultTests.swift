import DiaryCore
import Foundation
import GitHistory
import TestSupport
import Testing

@testable import DiaryKit

/// Unusual files and events in a folder that must not cause a loss of text.
@Suite struct SaveFaultTests {
  @Test func `a symbolic link does not prevent the save of other files`() async throws {
    let world = try await TestJournal()
    try FileManager.default.createSymbolicLink(
      atPath: world.home.homePath + "/j/link.md", withDestinationPath: "a.md")
    try world.write("two\n", "a.md")
    let outcome = try await world.journal().save()
    #expect(outcome.commit?.paths == ["a.md"])
    #expect(outcome.skipped.map(\.path) == ["link.md"])
  }

  @Test func `files that now belong to another repository are skipped`() async throws {
    let world = try await TestJournal(["a.md": "one\n", "x/b.md": "one\n"])
    try await world.home.git("init", "-q", in: "j/x")
    try world.write("two\n", "a.md")
    try world.write("two\n", "x/b.md")
    let journal = try world.journal()
    let found = try await journal.locked {
      try await $0.saver.collectChanges(["a.md", "x/b.md"], atStart: false)
    }
    #expect(found.changes.map(\.path) == ["a.md"])
    #expect(try await journal.save().commit?.paths == ["a.md"])
  }

  @Test func `a file that git refuses is skipped and reported`() async throws {
    let world = try await TestJournal()
    try await world.home.git("init", "-q", "x", in: "j")
    let bytes = Array("two\n".utf8)
    let journal = try world.journal()
    let outcome = try await journal.locked { locked in
      var found = UnsavedChanges(scan: try await journal.changes.scan([]))
      found.changes = [
        .write("a.md", bytes, executable: false), .write("x/b.md", bytes, executable: false),
      ]
      return try await locked.saver.saveChanges(found)
    }
    #expect(outcome.saved == ["a.md"])
    #expect(outcome.skipped.map(\.path) == ["x/b.md"])
  }

  /// As an empty list, they would let an editor's old buffer revert another device's text.
  @Test func `unreadable records of a sync are not treated as missing`()
    async throws
  {
    let world = try await TestJournal()
    let journal = try world.journal()
    try world.write("two\n", "a.md")
    let notes = journal.state.checkouts.path
    try FileManager.default.createDirectory(atPath: notes, withIntermediateDirectories: true)
    let error = await #expect(throws: DiaryError.self) { try await journal.save() }
    #expect(error?.message.contains("cannot read \(notes)") == true, "\(String(describing: error))")
    try FileManager.default.removeItem(atPath: notes)
    #expect(try await journal.save().commit?.paths == ["a.md"])
  }

  /// An unreadable record is not the same as nothing to undo.
  @Test func `unreadable undo records are an error for undo but not for a save`()
    async throws
  {
    let world = try await TestJournal()
    let journal = try world.journal()
    for notes in [journal.state.operations.path, journal.state.blanks.path] {
      try FileManager.default.createDirectory(atPath: notes, withIntermediateDirectories: true)
    }
    let error = await #expect(throws: DiaryError.self) { try await journal.history.planUndo() }
    #expect(error?.kind == .failed && error?.message.contains("cannot read") == true)
    try world.write("two\n", "a.md")
    #expect(try await journal.save().commit?.paths == ["a.md"])
  }

  @Test func `an entry created and deleted within one sitting is no longer pending`() async throws {
    let world = try await TestJournal()
    let journal = try world.journal()
    try world.write("new\n", "new.md")
    #expect(try await journal.savePaths("new.md").saved == ["new.md"])
    try world.remove("new.md")
    let outcome = try await journal.save()
    #expect(outcome.saved == ["new.md"] && outcome.commit == nil)
    #expect(try await journal.repository.pending().isEmpty)
    #expect(try await world.git("log", "-p", "-m", "--first-parent", "--all").contains("+new"))
  }

  @Test func `an entry that a command deleted with its folder is not missing`() async throws {
    let world = try await TestJournal(["2025/01/a.md": "one\n"])
    let journal = try world.journal()
    try world.remove("2025")
    let path: EntryPath = "2025/01/a.md"
    let left = try await journal.locked { journal in
      _ = try await journal.saver.saveChanges(
        try await journal.saver.collectChanges([path], atStart: false, deletions: .explicit([path]))
      )
      return try await journal.saver.collectChanges([path], atStart: true)
    }
    #expect(left.missing.isEmpty)
    #expect(try await journal.save().commit?.paths == [path])
  }

  @Test(arguments: ["", "\0\0\0\0"])
  func `a file that a crash emptied is reported and not saved`(_ rest: String) async throws {
    let world = try await TestJournal()
    let journal = try world.journal()
    try world.write("one and two\n", "a.md")
    _ = try await journal.savePaths("a.md")
    try world.write(rest, "a.md")
    try world.backdate("a.md")
    let outcome = try await journal.save()
    #expect(outcome.skipped.first?.reason.hasPrefix("was emptied by a system crash") == true)
    #expect(outcome.saved.isEmpty && outcome.commit == nil)
    #expect(try await world.git("show", "HEAD:a.md") == "one\n")
    #expect(try await journal.repository.savedContent("a.md") == Array("one and two\n".utf8))
    let entry = try await journal.catalog.resolve("a.md", .mustBeUnique)
    _ = try await journal.history.restore(.current(entry), at: nil)
    #expect(try world.home.read("j/a.md") == "one and two\n")
    // A second write of the same content is intentional.
    try world.write(rest, "a.md")
    #expect(try await journal.save().commit?.paths == ["a.md"])
  }

  @Test func `an entry whose folder is removed while it is edited is missing`() async throws {
    let world = try await TestJournal(["2025/a.md": "one\n"])
    let editor = try world.home.script("mover", "mv \"$(dirname \"$1\")\" \"$HOME/elsewhere\"\n")
    let journal = try world.journal(["VISUAL": editor, "DIARY_EDITOR": editor])
    let command = try #require(await journal.editor(onTerminal: false))
    let sitting = try await journal.entries.edit("2025/a.md", in: command) { _ in false }
    guard case .written(_, let outcome) = sitting else {
      Issue.record("no sitting")
      return
    }
    #expect(outcome.missing == ["2025/a.md"] && outcome.commit == nil)
    #expect(try await world.git("ls-tree", "-r", "--name-only", "HEAD").contains("2025/a.md"))
  }

  @Test func `a file that git ignores is a version before it is deleted`() async throws {
    let world = try await TestJournal(["1/a.md": "one\n", "b.md": "two\n", ".gitignore": "c.md\n"])
    let journal = try world.journal()
    try world.write("ignored\n", "c.md")
    _ = try await journal.entries.delete(["1/a.md", "c.md"])
    #expect(!world.home.exists("j/c.md") && !world.home.exists("j/1/a.md"))
    _ = try await journal.history.undo(try await journal.history.planUndo())
    #expect(try world.home.read("j/c.md") == "ignored\n")
    #expect(try world.home.read("j/1/a.md") == "one\n")
  }
}
