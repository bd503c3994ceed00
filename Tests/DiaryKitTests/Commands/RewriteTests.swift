import Foundation
import Glibc
import TestSupport
import Testing

@testable import DiaryKit

/// Commands that rewrite several entries, one of which cannot be rewritten.
@Suite struct RewriteTests {
  @Test func `a rename leaves entries that cannot be rewritten and names them`() async throws {
    let world = try await TestJournal([
      "b.md": "# B\n", "linked.md": "See [b](b.md).\n", "hard.md": "See [b](b.md).\n",
      "damaged.md": "See [b](b.md)\u{0}.\n",
    ])
    let folder = world.home.homePath + "/j/"
    try #require(link(folder + "hard.md", world.home.homePath + "/other") == 0)
    let journal = try world.journal()
    let done = try await journal.entries.rename("b.md", to: "New")
    #expect(done.path == "new.md" && done.updated == ["linked.md"])
    #expect(done.filesWithStaleLinks == ["hard.md"])
    #expect(try world.home.read("j/linked.md") == "See [b](new.md).\n")
    #expect(try world.home.read("j/hard.md") == "See [b](b.md).\n")
    #expect(done.save.commit != nil)
    #expect(try await world.git("status", "--porcelain") == "")
  }

  @Test func `a renamed entry's links to itself are updated, and text in code is not`() async throws
  {
    let world = try await TestJournal([
      "day.md": "# Day\n\nSee [above](day.md#day).\n",
      "other.md": "`[g](day.md)` [g](day.md)\n", "code.md": "```\n[g](day.md)\n```\n",
    ])
    let done = try await world.journal().entries.rename("day.md", to: "New")
    #expect(done.path == "new.md" && done.updated == ["other.md"])
    #expect(done.filesWithStaleLinks == [])
    #expect(try world.home.read("j/new.md") == "# New\n\nSee [above](new.md#day).\n")
    #expect(try world.home.read("j/other.md") == "`[g](day.md)` [g](new.md)\n")
    #expect(try world.home.read("j/code.md") == "```\n[g](day.md)\n```\n")
    #expect(try await world.git("status", "--porcelain") == "")
  }

  @Test func `an entry that links twice is named once`() async throws {
    let world = try await TestJournal([
      "두 단어.md": "# 두 단어\n",
      "hard.md": "See [a](<두 단어.md>) and [b](%EB%91%90%20%EB%8B%A8%EC%96%B4.md).\n",
    ])
    try #require(
      link(world.home.homePath + "/j/hard.md", world.home.homePath + "/other") == 0)
    let done = try await world.journal().entries.rename("두 단어.md", to: "New")
    #expect(done.filesWithStaleLinks == ["hard.md"])
  }

  @Test func `entries that were fixed before one is refused are saved`() async throws {
    let world = try await TestJournal(["a.md": "one\n", "b.md": "two\n"])
    try #require(link(world.home.homePath + "/j/a.md", world.home.homePath + "/other") == 0)
    let journal = try world.journal()
    await #expect(throws: (any Error).self) { try await journal.entries.fixDates(from: .mtime) }
    #expect(try world.home.read("j/b.md").contains("date: "))
    #expect(try world.home.read("j/a.md") == "one\n")
    #expect(try await world.git("show", "--name-only", "--format=", "HEAD") == "b.md\n")
    #expect(try await world.git("status", "--porcelain") == "")
  }
}
