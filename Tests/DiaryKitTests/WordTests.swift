import DiaryCore
import EntryIndex
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DiaryKit

/// What a reader may believe while a watcher runs, in one process.
@Suite struct WordTests {
  @Test(arguments: [UInt64(5), 27])
  func `whatever is done to the folder, an index that is vouched for is right`(
    _ seed: UInt64
  ) async throws {
    let world = try await World()
    for number in 0..<20 { try world.write("# Entry \(number)\n", "x/\(number).md") }
    _ = try await world.git("add", "-A")
    _ = try await world.git("commit", "-qm", "more")
    try await watching(world) { (reader: Journal) async throws -> Void in
      var deeds = Deeds(world: world, seed: seed)
      for step in 0..<150 {
        let deed = try await deeds.next()
        let place = "seed \(seed), step \(step): \(deed)"
        try #require(await isVouchedFor(reader), "\(place)")
        let differences = try reader.differences()
        try #require(differences == [], "\(place)")
      }
    }
  }

  @Test func `without a watcher, or with a dead one's socket, nobody answers`() async throws {
    let world = try await World()
    let journal = try world.journal()
    _ = try await journal.list()
    #expect(!journal.hasWatchersWord())
    do {
      let door = WatchDoor(in: journal.stateFolder)
      #expect(link(socket(of: journal), socket(of: journal) + "-left") == 0)
      #expect(chmodBits(socket(of: journal)) == 0o600)
      withExtendedLifetime(door) {}
    }
    #expect(!FileManager.default.fileExists(atPath: socket(of: journal)))
    #expect(rename(socket(of: journal) + "-left", socket(of: journal)) == 0)
    let began = Date()
    #expect(!journal.hasWatchersWord())
    #expect(Date().timeIntervalSince(began) < 0.02)
    #expect(try await journal.list().map(\.path) == ["a.md"])
    // Who watches next takes its place.
    try await watching(world) { (reader: Journal) async throws -> Void in
      #expect(await isVouchedFor(reader))
    }
    #expect(!FileManager.default.fileExists(atPath: socket(of: journal)))
  }

