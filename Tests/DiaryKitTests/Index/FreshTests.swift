import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// The index matches the files at every query, with and without a watcher, and whether a query
/// scans the folder or uses change tracking of the kernel.
@Suite struct FreshTests {
  @Test(arguments: [(true, false), (false, false), (false, true), (true, true)])
  func `after any change to the folder the next query is correct`(
    isWatched: Bool, asksKernel: Bool
  ) async throws {
    let random = SeededGenerator(part: "\(isWatched) \(asksKernel)")
    let world = try await TestJournal()
    for number in 0..<20 { try world.write("# Entry \(number)\n", "x/\(number).md") }
    _ = try await world.git("add", "-A")
    _ = try await world.git("commit", "-qm", "more")
    func check() async throws {
      let reader = try world.journal()
      if asksKernel { reader.catalog.startChangeTracking() }
      var deeds = JournalActions(world: world, random: random)
      for step in 0..<150 {
        let deed = try await deeds.performNext()
        _ = try await reader.catalog.list()
        let differences = try reader.catalog.indexDifferences()
        try #require(differences == [], "\(random), step \(step): \(deed)")
      }
    }
    guard isWatched else { return try await check() }
    try await watching(world) { try await check() }
  }

  @Test(arguments: [(false, false), (true, false), (false, true)])
  func `changes of git's ignore rules are detected inside and outside the journal`(
    isWatched: Bool, asksKernel: Bool
  ) async throws {
    let world = try await TestJournal(["a.md": "one\n", "b.md": "two\n"])
    _ = try await world.git("rm", "-q", "--cached", "b.md")
    _ = try await world.git("commit", "-qm", "not b")
    func check() async throws {
      let reader = try world.journal()
      if asksKernel { reader.catalog.startChangeTracking() }
      for file in [".git/info/exclude", ".gitignore"] {
        for (text, paths) in [("b.md\n", ["a.md"]), ("", ["a.md", "b.md"])] {
          try world.write(text, file)
          #expect(try await reader.catalog.list().map(\.path.text).sorted() == paths, "\(file)")
        }
      }
    }
    guard isWatched else { return try await check() }
    // A committed file is never ignored.
    try await watching(world, sitting: "10m") { try await check() }
  }

  @Test func `a write of equal length that sets the time back is seen`() async throws {
    let world = try await TestJournal()
    let reader = try world.journal()
    for title in ["AAAA", "BBBB"] {
      let file = try #require(FileHandle(forWritingAtPath: world.home.homePath + "/j/a.md"))
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: Data("# \(title)\n".utf8))
      try file.close()
      try world.backdate("a.md")
      #expect(try await reader.catalog.list().map(\.title) == [title])
    }
  }

  @Test func `without kernel events nothing is scanned and nothing is read`() async throws {
    let world = try await TestJournal(["a.md": "one\n", "x/b.md": "two\n"])
    let reader = try world.journal()
    reader.catalog.startChangeTracking()
    #expect(try await reader.catalog.list().count == 2)
    // Empties the index, as no command would do: only a scan can bring the entries back.
    _ = try reader.indexDatabase.update(files: []) { _ in [] }
    #expect(try await reader.catalog.list().isEmpty)
    try world.write("three\n", "x/c.md")
    #expect(try await reader.catalog.list().map(\.path) == ["x/c.md"])
    // After a change of a folder's permissions everything is scanned.
    chmod(world.home.homePath + "/j/x", 0o700)
    #expect(try await reader.catalog.list().count == 3)
  }

  @Test func `a folder that replaces the journal's folder is not tracked`() async throws {
    let world = try await TestJournal(["a.md": "one\n"])
    let reader = try world.journal()
    let root = world.home.homePath + "/j"
    reader.catalog.startChangeTracking()
    #expect(try await reader.catalog.list().map(\.path) == ["a.md"])
    rename(root, root + "-away")
    try FileManager.default.copyItem(atPath: root + "-away", toPath: root)
    #expect(try await reader.catalog.list().map(\.path) == ["a.md"])
    try world.home.write("two\n", to: "j-away/b.md")
    #expect(try await reader.catalog.list().count == 2)
  }

  @Test func `a reader with other settings has its own index next to a watcher's`() async throws {
    let world = try await TestJournal(["a.md": "one\n", "x/b.md": "two\n"])
    try await watching(world) {
      let other = try world.journal(["DIARY_ENTRIES__EXCLUDE": "x/**"])
      for _ in 0..<3 {
        #expect(try await other.catalog.list().map(\.path) == ["a.md"])
        #expect(try await world.journal().catalog.list().count == 2)
      }
    }
  }

  @Test func `an old scan does not restore entries that now belong to another repository`()
    async throws
  {
    let world = try await TestJournal(["x/a.md": "one\n", "b.md": "two\n"])
    let (watcher, reader) = (try world.journal(), try world.journal())
    _ = try await watcher.catalog.list()
    let walk = watcher.folder.scan(EntryMatcher(settings: watcher.settings))
    try world.write("ref: refs/heads/main\n", "x/.git/HEAD")
    #expect(try await reader.catalog.list().map(\.path) == ["b.md"])
    _ = try await watcher.catalog.updateIndex(walk)
    #expect(try reader.catalog.indexDifferences() == [])
  }

  @Test func `an old scan does not remove entries that are back`() async throws {
    let world = try await TestJournal(["x/a.md": "one\n", "b.md": "two\n"])
    let (watcher, reader) = (try world.journal(), try world.journal())
    reader.catalog.startChangeTracking()
    #expect(try await reader.catalog.list().count == 2)
    // For a moment the folder is another repository. No file in it changes.
    try world.write("ref: refs/heads/main\n", "x/.git/HEAD")
    let walk = watcher.folder.scan(EntryMatcher(settings: watcher.settings))
    #expect(walk.entries.map(\.path) == ["b.md"])
    try FileManager.default.removeItem(atPath: world.home.homePath + "/j/x/.git")
    #expect(try await reader.catalog.list().count == 2)
    _ = try await watcher.catalog.updateIndex(walk)
    #expect(try await reader.catalog.list().count == 2)
  }

  private func watching(
    _ world: TestJournal, sitting: String = "1s", _ body: () async throws -> Void
  ) async throws {
    let journal = try world.journal([
      "DIARY_AUTOSAVE__SETTLE": "100ms", "DIARY_AUTOSAVE__SITTING": sitting,
    ])
    let watcher = try Autosave(journal) { _ in }
    let running = Task { try await watcher.run() }
    defer { watcher.stop() }
    try await body()
    watcher.stop()
    try await running.value
  }
}
