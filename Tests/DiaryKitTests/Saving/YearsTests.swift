import DiaryCore
import Foundation
import GitHistory
import Synchronization
import TestSupport
import Testing

@testable import DiaryKit

/// Years of sittings with the watcher's code: four saves, a commit, and the cleanup at a quiet
/// moment. `DIARY_YEARS=10` simulates ten years with ten sittings a day and prints the cost. The
/// short form only checks the invariants.
@Suite struct YearsTests {
  private static let years = ProcessInfo.processInfo.environment["DIARY_YEARS"].flatMap(Double.init)
  /// Whether the short form runs, which packs from 200 loose objects on.
  private static let isShort = years == nil

  /// A clock whose days pass at once.
  private final class SimulatedClock: Sendable {
    private let seconds = Mutex(1_480_000_000)
    var now: Int { seconds.withLock { $0 } }
    func advance(_ time: Int) { seconds.withLock { $0 += time } }
  }

  private struct Durations {
    var saves: [Double] = []
    var sittings: [Double] = []
    var packings: [Double] = []

    static func median(_ times: ArraySlice<Double>) -> Double {
      times.isEmpty ? 0 : times.sorted()[times.count / 2]
    }
  }

  private func measure(_ times: inout [Double], _ body: () async throws -> Void) async rethrows {
    let began = ContinuousClock.now
    try await body()
    times.append((ContinuousClock.now - began) / .milliseconds(1))
  }

  /// One sitting: an entry of the month, written in four saves.
  private func performSitting(
    _ number: Int, _ world: TestJournal, _ journal: Journal, _ days: SimulatedClock,
    _ figures: inout Durations
  ) async throws {
    let month = number / 300
    let name = "\(2016 + month / 12)/\(month % 12 + 1)/\(number / 3 * 3).md"
    let path = try #require(EntryPath(name))
    for save in 0..<4 {
      let old = FileManager.default.contents(atPath: world.home.homePath + "/j/" + name) ?? Data()
      let text = String(decoding: old, as: UTF8.self)
      let words = (0..<30).map { "w\((number &* 7_919 &+ save &* 104_729 &+ $0 &* 31) % 5_003)" }
      try world.write(text + words.joined(separator: " ") + "\n", name)
      days.advance(60)
      try await measure(&figures.saves) { try await journal.savePaths(path) }
    }
    days.advance(8_400)
    try await measure(&figures.sittings) {
      try await journal.locked { journal in
        var outcome = SaveOutcome()
        try await journal.saver.endSitting(into: &outcome)
        #expect(outcome.commit?.paths == [path])
      }
    }
    try await measure(&figures.packings) { try await journal.repackIfDue(timeout: 600) }
  }

  private func repositorySize(_ world: TestJournal) async throws -> (
    loose: Int, packs: Int, size: Int
  ) {
    var found: [Substring: Int] = [:]
    for line in try await world.git("count-objects", "-v").split(separator: "\n") {
      let parts = line.split(separator: ":")
      found[parts[0]] = Int(parts[1].drop { $0 == " " })
    }
    return (
      found["count"] ?? 0, found["packs"] ?? 0, (found["size"] ?? 0) + (found["size-pack"] ?? 0)
    )
  }

  private func printDurations(_ number: Int, _ world: TestJournal, _ figures: Durations)
    async throws
  {
    let (loose, packs, size) = try await repositorySize(world)
    let text = String(
      format:
        "%6d sittings: save %.1f ms, commit %.1f ms, %d loose, %d packs, %d kB, packing %.0f ms",
      number, Durations.median(figures.saves.suffix(400)),
      Durations.median(figures.sittings.suffix(100)),
      loose, packs, size, figures.packings.suffix(1_000).max() ?? 0)
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }

  @Test func `after years of sittings saves are as fast and the journal as small`() async throws {
    let world = try await TestJournal()
    let days = SimulatedClock()
    if Self.isShort { _ = try await world.git("config", "gc.auto", "200") }
    let journal = try world.journal(now: { days.now })
    try journal.gitLocation.makeDiaryDirectory()
    let sittings = Int((Self.years ?? 0.01) * 3_650)
    var figures = Durations()
    for number in 1...sittings {
      try await performSitting(number, world, journal, days, &figures)
      if !Self.isShort, number % 500 == 0 || number == 100 {
        try await printDurations(number, world, figures)
      }
    }
    let before = try await repositorySize(world)
    // The number is estimated from one folder in 256, which may have no object if there are few.
    #expect(before.loose < (Self.isShort ? 900 : 9_000))
    #expect(((Self.isShort ? 0 : 1)..<14).contains(before.packs))
    let history = try await journal.history.history(of: "2016/1/3.md")
    #expect(history.versions.count >= 12)
    #expect(try await world.git("fsck", "--full", "--no-dangling") == "")
    var gc: [Double] = []
    try await measure(&gc) { _ = try await world.git("gc", "-q") }
    let after = try await repositorySize(world)
    if !Self.isShort {
      let text = "git gc: \(Int(gc[0])) ms, \(before.size) kB before, \(after.size) kB after\n"
      FileHandle.standardError.write(Data(text.utf8))
    }
  }
}