  @Test(arguments: ["", "no", "yes", "\u{0}\u{0}", String(repeating: "x", count: 4_000)])
  func `whatever else is answered is no word`(_ answer: String) async throws {
    let world = try await World()
    let journal = try world.journal()
    _ = try await journal.list()
    let door = WatchDoor(in: journal.stateFolder)
    let stranger = Thread {
      while !Thread.current.isCancelled {
        if let question = door.next() { door.answer(question, answer) } else { usleep(200) }
      }
    }
    stranger.start()
    try world.write("# Changed\n", "a.md")
    for _ in 0..<5 { #expect(!journal.hasWatchersWord()) }
    #expect(try await journal.list().map(\.title) == ["Changed"])
    stranger.cancel()
  }

  @Test func `silence costs a moment, and then not even that`() async throws {
    let world = try await World()
    let journal = try world.journal()
    _ = try await journal.list()
    let door = WatchDoor(in: journal.stateFolder)
    for _ in 0..<40 { #expect(!journal.hasWatchersWord()) }
    // Its queue is full: nobody waits any more.
    let began = Date()
    for _ in 0..<20 { #expect(!journal.hasWatchersWord()) }
    #expect(Date().timeIntervalSince(began) < 0.2)
    withExtendedLifetime(door) {}
  }

  @Test func `a path that is longer than an address can be has a door like any other`() throws {
    let home = try Sandbox()
    let folder = home.home + "/" + String(repeating: "long-name/", count: 40)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let door = WatchDoor(in: folder)
    #expect(ask("now?", in: folder, milliseconds: 0) == nil)
    #expect(door.next()?.text == "now?")
    #expect(door.next() == nil)
  }

  @Test func `a door that is opened elsewhere wakes who waits at it`() throws {
    let home = try Sandbox()
    for name in ["one", "two"] { try home.write("", to: name + "/f") }
    let door = WatchDoor(in: home.home + "/one")
    let waiter = Thread {
      // Once for the one that is there no more, once for the question.
      for _ in 0..<2 {
        var polled = pollfd(fd: door.descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&polled, 1, 20_000) == 1 else { return }
        if let question = door.next() { return door.answer(question, "here") }
      }
    }
    waiter.start()
    usleep(50_000)
    door.reopen(in: home.home + "/two")
    #expect(ask("where?", in: home.home + "/one", milliseconds: 100) == nil)
    #expect(ask("where?", in: home.home + "/two", milliseconds: 10_000) == "here")
  }

  @Test func `what makes git ignore a file is looked at, inside and outside`() async throws {
    let world = try await World(["a.md": "one\n", "b.md": "two\n"])
    _ = try await world.git("rm", "-q", "--cached", "b.md")
    _ = try await world.git("commit", "-qm", "not b")
    // What is in a commit is never ignored.
    try await watching(world, sitting: "10m") { (reader: Journal) async throws -> Void in
      func paths() async throws -> [String] {
        try await reader.list().map(\.path.text).sorted()
      }
      #expect(await isVouchedFor(reader))
      #expect(try await paths() == ["a.md", "b.md"])
      try world.write("b.md\n", ".git/info/exclude")
      #expect(!reader.hasWatchersWord())
      #expect(try await paths() == ["a.md"])
      try world.write("", ".git/info/exclude")
      #expect(try await paths() == ["a.md", "b.md"])
      #expect(await isVouchedFor(reader))
      try world.write("b.md\n", ".gitignore")
      #expect(try await paths() == ["a.md"])
      #expect(await isVouchedFor(reader))
      #expect(try await paths() == ["a.md"])
    }
  }

  @Test func `rows that another process wrote, or made anew, are looked at again`() async throws {
    let world = try await World()
    try await watching(world) { (reader: Journal) async throws -> Void in
      #expect(await isVouchedFor(reader))
      // A look of the watcher's own may come right in between, and then it knows of the new rows.
      func isRefused(after change: () async throws -> Void) async throws -> Bool {
        for _ in 0..<5 {
          try await change()
          if !reader.hasWatchersWord() { return true }
        }
        return false
      }
      #expect(try await isRefused { _ = try await reader.refresh(only: ["a.md"]) })
      #expect(await isVouchedFor(reader))
      #expect(try await isRefused { _ = try await reader.rebuildIndex() })
      #expect(await isVouchedFor(reader))
    }
  }

  @Test func `a reader with other settings keeps its own index, and the watcher lets it`()
    async throws
  {
    let world = try await World(["a.md": "one\n", "x/b.md": "two\n"])
    try await watching(world) { (reader: Journal) async throws -> Void in
      #expect(await isVouchedFor(reader))
      let other = try world.journal(["DIARY_ENTRIES__EXCLUDE": "x/**"])
      for _ in 0..<3 {
        #expect(!other.hasWatchersWord())
        #expect(try await other.list().map(\.path) == ["a.md"])
      }
      let made = try #require(try other.catalog.rows())
      #expect(!other.hasWatchersWord())
      try await Task.sleep(for: .milliseconds(200))
      #expect(try other.catalog.rows() == made)
    }
  }

  private func ask(_ text: String, in folder: String, milliseconds: CInt) -> String? {
    guard let caller = WatchDoor.Caller(in: folder) else { return nil }
    return caller.ask(text, milliseconds: milliseconds)
  }

  /// Asks until a watcher vouches for the index; it may be busy, or have to look through the folder.
  private func isVouchedFor(_ journal: Journal) async -> Bool {
    await Sandbox.holds(within: 20) { journal.hasWatchersWord() }
  }

  private func socket(of journal: Journal) -> String { journal.stateFolder + "/watch.socket" }

  private func chmodBits(_ path: String) -> mode_t? {
    var facts = stat()
    return lstat(path, &facts) == 0 ? facts.st_mode & 0o777 : nil
  }

  /// Runs `body` beside a watcher, with a journal opened anew.
  private func watching(
    _ world: World, sitting: String = "1s", _ body: (Journal) async throws -> Void
  ) async throws {
    let journal = try world.journal([
      "DIARY_AUTOSAVE__SETTLE": "100ms", "DIARY_AUTOSAVE__SITTING": sitting,
    ])
    // Who finds no index makes one, and another one than the watcher.
    _ = try await journal.list()
    let watcher = try Autosave(journal) { _ in }
    let running = Task { try await watcher.run() }
    defer { watcher.stop() }
    try await body(try world.journal())
    watcher.stop()
    try await running.value
  }
}
