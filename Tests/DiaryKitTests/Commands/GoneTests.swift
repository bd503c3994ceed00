import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// Entries that are gone from the folder or from the branch, and come back.
@Suite struct GoneTests {
  private let alpha: EntryPath = "2026/alpha.md"
  private let beta: EntryPath = "2026/beta.md"

  /// Two entries, the second of which the branch has lost.
  private func resetBehind() async throws -> World {
    let world = try await World([:])
    for path in [alpha, beta] {
      try world.write("# \(path.stem)\n\nWords of \(path.stem).\n", path.text)
      #expect(try await world.journal().save().commit != nil)
    }
    _ = try await world.git("reset", "-q", "--hard", "HEAD~1")
    #expect(!world.home.exists("j/" + beta.text))
    return world
  }

  private func deleted(_ world: World) async throws -> [EntryPath] {
    try await world.journal().deleted().map(\.entry.path)
  }

  private func restore(_ words: String, in world: World) async throws {
    let journal = try world.journal()
    _ = try await journal.restore(
      try await journal.resolveIncludingDeleted(words, .mustBeUnique), at: nil)
  }

  @Test func `what the branch lost by a reset is found in the saves`() async throws {
    let world = try await resetBehind()
    #expect(try await deleted(world) == [beta])
    let path = try await world.journal().historyPath("beta")
    let past = try await world.journal().history(of: path).versions
    #expect(past.contains { $0.message.hasPrefix("Write \"beta\"") }, "\(past)")
    try await restore("beta", in: world)
    #expect(try world.home.read("j/" + beta.text) == "# beta\n\nWords of beta.\n")
    #expect(try await deleted(world) == [])
  }

  @Test func `what the branch lost by a reset comes back with all that is missing`() async throws {
    let world = try await resetBehind()
    #expect(try await world.journal().restoreMissing().paths == [beta])
    #expect(try world.home.read("j/" + beta.text) == "# beta\n\nWords of beta.\n")
    _ = try await world.git("cat-file", "-e", "HEAD:" + beta.text)
  }

  @Test func `what is missing comes back`() async throws {
    let world = try await World([alpha.text: "Words of alpha.\n"])
    _ = try await world.journal().save()
    try world.remove("2026")
    #expect(try await world.journal().restoreMissing().paths == [alpha])
    #expect(try world.home.read("j/" + alpha.text) == "Words of alpha.\n")
  }

  @Test func `what another branch has is not deleted, until the branch is`() async throws {
    let world = try await World()
    _ = try await world.git("checkout", "-qb", "side")
    try world.write("# Aside\n\nSide words.\n", "aside.md")
    _ = try await world.journal().save()
    _ = try await world.git("checkout", "-q", "main")
    #expect(try await deleted(world) == [])
    _ = try await world.git("branch", "-qD", "side")
    #expect(try await deleted(world) == ["aside.md"])
    #expect(try await world.journal().restoreMissing().paths == [])
    try await restore("aside", in: world)
    #expect(try world.home.read("j/aside.md").contains("Side words."))
  }
}
