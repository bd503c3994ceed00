import DiaryCore
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DiaryKit

/// Entries that are missing in the folder or on the branch, and their restoration.
@Suite struct GoneTests {
  private let alpha: EntryPath = "2026/alpha.md"
  private let beta: EntryPath = "2026/beta.md"

  /// Makes two entries, the second of which is removed from the branch by a reset.
  private func makeResetJournal() async throws -> TestJournal {
    let world = try await TestJournal([:])
    for path in [alpha, beta] {
      try world.write("# \(path.stem)\n\nWords of \(path.stem).\n", path.text)
      #expect(try await world.journal().save().commit != nil)
    }
    _ = try await world.git("reset", "-q", "--hard", "HEAD~1")
    #expect(!world.home.exists("j/" + beta.text))
    return world
  }

  private func deleted(_ world: TestJournal) async throws -> [EntryPath] {
    try await world.journal().history.deleted().map(\.entry.path)
  }

  private func restore(_ words: String, in world: TestJournal) async throws {
    let journal = try world.journal()
    _ = try await journal.history.restore(
      try await journal.history.resolveIncludingDeleted(words), at: nil)
  }

  @Test func `an entry lost by a reset is found in the saves`() async throws {
    let world = try await makeResetJournal()
    #expect(try await deleted(world) == [beta])
    let path = try await world.journal().catalog.historyPath("beta")
    let past = try await world.journal().history.history(of: path).versions
    #expect(past.contains { $0.message.hasPrefix("Write \"beta\"") }, "\(past)")
    try await restore("beta", in: world)
    #expect(try world.home.read("j/" + beta.text) == "# beta\n\nWords of beta.\n")
    #expect(try await deleted(world) == [])
  }

  @Test func `an entry lost by a reset is restored with all missing ones`() async throws {
    let world = try await makeResetJournal()
    #expect(try await world.journal().history.restoreMissing().paths == [beta])
    #expect(try world.home.read("j/" + beta.text) == "# beta\n\nWords of beta.\n")
    _ = try await world.git("cat-file", "-e", "HEAD:" + beta.text)
  }

  @Test func `missing entries are restored`() async throws {
    let world = try await TestJournal([alpha.text: "Words of alpha.\n"])
    _ = try await world.journal().save()
    try world.remove("2026")
    #expect(try await world.journal().history.restoreMissing().paths == [alpha])
    #expect(try world.home.read("j/" + alpha.text) == "Words of alpha.\n")
  }

  @Test func `an entry on another branch is not deleted until that branch is`() async throws {
    let world = try await TestJournal()
    _ = try await world.git("checkout", "-qb", "side")
    try world.write("# Aside\n\nSide words.\n", "aside.md")
    _ = try await world.journal().save()
    _ = try await world.git("checkout", "-q", "main")
    #expect(try await deleted(world) == [])
    _ = try await world.git("branch", "-qD", "side")
    #expect(try await deleted(world) == ["aside.md"])
    #expect(try await world.journal().history.restoreMissing().paths == [])
    try await restore("aside", in: world)
    #expect(try world.home.read("j/aside.md").contains("Side words."))
  }

  @Test func `a restored file keeps its executable bit`() async throws {
    let world = try await TestJournal(["tool.md": "Words.\n", "a.md": "one\n"])
    let file = world.home.homePath + "/j/tool.md"
    chmod(file, 0o755)
    _ = try await world.journal().save()
    try world.remove("tool.md")
    #expect(try await world.journal().history.restoreMissing().paths == ["tool.md"])
    #expect(access(file, X_OK) == 0)
    let journal = try world.journal()
    _ = try await journal.entries.delete(["tool.md", "a.md"])
    _ = try await journal.history.undo(try await journal.history.planUndo())
    #expect(access(file, X_OK) == 0)
    #expect(access(world.home.homePath + "/j/a.md", X_OK) != 0)
    #expect(try await world.git("status", "--porcelain") == "")
  }
}
