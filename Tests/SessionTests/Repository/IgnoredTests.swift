import Foundation
import TestSupport
import Testing

/// Entries in paths that git ignores.
@Suite struct IgnoredTests {
  let home: Sandbox

  init() throws {
    home = try Sandbox()
    home.setAutosave(settle: "200ms", sitting: "1s")
  }

  /// The files that may contain a pattern, and the names by which git reports them.
  static let patternFiles = [
    ("j/.gitignore", ".gitignore"), ("j/.git/info/exclude", ".git/info/exclude"),
    ("ignore", "/ignore"),
  ]

  private func ignore(_ pattern: String, in file: String) async throws {
    let old = (try? home.read(file)) ?? ""
    try home.write(old + pattern + "\n", to: file)
    if file == "ignore" {
      try await home.git("config", "core.excludesFile", home.homePath + "/ignore", in: "j")
    }
  }

  private func expectSaved(_ words: String, _ file: String = "*") async throws {
    let log = try await home.git("log", "-p", "main", "--", file, in: "j")
    #expect(log.contains(words), "\(words) is in no commit")
  }

  @Test(arguments: patternFiles)
  func `ignored text that a command writes is saved, and the pattern shown`(
    _ file: String, _ name: String
  ) async throws {
    try await home.diary("init", "j")
    try await ignore("20*/", in: file)
    let made = try await home.diary(
      "new", "Walk", "-m", "First words.", "--date", "2026-11-20", in: "j")
    #expect(made.status == 0, "\(made)")
    #expect(made.errors.contains("is ignored by git (") && made.errors.contains(name), "\(made)")
    #expect(made.errors.contains("`20*/`"), "\(made)")
    try await expectSaved("First words.")
    #expect(try await home.diary("list", in: "j").output.contains("Walk"))
    let added = try await home.diary("add", "--to", "1", "More words.", in: "j")
    #expect(added.status == 0 && !added.errors.contains("ignored"), "\(added)")
    try await expectSaved("More words.")
    try await home.diary("rename", "1", "Another name", in: "j")
    try await expectSaved("More words.", "2026/11/2026-11-20-another-name.md")
    try await home.diary("delete", "1", "--yes", in: "j")
    #expect(try await home.diary("restore", "Another name", in: "j").status == 0)
    #expect(try await home.diary("list", in: "j").output.contains("Another name"))
    #expect(try await home.git("status", "--porcelain", in: "j").contains("2026") == false)
  }

  @Test func `ignored text is also saved while a watcher runs`() async throws {
    try await home.diary("init", "j")
    try await ignore("20*/", in: "j/.gitignore")
    try await BackgroundProcess.run(home, Sandbox.programs + "/diary", ["watch"], in: "j") {
      (watcher: BackgroundProcess) async throws -> Void in
      #expect(await watcher.prints("watching"), "\(watcher.output)")
      let made = try await home.diary(
        "new", "Walk", "-m", "First words.", "--date", "2026-11-20", in: "j")
      #expect(made.status == 0 && made.errors.contains("is ignored by git"), "\(made)")
      #expect(try await home.diary("list", in: "j").output.contains("Walk"))
      // An editor changes the entry before the sitting ends.
      let path = "j/2026/11/2026-11-20-walk.md"
      try home.write(try home.read(path) + "\nSecond words.\n", to: path)
      #expect(await watcher.prints("committed"), "\(watcher.output)")
      try home.write("By hand.\n", to: "j/2026/11/2026-11-21.md")
      #expect(
        await watcher.prints("2026-11-21.md is ignored by git (.gitignore, line 1: `20*/`)"),
        "\(watcher.output)")
    }
    try await expectSaved("First words.")
    try await expectSaved("Second words.")
  }

  @Test func `an import is saved`() async throws {
    try await home.diary("init", "j")
    try await ignore("20*/", in: "j/.gitignore")
    let json = #"[{"title":"Old","body":"Old words.","created_at":1577959200}]"#
    try home.write(json, to: "old.json")
    let imported = try await home.diary("import", home.homePath + "/old.json", in: "j")
    #expect(imported.status == 0, "\(imported)")
    try await expectSaved("Old words.")
  }

  @Test func `an ignored entry that is not saved is reported`() async throws {
    try await home.diary("init", "j")
    try await ignore("drafts/", in: "j/.gitignore")
    try home.write("A draft.\n", to: "j/drafts/2026-11-20.md")
    try await home.diary("save", in: "j")
    let reason = "drafts/2026-11-20.md is ignored by git (.gitignore, line 1: `drafts/`)"
    let saved = try await home.diary("save", in: "j")
    #expect(saved.errors.contains("Not saved: " + reason), "\(saved)")
    let status = try await home.diary("status", in: "j")
    #expect(status.output.contains(reason), "\(status)")
    let shown = try await home.diary("add", "--to", "drafts/2026-11-20.md", "More.", in: "j")
    #expect(shown.status == 2 && shown.errors.contains(reason), "\(shown)")
    #expect(try await home.diary("list", in: "j").output == "")
  }

  @Test func `the settings are committed even if hidden files are ignored`()
    async throws
  {
    try await home.git("init", "-q", "j", in: "")
    try home.write("/.*\n", to: "j/.gitignore")
    try home.write("One.\n", to: "j/2026-11-20.md")
    let made = try await home.diary("init", "j", "--yes")
    #expect(made.status == 0 && made.errors.contains(".gitignore, line 1: `/.*`"), "\(made)")
    try await home.git("cat-file", "-e", "HEAD:.diary/config.yml", in: "j")
    // As an older version of Diary left it.
    try await home.git("rm", "-q", "--cached", ".diary/config.yml", in: "j")
    try await home.git("commit", "-qm", "Without settings", in: "j")
    let name = ".diary/config.yml is ignored by git"
    let status = try await home.diary("status", in: "j")
    #expect(status.output.contains(name), "\(status)")
    let checked = try await home.diary("check", in: "j")
    #expect(checked.errors.contains(name), "\(checked)")
  }
}
