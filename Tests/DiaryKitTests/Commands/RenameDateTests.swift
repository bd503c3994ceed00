import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// `diary rename --date`: header, file name, links and undo.
@Suite struct RenameDateTests {
  private static let path: EntryPath = "2026/11/2026-11-20-walk.md"

  private func entry(_ date: String, _ body: String = "Swans.\n") -> String {
    "---\ntitle: Walk\ndate: \(date)\n---\n\n\(body)"
  }

  private func date(of path: EntryPath, _ world: TestJournal) throws -> String? {
    EntryText(Array(try world.home.read("j/" + path.text).utf8)).string("date")
  }

  @Test(arguments: [
    // A day alone keeps the time, a time alone the day.
    ("2026-11-20T10:00:00+09:00", "2026-10-03", "2026-10-03T10:00:00+09:00", "10/2026-10-03"),
    ("2026-11-20T10:00:00+09:00", "21:30", "2026-11-20T21:30:00+09:00", "11/2026-11-20"),
    ("2026-11-20T10:00:00+09:00", "noon", "2026-11-20T12:00:00+09:00", "11/2026-11-20"),
    ("2026-11-20T10:00:00+09:00", "2026-10-03 8am", "2026-10-03T08:00:00+09:00", "10/2026-10-03"),
    ("2026-11-20", "2026-10-03", "2026-10-03", "10/2026-10-03"),
    ("2026-11-20", "21:30", "2026-11-20T21:30:00+09:00", "11/2026-11-20"),
    // The zone stays.
    ("2026-11-20T10:00:00-05:00", "2026-10-03", "2026-10-03T10:00:00-05:00", "10/2026-10-03"),
    ("2026-11-20T10:00:00-05:00", "21:30", "2026-11-20T21:30:00-05:00", "11/2026-11-20"),
    // The day begins at four: 2 o'clock belongs to the day before.
    ("2026-11-21T02:00:00+09:00", "2026-10-03", "2026-10-04T02:00:00+09:00", "10/2026-10-03"),
    ("2026-11-21T02:00:00+09:00", "21:30", "2026-11-20T21:30:00+09:00", "11/2026-11-20"),
    ("2026-11-20T21:30:00+09:00", "02:00", "2026-11-21T02:00:00+09:00", "11/2026-11-20"),
  ])
  func `a day keeps the time, a time keeps the day, and both the zone`(
    _ old: String, _ when: String, _ new: String, _ name: String
  ) async throws {
    let world = try await TestJournal([Self.path.text: entry(old)])
    try world.home.write("day_starts_at: 04:00\n", to: "j/.diary/config.yml")
    let path = try await world.journal().entries.rename(Self.path, on: when).path
    #expect(path.text == "2026/\(name)-walk.md")
    #expect(try date(of: path, world) == new)
    #expect(try world.home.read("j/" + path.text) == entry(new))
  }

  @Test func `a zone with summer time gives the offset of the new day`() async throws {
    let world = try await TestJournal([Self.path.text: entry("2026-11-20T10:00:00+01:00")])
    try world.home.write("time_zone: Europe/Berlin\n", to: "j/.diary/config.yml")
    let path = try await world.journal().entries.rename(Self.path, on: "2026-07-01").path
    #expect(try date(of: path, world) == "2026-07-01T10:00:00+02:00")
  }

