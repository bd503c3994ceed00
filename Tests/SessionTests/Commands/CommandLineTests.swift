import Foundation
import TestSupport
import Testing

/// The command line as a new user types it.
@Suite(.serialized) struct CommandLineTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    try await home.diary("init", "j")
  }

  @Test(arguments: [["-m", "x"], ["-m", "-5"], ["--message", "-5"], ["-m=-5"], ["--message=-x"]])
  func `short and long options accept any text`(_ words: [String]) async throws {
    let made = try await run(["new", "Title"] + words)
    #expect(made.status == 0, "\(made.errors)")
    #expect(home.files(in: "j").contains { $0.hasSuffix("-title.md") })
    let show = try await home.diary("show", "1", in: "j")
    #expect(show.output.contains(words.last == "x" ? "\n\nx\n" : "\n\n-"), "\(show.output)")
  }

  @Test func `a count may follow its option with or without a space`() async throws {
    for day in 1...3 {
      try await home.diary("new", "Day", "-m", "rain", "--date", "2026-01-0\(day)", in: "j")
    }
    for words in [["search", "-n", "2", "rain"], ["search", "rain", "-n2"], ["list", "-n2"]] {
      let found = try await run(words + ["--paths"])
      #expect(found.output.split(separator: "\n").count == 2, "\(words): \(found)")
    }
  }

  @Test func `southern and western coordinates are accepted as places`() async throws {
    let on = try await run(["weather", "on", "-33.87,-58.38"])
    #expect(on.output == "Weather on: (-33.87, -58.38)\n", "\(on)")
    let fill = try await run(["weather", "fill", "--place", "-33.87,151.21", "--yes"])
    #expect(fill.status == 0, "\(fill)")
    let made = try await run(["init", home.homePath + "/k", "--place", "-33.87,151.21"])
    #expect(made.status == 0 && made.output.contains("(-33.87, 151.21)"), "\(made)")
  }

  @Test(arguments: [
    ["--journal", "j", "list"], ["--journal=j", "--quiet", "status"], ["-q", "--journal", "j"],
    ["--journal", "j", "weather", "off"], ["--journal", "j", "-n", "3"],
    ["--journal", "j", "new", "-m", "x"],
  ])
  func `options may stand before the command`(_ words: [String]) async throws {
    let result = try await run(words, in: "")
    #expect(result.status == 0, "\(words): \(result)")
  }

  @Test func `every attached file is saved with the entry`() async throws {
    try home.write("picture", to: "my pic.png")
    let picture = home.homePath + "/my pic.png"
    let made = try await run(["new", "A", "-m", "x", "--attach", picture, "--attach", picture])
    #expect(made.status == 0, "\(made)")
    #expect(try await home.git("status", "--porcelain", in: "j") == "")
    let files = try await home.git("ls-files", in: "j")
    #expect(files.contains("my pic.png") && files.contains("my pic-2.png"), "\(files)")

    home.set("EDITOR", try home.script("pen", "echo words >> \"$1\"\n"))
    let edited = try await run(["new", "B", "--attach", picture])
    #expect(edited.status == 0, "\(edited)")
    #expect(try await home.git("status", "--porcelain", in: "j") == "")
  }

  @Test func `if one attachment cannot be read, none is copied`() async throws {
    try home.write("picture", to: "pic.png")
    let picture = home.homePath + "/pic.png"
    for wrong in ["nope.png", home.homePath] {
      let made = try await run(["new", "A", "-m", "x", "--attach", picture, "--attach", wrong])
      #expect(made.status == 1, "\(made)")
      #expect(made.errors.contains("cannot read \(wrong): "), "\(made)")
      #expect(!made.errors.contains("Cocoa") && made.errors.contains("no entry was created"))
    }
    #expect(home.files(in: "j") == ["INDEX.md"])
  }

  @Test func `blank texts, blank titles and dates longer than a day are refused`() async throws {
    for words in [["new", "-m", ""], ["new", "-m", " \n"], ["new", " ", "--message", ""]] {
      let result = try await run(words)
      #expect(result.status == 64 && result.errors.contains("blank"), "\(words): \(result)")
    }
    let month = try await run(["new", "-m", "x", "--date", "2026-11"])
    #expect(month.status == 64 && month.errors.contains("single day"), "\(month)")
    #expect(home.files(in: "j") == ["INDEX.md"])
    let titled = try await run(["new", "Title", "-m", ""])
    #expect(titled.status == 0, "\(titled)")
    let renamed = try await run(["rename", "1", " "])
    #expect(renamed.status == 64 && renamed.errors.contains("blank"), "\(renamed)")
  }

  @Test func `the text of an add without a matching entry is printed back`() async throws {
    let result = try await home.diary("add", "--to", "nobody", in: "j", input: "Precious words.\n")
    #expect(result.status == 2 && result.errors.contains("the text: Precious words."), "\(result)")
    let refused = try await home.diary(
      "new", "--template", "nope", in: "j", input: "Precious words.\n")
    #expect(refused.status == 1 && refused.errors.contains("the text: Precious words."))
  }

  @Test func `an entry that was never committed can be restored`() async throws {
    try home.write("# Unsaved\n", to: "j/2026-01-02 it's.md")
    let deleted = try await run(["delete", "1", "--yes"])
    let line = deleted.errors.split(separator: "\n").first { $0.hasPrefix("To bring it back: ") }
    let command = try #require(line, "\(deleted)").dropFirst("To bring it back: ".count)
    let back = try await shell(String(command))
    #expect(back.status == 0, "\(back.errors)")
    #expect(try home.read("j/2026-01-02 it's.md") == "# Unsaved\n")
  }

  @Test func `without an editor, edit lists its alternatives`() async throws {
    try await home.diary("new", "Entry", "-m", "x", in: "j")
    let result = try await run(["edit", "1"])
    #expect(result.status == 1 && result.errors.contains("no editor is set"), "\(result)")
    #expect(!result.errors.contains("--message"), "\(result)")
  }

  @Test func `a full disk is reported, and a closed output does no harm`() async throws {
    try await home.diary("new", "Entry", "-m", "x", in: "j")
    let full = try await shell("diary list > /dev/full")
    #expect(full.status == 1 && full.errors.contains("No space left on device"), "\(full)")
    for words in ["list --json >&-", "new -m y >&- 2>&-", "list <&- >&- 2>&-"] {
      let closed = try await shell("diary " + words)
      #expect(closed.status == 0, "\(words): \(closed)")
    }
    let verified = try await home.diary("index", "--verify", in: "j")
    #expect(verified.status == 0, "\(verified)")
    #expect(try await home.git("status", "--porcelain", in: "j") == "")
  }

  @Test func `a search without results exits with 2 in every format`() async throws {
    #expect(try await run(["search", "nowhere"]).status == 2)
    let json = try await run(["search", "nowhere", "--json"])
    #expect(json.status == 2 && json.output == "[]\n")
    let paths = try await run(["search", "nowhere", "--paths"])
    #expect(paths.status == 2 && paths.output == "")
    let pattern = try await run(["search", "--regex", "a("])
    #expect(pattern.status == 64 && pattern.errors.contains("hint: without --regex"), "\(pattern)")
  }

  @Test func `settings that cannot be written give a readable error`() async throws {
    try home.write("", to: ".config")
    let result = try await run(["weather", "on", "1,2"])
    #expect(result.status == 1 && result.errors.contains(".config/diary/config.yml: "))
    #expect(!result.errors.contains("Domain") && !result.errors.contains("UserInfo"), "\(result)")
  }

  @Test func `check fixes quotes and supports every output format`() async throws {
    let text = "---\ntitle: Day 3: the lake\nplace: @home\ntags: #one\n---\nx\n"
    try home.write(text, to: "j/2026-01-02.md")
    try home.write("x\n", to: "j/undated.md")
    let json = try await run(["check", "--json"])
    let found = try #require(
      try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]])
    #expect(found.filter { $0["code"] as? String == "undated" }.count == 1, "\(json)")
    #expect(found.contains { $0["line"] as? Int == 2 && $0["path"] as? String == "2026-01-02.md" })
    let paths = try await run(["check", "--paths", "-0"])
    #expect(
      paths.output == home.homePath + "/j/2026-01-02.md\0" + home.homePath + "/j/undated.md\0")
    let fixed = try await run(["check", "--fix"])
    #expect(fixed.status == 1 && fixed.errors.contains("Added quotes in 2026-01-02.md"), "\(fixed)")
    #expect(
      try home.read("j/2026-01-02.md")
        == "---\ntitle: \"Day 3: the lake\"\nplace: \"@home\"\ntags: #one\n---\nx\n")
    #expect(try home.read("j/undated.md") == "x\n")
  }

  private func run(_ words: [String], in folder: String = "j") async throws -> Sandbox.ProgramResult
  {
    try await home.run(Sandbox.programs + "/diary", words, in: folder)
  }

  private func shell(_ line: String) async throws -> Sandbox.ProgramResult {
    try await home.run("sh", ["-c", line], in: "j")
  }
}
