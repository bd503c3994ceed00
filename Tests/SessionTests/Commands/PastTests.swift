import Foundation
import TestSupport
import Testing
import WeatherStandIn

/// The display of older versions, and the limit of a shallow clone.
@Suite(.serialized) struct PastTests {
  let home: Sandbox

  init() throws { home = try Sandbox() }

  @Test func `a patch shows whole words, marked in a pipe, coloured on a terminal`() async throws {
    try await home.diary("init", "j")
    let path = "j/2026-11-20.md"
    try home.write("오늘은 강을 따라 산책했다. 바람이 차가웠다.\nThe end.\n", to: path)
    try await home.diary("save", in: "j")
    try home.write("오늘은 강을 따라 달렸다. 바람이 차가웠다.\nThe end.\n", to: path)
    try await home.diary("save", in: "j")
    let piped = try await home.diary("history", "1", "--patch", in: "j")
    #expect(piped.output.contains("강을 따라 [-산책했다.-]{+달렸다.+} 바람이"), "\(piped.output)")
    #expect(!piped.output.contains("\u{1B}"))
    let terminal = try await Terminal(home, in: "j", columns: 100)
    try await terminal.enter("PAGER=cat diary history 1 --patch")
    #expect(try await terminal.shows("달렸다."))
    let screen = try await terminal.screen(withColours: true)
    await terminal.close()
    #expect(screen.contains("\u{1B}[31m산책했다."), "\(screen)")
    #expect(screen.contains("\u{1B}[32m달렸다."), "\(screen)")
    #expect(!screen.contains("[-산책했다") && !screen.contains("31m오늘은"), "\(screen)")
  }

  @Test func `undoing a weather fill restores the bytes and can be redone`()
    async throws
  {
    try await home.diary("init", "j")
    let names = ["2015-03-02", "2015-03-09"]
    for day in names {
      try home.write("---\ndate: \(day)\n# mine\n---\n\nWords.\n", to: "j/\(day).md")
    }
    try await home.diary("save", in: "j")
    let before = try names.map { try home.read("j/\($0).md") }
    let standIn = try await FakeProvider.start()
    home.set("DIARY_WEATHER__URL", standIn.url)
    let filled = try await home.diary(
      "weather", "fill", "--yes", "--place", "37.57,126.98", in: "j")
    await standIn.stop()
    #expect(filled.output == "Updated 2 of 2 entries.\n", "\(filled)")
    let after = try names.map { try home.read("j/\($0).md") }
    #expect(after.allSatisfy { $0.contains("weather: ") })
    let undone = try await home.diary("undo", "--yes", in: "j")
    #expect(undone.status == 0 && undone.output.contains("Undone: Add weather to"), "\(undone)")
    #expect(try names.map { try home.read("j/\($0).md") } == before)
    let redone = try await home.diary("redo", "--yes", in: "j")
    #expect(redone.status == 0, "\(redone)")
    #expect(try names.map { try home.read("j/\($0).md") } == after)
  }

  @Test func `history beyond a shallow clone is reported as such`() async throws {
    try await home.diary("init", "j")
    try await home.diary("new", "Deep", "--message", "one", "--date", "2026-11-20", in: "j")
    try await home.diary("add", "--to", "1", "two", in: "j")
    try await home.diary("add", "--to", "1", "three", in: "j")
    try await home.git("clone", "-q", "--depth", "2", "file://\(home.homePath)/j", "s", in: "")
    let shown = try await home.diary("show", "1", "--at", "1", in: "s")
    #expect(shown.status == 0 && shown.output.contains("two"), "\(shown)")
    let beyond = try await home.diary("show", "1", "--at", "2", in: "s")
    #expect(beyond.status == 2 && beyond.errors.contains("shallow"), "\(beyond)")
    let past = try await home.diary("history", "1", in: "s")
    #expect(past.errors.contains("shallow") && past.output.split(separator: "\n").count == 2)
    let list = try await home.diary("list", "--at", "1999", in: "s")
    #expect(list.status == 2 && list.errors.contains("shallow"), "\(list)")
  }

  /// Two entries, the second of which a reset has removed from the branch.
  private func resetToFirstEntry() async throws {
    try await home.diary("init", "j")
    for name in ["Alpha", "Beta"] {
      try await home.diary("new", name, "-m", "\(name) words.", "--date", "2026-11-20", in: "j")
    }
    try await home.git("reset", "-q", "--hard", "HEAD~1", in: "j")
    #expect(!home.exists("j/2026/11/2026-11-20-beta.md"))
  }

  @Test func `leave lists text that only the saves contain, and can be forced`() async throws {
    try await resetToFirstEntry()
    let refused = try await home.diary("leave", "--yes", in: "j")
    #expect(refused.status == 1, "\(refused)")
    #expect(refused.errors.contains("2026/11/2026-11-20-beta.md: 1 version"), "\(refused)")
    #expect(try await home.diary("restore", "--missing", in: "j").output.contains("beta"))
    try await home.git("reset", "-q", "--hard", "HEAD~1", in: "j")
    let left = try await home.diary("leave", "--yes", "--drop-saves", in: "j")
    #expect(left.status == 0, "\(left)")
    #expect(try await home.git("for-each-ref", "refs/diary", in: "j") == "")
  }
}
