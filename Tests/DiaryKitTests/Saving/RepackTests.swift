import DiaryCore
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DiaryKit
@testable import GitHistory

/// The user's git packs loose objects of saves, and no object is lost.
@Suite struct RepackTests {
  /// A journal with some hundreds of saves, in which repacking starts at a hundred loose objects.
  private func makeJournal(saves: Int = 40) async throws -> (TestJournal, Journal) {
    let world = try await TestJournal()
    _ = try await world.git("config", "gc.auto", "100")
    let journal = try world.journal()
    for save in 1...saves {
      try world.write("text \(save)\n", "2026/01/\(save % 7).md")
      try await journal.savePaths(try #require(EntryPath("2026/01/\(save % 7).md")))
      if save % 4 == 0 { _ = try await journal.save() }
    }
    return (world, journal)
  }

  private func objectStatistic(_ name: String, _ world: TestJournal) async throws -> Int {
    let lines = try await world.git("count-objects", "-v").split(separator: "\n")
    return lines.first { $0.hasPrefix(name + ": ") }.flatMap { Int($0.dropFirst(name.count + 2)) }
      ?? -1
  }

  private func objects(_ world: TestJournal) async throws -> Set<Substring> {
    let all = try await world.git(
      "cat-file", "--batch-all-objects", "--batch-check=%(objectname)", "--unordered")
    return Set(all.split(separator: "\n"))
  }

  /// Adds loose objects until git's estimate from one folder in 256 reaches the limit.
  private func addLooseObjects(_ world: TestJournal) async throws {
    let repository = try world.journal().repository
    for round in 0..<100 where await !repository.needsRepacking() {
      let names = (0..<50).map { ".git/stray/\($0)" }
      for name in names { try world.write("stray \(round) \(name)\n", name) }
      _ = try await world.home.run("git", ["hash-object", "-w"] + names, in: "j")
    }
    try? world.remove(".git/stray")
  }

  @Test func `loose objects are packed and every version is still there`() async throws {
    let (world, journal) = try await makeJournal()
    try world.write("stashed\n", "a.md")
    _ = try await world.git("stash")
    try await addLooseObjects(world)
    let before = try await objects(world)
    #expect(try await objectStatistic("count", world) > 100)
    try await journal.repackIfDue(timeout: 60)
    #expect(try await objectStatistic("count", world) == 0)
    #expect(try await objects(world) == before)
    #expect(try await world.git("fsck", "--strict", "--full", "--no-dangling") == "")
    #expect(!world.home.exists("j/.git/gc.pid"))
    #expect(try await world.git("stash", "show", "-p").contains("+stashed"))
    let past = try await world.journal().history.history(of: "2026/01/1.md")
    #expect(past.versions.count >= 6)
    // A journal that was open during repacking finds everything, too.
    try world.write("after\n", "2026/01/1.md")
    #expect(try await journal.save().commit != nil)
  }

  @Test(arguments: [("gc.auto", "0"), ("maintenance.auto", "false")])
  func `nothing is packed if the user forbids it`(_ key: String, _ value: String) async throws {
    let (world, _) = try await makeJournal(saves: 8)
    try await addLooseObjects(world)
    _ = try await world.git("config", key, value)
    let loose = try await objectStatistic("count", world)
    try await world.journal().repackIfDue(timeout: 60)
    #expect(try await objectStatistic("count", world) == loose)
  }

  @Test func `repacking is deferred while a gc of the user runs`() async throws {
    let (world, journal) = try await makeJournal(saves: 8)
    try await addLooseObjects(world)
    let loose = try await objectStatistic("count", world)
    try world.write("\(getpid()) \(ProcessInfo.processInfo.hostName)", ".git/gc.pid")
    try await journal.repackIfDue(timeout: 60)
    #expect(try await objectStatistic("count", world) == loose)
    try world.remove(".git/gc.pid")
    try await journal.repackIfDue(timeout: 60)
    #expect(try await objectStatistic("count", world) == 0)
  }

  /// Traces of a gc that no longer runs: its text, and the hours since it was written.
  @Test(arguments: [
    ("gc.pid", "1 elsewhere", 72.0), ("gc.pid", "1 elsewhere", 0),
    ("gc.pid", "\(getpid()) HERE", 13),
    ("gc.pid", "4194305 HERE", 0), ("gc.pid", "", 0), ("gc.pid.lock", "", 1),
  ])
  func `a save does not wait for a gc that ended`(
    _ name: String, _ text: String, _ hours: Double
  ) async throws {
    let world = try await TestJournal()
    try world.write(
      text.replacing("HERE", with: ProcessInfo.processInfo.hostName), ".git/" + name)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -hours * 3_600)],
      ofItemAtPath: world.home.homePath + "/j/.git/" + name)
    let journal = try world.journal()
    let isForeign = text.contains("elsewhere") && hours == 0
    #expect(try await journal.repository.gcHolder == (isForeign ? .otherHost : .none))
    try world.write("two\n", "a.md")
    let began = ContinuousClock.now
    #expect(try await journal.save().commit != nil)
    #expect(ContinuousClock.now - began < .seconds(15))
    // A gc that may run on another host is left to end.
    #expect(try await journal.repository.startRepacking() == !isForeign)
    try await journal.repository.endRepacking()
    #expect(world.home.exists("j/.git/gc.pid") == isForeign)
    #expect(world.home.exists("j/.git/gc.pid.lock") == (name == "gc.pid.lock"))
  }

  @Test func `repacking is recognized where a lock is not a hard link`() async throws {
    let (world, journal) = try await makeJournal(saves: 1)
    #expect(try await journal.repository.startRepacking())
    // The file of a file system without hard links.
    let text = try world.home.read("j/.git/gc.pid")
    try world.remove(".git/gc.pid")
    try world.write(text, ".git/gc.pid")
    #expect(try await world.journal().repository.gcHolder == .repacking)
    let isRunning = try await world.home.run("git", ["gc", "-q"], in: "j")
    #expect(isRunning.errors.contains("already running"))
    try await journal.repository.endRepacking()
  }

  @Test func `the user's gc is refused during repacking but a save is not`() async throws {
    let (world, journal) = try await makeJournal(saves: 8)
    #expect(try await journal.repository.startRepacking())
    let gc = try await world.home.run("git", ["gc", "-q"], in: "j")
    #expect(gc.status != 0 && gc.errors.contains("already running"))
    let began = ContinuousClock.now
    try world.write("meanwhile\n", "a.md")
    #expect(try await journal.save().commit != nil)
    #expect(ContinuousClock.now - began < .seconds(15))
    try await journal.repository.endRepacking()
    _ = try await world.git("gc", "-q")
  }

  @Test func `objects are packed at most once a day`() async throws {
    let (world, journal) = try await makeJournal(saves: 8)
    try await addLooseObjects(world)
    try await journal.repackIfDue(timeout: 60)
    try await addLooseObjects(world)
    let loose = try await objectStatistic("count", world)
    try await journal.repackIfDue(timeout: 60)
    #expect(try await objectStatistic("count", world) == loose)
  }

  @Test func `an interrupted repacking loses no object and leaves no lock`() async throws {
    let (world, journal) = try await makeJournal()
    try await addLooseObjects(world)
    let before = try await objects(world)
    for milliseconds in [1, 5, 10, 20, 40, 80, 160] {
      try? world.remove(".git/diary/upkeep.json")
      try? await journal.repackIfDue(timeout: Double(milliseconds) / 1_000)
      #expect(!world.home.exists("j/.git/gc.pid"))
      #expect(try await objects(world) == before)
    }
    #expect(try await world.git("fsck", "--strict", "--full", "--no-dangling") == "")
  }

  @Test func `saves go on while git packs`() async throws {
    let (world, journal) = try await makeJournal()
    try await addLooseObjects(world)
    async let repacking: () = journal.repackIfDue(timeout: 60)
    for save in 1...12 {
      try world.write("during \(save)\n", "a.md")
      try await journal.savePaths("a.md")
    }
    try await repacking
    for save in 1...12 {
      #expect(
        try await world.git("show", "refs/diary/saves/main/main~\(12 - save):a.md")
          == "during \(save)\n")
    }
    #expect(try await journal.save().commit?.paths == ["a.md"])
    #expect(try await world.git("fsck", "--strict", "--full", "--no-dangling") == "")
  }
}
