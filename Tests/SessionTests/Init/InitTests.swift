import Foundation
import TestSupport
import Testing

/// Where `init` makes a journal, and what it asks.
@Suite(.serialized) struct InitTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    try home.write("code\n", to: "proj/main.c")
    try await home.git("init", "-q", in: "proj")
    try await home.git("add", ".", in: "proj")
    try await home.git("commit", "-qm", "work", in: "proj")
  }

  @Test(arguments: ["proj/notes", "proj/deep/er/notes"])
  func `nothing is committed to a surrounding repository unasked`(_ folder: String) async throws {
    let refused = try await home.diary("init", folder)
    #expect(refused.status == 1, "\(refused)")
    #expect(
      refused.errors.contains("/proj/\(folder.dropFirst(5)) is inside the git repository"),
      "\(refused.errors)")
    #expect(refused.errors.contains("--separate") && refused.errors.contains("--join"))
    #expect(!home.exists(folder))
    let made = try await home.diary("init", folder, "--separate")
    #expect(made.status == 0, "\(made.errors)")
    #expect(home.exists(folder + "/.git") && home.exists(folder + "/.diary"))
    try await home.diary("new", "Secret", "-m", "words", in: folder)
    #expect(try await home.git("log", "--format=%s", in: "proj") == "work\n")
    #expect(try await home.git("for-each-ref", "refs/diary", in: "proj") == "")
  }

  @Test func `--yes takes a repository of its own, --join the one around`() async throws {
    try home.write("Words.\n", to: "proj/notes/2026-11-20.md")
    try await home.diary("init", "proj/notes", "--yes")
    #expect(home.exists("proj/notes/.git"))
    #expect(try await home.git("log", "--format=%s", in: "proj") == "work\n")
    let joined = try await home.diary("init", "proj/diary", "--join")
    #expect(joined.status == 0, "\(joined.errors)")
    #expect(!home.exists("proj/diary/.git"))
    #expect(try await home.git("log", "-1", "--format=%s", in: "proj") == "Begin the journal\n")
    let none = try await home.diary("init", "alone", "--join")
    #expect(none.status == 64 && !home.exists("alone"), "\(none)")
  }

  @Test func `on a terminal init asks, and its proposal is a repository of its own`() async throws {
    let terminal = try await Terminal(home, in: "proj", columns: 200)
    try await terminal.enter("DIARY_WEATHER__PROVIDER=off diary init notes; echo code $?")
    #expect(try await terminal.shows("Create a separate repository for the journal? [Y/n]"))
    try await terminal.press("Enter")
    #expect(try await terminal.shows("Make it the journal that `diary` uses in any folder? [Y/n]"))
    try await terminal.enter("n")
    #expect(try await terminal.shows("code 0"))
    #expect(home.exists("proj/notes/.git") && !home.exists(".config/diary"))
    try await terminal.enter("clear; diary init other; echo code $?")
    #expect(try await terminal.shows("Create a separate repository for the journal? [Y/n]"))
    try await terminal.enter("n")
    #expect(try await terminal.shows("instead? [y/N]"))
    try await terminal.press("Enter")
    #expect(try await terminal.shows("Nothing was changed."))
    #expect(!home.exists("proj/other"))
    #expect(try await home.git("log", "--format=%s", in: "proj") == "work\n")
    await terminal.close()
  }

  @Test(arguments: ["", "No "])
  func `a no to the weather is remembered, until somebody turns it on`(_ answer: String)
    async throws
  {
    let terminal = try await Terminal(home, in: "", columns: 100)
    try await terminal.enter("diary init j; echo code $?")
    #expect(try await terminal.shows("uses in any folder? [Y/n]"))
    try await terminal.press("Enter")
    #expect(try await terminal.shows("Where are you?"))
    try await terminal.enter(answer)
    #expect(try await terminal.shows("code 0"))
    #expect(try await !terminal.screen().contains("Looking up"))
    // The screen may still show the first answer when the second is looked for.
    try await terminal.enter("clear; diary init k; echo then $?")
    #expect(
      try await terminal.shows("Name it \"k\", so that `diary -j k` opens it from any folder?"))
    try await terminal.press("Enter")
    #expect(try await terminal.shows("then 0"))
    #expect(try await home.diary("config", "journal").output == "~/j\n")
    #expect(try await home.diary("config", "journals").output == "k  ~/k\n")
    #expect(try await !terminal.screen().contains("Where are you?"))
    await terminal.close()
    let new = try await home.diary("new", "A", "-m", "x", in: "k")
    #expect(!new.errors.contains("weather"), "\(new.errors)")
    try await home.diary("weather", "on", "-33.87,151.21", in: "k")
    let settings = try home.read(".config/diary/config.yml")
    #expect(settings.contains("open-meteo") && settings.contains("-33.87"), "\(settings)")
  }

  @Test func `watch --sync goes where Diary made the repository, or was told the remote`()
    async throws
  {
    try home.write("Words.\n", to: "vault/2026-11-20.md")
    try await home.git("init", "-q", "--bare", "nas.git", in: "")
    try await home.diary("init", "vault", "--yes")
    try await home.git("remote", "add", "origin", home.homePath + "/nas.git", in: "vault")
    try await expectWatch("vault")
    #expect(try await home.diary("clone", "nas.git", "vault2").status == 0)
    try await expectWatch("vault2")
    // As a journal of 0.1.0: nothing is noted, but the first commit tells.
    try FileManager.default.removeItem(atPath: home.homePath + "/vault/.git/diary/made-repository")
    try await expectWatch("vault")
    try await home.git("init", "-q", "--bare", "work.git", in: "")
    try home.write("Words.\n", to: "proj/2026-11-20.md")
    try await home.diary("init", "proj", "--yes")
    try await home.git("remote", "add", "origin", home.homePath + "/work.git", in: "proj")
    let refused = try await home.diary("watch", "--sync", in: "proj")
    #expect(refused.status == 1 && refused.errors.contains("automatic sync is off"), "\(refused)")
    try await home.git("push", "-q", "origin", "main", in: "proj")
    let named = try await home.diary("init", "proj", "--remote", home.homePath + "/work.git")
    #expect(named.status == 0 && named.errors.contains("can read the journal"), "\(named)")
    try await expectWatch("proj")
  }

  private func expectWatch(_ folder: String) async throws {
    try await BackgroundProcess.run(
      home, Sandbox.programs + "/diary", ["watch", "--sync", "-v"], in: folder
    ) {
      (watcher: BackgroundProcess) async throws -> Void in
      #expect(await watcher.prints("syncing with"), "\(folder): \(watcher.output)")
      watcher.signal(SIGINT)
      #expect(await watcher.prints("ended"), "\(watcher.output)")
    }
  }
}
