import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// Versions that `diary leave` must not delete.
@Suite struct LeaveTests {
  private func refusal(_ world: TestJournal) async throws -> DiaryError? {
    let error = await #expect(throws: DiaryError.self) {
      try await world.journal().leave(.dropIfRedundant)
    }
    #expect(world.home.exists("j/.diary/config.yml"))
    #expect(world.home.exists("j/.git/diary"))
    return error
  }

  private func save(_ text: String, _ name: String, in world: TestJournal) async throws {
    try world.write(text, name)
    let path = try #require(EntryPath(name))
    try await world.journal().savePaths(path)
  }

  @Test func `a version between two commits is not deleted`() async throws {
    let world = try await TestJournal()
    try await save("a thought\n", "a.md", in: world)
    try await save("another one\n", "a.md", in: world)
    try await save("", "a.md", in: world)
    try await save("the last one\n", "a.md", in: world)
    _ = try await world.journal().save()
    let error = try await refusal(world)
    #expect(error?.message == "only the autosaves contain 2 versions of 1 file")
    #expect(error?.details == ["a.md: 2 versions"])
    _ = try await world.journal().leave(.drop)
    #expect(!world.home.exists("j/.diary"))
    #expect(try await world.git("for-each-ref", "refs/diary") == "")
  }

  @Test func `a version on a deleted branch is not deleted`() async throws {
    let world = try await TestJournal()
    _ = try await world.git("checkout", "-qb", "side")
    try world.write("words of a branch\n", "sub/b.md")
    _ = try await world.journal().save()
    _ = try await world.git("checkout", "-q", "main")
    _ = try await world.git("branch", "-qD", "side")
    #expect(try await refusal(world)?.details == ["sub/b.md: 1 version"])
    _ = try await world.journal().leave(.keep)
    #expect(try await world.git("log", "--all", "-p", "-m").contains("+words of a branch"))
  }

  @Test func `a version that the branch lost by a reset is not deleted`() async throws {
    let world = try await TestJournal()
    try world.write("given up\n", "b.md")
    _ = try await world.journal().save()
    _ = try await world.git("reset", "-q", "--hard", "HEAD~1")
    #expect(try await refusal(world)?.details == ["b.md: 1 version"])
    // A tag keeps a commit reachable, as a branch does.
    _ = try await world.git("tag", "-am", "kept", "kept", "HEAD@{1}")
    _ = try await world.journal().leave(.dropIfRedundant)
    #expect(!world.home.exists("j/.diary"))
  }
}
