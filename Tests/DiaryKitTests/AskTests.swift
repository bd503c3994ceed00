import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DiaryKit

/// What the index answers while the folder is still being walked counts only if it was right.
@Suite struct AskTests {
  /// The titles with their words, and how often the index was asked for them.
  private func titles(
    _ journal: Journal, _ beside: @escaping @Sendable (Int) throws -> Void = { _ in }
  ) async throws -> (titles: [String], times: Int) {
    let asked = Mutex(0)
    let titles = try await journal.ask { catalog in
      let answer = try catalog.list().map { "\($0.title) \($0.words)" }
      let times = asked.withLock { times in
        times += 1
        return times
      }
      try beside(times)
      return answer
    }
    return (titles, asked.withLock { $0 })
  }

  @Test func `an index that was up to date is asked once, another one once more`() async throws {
    let world = try await World(["a.md": "one\n", "b.md": "two\n"])
    // The first is made before it is asked.
    #expect(try await titles(try world.journal()) == (["two 1", "one 1"], 1))
    #expect(try await titles(try world.journal()) == (["two 1", "one 1"], 1))
    try world.write("two, and more\n", "b.md")
    #expect(try await titles(try world.journal()) == (["two, and more 3", "one 1"], 2))
    // What was written this moment is read anew by each look, and is the same.
    #expect(try await titles(try world.journal()) == (["two, and more 3", "one 1"], 1))
    try world.remove("a.md")
    #expect(try await titles(try world.journal()) == (["two, and more 3"], 2))
    #expect(try await titles(try world.journal()) == (["two, and more 3"], 1))
    try world.write("ignored/\n", ".gitignore")
    #expect(try await titles(try world.journal()) == (["two, and more 3"], 2))
    #expect(try await titles(try world.journal()) == (["two, and more 3"], 1))
  }

  @Test func `an answer that another process overtakes is not given`() async throws {
    let world = try await World(["a.md": "one\n"])
    _ = try await titles(try world.journal())
    let found = try await titles(try world.journal()) { times in
      guard times == 1 else { return }
      // What the walk has passed by, or will: another process has taken it in either way.
      try world.write("one\n\nAnd what the list shows nothing of.\n", "a.md")
      let other = try world.journal()
      let walk = other.folder.walk(EntryRules(settings: other.settings))
      _ = try other.catalog.update(
        files: walk.entries.map { IndexedFile(path: $0.path, stamp: $0.stamp) },
        readAt: walk.startedAt
      ) { paths in
        try paths.compactMap { path in
          guard let file = try other.folder.read(path) else { return nil }
          let entry = Entry(
            path: path, text: EntryText(file.bytes), settings: other.settings, zone: other.zone)
          return ReadEntry(entry: entry, stamp: file.stamp, readAt: file.readAt)
        }
      }
    }
    #expect(found.times == 2)
    #expect(found.titles == ["one 8"])
  }
}
