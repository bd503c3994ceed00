import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// The history of an entry: every version is listed, shown and restored.
@Suite struct HistoryTests {
  /// Makes three sittings of three saves each, as the watcher does: nine texts.
  private func writeThreeSittings(_ path: EntryPath, in world: TestJournal) async throws -> [String]
  {
    var texts: [String] = []
    for sitting in 1...3 {
      for save in 1...3 {
        let before = texts.last ?? "---\ntitle: 강가에서\ndate: 2026-11-20\n---\n"
        let text = before + "Sitting \(sitting), save \(save): 바람이 불었다.\n"
        texts.append(text)
        try world.write(text, path.text)
        try await world.journal().savePaths(path)
      }
      #expect(try await world.journal().save().commit != nil)
    }
    return texts
  }

  @Test func `every version of a long history is restored byte for byte, also after gc`()
    async throws
  {
    let world = try await TestJournal([:])
    let first: EntryPath = "2026/11/2026-11-20-강가에서.md"
    var texts = try await writeThreeSittings(first, in: world)
    #expect(try await world.git("log", "--format=%s").contains("Write \"강가에서\""))

    let second = try await world.journal().entries.rename(first, to: "By the river").path
    texts.append(try world.home.read("j/" + second.text))
    let third: EntryPath = "2026/11/by-hand.md"
    _ = try await world.git("mv", second.text, third.text)
    _ = try await world.git("commit", "-qm", "Move by hand")
    texts.append(texts[9] + "After the move.\n")
    try world.write(texts[10], third.text)
    _ = try await world.journal().save()

    _ = try await world.journal().entries.delete([third])
    #expect(!world.home.exists("j/" + third.text))
    let journal = try world.journal()
    let found = try await journal.history.resolveIncludingDeleted("By the river")
    #expect(try await journal.history.restore(found, at: nil).path == third)
    #expect(try world.home.read("j/" + third.text) == texts[10])

    try await world.home.git("clone", "-q", "j", "other", in: "")
    texts.append("# On the other device\n" + texts[10])
    try world.home.write(texts[11], to: "other/" + third.text)
    try await world.home.git("commit", "-qam", "Edit elsewhere", in: "other")
    texts.append(texts[10] + "On this device.\n")
    try world.write(texts[12], third.text)
    _ = try await world.journal().save()
    _ = try await world.git("pull", "-q", "--no-rebase", "--no-edit", "../other", "main")
    texts.append(try world.home.read("j/" + third.text))

    try await expectAllVersions(texts, third, in: world)
    _ = try await world.git("reflog", "expire", "--expire=now", "--all")
    _ = try await world.git("gc", "-q", "--prune=now")
    try await expectAllVersions(texts, third, in: world)
    _ = try await world.git("fsck", "--strict")
  }

  /// Checks that each text is shown by number and by commit, and can be restored.
  private func expectAllVersions(_ texts: [String], _ path: EntryPath, in world: TestJournal)
    async throws
  {
    let versions = try await world.journal().history.history(of: path).versions
    var shown: [String] = []
    for version in versions where !version.isDeletion {
      let byNumber = try await world.journal().history.text(of: path, at: "\(version.versionsAgo)")
      let byCommit = try await world.journal().history.text(of: path, at: version.commit)
      #expect(byCommit.bytes == byNumber.bytes, "\(version)")
      shown.append(String(decoding: byNumber.bytes, as: UTF8.self))
    }
    #expect(Set(shown) == Set(texts), "\(versions)")
    #expect(shown.first == texts.last)
    #expect(versions.contains { $0.path.text.contains("강가에서") })
    let oldest = try #require(versions.last)
    #expect(oldest.added == 6 && oldest.removed == 0, "\(oldest)")

    let present = try world.home.read("j/" + path.text)
    var restored: Set<String> = []
    for version in versions.reversed() where !version.isDeletion {
      try await restore(path, version.commit, in: world)
      restored.insert(try world.home.read("j/" + path.text))
    }
    #expect(restored == Set(texts))
    try await restore(path, try #require(versions.first).commit, in: world)
    #expect(try world.home.read("j/" + path.text) == present)
    #expect(try await world.git("status", "--porcelain") == "")
  }

  private func restore(_ path: EntryPath, _ version: String, in world: TestJournal) async throws {
    let journal = try world.journal()
    let found = try await journal.history.resolveIncludingDeleted(path.text)
    _ = try await journal.history.restore(found, at: version)
  }
}
