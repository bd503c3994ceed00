import Foundation
import GitServers
import TestSupport
import Testing

/// Checks that the hints of errors and questions are correct in their situation.
@Suite(.serialized) struct HintTests {
  let home: Sandbox

  init() throws { home = try Sandbox() }

  @Test func `the hint for a missing journal names the expected path`() async throws {
    let named = try await home.diary("--journal", "my work", "new", "x", "-m", "y")
    #expect(named.status == 1, "\(named)")
    #expect(named.errors.contains("run `diary init '\(home.homePath)/my work'`"), "\(named)")
  }

  @Test func `a command in a message names the journal unless it finds it by itself`() async throws
  {
    #expect(try await home.diary("init").errors.contains(": diary today: It rained."))
    let work = try await home.diary("init", "my work")
    let named = "diary --journal '\(home.homePath)/my work'"
    #expect(work.errors.contains("\(named) today: It rained."), "\(work)")
    #expect(work.errors.contains(": \(named) watch"), "\(work)")
    #expect(try await home.diary("config", "journals.work", "~/my work").status == 0)
    for (words, command) in [
      (["-j", "work"], "`diary -j work encrypt`"), (["-j=work"], "`diary -j work encrypt`"),
      (["--journal", "my work"], "`\(named) encrypt`"),
      (["--journal=my work"], "`\(named) encrypt`"), (["--journal", "diary"], "`diary encrypt`"),
      ([], "`diary encrypt`"),
    ] {
      let done = try await home.run(Sandbox.programs + "/diary", ["lock"] + words)
      #expect(done.errors.contains("hint: \(command) encrypts it"), "\(done)")
      let key = try await home.run(Sandbox.programs + "/diary", words + ["key", "--show"])
      let makes = command.replacing("encrypt", with: "init --remote URL --sealed")
      #expect(key.errors.contains("hint: \(makes) makes one"), "\(key)")
    }
    let inside = try await home.diary("key", in: "my work")
    #expect(inside.errors.contains("hint: `diary init --remote"), "\(inside)")
    #expect(
      try await home.diary("serch", "-j", "work").errors.contains("mean `diary -j work search`"))
    let undone = try await home.run(
      "sh", ["-c", "diary new x -m y -j work && diary undo --yes -j work"])
    #expect(undone.errors.contains("-j work") || undone.output.contains("diary -j work redo"))
  }

  @Test func `a command of git in a message names the journal outside of its folder`() async throws
  {
    for folder in ["diary", "work"] {
      #expect(try await home.diary("init", folder).status == 0)
      try await home.git("remote", "add", "origin", "/nowhere/h.git", in: folder)
      let command = "git -C \(home.homePath)/\(folder) remote set-url origin URL"
      let options = folder == "diary" ? [] : ["--journal", folder]
      let sync = try await home.run(Sandbox.programs + "/diary", ["sync"] + options)
      #expect(sync.errors.contains("address: `\(command)`"), "\(sync)")
      for words in [["status"], ["status", "--json"]] {
        let status = try await home.run(Sandbox.programs + "/diary", words + options)
        let shown = status.output.replacing("\\/", with: "/")
        #expect(shown.contains("address: `\(command)`"), "\(status)")
      }
      let inside = try await home.diary("sync", in: folder + "/.diary")
      #expect(inside.errors.contains("address: `git remote set-url origin URL`"), "\(inside)")
    }
    try await home.git("switch", "-q", "--detach", in: "work")
    let detached = try await home.diary("sync", "--journal", "work")
    #expect(detached.errors.contains("`git -C \(home.homePath)/work switch main`"), "\(detached)")
  }

  @Test func `a failed clone does not mention a remote or saves`() async throws {
    let missing = try await home.diary("clone", "nowhere.git", "b")
    #expect(missing.status == 1 && !home.exists("b"), "\(missing)")
    #expect(missing.errors.contains("is the address right?"), "\(missing)")
    for wrong in ["set-url", "the next sync pushes", "\"origin\""] {
      #expect(!missing.errors.contains(wrong), "\(wrong): \(missing)")
    }
  }

  @Test func `a clone into an existing journal says how to join the remote`() async throws {
    _ = try await BareRepository(home, "bare.git")
    try await home.diary("init", "a")
    let over = try await home.diary("clone", "bare.git", "a")
    let hint = "`diary init \(home.homePath)/a --remote URL` adds one"
    #expect(over.status == 1 && over.errors.contains(hint), "\(over)")
    #expect(try await home.diary("init", "a", "--remote", "bare.git").status == 0)
    #expect(try await home.diary("sync", "--journal", home.homePath + "/a").status == 0)
  }

  @Test func `a file extension without a format is refused`() async throws {
    try await createJournal()
    for name in ["o.pdf", "o.docx", "o.md.bak"] {
      let result = try await home.diary("share", "1", "-o", name, in: "j")
      #expect(result.status == 64 && result.errors.contains(name), "\(result)")
      #expect(result.errors.contains("use .md, .html, .txt or .json"), "\(result)")
      #expect(!home.exists("j/" + name))
    }
    for name in ["../o.html", "../plain", "../o.MD"] {
      #expect(try await home.diary("share", "1", "-o", name, in: "j").status == 0)
    }
    let told = try await home.diary("share", "1", "--format", "md", "-o", "../o.bak", in: "j")
    #expect(told.status == 0, "\(told)")
  }

  @Test func `entries that match a reference are shown as in the list`() async throws {
    try await createJournal()
    for day in 1...10 {
      try await home.diary(
        "new", "My day", "-m", "x", "--date", "2025-01-\(day) 10:00", in: "j")
    }
    home.set("LC_ALL", "en_US.UTF-8")
    let result = try await home.diary("show", "my", in: "j")
    #expect(result.status == 64, "\(result)")
    #expect(result.errors.contains("\n   9  Fri, Jan 3, 2025 10:00 AM   My day\n"), "\(result)")
  }

  @Test func `of two entries with the same time, add selects the later written`() async throws {
    try await home.diary("init", "j")
    for title in ["Short day", "From the script"] {
      try await home.diary("new", title, "-m", "x", "--date", "today 12:00", in: "j")
    }
    let added = try await home.diary("add", "One more thing.", in: "j")
    #expect(added.output.hasSuffix("-from-the-script.md\n"), "\(added)")
  }

  @Test func `deleting a blank entry promises no restore, and undo is explained`()
    async throws
  {
    try await createJournal()
    home.set("EDITOR", try home.script("forks", "exit 0\n"))
    let made = try await home.diary("new", in: "j")
    #expect(made.errors.contains("closed right away"), "\(made)")
    let deleted = try await home.diary("delete", "1", "--yes", in: "j")
    #expect(deleted.status == 0 && !deleted.errors.contains("To bring it back"), "\(deleted)")
    #expect(deleted.errors.contains("was never saved"), "\(deleted)")
    try home.write("Mine.\n", to: "j/2026-01-09.md")
    try await home.diary("save", in: "j")

    let terminal = try await Terminal(home, in: "j")
    try await terminal.enter("diary undo")
    #expect(try await terminal.shows("To undo, of "))
    #expect(try await terminal.shows(": Write the entry \"Dentist\""))
    #expect(try await terminal.shows("Undo it? [y/N]"))
    try await terminal.enter("")
    #expect(try await terminal.shows("Nothing was changed."))
    await terminal.close()
    #expect(home.files(in: "j").contains { $0.hasSuffix("-dentist.md") })
  }

  @Test func `a read-only login is distinguished from a refused one`() async throws {
    let web = try await GitWebServer.start(home)
    let bare = try await BareRepository(home, "bare.git")
    web.behaviour = .readOnly
    try await home.diary("init", "a")
    let http = try await home.diary("init", "a", "--remote", web.url(bare))
    await web.stop()
    try expectReadOnly(http)

    // The git daemon, connected by a pipe instead of a port.
    try await home.git(
      "config", "--global", "core.gitProxy",
      try home.script(
        "daemon", "exec git daemon --inetd --export-all --base-path=\(home.homePath)\n"),
      in: "")
    try await home.diary("init", "b")
    let daemon = try await home.diary("init", "b", "--remote", "git://localhost/bare.git")
    try expectReadOnly(daemon)
  }

  @Test func `the first words of a newcomer lead on`() async throws {
    let made = try await home.diary("init", "j")
    #expect(
      made.errors.contains("To write: diary --journal \(home.homePath)/j today: It rained."),
      "\(made)")
    let none = try await home.diary("add", "--to", "yesterday", "hi", "there", in: "j")
    #expect(none.status == 2, "\(none)")
    #expect(none.errors.contains("to write one: `diary add --date yesterday hi there`"), "\(none)")
    let number = try await home.diary("add", "--date", "1", "hi", in: "j")
    #expect(number.status == 64 && number.errors.contains("\"1\" is not a day"), "\(number)")
    #expect(number.errors.contains("`diary add --to 1`"), "\(number)")
    for words in [["list", "--on", "2026-11-31"], ["show", "2026-11-31"], ["2026-11-31: hi"]] {
      let impossible = try await home.run(Sandbox.programs + "/diary", words, in: "j")
      #expect(impossible.errors.contains("hint: 2026-11 has 30 days"), "\(impossible)")
    }
    try await home.diary("today:", "My day", in: "j")
    try await home.diary("new", "My soup", "-m", "x", in: "j")
    let title = try await home.diary("show", "grandma", in: "j")
    #expect(title.errors.contains("no title contains \"grandma\""), "\(title)")
    #expect(title.errors.contains("hint: in the texts: `diary search grandma`"), "\(title)")
    let several = try await home.diary("show", "my", in: "j")
    #expect(several.errors.contains("; all of them: `diary search my`"), "\(several)")
    let random = try await home.diary("random", "--tag", "none", in: "j")
    #expect(random.errors.contains("hint: the journal has 2 entries"), "\(random)")
  }

  @Test func `settings are found by a similar name`() async throws {
    for (typed, meant) in [("EDITOR", "editor"), ("daystart", "day_starts_at")] {
      let result = try await home.diary("config", typed)
      #expect(result.errors.contains("did you mean `\(meant)`?"), "\(result)")
    }
    let weather = try await home.diary("config", "weather", "on")
    #expect(weather.errors.contains("to turn it on: `diary weather on PLACE`"), "\(weather)")
  }

  @Test func `help is short, and help all lists every command`() async throws {
    for words in [["help"], ["--help"], ["-h"], ["help", "help"]] {
      let help = try await home.run(Sandbox.programs + "/diary", words)
      let lines = help.output.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(help.status == 0 && lines.count <= 24, "\(words): \(help)")
      #expect(help.output.contains("  diary today: It rained."), "\(words): \(help)")
    }
    let all = try await home.diary("help", "all")
    for command in ["calendar", "leave", "OPTIONS:", "--quiet"] {
      #expect(all.status == 0 && all.output.contains(command), "\(all)")
    }
    home.set("LANG", "ko_KR.UTF-8")
    let korean = try await home.diary("help")
    #expect(korean.output.contains("  diary 오늘: 비가 왔다."), "\(korean)")
    #expect(korean.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(korean)")
  }

  @Test func `words of the first days lead to the command`() async throws {
    try await createJournal()
    for (words, hint) in [
      (["deleted"], "`diary list --deleted`"), (["on", "this", "day"], "`diary onthisday`"),
      (["show", "--search", "x"], "`diary search --full`"),
      (["last", "week:", "Rain."], "such as 2026-11-21"), (["weather", "on"], "lists its options"),
    ] {
      let result = try await home.run(Sandbox.programs + "/diary", words, in: "j")
      #expect(result.status == 64 && result.errors.contains(hint), "\(result)")
      #expect(!result.errors.contains("missing expected"), "\(result)")
    }
    for command in ["encrypt", "lock", "unlock"] {
      let result = try await home.diary(command, "--journal", "nowhere")
      #expect(result.errors.contains("hint: run `diary init"), "\(result)")
    }
  }

  @Test func `status tells that others can read the journal`() async throws {
    try await createJournal()
    // The names of some files are known, so others need not be able to list the folder.
    for (mode, isReadable) in [(mode_t(0o755), true), (0o711, true), (0o750, false)] {
      for folder in ["", "/j"] { chmod(home.homePath + folder, folder == "" ? 0o755 : mode) }
      let status = try await home.diary("status", in: "j")
      #expect(status.errors.contains("chmod o-rwx \(home.homePath)/j") == isReadable, "\(status)")
      let json = try await home.diary("status", "--json", in: "j")
      #expect(json.output.contains("\"readable_by_others\":\(isReadable)"), "\(json)")
    }
    // Whoever reaches the folder by a link needs no access to the link's folder.
    chmod(home.homePath + "/j", 0o755)
    try home.write("", to: "private/x")
    symlink(home.homePath + "/j", home.homePath + "/private/link")
    chmod(home.homePath + "/private", 0o700)
    let linked = try await home.diary("status", "--json", "--journal", "private/link")
    #expect(linked.output.contains("\"readable_by_others\":true"), "\(linked)")
  }

  @Test func `an empty pipe creates no entry and opens no editor`() async throws {
    try await home.diary("init", "j")
    let before = home.files(in: "j")
    home.set("EDITOR", try home.script("never", "echo opened > $HOME/opened\n"))
    for command in ["printf '' | diary new x", "printf ' \\n' | diary new x"] {
      let result = try await home.run("sh", ["-c", command], in: "j")
      #expect(result.status == 1 && result.errors.contains("standard input is empty"), "\(result)")
    }
    #expect(home.files(in: "j") == before && !home.exists("opened"))
  }

  @Test func `a restored text without a change mentions no watcher`() async throws {
    try await createJournal()
    try await home.run("sh", ["-c", "rm 2026/01/*.md"], in: "j")
    let restored = try await home.diary("restore", "dentist", in: "j")
    #expect(restored.status == 0 && !restored.errors.contains("watcher"), "\(restored)")
    #expect(restored.errors.contains("nothing to commit"), "\(restored)")
  }

  private func expectReadOnly(_ result: Sandbox.ProgramResult) throws {
    #expect(result.status == 1, "\(result)")
    #expect(result.errors.contains("allows this login to read, but not to write"), "\(result)")
    #expect(result.errors.contains("write access"), "\(result)")
    #expect(!result.errors.contains("refused the login"), "\(result)")
  }

  private func createJournal() async throws {
    try await home.diary("init", "j")
    try await home.diary("new", "Dentist", "-m", "x", "--date", "2026-01-02", in: "j")
  }
}
