import Foundation
import TestSupport
import Testing

/// Error messages: the problem, the file, and the next step.
@Suite(.serialized) struct ErrorTests {
  let home: Sandbox

  init() throws { home = try Sandbox() }

  @Test func `a missing journal, a plain folder and a refused folder give errors`() async throws {
    let none = try await home.diary("list")
    #expect(none.status == 1)
    #expect(
      none.errors == """
        diary: there is no journal at \(home.homePath)/diary
        hint: run `diary init` to create one there, or use --journal DIR

        """)
    try home.write("", to: "plain/x")
    let plain = try await home.diary("list", "--journal", "plain")
    #expect(
      plain.errors.contains("is not a journal") && plain.errors.contains("hint: run `diary init"))
    let wide = try await home.diary("init", home.homePath)
    #expect(wide.status == 1 && wide.errors.contains("cannot be a journal"))
  }

  @Test func `a journal without permission is not reported as missing`() async throws {
    try await home.diary("init", "j")
    let path = home.homePath + "/j"
    try #require(chmod(path, 0) == 0)
    defer { chmod(path, 0o700) }
    // Root has access to everything until it gives up its capabilities.
    let program = [Sandbox.programs + "/diary", "list", "--journal", "j"]
    let line = (geteuid() == 0 ? ["setpriv", "--bounding-set=-all"] : []) + program
    let result = try await home.run("/usr/bin/env", line, in: "")
    #expect(
      result.status == 1 && result.errors.contains("\(path) cannot be read: permission denied"),
      "\(result)")
  }

  @Test func `one unreadable file keeps no other from being saved`() async throws {
    try await home.diary("init", "j")
    try home.write("One.\n", to: "j/one.md")
    try await home.diary("save", in: "j")
    try home.write("Nobody reads this.\n", to: "j/locked.md")
    try home.write("One, and more.\n", to: "j/one.md")
    let path = home.homePath + "/j/locked.md"
    try #require(chmod(path, 0) == 0)
    defer { chmod(path, 0o600) }
    let program = { (command: String) in
      (geteuid() == 0 ? ["setpriv", "--bounding-set=-all"] : [])
        + [Sandbox.programs + "/diary", command, "--journal", "j"]
    }
    let saved = try await home.run("/usr/bin/env", program("save"), in: "")
    let all = saved.output + saved.errors
    #expect(saved.status == 1)
    #expect(all.contains("locked.md cannot be read: Permission denied"), "\(saved)")
    #expect(try await home.git("show", "HEAD:one.md", in: "j").contains("and more"))
    let status = try await home.run("/usr/bin/env", program("status"), in: "")
    #expect(status.status == 0 && status.output.contains("locked.md"), "\(status)")
  }

  @Test func `the current folder may be removed`() async throws {
    try await home.diary("init")
    try await home.diary("today:", "It rained.")
    let gone = "mkdir gone; cd gone; rmdir ../gone; "
    let list = try await home.run("sh", ["-c", gone + "timeout 20 diary list"])
    #expect(list.status == 0 && list.output.contains("It rained."), "\(list)")
    let lost = try await home.run("sh", ["-c", gone + "unset PWD; timeout 20 diary show x.md"])
    #expect(lost.status == 2, "\(lost)")
  }

  @Test func `an entry that cannot be read is named where it is left out`() async throws {
    try await home.diary("init", "j")
    try await home.diary("new", "A", "-m", "x", in: "j")
    try home.write("---\ndate: 2026-01-05\n---\nLocked.\n", to: "j/locked.md")
    let path = home.homePath + "/j/locked.md"
    try #require(chmod(path, 0) == 0)
    defer { chmod(path, 0o600) }
    let program =
      (geteuid() == 0 ? ["setpriv", "--bounding-set=-all"] : [])
      + [Sandbox.programs + "/diary", "--journal", "j"]
    let reason = "locked.md cannot be read: Permission denied"
    for (command, status) in [
      (["list"], 0), (["stats"], 0), (["calendar"], 0), (["tags"], 0), (["onthisday"], 0),
      (["random"], 0), (["search", "x"], 0), (["show", "2026-01-05"], 2),
      (["export", "x.json"], 1),
      (["export", "--format", "json", "-"], 1), (["export", "site", "--format", "site"], 1),
    ] {
      let result = try await home.run("/usr/bin/env", program + command)
      #expect(result.status == status && result.errors.contains(reason), "\(command): \(result)")
      #expect(!result.output.contains("Locked."))
    }
    chmod(path, 0o600)
    let list = try await home.run("/usr/bin/env", program + ["list"])
    #expect(list.output.contains("Locked.") && list.errors == "", "\(list)")
  }

  @Test func `exit codes for empty results and a closed pipe`() async throws {
    try await home.diary("init", "j")
    let reference = try await home.diary("show", "99", in: "j")
    #expect(reference.status == 2)
    let empty = try await home.diary("list", in: "j")
    #expect(empty.status == 0 && empty.output == "")
    for number in 1...50 {
      try home.write("# Entry \(number)\n", to: "j/2026-01-\(number % 28 + 10)-\(number).md")
    }
    let pipe = try await home.run(
      "sh", ["-c", "\(Sandbox.programs)/diary list | head -1; echo done"], in: "j")
    #expect(pipe.errors == "" && pipe.output.hasSuffix("done\n"))
  }

  @Test func `a file that is not UTF-8 is listed but never rewritten`() async throws {
    try await home.diary("init", "j")
    let latin = Data([0x23, 0x20, 0x53, 0xFC, 0x64, 0x65, 0x6E, 0x0A])
    _ = FileManager.default.createFile(atPath: home.homePath + "/j/2026-01-02.md", contents: latin)
    let list = try await home.diary("list", in: "j")
    #expect(list.output.contains("Süden"), "\(list)")
    let add = try await home.diary("add", "--to", "1", "more", in: "j")
    #expect(
      add.status == 1 && add.errors.contains("not UTF-8") && add.errors.contains("the text: more"))
    #expect(FileManager.default.contents(atPath: home.homePath + "/j/2026-01-02.md") == latin)
    #expect(try await home.diary("save", in: "j").status == 0)
  }

  @Test func `a synced folder and an invalid setting cause warnings`()
    async throws
  {
    try home.write("", to: "Dropbox/.dropbox")
    let made = try await home.diary("init", "Dropbox/j")
    #expect(made.status == 0 && made.errors.contains("Dropbox syncs"), "\(made.errors)")
    try home.write(
      "time_zone: Mars/Base\nautosave: {settle: 9h}\neditor: rm -rf\n",
      to: "Dropbox/j/.diary/config.yml")
    let list = try await home.diary("list", in: "Dropbox/j")
    #expect(list.status == 0)
    for word in ["time_zone", "autosave.settle", "editor"] {
      #expect(list.errors.contains(word), "\(word): \(list.errors)")
    }
  }

  @Test func `control characters never reach a terminal`() async throws {
    try await home.diary("init", "j")
    try home.write("# Red \u{1B}[31m\u{202E}alert\u{7}\n", to: "j/2026-01-02.md")
    let piped = try await home.diary("list", in: "j")
    #expect(piped.output.contains("\u{1B}[31m"))
    let terminal = try await Terminal(home, in: "j")
    try await terminal.enter("diary list; diary list | od -c | grep -c 033")
    #expect(try await terminal.shows("1\n"))
    let screen = try await terminal.screen()
    #expect(screen.contains("Red") && !screen.contains("\u{202E}"))
    await terminal.close()
  }

  @Test func `dates follow the user's language`() async throws {
    try await home.diary("init", "j")
    try await home.diary("new", "Title", "--message", "x", "--date", "2026-11-21", in: "j")
    let expected = [
      "ko_KR.UTF-8": "2026년 11월 21일", "en_US.UTF-8": "Nov 21, 2026", "de_DE.UTF-8": "21. Nov. 2026",
      "ja_JP.UTF-8": "2026年11月21日", "C": "2026-11-21",
    ]
    for (locale, text) in expected {
      home.set("LC_ALL", locale)
      let list = try await home.diary("list", in: "j")
      #expect(list.output.contains(text), "\(locale): \(list.output)")
    }
  }

  @Test func `a read-only journal can still be listed and searched`() async throws {
    try await home.diary("init", "j")
    try await home.diary("new", "Kept", "--message", "kingfisher", "--date", "2026-01-02", in: "j")
    try await home.run("chmod", ["-R", "a-w", "j"])
    // Root may write everywhere; for other users the folder is really read-only.
    let list = try await home.diary("list", in: "j")
    let search = try await home.diary("search", "kingfisher", in: "j")
    try await home.run("chmod", ["-R", "u+w", "j"])
    #expect(list.status == 0 && list.output.contains("Kept"), "\(list)")
    #expect(search.status == 0 && search.output.contains("kingfisher"), "\(search)")
  }
}
