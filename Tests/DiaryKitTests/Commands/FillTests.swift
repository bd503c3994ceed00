import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// `diary weather fill` beside editors and errors.
@Suite struct FillTests {
  private static let text = "---\ndate: 2015-03-02\n---\n\nWords.\n"

  /// Makes a journal with three entries that lack the weather.
  private func makeJournal() async throws -> TestJournal {
    try await TestJournal(["a.md": Self.text, "b.md": Self.text, "c.md": Self.text])
  }

  /// Leaves the lock of an editor of this process.
  private func open(_ name: String, _ world: TestJournal) throws {
    try FileManager.default.createSymbolicLink(
      atPath: world.home.homePath + "/j/.#" + name,
      withDestinationPath: "mina@\(ProcessInfo.processInfo.hostName).\(getpid())")
  }

  /// Enters the three entries, calls `change`, and writes the weather.
  private func fill(
    _ journal: Journal, after change: @Sendable () throws -> Void
  ) async throws -> FilledEntries {
    try await journal.locked { locked in
      let paths: [EntryPath] = ["a.md", "b.md", "c.md"]
      var draft = OperationDraft(command: .fill, subject: "the weather of 3 entries")
      try await locked.extendOperation(&draft, with: paths)
      try change()
      var filled = FilledEntries()
      let sky = WeatherAnswer.Observation(moment: 1, condition: .rain, celsius: 7)
      await locked.write([1: sky], to: paths.map { ($0, 1) }, draft.files, &filled)
      return filled
    }
  }

  @Test func `an error of one entry does not hide the entries that are written`() async throws {
    let world = try await makeJournal()
    let filled = try await fill(try world.journal()) {
      // A folder in the file's place is an error of the file system.
      try world.remove("b.md")
      try world.write("", "b.md/x")
    }
    #expect(filled.stamped == ["a.md", "c.md"] && filled.skipped.isEmpty)
    #expect(filled.failure?.message.contains("b.md") == true, "\(filled)")
    #expect(try world.home.read("j/c.md").contains("weather: Rain, 7°C"))
  }

  @Test func `an entry that an editor changes during a fill is skipped`() async throws {
    let world = try await makeJournal()
    let filled = try await fill(try world.journal()) {
      try world.write(Self.text + "More.\n", "b.md")
      try open("b.md", world)
    }
    #expect(filled.stamped == ["a.md", "c.md"] && filled.failure == nil, "\(filled)")
    #expect(filled.skipped.map(\.path) == ["b.md"])
    #expect(filled.skipped.allSatisfy { $0.reason.hasPrefix("is open in") }, "\(filled)")
    #expect(try world.home.read("j/b.md") == Self.text + "More.\n")
  }

  @Test func `a fill names the entries that it skips, and undo knows the others`() async throws {
    let world = try await makeJournal()
    let answer = world.home.homePath + "/answer.json"
    let hook = try world.home.script("sky", "cat >/dev/null\ncat \(answer)\n")
    try world.home.write(
      "weather: {provider: command, command: [\(hook)]}\n", to: ".config/diary/config.yml")
    let journal = try world.journal()
    let plan = try await journal.weather.planBackfill(place: Place(coordinates: "37.57,126.98"))
    let moment = try #require(plan.parts.first?.entries.first?.moment)
    try world.home.write(
      "{\"skies\": [{\"moment\": \(moment), \"condition\": \"Rain\", \"celsius\": 7}], "
        + "\"places\": []}", to: "answer.json")
    try open("b.md", world)
    let done = try await journal.weather.backfill(plan) { _, _ in }
    #expect(done.stamped.sorted() == ["a.md", "c.md"])
    #expect(done.skipped.map(\.path) == ["b.md"])
    #expect(done.skipped.allSatisfy { $0.reason.hasPrefix("is open in") }, "\(done.skipped)")
    #expect(try world.home.read("j/a.md").contains("weather: Rain, 7°C"))
    _ = try await journal.history.undo(try await journal.history.planUndo())
    #expect(
      try ["a.md", "b.md", "c.md"].map { try world.home.read("j/" + $0) }
        == Array(repeating: Self.text, count: 3))
  }
}
