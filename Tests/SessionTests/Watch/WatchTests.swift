import Foundation
import TestSupport
import Testing

/// The watcher with the built program, real inotify and real git.
@Suite(.serialized) struct WatchTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    home.setAutosave(settle: "200ms", longest: "5s", sitting: "2s")
    try await home.diary("init", "j")
  }

  @Test func `changes are saved within seconds, and a pause makes one commit`() async throws {
    // Long enough that no sitting ends between two saves on a slow machine.
    home.set("DIARY_AUTOSAVE__SITTING", "8s")
    home.set("DIARY_AUTOSAVE__LONGEST", "20s")
    try await home.withWatcher { watcher in
      for number in 1...3 {
        try home.write(
          "---\ntitle: Tea\n---\n\nCup \(number).\n", to: "j/2026/11/2026-11-21-tea.md")
        #expect(
          try await Sandbox.holds { try await saves().contains("Cup \(number).") },
          "\(watcher.output)")
      }
      #expect(try await commits() == 1)
      #expect(await watcher.prints("committed"), "\(watcher.output)")
      #expect(try await commits() == 2)
      let subject = try await home.git("log", "-1", "--format=%s", in: "j")
      #expect(subject == "Write \"Tea\" (+2 words)\n")
    }
    try await expectHealthy()
  }

  @Test func `changes before the start are saved, and a signal ends the sitting`()
    async throws
  {
    home.set("DIARY_AUTOSAVE__SITTING", "10m")
    try home.write("Written while nobody watched.\n", to: "j/2026/11/2026-11-20.md")
    try await home.withWatcher { (watcher) async throws in
      #expect(await watcher.prints("saved 2026/11/2026-11-20.md"), "\(watcher.output)")
      #expect(try await commits() == 1)
      watcher.signal(SIGTERM)
      #expect(await watcher.prints("committed"), "\(watcher.output)")
    }
    #expect(try await commits() == 2)
    try await expectHealthy()
  }

  @Test func `an idle watcher does not wake up`() async throws {
    try await home.withWatcher { watcher in
      try home.write("Something to save.\n", to: "j/a.md")
      #expect(await watcher.prints("committed"), "\(watcher.output)")
      #expect(await watcher.becomesSilent() && watcher.contextSwitches(since: [:]) > 0)
      let count = try await commits()
      try home.write("And more.\n", to: "j/a.md")
      #expect(try await Sandbox.holds { try await commits() == count + 1 }, "\(watcher.output)")
    }
  }

  @Test func `a second watcher reports the running one`() async throws {
    try await home.withWatcher { _ in
      let second = try await home.diary("watch", in: "j")
      #expect(second.status == 1)
      #expect(second.errors.contains("already watched by process"), "\(second.errors)")
      let status = try await home.diary("status", "--json", in: "j")
      #expect(status.output.contains("\"watcher\":\"running\""))
    }
  }

  @Test func `the user's staged changes stay staged`() async throws {
    try home.write("one\n", to: "j/staged.md")
    try home.write("two\n", to: "j/plain.md")
    try await home.diary("save", in: "j")
    try home.write("one, staged\n", to: "j/staged.md")
    try await home.git("add", "staged.md", in: "j")
    try home.write("one, staged, and more\n", to: "j/staged.md")
    try home.write("two, and more\n", to: "j/plain.md")
    try await home.withWatcher { watcher in
      #expect(await watcher.prints("committed"), "\(watcher.output)")
      #expect(
        watcher.output.contains("staged by you, not committed by Diary: staged.md"),
        "\(watcher.output)")
    }
    #expect(try await home.git("status", "--porcelain", in: "j") == "MM staged.md\n")
    #expect(try await home.git("show", ":staged.md", in: "j") == "one, staged\n")
    #expect(try await home.git("show", "HEAD:plain.md", in: "j") == "two, and more\n")
    #expect(try await saves().contains("one, staged, and more"))
  }

  @Test func `during a merge by the user commits are deferred and saves continue`() async throws {
    try home.write("base\n", to: "j/a.md")
    try await home.diary("save", in: "j")
    try await home.git("checkout", "-qb", "side", in: "j")
    try home.write("side\n", to: "j/a.md")
    try await home.git("commit", "-qam", "side", in: "j")
    try await home.git("checkout", "-q", "main", in: "j")
    try home.write("main\n", to: "j/a.md")
    try await home.git("commit", "-qam", "main", in: "j")
    // Without Diary's merge driver git stops with a conflict, as for other files.
    try await home.git("config", "merge.diary.driver", "false", in: "j")
    let merge = try await home.run("git", ["merge", "side"], in: "j")
    #expect(merge.status == 1)
    let before = try await home.git("rev-parse", "HEAD", in: "j")
    try await home.withWatcher { watcher in
      try home.write("Written in the middle of a merge.\n", to: "j/b.md")
      #expect(
        try await Sandbox.holds { try await saves().contains("middle of a merge") },
        "\(watcher.output)")
      #expect(await watcher.prints("commits are on hold"), "\(watcher.output)")
      #expect(try await home.git("rev-parse", "HEAD", in: "j") == before)
      try home.write("both\n", to: "j/a.md")
      try await home.git("commit", "-qam", "merged", in: "j")
      #expect(await watcher.prints("committed"), "\(watcher.output)")
    }
    let words = try await home.git("show", "HEAD:b.md", in: "j")
    #expect(words.hasSuffix("Written in the middle of a merge.\n"))
    #expect(
      try await home.git("log", "-1", "--format=%P", "HEAD~", in: "j").split(separator: " ").count
        == 2)
    try await expectHealthy()
  }

  @Test func `a missing folder is not a deletion, a deleted file is`() async throws {
    try home.write("one\n", to: "j/2025/01/2025-01-01.md")
    try home.write("two\n", to: "j/2025/01/2025-01-02.md")
    try home.write("three\n", to: "j/2025/02/2025-02-01.md")
    try await home.diary("save", in: "j")
    try await home.withWatcher { watcher in
      try FileManager.default.removeItem(atPath: home.homePath + "/j/2025/01/2025-01-02.md")
      try FileManager.default.moveItem(
        atPath: home.homePath + "/j/2025/02", toPath: home.homePath + "/elsewhere")
      #expect(await watcher.prints("committed"), "\(watcher.output)")
    }
    let tree = try await home.git("ls-tree", "-r", "--name-only", "HEAD", in: "j")
    #expect(!tree.contains("2025-01-02.md"))
    #expect(tree.contains("2025/02/2025-02-01.md"))
    let status = try await home.diary("status", "--json", in: "j")
    #expect(status.output.contains("\"missing\":[\"2025/02/2025-02-01.md\"]"), "\(status.output)")
    let confirmed = try await home.diary("save", "--deletions", in: "j")
    #expect(confirmed.status == 0, "\(confirmed.errors)")
    #expect(
      try await !home.git("ls-tree", "-r", "--name-only", "HEAD", in: "j").contains("2025-02-01"))
    try await expectHealthy()
  }

  @Test func `a folder moved while the watcher runs is moved on every device`() async throws {
    try await home.git("init", "-q", "--bare", "remote.git", in: "")
    try await home.git("remote", "add", "origin", "../remote.git", in: "j")
    for day in 1...3 { try home.write("Day \(day) of it.\n", to: "j/trip/2026-01-0\(day).md") }
    try await home.diary("sync", in: "j")
    #expect(try await home.diary("clone", "remote.git", "other").status == 0)
    try await home.withWatcher { watcher in
      // After this the watcher has ended the scan of its start, which may see the folder nowhere.
      try home.write("Written first.\n", to: "j/first.md")
      #expect(await watcher.prints("committed"), "\(watcher.output)")
      try FileManager.default.moveItem(
        atPath: home.homePath + "/j/trip", toPath: home.homePath + "/j/journey")
      #expect(
        await watcher.prints("moved trip/2026-01-01.md to journey/2026-01-01.md"),
        "\(watcher.output)")
      try FileManager.default.removeItem(atPath: home.homePath + "/j/journey/2026-01-03.md")
      #expect(await watcher.prints("deleted: journey/2026-01-03.md"), "\(watcher.output)")
      #expect(!watcher.output.contains("missing"), "\(watcher.output)")
      #expect(!watcher.output.contains("  saved journey"), "\(watcher.output)")
    }
    #expect(try await home.diary("sync", in: "j").status == 0)
    #expect(try await home.diary("sync", in: "other").status == 0)
    let files = home.files(in: "other").filter { $0 != "INDEX.md" }
    #expect(files == ["first.md", "journey/2026-01-01.md", "journey/2026-01-02.md"])
    try await expectHealthy()
  }

  @Test func `editor files, secrets and ignored files are never saved`() async throws {
    let never = [
      ".a.md.swp", "a.md~", "#a.md#", ".goutputstream-ABC123", "sedAbCdEf", "a.md.tmp",
      ".~lock.a.md#", ".env", "id_rsa", "server.pem", "ignored/x.md", "a.md.bak", "a.md.1",
      "a.md.12", "a.md.rbak", "a.md.orig", "notes.bak1",
    ]
    try home.write("ignored/\n", to: "j/.gitignore")
    try await home.withWatcher { watcher in
      for name in never { try home.write("never\n", to: "j/" + name) }
      try home.write("yes\n", to: "j/a.md")
      try home.write("a picture\n", to: "j/p.jpg")
      #expect(await watcher.prints("committed"), "\(watcher.output)")
    }
    let tree = try await home.git("ls-tree", "-r", "--name-only", "HEAD", in: "j")
    #expect(tree.contains("a.md\n") && tree.contains("p.jpg\n"))
    for name in never { #expect(!tree.contains(name + "\n"), "\(name) was taken") }
    let saved = try await home.git("log", "--all", "--name-only", "--format=", in: "j")
    for name in never { #expect(!saved.contains(name + "\n"), "\(name) was saved") }
  }

  /// All texts in the saves ref.
  private func saves() async throws -> String {
    try await home.git(
      "log", "-p", "--format=%s", "-m", "--first-parent", "--glob=refs/diary/saves", in: "j")
  }

  private func commits() async throws -> Int {
    Int(try await home.git("rev-list", "--count", "HEAD", in: "j").dropLast()) ?? -1
  }

  private func expectHealthy() async throws {
    #expect(try await home.git("status", "--porcelain", in: "j") == "")
    try await home.git("fsck", "--strict", "--full", in: "j")
    let verified = try await home.diary("index", "--verify", in: "j")
    #expect(verified.status == 0, "\(verified.errors)")
  }
}
