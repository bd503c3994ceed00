import Foundation
import TestSupport
import Testing

/// A journal whose private state was written by a newer version of Diary.
@Suite struct NewerStateTests {
  let home: Sandbox
  private static let version = "j/.git/diary/version"
  private static let refusal = "a newer version of Diary wrote the state of the journal"

  init() async throws {
    home = try Sandbox()
    home.setAutosave(settle: "200ms", sitting: "10m")
    home.set("EDITOR", "true")
    try await home.diary("init", "j")
    try await home.git("init", "-q", "--bare", "remote", in: "")
    try await home.git("remote", "add", "origin", home.homePath + "/remote", in: "j")
    try await home.diary("new", "Walk", "-m", "Along the river.", "--date", "2026-11-20", in: "j")
    try await home.diary("new", "Tea", "-m", "Green tea.", "--date", "2026-11-21", in: "j")
    try await home.diary("list", in: "j")
    try home.write("Not saved yet.\n", to: "j/2026/11/unsaved.md")
    try home.write("[{\"title\":\"A\",\"body\":\"B\",\"created_at\":1}]", to: "phone.json")
  }

  @Test func `this version writes no version file`() { #expect(!home.exists(Self.version)) }

  @Test func `every command refuses the journal and changes nothing`() async throws {
    try home.write("2\n", to: Self.version)
    let before = home.state(of: "")
    let commands: [[String]] = [
      [], ["new", "A", "-m", "B"], ["add", "More."], ["edit", "1"], ["list", "--json"],
      ["show", "1"], ["search", "tea"], ["tags"], ["share", "1", "--format", "text"],
      ["history", "1"], ["save"], ["save", "--deletions"], ["watch"], ["watch", "--sync"],
      ["status"], ["status", "--json"], ["rename", "1", "B"], ["delete", "1", "--yes"],
      ["star", "1"],
      ["restore", "--missing"], ["undo", "--yes"], ["weather", "stamp", "1"],
      ["weather", "fill", "--yes"], ["sync"], ["init", "."],
      ["init", ".", "--yes", "--remote", home.homePath + "/remote"], ["index", "--rebuild"],
      ["index", "--verify"], ["check", "--fix", "--yes"], ["leave", "--yes"],
      ["leave", "--yes", "--drop-saves"], ["import", home.homePath + "/phone.json"],
    ]
    for words in commands {
      let result = try await home.run(Sandbox.programs + "/diary", words, in: "j")
      #expect(result.status == 1 && result.output == "", "\(words): \(result)")
      #expect(
        result.errors.hasPrefix("diary: \(Self.refusal) \(home.homePath)/j,")
          && result.errors.contains("hint: install the newer version of Diary"),
        "\(words): \(result.errors)")
    }
    #expect(Sandbox.differences(before, home.state(of: "")) == [])
    for words in [["--version"], ["--help"], ["help", "save"], ["save", "--help"]] {
      let result = try await home.run(Sandbox.programs + "/diary", words, in: "j")
      #expect(result.status == 0 && result.output.contains("diary"), "\(words): \(result)")
    }
    // Removing the file stands for running the newer version.
    try FileManager.default.removeItem(atPath: home.homePath + "/" + Self.version)
    let saved = try await home.diary("save", in: "j")
    #expect(saved.status == 0 && saved.errors.contains("Not saved yet."), "\(saved)")
  }

  @Test(arguments: ["", "1\n2\n", "two", "0", "-1", "99999999999999999999", "\u{0}"])
  func `an invalid version counts as a newer one`(text: String) async throws {
    try home.write(text, to: Self.version)
    let before = home.state(of: "j")
    for command in ["list", "save"] {
      let result = try await home.diary(command, in: "j")
      #expect(result.status == 1 && result.errors.contains(Self.refusal), "\(result)")
    }
    #expect(Sandbox.differences(before, home.state(of: "j")) == [])
  }

  @Test func `a version that is a folder is refused, the current one accepted`() async throws {
    try FileManager.default.createDirectory(
      atPath: home.homePath + "/" + Self.version, withIntermediateDirectories: false)
    #expect(try await home.diary("list", in: "j").status == 1)
    try FileManager.default.removeItem(atPath: home.homePath + "/" + Self.version)
    try home.write("1\n", to: Self.version)
    #expect(try await home.diary("save", in: "j").status == 0)
  }