  @Test func `links follow, pictures stay, and one undo reverses all`() async throws {
    let files = [
      Self.path.text: entry(
        "2026-11-20T10:00:00+09:00",
        "![](swan.png?width=300) [b](2026-11-21-b.md#x) [me](./2026-11-20-walk.md) [up](../../a.md) "
          + "[gone](gone.md) [web](https://e.org/a.md)\n"),
      "2026/11/2026-11-21-b.md": "---\ndate: 2026-11-21\n---\n\n[w](2026-11-20-walk.md)\n",
      "2026/11/swan.png": "swan", "a.md": "[w](2026/11/2026-11-20-walk.md) [[2026-11-20-walk]]\n",
    ]
    let world = try await TestJournal(files)
    let journal = try world.journal()
    let done = try await journal.entries.rename(Self.path, on: "2026-10-03")
    #expect(done.path == "2026/10/2026-10-03-walk.md")
    #expect(done.updated.map(\.text).sorted() == ["2026/11/2026-11-21-b.md", "a.md"])
    let moved = try world.home.read("j/" + done.path.text)
    #expect(
      moved.hasSuffix(
        "\n![](../11/swan.png?width=300) [b](../11/2026-11-21-b.md#x) [me](./2026-10-03-walk.md) "
          + "[up](../../a.md) [gone](gone.md) [web](https://e.org/a.md)\n"), "\(moved)")
    #expect(
      try world.home.read("j/2026/11/2026-11-21-b.md").hasSuffix(
        "[w](../10/2026-10-03-walk.md)\n"))
    #expect(
      try world.home.read("j/a.md") == "[w](2026/10/2026-10-03-walk.md) [[2026-10-03-walk]]\n")
    #expect(world.home.exists("j/2026/11/swan.png"))
    _ = try await journal.history.undo(try await journal.history.planUndo())
    for (name, text) in files { #expect(try world.home.read("j/" + name) == text) }
    #expect(!world.home.exists("j/" + done.path.text))
    _ = try await journal.history.undo(try await journal.history.planRedo())
    #expect(try world.home.read("j/" + done.path.text) == moved)
    #expect(try await world.git("status", "--porcelain") == "")
  }

  @Test(arguments: [
    // Where the layout puts the old day.
    ("2026/11/2026-11-20-walk.md", "2026/10/2026-10-03-walk.md"),
    ("2026/11/2026-11-20-My Walk.md", "2026/10/2026-10-03-My Walk.md"),
    ("2026/11/2026-11-20.md", "2026/10/2026-10-03.md"),
    // The time stands for the title.
    ("2026/11/2026-11-20-1000.md", "2026/10/2026-10-03-1000.md"),
    // Elsewhere the file stays in its folder.
    ("trips/2026-11-20 Rome.md", "trips/2026-10-03 Rome.md"),
    ("Journal/2026_11_20.md", "Journal/2026_10_03.md"),
    ("a/IMG_20261120_1030.md", "a/IMG_20261003_1030.md"), ("ideas.md", "ideas.md"),
  ])
  func `the file goes where the layout puts the new day`(
    _ old: String, _ new: String
  ) async throws {
    let world = try await TestJournal([old: entry("2026-11-20T10:00:00+09:00")])
    let path = try #require(EntryPath(old))
    #expect(try await world.journal().entries.rename(path, on: "2026-10-03").path.text == new)
    #expect(world.home.files(in: "j").filter { $0.hasSuffix(".md") && $0 != "INDEX.md" } == [new])
  }

  @Test func `a new title and a new day are one operation`() async throws {
    let world = try await TestJournal([Self.path.text: entry("2026-11-20T10:00:00+09:00")])
    let journal = try world.journal()
    let path = try await journal.entries.rename(Self.path, to: "Swans", on: "2026-10-03").path
    #expect(path == "2026/10/2026-10-03-swans.md")
    #expect(try world.home.read("j/" + path.text).contains("title: Swans\ndate: 2026-10-03T10:00"))
    _ = try await journal.history.undo(try await journal.history.planUndo())
    #expect(try world.home.read("j/" + Self.path.text) == entry("2026-11-20T10:00:00+09:00"))
  }

  @Test(arguments: [
    ("Jan 15th, 2024.md", "2024-01-15-swans.md"), ("2024/0115.md", "2024/2024-01-15-swans.md"),
    ("2024/01/15-walk.md", "2024/01/2024-01-15-swans.md"),
    ("2024-01-15-walk.md", "2024-01-15-swans.md"), ("walk.md", "swans.md"),
  ])
  func `a new title keeps the day that is in the name alone`(_ old: String, _ new: String)
    async throws
  {
    let world = try await TestJournal([old: "Swans.\n"])
    let path = try #require(EntryPath(old))
    #expect(try await world.journal().entries.rename(path, to: "Swans").path.text == new)
  }

  @Test func `a taken name is numbered`() async throws {
    let world = try await TestJournal([
      Self.path.text: entry("2026-11-20"), "2026/10/2026-10-03-walk.md": entry("2026-10-03"),
    ])
    let path = try await world.journal().entries.rename(Self.path, on: "2026-10-03").path
    #expect(path == "2026/10/2026-10-03-walk-2.md")
  }

  @Test(arguments: [false, true])
  func `a daily note goes to a day without one only`(_ isSetting: Bool) async throws {
    let folder = isSetting ? "Daily/" : "2026/11/"
    let world = try await TestJournal([
      folder + "2026-11-20.md": "One.\n", folder + "2026-11-21.md": "Two.\n",
    ])
    if isSetting {
      try world.home.write("daily_note: \"Daily/{date}.md\"\n", to: "j/.diary/config.yml")
    }
    let journal = try world.journal()
    let path = try #require(EntryPath(folder + "2026-11-20.md"))
    let error = await #expect(throws: DiaryError.self) {
      try await journal.entries.rename(path, on: "2026-11-21")
    }
    #expect(error?.hint?.contains("diary add --to \(folder)2026-11-21.md") == true)
    #expect(try world.home.read("j/" + path.text) == "One.\n")
    let new = try await journal.entries.rename(path, on: "2026-11-19").path
    #expect(new.text == folder + "2026-11-19.md")
    // The name alone has the date, so no header is written.
    #expect(try world.home.read("j/" + new.text) == "One.\n")
  }

  @Test func `a date that the header cannot get is refused`() async throws {
    let toml = "+++\ndate = 2026-11-20\n+++\n\nOne.\n"
    let texts = [
      "2026-11-20-a.md": toml, "2026-11-20-b.md": "+++\ntitle = \"B\"\n+++\n\nOne.\n",
      "2026-11-20-c.md": "One.\n", "d.md": "One.\n",
    ]
    let world = try await TestJournal(texts)
    let journal = try world.journal()
    for (path, when): (EntryPath, String) in [
      ("2026-11-20-a.md", "2026-10-03"), ("2026-11-20-c.md", "21:00"), ("d.md", "21:00"),
      ("2026-11-20-b.md", "2026-10-03 21:00"), ("d.md", "2026-10"), ("d.md", "whenever"),
    ] {
      await #expect(throws: (any Error).self, "\(path)") {
        try await journal.entries.rename(path, on: when)
      }
    }
    for (name, text) in texts { #expect(try world.home.read("j/" + name) == text) }
    let path = try await journal.entries.rename("2026-11-20-b.md", on: "2026-10-03").path
    #expect(path == "2026-10-03-b.md")
    #expect(try world.home.read("j/2026-10-03-b.md") == texts["2026-11-20-b.md"])
    #expect(try await journal.entries.rename("d.md", on: "2026-10-03").path == "d.md")
    #expect(try world.home.read("j/d.md") == "---\ndate: 2026-10-03\n---\n\nOne.\n")
  }

  @Test func `the weather stays, and a missing one is asked for the new date`() async throws {
    let rain = "---\ndate: 2026-11-20T10:00:00+09:00\nweather: Rain, 9°C\n---\n\nOne.\n"
    let world = try await TestJournal(["a.md": rain, "b.md": entry("2026-11-20T10:00:00+09:00")])
    let journal = try world.journal()
    let done = try await journal.entries.rename("a.md", on: "2026-10-03")
    #expect(done.hasOldWeather)
    #expect(try world.home.read("j/a.md").contains("\nweather: Rain, 9°C\n"))
    try journal.state.queuedStamps.write([QueuedStamp(path: "b.md", moment: 1)])
    #expect(try await !journal.entries.rename("b.md", on: "2026-10-03").hasOldWeather)
    let moment = EntryDate(
      date: try #require(Day(year: 2026, month: 10, day: 3)), seconds: 36_000, offset: 32_400)
    #expect(try journal.state.queuedStamps.load().map(\.moment) == [moment.instant])
    _ = try await journal.history.undo(try await journal.history.planUndo())
    let former = EntryDate(
      date: try #require(Day(year: 2026, month: 11, day: 20)), seconds: 36_000, offset: 32_400)
    #expect(try journal.state.queuedStamps.load().map(\.moment) == [former.instant])
  }

  @Test func `a refused move changes no byte, and the same date none of the header`() async throws {
    let text = "---\ndate: 2026-11-20 10:00\nweather: Rain, 9°C\n---\n\nSwans.\n"
    let world = try await TestJournal([Self.path.text: text])
    try world.home.write("a file\n", to: "j/2025")
    let journal = try world.journal()
    await #expect(throws: (any Error).self) {
      try await journal.entries.rename(Self.path, on: "2025-01-01")
    }
    #expect(try world.home.read("j/" + Self.path.text) == text)
    #expect(try await world.git("status", "--porcelain", "--", Self.path.text) == "")
    #expect(try journal.history.operations().isEmpty)
    let done = try await journal.entries.rename(Self.path, on: "2026-11-20")
    #expect(done.path == Self.path && !done.hasOldWeather)
    #expect(try world.home.read("j/" + Self.path.text) == text)
  }

  @Test func `check names the entries whose file name has another day`() async throws {
    let world = try await TestJournal([
      "2026-11-20-a.md": entry("2026-11-21"), "2026-11-20-b.md": entry("2026-11-20T10:00:00+09:00"),
      "2026-11-20-c.md": entry("2026-11-21T01:00:00+09:00"), "2026-11-20-d.md": "One.\n",
      "2026-11-19-e.md": entry("2026-11-21T01:00:00+09:00"),
      "about-2026-11-20.md": entry("2026-11-21"),
    ])
    try world.home.write("day_starts_at: 04:00\n", to: "j/.diary/config.yml")
    let journal = try world.journal()
    let found = try await journal.entries.check().files
    #expect(found.map(\.path.text) == ["2026-11-19-e.md", "2026-11-20-a.md"])
    #expect(found.flatMap(\.lints).map(\.code) == ["other-day-in-name", "other-day-in-name"])
    // The command that it names renames the file alone.
    #expect(found.first?.lints.first?.message.contains("--date 2026-11-20`") == true)
    let night = try await journal.entries.rename("2026-11-19-e.md", on: "2026-11-20").path
    #expect(night == "2026-11-20-e.md")
    #expect(try world.home.read("j/" + night.text) == entry("2026-11-21T01:00:00+09:00"))
    #expect(
      try await journal.entries.rename("2026-11-20-a.md", on: "2026-11-21").path
        == "2026-11-21-a.md")
    #expect(try await journal.entries.check().files.isEmpty)
  }
}
