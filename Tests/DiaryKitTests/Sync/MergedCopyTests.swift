import DiaryCore
import TestSupport
import Testing

@testable import DiaryKit

/// A conflict copy that was merged into its entry: its review and its undo.
@Suite struct MergedCopyTests {
  private static let copy = "day.sync-conflict-20261122-221819-DGYN457.md"
  private static let first = "---\ndate: 2026-11-22\n---\n\nWe saw swifts at the lake.\n"
  private static let desk = first.replacing("swifts", with: "larks")
  private static let phone = first.replacing("swifts", with: "storks")

  private let world: TestJournal
  private let journal: Journal

  init() async throws {
    world = try await TestJournal(["day.md": Self.first])
    journal = try world.journal()
    try world.write(Self.desk, "day.md")
    _ = try await journal.save()
    try world.write(Self.phone, Self.copy)
  }

  private func merge() async throws -> ConflictCopyMerge {
    let copies = try await journal.checkouts.conflictCopies()
    return try await journal.checkouts.merge(try #require(copies.first)).merge
  }

  private func undo() async throws {
    _ = try await journal.history.undo(try await journal.history.planUndo())
  }

  @Test func `two versions of a sentence are to review`() async throws {
    #expect(try await merge() == .merged(keptBoth: true))
    #expect(try await journal.remote.recordedReviews() == ["day.md"])
    #expect(!world.home.exists("j/" + Self.copy))
  }

  @Test func `undo brings back the entry and the copy, and redo merges again`() async throws {
    _ = try await merge()
    let merged = try world.home.read("j/day.md")
    #expect(merged.contains("larks") && merged.contains("storks"))
    try await undo()
    #expect(try world.home.read("j/day.md") == Self.desk)
    #expect(try world.home.read("j/" + Self.copy) == Self.phone)
    _ = try await journal.history.undo(try await journal.history.planRedo())
    #expect(try world.home.read("j/day.md") == merged)
    #expect(!world.home.exists("j/" + Self.copy))
  }

  @Test func `undo changes nothing if the copy exists again`() async throws {
    _ = try await merge()
    try world.write("Another copy.\n", Self.copy)
    let plan = try await journal.history.planUndo()
    #expect(plan.steps == [] && plan.skipped.map(\.path.text) == [Self.copy])
  }

  @Test func `undo of a copy that became the entry brings the copy back`() async throws {
    try world.remove("day.md")
    _ = try await journal.save(deletions: true)
    #expect(try await merge() == .becameEntry)
    #expect(try world.home.read("j/day.md") == Self.phone)
    try await undo()
    #expect(!world.home.exists("j/day.md"))
    #expect(try world.home.read("j/" + Self.copy) == Self.phone)
  }

  @Test func `a copy of an entry that another device renamed is merged into it`() async throws {
    let other = try await ReceivingJournal(["day.md": Self.first])
    try other.write(Self.phone, Self.copy)
    try await other.receive(["day.md": Self.desk])
    try await other.receive(["day.md": nil, "lake.md": Self.desk])
    let copies = try await other.journal.checkouts.conflictCopies()
    #expect(copies.map(\.original) == ["lake.md"])
    let merge = try await other.journal.checkouts.merge(try #require(copies.first)).merge
    #expect(merge == .merged(keptBoth: true))
    #expect(try other.names().isDisjoint(with: ["day.md", Self.copy]))
    let merged = try other.text("lake.md")
    #expect(merged.contains("larks") && merged.contains("storks"))
  }

  @Test func `a version that was purged is left out`() async throws {
    let blob = try await world.git("rev-parse", "HEAD~1:day.md").dropLast()
    try world.remove(".git/objects/\(blob.prefix(2))/\(blob.dropFirst(2))")
    #expect(try await merge() == .merged(keptBoth: true))
    let text = try world.home.read("j/day.md")
    #expect(text.contains("larks") && text.contains("storks"), "\(text)")
  }

  @Test func `a copy that a killed command left merged adds nothing`() async throws {
    let copies = try await journal.checkouts.conflictCopies()
    _ = try await journal.checkouts.merge(try #require(copies.first))
    let merged = try world.home.read("j/day.md")
    try world.write(Self.phone, Self.copy)
    #expect(try await merge() == .alreadyContained)
    #expect(try world.home.read("j/day.md") == merged)
  }
}
