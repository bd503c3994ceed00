import Foundation
import TestSupport
import Testing

/// A journal that is locked and unlocked with the real gocryptfs.
@Suite(.serialized) struct LockTests: LockedJournalTests {
  let home: Sandbox

  init() throws { home = try Self.makeHome() }

  @Test func `every command says that the journal is locked, and writes nothing`() async throws {
    try await withJournal {
      try await lock()
      #expect(try names() == [] && mode() == 0o500)
      let commands = [
        ["list"], ["show", "1"], ["search", "rain"], ["tags"], ["stats"], ["calendar"], ["random"],
        ["onthisday"], ["history", "1"], ["new", "x", "-m", "y"], ["add", "x"], ["edit", "1"],
        ["save"], ["watch"], ["sync"], ["status"], ["check"], ["index"], ["rename", "1", "x"],
        ["star", "1"], ["unstar", "1"], ["delete", "--yes", "1"], ["restore", "--missing"],
        ["undo", "--yes"], ["redo", "--yes"], ["import", "x.json"], ["export", "x.md"],
        ["share", "1"], ["leave", "--yes"], ["web"], ["weather", "fill"], ["key"], ["config"],
        ["init", "--yes"], ["today: Rain."],
      ]
      for words in commands {
        let done = try await home.run(Sandbox.programs + "/diary", words + ["--journal", "j"])
        #expect(done.status == 3, "\(words): \(done)")
        #expect(
          done.errors == """
            diary: the journal in \(home.homePath)/j is locked
            hint: `diary unlock --journal \(home.homePath)/j`

            """, "\(words): \(done)")
      }
      for words in [["list"], ["init"]] {
        let inside = try await home.run(Sandbox.programs + "/diary", words, in: "j")
        #expect(
          inside.status == 3 && inside.errors.hasSuffix("hint: `diary unlock`\n"), "\(inside)")
      }
      #expect(try await home.diary("init", "j").status == 3)
      #expect(try await home.diary("clone", home.homePath, "j").status == 3)
      let status = try await home.diary("status", "--json", "--journal", "j")
      #expect(
        status.output == "{\"journal\":\"\(home.homePath)/j\",\"locked\":true}\n"
          && status.status == 0, "\(status)")
      #expect(try names() == [] && mode() == 0o500)
      let again = try await home.diary("lock", "--journal", "j")
      #expect(again.output.contains("locked already") && again.status == 0)

      try await unlock()
      #expect(try await home.diary("list", in: "j").output.contains("Rain"))
      #expect(try await home.diary("status", "--json", in: "j").output.contains("\"locked\":false"))
      let export = try await home.diary("export", "../out.zip", "--format", "backup", in: "j")
      #expect(export.errors.contains("The export is not encrypted"), "\(export)")
      let open = try await home.diary("unlock", "--journal", "j")
      #expect(open.output.contains("not locked") && open.status == 0, "\(open)")
    }
  }

  @Test func `a wrong password, and files that another program wrote there meanwhile`()
    async throws
  {
    try await withJournal {
      try await lock()
      let wrong = try await home.diary(
        "unlock", "--journal", "j", "--password-command", "echo a word")
      #expect(wrong.status == 3 && wrong.errors.contains("the password is wrong"), "\(wrong)")
      let none = try await home.diary("unlock", "--journal", "j", "--password-command", "false")
      #expect(none.status == 1 && none.errors.contains("printed none: false"), "\(none)")
      home.set("DIARY_UNLOCK__PASSWORD_COMMAND", nil)
      let pipe = try await home.diary("unlock", "--journal", "j", input: "the word\n")
      #expect(pipe.status == 1 && pipe.errors.contains("unlock.password_command"), "\(pipe)")
      home.set("DIARY_UNLOCK__PASSWORD_COMMAND", "echo the word")
      #expect(try mode() == 0o500)

      try await home.run("chmod", ["700", "j"])
      try home.write("Late.\n", to: "j/late.md")
      #expect(try await home.diary("save", "--journal", "j").status == 3)
      let full = try await home.diary("unlock", "--journal", "j")
      #expect(full.status == 1 && full.errors.contains("\(home.homePath)/j/late.md"), "\(full)")
      #expect(try home.read("j/late.md") == "Late.\n")
      try await home.run("rm", ["j/late.md"])
      #expect(try await home.diary("save", "--journal", "j").status == 3)
      try await home.run("rmdir", ["j"])
      #expect(try await home.diary("list", "--journal", "j").status == 3)
      try await unlock()
      #expect(try await home.diary("list", in: "j").output.contains("Rain"))
    }
  }

  @Test func `lock names the programs that use the folder, the terminal first`() async throws {
    try await withJournal {
      let entry = try #require(home.files(in: "j").first { $0.hasSuffix("rain.md") })
      try await BackgroundProcess.run(home, "tail", ["-f", "j/" + entry]) { reader in
        #expect(await reader.prints("All day."))
        let refused = try await home.diary("lock", "--journal", "j")
        #expect(refused.status == 1 && refused.errors.contains("is in use"), "\(refused)")
        #expect(refused.errors.contains("tail ("), "\(refused)")
        #expect(refused.errors.contains("): \(home.homePath)/j/\(entry)\n"), "\(refused)")
        let inside = try await home.run("sh", ["-c", "diary lock; exit $?"], in: "j")
        let lines = inside.errors.split(separator: "\n")
        try #require(inside.status == 1 && lines.count == 4, "\(inside)")
        #expect(lines[1].hasPrefix("  sh (") && lines[2].hasPrefix("  tail ("), "\(inside)")
        #expect(lines[3].contains("this terminal is in the folder; `cd` out of it first"))
      }
      // A reader of the settings of the encrypted files keeps nothing.
      try await BackgroundProcess.run(home, "tail", ["-f", "j.locked/gocryptfs.conf"]) { reader in
        #expect(await reader.prints("}"))
        try await lock()
        try await unlock()
      }
      #expect(try await home.diary("list", in: "j").output.contains("Rain"))
      try await lock()
    }
  }

  @Test func `a watcher lets go, sleeps while the journal is locked, and goes on`() async throws {
    try await withJournal {
      try await BackgroundProcess.run(
        home, Sandbox.programs + "/diary", ["watch"], in: "j"
      ) { watcher in
        #expect(await watcher.prints("watching"))
        try home.write("Unsaved.\n", to: "j/late.md")
        try await lock()
        #expect(await watcher.prints("is locked; waiting for `diary unlock"))
        #expect(try names() == [])
        #expect(await watcher.becomesIdle())
        #expect(await watcher.becomesSilent())
        try await unlock()
        let isBack = await Sandbox.holds {
          watcher.output.split(separator: "\n").count { $0.contains("watching") } == 2
        }
        #expect(isBack, "\(watcher.output)")
        try home.write("Later.\n", to: "j/later.md")
        let isSaved = await Sandbox.holds {
          watcher.output.split(separator: "\n").count { $0.hasSuffix("saved 1 file") } == 2
        }
        #expect(isSaved, "\(watcher.output)")
        try await lock()
        #expect(!watcher.output.contains("deleted"), "\(watcher.output)")
      }
      try await unlock()
      let log = try await home.git("log", "--name-status", "--format=", in: "j")
      #expect(log.contains("A\tlate.md") && log.contains("A\tlater.md"), "\(log)")
      #expect(!log.contains("D\t") && !log.contains("late.md\nD"), "\(log)")
      #expect(try await home.git("status", "--porcelain", in: "j") == "")
    }
  }

  @Test func `the page lets go, and is served again`() async throws {
    try await withJournal {
      try await BackgroundProcess.run(
        home, Sandbox.programs + "/diary", ["web", "--no-open"], in: "j"
      ) { page in
        #expect(await page.prints("http://"))
        try await lock()
        #expect(await page.prints("is locked; waiting for `diary unlock"), "\(page.output)")
        #expect(await page.becomesIdle())
        #expect(await page.becomesSilent())
        func isBack(_ count: Int) async -> Bool {
          await Sandbox.holds {
            page.output.split(separator: "\n").count { $0.hasPrefix("http://") } == count
          }
        }
        try await unlock()
        #expect(await isBack(2), "\(page.output)")
        // Nor does it end if gocryptfs does, after which the index in memory may be a SIGBUS.
        page.signal(SIGBUS)
        #expect(await isBack(3), "\(page.output)")
        try await killMount()
        try await lock()
        try await unlock()
        #expect(await isBack(4), "\(page.output)")
        let addresses = Set(
          page.output.split(separator: "\n").filter { $0.hasPrefix("http://") }
            .compactMap { $0.split(separator: "#").first })
        #expect(addresses.count == 1, "\(addresses)")
        try await lock()
      }
    }
  }

  /// Kills gocryptfs, and waits until the kernel knows it.
  private func killMount() async throws {
    let found = try await home.run("pgrep", ["-f", "gocryptfs -fg .*\(home.homePath)/j$"])
    let process = try #require(Int32(found.output.split(separator: "\n").first ?? ""))
    kill(process, SIGKILL)
    #expect(
      try await Sandbox.holds {
        try await home.diary("list", "--journal", "j").errors.contains("not cleanly")
      })
  }

  @Test func `gocryptfs is killed while a watcher runs`() async throws {
    try await withJournal {
      try await BackgroundProcess.run(
        home, Sandbox.programs + "/diary", ["watch"], in: "j"
      ) { watcher in
        #expect(await watcher.prints("watching"))
        try await killMount()
        try await BackgroundProcess.run(
          home, Sandbox.programs + "/diary", ["watch", "--wait", "--journal", "j"]
        ) { waiting in
          #expect(await waiting.prints("is locked; waiting"))
        }
        for words in [["save"], ["save", "--deletions"], ["unlock"], ["init", "--yes"]] {
          let done = try await home.run(Sandbox.programs + "/diary", words + ["--journal", "j"])
          #expect(done.status == 3, "\(words): \(done)")
        }
        try await lock()
        try await unlock()
        try home.write("Later.\n", to: "j/later.md")
        #expect(await watcher.prints("saved 1 file"), "\(watcher.output)")
        #expect(!watcher.output.contains("deleted"), "\(watcher.output)")
        try await lock()
      }
      try await unlock()
      let log = try await home.git("log", "--name-status", "--format=", in: "j")
      #expect(log.contains("A\tlater.md") && !log.contains("D\t"), "\(log)")
      #expect(try await home.diary("list", in: "j").output.contains("Rain"))
    }
  }

  @Test(arguments: [["watch"], ["web", "--no-open"]])
  func `a request to end is followed when gocryptfs has ended, too`(_ words: [String]) async throws
  {
    try await withJournal {
      try await BackgroundProcess.run(
        home, Sandbox.programs + "/diary", words + ["--journal", "j"]
      ) { program in
        #expect(await program.prints(words[0] == "watch" ? "watching" : "http://"))
        #expect(await program.becomesIdle())
        try await killMount()
        program.signal(SIGTERM)
        #expect(await Sandbox.holds { program.hasExited }, "\(program.output)")
      }
      try await lock()
    }
  }

  @Test func `the password is never an argument or a variable`() async throws {
    home.set("DIARY_UNLOCK__PASSWORD_COMMAND", nil)
    try home.write("the word\n", to: "password")
    for program in ["gocryptfs", "gocryptfs-xray"] {
      let real = try await home.run("sh", ["-c", "command -v \(program)"]).output.dropLast()
      _ = try home.script(
        program, "{ echo $0; printf '%s\\n' \"$@\"; env; } >>~/seen\nexec \(real) \"$@\"\n")
    }
    home.set("PATH", home.homePath + "/bin:" + (home.environment["PATH"] ?? ""))
    try await withPasswordFile { try await lock() }
    let seen = try home.read("seen")
    #expect(seen.contains("/bin/gocryptfs\n-init\n") && !seen.contains("the word"))
  }

  private func withPasswordFile(_ body: () async throws -> Void) async throws {
    try home.write("unlock:\n  password_command: cat ~/password\n", to: ".config/diary/config.yml")
    try await withJournal(body)
  }

  @Test func `on a terminal the password is asked for twice, and the key is shown once`()
    async throws
  {
    home.set("DIARY_UNLOCK__PASSWORD_COMMAND", nil)
    guard FileManager.default.isWritableFile(atPath: "/dev/fuse") else {
      try Test.cancel("gocryptfs: NOT RUN (no /dev/fuse)")
    }
    let terminal = try await Terminal(home, in: "", columns: 200, lines: 60)
    try await terminal.enter("diary init j --encrypted --yes; echo code $?")
    #expect(try await terminal.shows("Password (it is not shown)"))
    try await terminal.enter("first word")
    #expect(try await terminal.shows("The same password again"))
    try await terminal.enter("other word")
    #expect(try await terminal.shows("The two are not the same."))
    for _ in 0..<2 {
      let asked = try await terminal.screen().split(separator: ":").count
      try await terminal.enter("first word")
      _ = try await Sandbox.holds {
        try await terminal.screen().split(separator: ":").count > asked
      }
    }
    #expect(try await terminal.shows("Press Enter when you have written it down."))
    let settings = home.homePath + "/j.locked/gocryptfs.conf"
    let key = try await home.run(
      "gocryptfs-xray", ["-dumpmasterkey", settings], input: "first word\n")
    let screen = try await terminal.screen()
    #expect(
      screen.filter(\.isHexDigit).contains(key.output.filter(\.isHexDigit)), "\(screen) \(key)")
    #expect(!screen.contains("first word"))
    try await terminal.press("Enter")
    #expect(try await terminal.shows("code 0"))

    try await terminal.enter(
      "clear; diary lock --journal j; diary unlock --journal j; echo code $?")
    #expect(try await terminal.shows("Password (it is not shown)"))
    try await terminal.enter("wrong word")
    #expect(try await terminal.shows("the password is wrong"))
    try await terminal.enter("first word")
    #expect(try await terminal.shows("code 0"))
    await terminal.close()
    #expect(try await home.diary("list", "--journal", "j").status == 0)
    try await lock()
  }

  @Test func `another journal moves into a folder that gocryptfs alone has made`() async throws {
    try await withJournal {
      try await lock()
      try await home.run("mkdir", ["new.locked"])
      try await home.run("gocryptfs", ["-init", "-q", "new.locked"], input: "the word\n")
      try await home.diary("init", "plain")
      try await home.diary("new", "Hail", "-m", "At night.", "--journal", "plain")
      #expect(try await home.diary("clone", "plain", "new").status == 3)
      #expect(try await home.diary("unlock", "--journal", "new").status == 0)
      let clone = try await home.diary("clone", "plain", "new")
      #expect(clone.status == 0, "\(clone)")
      #expect(try await home.diary("list", "--journal", "new").output.contains("Hail"))
      #expect(try await home.git("log", "--format=%s", in: "new").contains("Hail"))
      let locked = try await home.diary("lock", "--journal", "new")
      #expect(locked.status == 0, "\(locked)")
      let found = try await home.run("grep", ["-rl", "At night", "new", "new.locked"])
      #expect(found.status == 1, "\(found)")
      try await unlock()
    }
  }

  @Test func `without gocryptfs nothing is written`() async throws {
    try FileManager.default.createDirectory(
      atPath: home.homePath + "/few", withIntermediateDirectories: true)
    home.set("PATH", home.homePath + "/few")
    let refused = try await home.diary("init", "--encrypted", "j")
    #expect(refused.status == 1 && refused.errors.contains("sudo apt install gocryptfs"))
    #expect(!home.exists("j") && !home.exists("j.locked"))
  }

  @Test func `a journal with files does not become encrypted`() async throws {
    try await home.diary("init", "j")
    for folder in ["j", "notes"] {
      try home.write("A note.\n", to: folder + "/note.md")
      let refused = try await home.diary("init", "--encrypted", folder)
      #expect(
        refused.status == 1 && refused.errors.contains("only makes new journals"), "\(refused)")
      #expect(!home.exists(folder + ".locked"))
    }
    for words in [["lock"], ["unlock"]] {
      let done = try await home.run(Sandbox.programs + "/diary", words, in: "j")
      #expect(done.status == 1 && done.errors.contains("not one that locks"), "\(done)")
    }
  }

  @Test func `an empty folder that settings name may be a disk that is not mounted`() async throws {
    try home.write("journals:\n  work: ~/work\n", to: ".config/diary/config.yml")
    for folder in ["work", "other"] {
      try FileManager.default.createDirectory(
        atPath: home.homePath + "/" + folder, withIntermediateDirectories: true)
    }
    let empty = try await home.diary("list", "-j", "work")
    #expect(empty.status == 3 && empty.errors.contains("is its disk or vault not mounted?"))
    let other = try await home.diary("list", "--journal", "other")
    #expect(other.status == 1 && other.errors.contains("is not a journal"), "\(other)")
    #expect(try await home.diary("init", "work").status == 0)
    #expect(try await home.diary("list", "-j", "work").status == 0)
  }
}
