import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// The index is as the files are whenever it is asked, whether a watcher runs or not, and whether each
/// question walks the folder or asks the kernel what is new.
@Suite struct FreshTests {
  @Test(arguments: [
    (UInt64(5), true, false), (27, false, false), (31, false, true), (33, true, true),
  ])
  func `whatever is done to the folder, the index is right when it is asked`(
    _ seed: UInt64, isWatched: Bool, asksKernel: Bool
  ) async throws {
    let world = try await World()
    for number in 0..<20 { try world.write("# Entry \(number)\n", "x/\(number).md") }
    _ = try await world.git("add", "-A")
    _ = try await world.git("commit", "-qm", "more")
    func check() async throws {
      let reader = try world.journal()
      if asksKernel { reader.startChangeTracking() }
      var deeds = Deeds(world: world, seed: seed)
      for step in 0..<150 {
        let deed = try await deeds.next()
        _ = try await reader.list()
        let differences = try reader.indexDifferences()
        try #require(differences == [], "seed \(seed), step \(step): \(deed)")
      }
    }
    guard isWatched else { return try await check() }
    try await watching(world) { try await check() }
  }

  @Test(arguments: [(false, false), (true, false), (false, true)])
  func `what makes git ignore a file is looked at, inside and outside`(
    isWatched: Bool, asksKernel: Bool
  ) async throws {
    let world = try await World(["a.md": "one\n", "b.md": "two\n"])
    _ = try await world.git("rm", "-q", "--cached", "b.md")
    _ = try await world.git("commit", "-qm", "not b")
    func check() async throws {
      let reader = try world.journal()
      if asksKernel { reader.startChangeTracking() }
      for file in [".git/info/exclude", ".gitignore"] {
        for (text, paths) in [("b.md\n", ["a.md"]), ("", ["a.md", "b.md"])] {
          try world.write(text, file)
          #expect(try await reader.list().map(\.path.text).sorted() == paths, "\(file)")
        }
      }
    }
    guard isWatched else { return try await check() }
    // What is in a commit is never ignored.
    try await watching(world, sitting: "10m") { try await check() }
  }

  @Test func `nothing is walked and nothing read while the kernel has no news`() async throws {
    let world = try await World(["a.md": "one\n", "x/b.md": "two\n"])
    let reader = try world.journal()
    reader.startChangeTracking()
    #expect(try await reader.list().count == 2)
    // What no command would do: only a look at the folder can bring them back.
    _ = try reader.indexDatabase.update(files: [], readAt: .max) { _ in [] }
    #expect(try await reader.list().isEmpty)
    try world.write("three\n", "x/c.md")
    #expect(try await reader.list().map(\.path) == ["x/c.md"])
    // A folder's permissions say nothing of what is in it: all is looked at.
    chmod(world.home.home + "/j/x", 0o700)
    #expect(try await reader.list().count == 3)
  }

  @Test func `a folder that was put in the journal's place is not listened to`() async throws {
    let world = try await World(["a.md": "one\n"])
    let reader = try world.journal()
    let root = world.home.home + "/j"
    reader.startChangeTracking()
    #expect(try await reader.list().map(\.path) == ["a.md"])
    rename(root, root + "-away")
    try FileManager.default.copyItem(atPath: root + "-away", toPath: root)
    #expect(try await reader.list().map(\.path) == ["a.md"])
    try world.home.write("two\n", to: "j-away/b.md")
    #expect(try await reader.list().count == 2)
  }

  @Test func `a reader with other settings keeps its own index beside a watcher`() async throws {
    let world = try await World(["a.md": "one\n", "x/b.md": "two\n"])
    try await watching(world) {
      let other = try world.journal(["DIARY_ENTRIES__EXCLUDE": "x/**"])
      for _ in 0..<3 {
        #expect(try await other.list().map(\.path) == ["a.md"])
        #expect(try await world.journal().list().count == 2)
      }
    }
  }

  @Test func `a save's older look brings nothing back that has left the index since`() async throws
  {
    let world = try await World(["x/a.md": "one\n"])
    let (watcher, reader) = (try world.journal(), try world.journal())
    _ = try await watcher.list()
    let seen = try await watcher.scan(["x/a.md"]).candidates
    try world.write("ref: refs/heads/main\n", "x/.git/HEAD")
    #expect(try await reader.list().isEmpty)
    _ = try await watcher.updateIndex(only: ["x/a.md"], scanned: seen)
    #expect(try reader.indexDifferences() == [])
  }

  @Test func `an older walk brings nothing back that has become another repository's`()
    async throws
  {
    let world = try await World(["x/a.md": "one\n", "b.md": "two\n"])
    let (watcher, reader) = (try world.journal(), try world.journal())
    _ = try await watcher.list()
    let walk = watcher.folder.scan(EntryMatcher(settings: watcher.settings))
    try world.write("ref: refs/heads/main\n", "x/.git/HEAD")
    #expect(try await reader.list().map(\.path) == ["b.md"])
    _ = try await watcher.updateIndex(walk)
    #expect(try reader.indexDifferences() == [])
  }

  private func watching(
    _ world: World, sitting: String = "1s", _ body: () async throws -> Void
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
