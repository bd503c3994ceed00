import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// The index is as the files are whenever it is asked, whether a watcher runs or not.
@Suite struct FreshTests {
  @Test(arguments: [(UInt64(5), true), (27, false)])
  func `whatever is done to the folder, the index is right when it is asked`(
    _ seed: UInt64, isWatched: Bool
  ) async throws {
    let world = try await World()
    for number in 0..<20 { try world.write("# Entry \(number)\n", "x/\(number).md") }
    _ = try await world.git("add", "-A")
    _ = try await world.git("commit", "-qm", "more")
    func check() async throws {
      let reader = try world.journal()
      var deeds = Deeds(world: world, seed: seed)
      for step in 0..<150 {
        let deed = try await deeds.next()
        _ = try await reader.list()
        let differences = try reader.differences()
        try #require(differences == [], "seed \(seed), step \(step): \(deed)")
      }
    }
    guard isWatched else { return try await check() }
    try await watching(world) { try await check() }
  }

  @Test(arguments: [false, true])
  func `what makes git ignore a file is looked at, inside and outside`(
    isWatched: Bool
  ) async throws {
    let world = try await World(["a.md": "one\n", "b.md": "two\n"])
    _ = try await world.git("rm", "-q", "--cached", "b.md")
    _ = try await world.git("commit", "-qm", "not b")
    func check() async throws {
      let reader = try world.journal()
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