  @Test func `a running watcher ends when the version rises`() async throws {
    let written: Set = ["2026/11", "2026/11/unsaved.md"]
    try await BackgroundProcess.run(home, Sandbox.programs + "/diary", ["watch", "-v"], in: "j") {
      (watcher: BackgroundProcess) async throws -> Void in
      #expect(await watcher.prints("saved 2026/11/unsaved.md"), "\(watcher.output)")
      #expect(await watcher.becomesIdle())
      try home.write("2\n", to: Self.version)
      let before = home.state(of: "j", except: written)
      try home.write("Not saved, and not lost.\n", to: "j/2026/11/unsaved.md")
      #expect(await watcher.prints(Self.refusal), "\(watcher.output)")
      #expect(await Sandbox.holds { watcher.hasExited })
      let after = home.state(of: "j", except: written)
      #expect(Sandbox.differences(before, after) == [])
      #expect(!watcher.output.contains("committed"), "\(watcher.output)")
    }
    try FileManager.default.removeItem(atPath: home.homePath + "/" + Self.version)
    try await home.diary("save", in: "j")
    let text = try await home.git("show", "HEAD:2026/11/unsaved.md", in: "j")
    #expect(text == "Not saved, and not lost.\n")
  }

  @Test func `after the version rises a signal ends the watcher without a save`() async throws {
    try await BackgroundProcess.run(home, Sandbox.programs + "/diary", ["watch", "-v"], in: "j") {
      (watcher: BackgroundProcess) async throws -> Void in
      #expect(await watcher.prints("saved 2026/11/unsaved.md"), "\(watcher.output)")
      #expect(await watcher.becomesIdle())
      try home.write("2\n", to: Self.version)
      let before = home.state(of: "j")
      watcher.signal(SIGTERM)
      #expect(await watcher.prints(Self.refusal), "\(watcher.output)")
      #expect(await Sandbox.holds { watcher.hasExited })
      #expect(Sandbox.differences(before, home.state(of: "j")) == [])
    }
  }

  @Test func `git merges such a journal by itself and keeps both texts`() async throws {
    try await home.diary("save", in: "j")
    let path = "2026/11/2026-11-21-tea.md"
    let text = try home.read("j/" + path)
    try await home.git("checkout", "-qb", "side", in: "j")
    try home.write(text.replacing("Green", with: "Black"), to: "j/" + path)
    try await home.git("commit", "-qam", "side", in: "j")
    try await home.git("checkout", "-q", "main", in: "j")
    try home.write(text.replacing("Green", with: "White"), to: "j/" + path)
    try await home.git("commit", "-qam", "main", in: "j")
    try home.write("2\n", to: Self.version)
    let before = home.state(of: "j/.git/diary")
    let merge = try await home.run("git", ["merge", "side"], in: "j")
    #expect(merge.status == 1 && merge.errors.contains(Self.refusal), "\(merge)")
    let merged = try home.read("j/" + path)
    #expect(merged.contains("<<<<<<<") && merged.contains("White") && merged.contains("Black"))
    #expect(try await home.git("ls-files", "-u", in: "j").split(separator: "\n").count == 3)
    #expect(Sandbox.differences(before, home.state(of: "j/.git/diary")) == [])
    try await home.git("merge", "--abort", in: "j")
    try FileManager.default.removeItem(atPath: home.homePath + "/" + Self.version)
    #expect(try await home.run("git", ["merge", "side"], in: "j").status == 0)
    #expect(try !home.read("j/" + path).contains("<<<<<<<"))
  }

  @Test func `a linked work tree also checks the version of the main one`()
    async throws
  {
    try await home.diary("save", in: "j")
    try await home.git("worktree", "add", "-q", "../linked", in: "j")
    #expect(try await home.diary("save", in: "linked").status == 0)
    let own = "j/.git/worktrees/linked/diary/version"
    try home.write("2", to: own)
    #expect(try await home.diary("list", in: "linked").errors.contains(Self.refusal))
    #expect(try await home.diary("list", in: "j").status == 0)
    try FileManager.default.removeItem(atPath: home.homePath + "/" + own)
    try home.write("2", to: Self.version)
    let before = home.state(of: "")
    #expect(try await home.diary("save", in: "linked").errors.contains(Self.refusal))
    #expect(Sandbox.differences(before, home.state(of: "")) == [])
  }

  @Test func `another folder of the repository is adopted only separately`() async throws {
    try await home.git("init", "-q", "r", in: "")
    try home.write("2", to: "r/.git/diary/version")
    try home.write("Words.\n", to: "r/notes/2026-11-20.md")
    let before = home.state(of: "r")
    for folder in ["r", "r/notes", "r/new"] {
      let joined = try await home.diary("init", folder, "--yes", "--join")
      #expect(joined.status == 1 && joined.errors.contains(Self.refusal), "\(joined)")
    }
    #expect(Sandbox.differences(before, home.state(of: "r")) == [])
    #expect(try await home.diary("init", "r/notes", "--yes", "--separate").status == 0)
  }
}
