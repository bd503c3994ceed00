import Foundation
import TestSupport
import Testing

/// Saved entries that are missing from the folder without having been deleted.
@Suite struct MissingTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    try await home.diary("init", "j")
    for (day, name) in [("18", "Alpha"), ("19", "Beta"), ("20", "Gamma")] {
      try await home.diary("new", name, "-m", "\(name) words.", "--date", "2026-11-\(day)", in: "j")
    }
  }

  private func path(_ name: String, _ day: String) -> String { "2026/11/2026-11-\(day)-\(name).md" }

  private func remove(_ path: String) throws {
    try FileManager.default.removeItem(atPath: home.homePath + "/j/" + path)
  }

  /// Lists twice: when the change is first seen, and when nothing has changed since.
  private func lists() async throws -> [Sandbox.ProgramResult] {
    try await [home.diary("list", in: "j"), home.diary(in: "j")]
  }

  @Test func `a list reports missing entries`() async throws {
    #expect(try await home.diary("list", in: "j").errors == "")
    try remove("2026")
    for list in try await lists() {
      #expect(list.status == 0 && list.output == "", "\(list)")
      #expect(
        list.errors.contains("3 saved entries are missing from the folder")
          && list.errors.contains("diary restore --missing"), "\(list)")
    }
    #expect(try await home.diary("list", "--paths", in: "j").errors.contains("3 saved entries"))
    try await home.diary("restore", "--missing", in: "j")
    for list in try await lists() {
      #expect(list.errors == "" && list.output.contains("Gamma"), "\(list)")
    }
  }

  @Test func `missing entries are not reported as no entries yet`() async throws {
    try remove("2026")
    let terminal = try await Terminal(home, in: "j", columns: 100)
    try await terminal.enter("diary list")
    #expect(try await terminal.shows("3 saved entries are missing"))
    let screen = try await terminal.screen(withColours: false)
    await terminal.close()
    #expect(!screen.contains("No entries yet"), "\(screen)")
  }

  @Test func `every command that reads the past finds a missing entry`() async throws {
    let text = try home.read("j/" + path("beta", "19"))
    try remove(path("beta", "19"))
    let list = try await home.diary("list", in: "j")
    #expect(list.errors.contains("1 saved entry is missing"), "\(list)")
    let shown = try await home.diary("show", "beta", in: "j")
    #expect(shown.status == 0 && shown.output == text, "\(shown)")
    #expect(shown.errors.contains("is missing from the folder"), "\(shown)")
    let past = try await home.diary("history", "beta", in: "j")
    #expect(past.status == 0 && past.output.contains("Write \"Beta\""), "\(past)")
    let added = try await home.diary("add", "--to", "beta", "More.", in: "j")
    #expect(
      added.status == 2 && added.errors.contains("diary restore " + path("beta", "19")),
      "\(added)")
    let status = try await home.diary("status", "--json", in: "j")
    #expect(status.output.contains("\"unsaved\":[]"), "\(status)")
    #expect(
      status.output.contains("\"missing\":[\"\(path("beta", "19"))\"]"), "\(status)")
    let rows = try await home.diary("status", in: "j")
    #expect(rows.output.contains("missing        \(path("beta", "19"))"), "\(rows)")
    let restored = try await home.diary("restore", path("beta", "19"), in: "j")
    #expect(restored.status == 0, "\(restored)")
    #expect(try home.read("j/" + path("beta", "19")) == text)
    for list in try await lists() { #expect(list.errors == "", "\(list)") }
  }

  @Test func `a save does not record the deletion of all entries by default`() async throws {
    func removeAll() throws {
      for (name, day) in [("alpha", "18"), ("beta", "19"), ("gamma", "20")] {
        try remove(path(name, day))
      }
    }
    try removeAll()
    for _ in 1...2 {
      let saved = try await home.diary("save", in: "j")
      #expect(saved.errors.contains("3 saved files are missing"), "\(saved)")
      #expect(
        saved.errors.contains("diary restore --missing")
          && saved.errors.contains("diary save --deletions"), "\(saved)")
      #expect(try await committedEntries().count == 3)
    }
    #expect(try await home.diary("restore", "--missing", in: "j").status == 0)
    #expect(try await home.diary("list", in: "j").errors == "")
    try removeAll()
    let meant = try await home.diary("save", "--deletions", in: "j")
    #expect(meant.status == 0 && meant.errors.contains("Delete 3 entries"), "\(meant)")
    #expect(try await committedEntries().isEmpty)
  }

  @Test func `a watcher does not record the deletion of all entries either`() async throws {
    home.setAutosave(settle: "200ms", sitting: "500ms")
    try await home.withWatcher(mustEnd: false) { watcher in
      // In one step: between two removals, the watcher would see the first one alone.
      try FileManager.default.moveItem(
        atPath: home.homePath + "/j/2026", toPath: home.homePath + "/2026")
      #expect(await watcher.prints("missing, not recorded as deleted"), "\(watcher.output)")
      let status = try await home.diary("status", in: "j")
      #expect(status.output.contains("missing        \(path("alpha", "18"))"), "\(status)")
      watcher.signal(SIGTERM)
      #expect(await watcher.prints("ended"), "\(watcher.output)")
    }
    #expect(try await committedEntries().count == 3)
    // Removed one by one, they are deletions.
    #expect(try await home.diary("restore", "--missing", in: "j").status == 0)
    for (name, day) in [("alpha", "18"), ("beta", "19"), ("gamma", "20")] {
      try remove(path(name, day))
      try await home.diary("save", in: "j")
    }
    #expect(try await committedEntries().isEmpty)
  }

  private func committedEntries() async throws -> [Substring] {
    try await home.git("ls-tree", "-r", "--name-only", "HEAD", in: "j").split(separator: "\n")
      .filter { $0.hasSuffix(".md") && $0 != "INDEX.md" }
  }

  @Test func `an intended deletion is not reported as missing`() async throws {
    // Deleted by a command, by git, and with a save; moved; excluded by sparse checkout.
    try await home.diary("delete", "1", "--yes", in: "j")
    for list in try await lists() { #expect(list.errors == "", "\(list)") }
    try await home.git("rm", "-q", path("beta", "19"), in: "j")
    for list in try await lists() { #expect(list.errors == "", "\(list)") }
    try await home.git("commit", "-qm", "Without beta", in: "j")
    for list in try await lists() { #expect(list.errors == "", "\(list)") }
    try FileManager.default.moveItem(
      atPath: home.homePath + "/j/2026", toPath: home.homePath + "/j/years")
    for list in try await lists() {
      #expect(list.errors == "" && list.output.contains("Alpha"), "\(list)")
    }
    try await home.diary("save", in: "j")
    try await home.git("sparse-checkout", "set", "--no-cone", "/*", "!/years/", in: "j")
    #expect(!home.exists("j/years/11/2026-11-18-alpha.md"))
    for list in try await lists() { #expect(list.errors == "", "\(list)") }
    try await home.git("sparse-checkout", "disable", in: "j")
    try remove("years/11/2026-11-18-alpha.md")
    try await home.diary("save", "--deletions", in: "j")
    for list in try await lists() { #expect(list.errors == "", "\(list)") }
  }

  @Test func `a rebuilt index knows the missing entries`() async throws {
    try remove(path("beta", "19"))
    try FileManager.default.removeItem(atPath: home.homePath + "/j/.git/diary/cache")
    for list in try await lists() {
      #expect(list.errors.contains("1 saved entry is missing"), "\(list)")
    }
  }

  @Test func `a list opens no repository while nothing is missing`() async throws {
    try await home.diary("list", in: "j")
    guard try await home.run("sh", ["-c", "command -v strace"]).status == 0 else {
      try Test.cancel("there is no strace here")
    }
    let traced = try await home.run(
      "strace", ["-f", "-e", "trace=openat", Sandbox.programs + "/diary", "list"], in: "j")
    try #require(traced.status == 0, "\(traced)")
    #expect(traced.errors.contains("/j/.git"), "\(traced.errors)")
    #expect(!traced.errors.contains("/j/.git/config"), "\(traced.errors)")
  }
}
