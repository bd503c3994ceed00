import Foundation
import TestSupport
import Testing

/// Words of the command line that are options, words that are text, and what stands for neither.
@Suite(.serialized) struct ArgumentTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    try await home.diary("init", "j")
    try await home.diary("new", "Walk", "-m", "It rained.", "--date", "2026-01-02", in: "j")
  }

  @Test(arguments: [
    ["new", "x", "--message", "x", "--dry-run"], ["add", "I", "ran", "git", "push", "--force"],
    ["add", "I", "ran", "rm", "-r"], ["rename", "1", "Better", "--yes"],
    ["weather", "on", "Seoul", "--yes"], ["show", "1", "--field", "title"],
    ["search", "rained", "--sort", "date"], ["delete", "1", "--yes", "--force"],
    ["history", "1", "--all"], ["share", "1", "--pdf"], ["edit", "1", "--line=3"],
    ["init", "k", "--bare"], ["import", "x.json", "--dry-run"], ["clone", "x", "--depth=1"],
    ["list", "--csv"], ["save", "--all"], ["weather", "--now"], ["--nope"], ["undo", "--force"],
  ])
  func `an unknown option is refused wherever it stands, and nothing is done`(
    _ words: [String]
  ) async throws {
    let files = home.files(in: "j")
    let commits = try await home.git("rev-list", "--all", in: "j")
    let result = try await run(words)
    #expect(result.status == 64 && result.output.isEmpty, "\(words): \(result)")
    #expect(result.errors.contains("has no option -"), "\(words): \(result)")
    #expect(result.errors.contains("--help` lists its options"), "\(words): \(result)")
    #expect(home.files(in: "j") == files)
    #expect(try await home.git("rev-list", "--all", in: "j") == commits)
  }

  @Test(arguments: [
    (["add", "Bought milk", "--tag", "home"], "did you mean `diary new --tag`?"),
    (["add", "x", "--date", "yesterday"], "did you mean `diary new --date`?"),
    (["new", "x", "--to", "1"], "did you mean `diary add --to`?"),
    (["new", "--title", "x"], "the title needs no option: `diary new TITLE`"),
    (["show", "1", "--format", "html"], "did you mean `diary share --format`?"),
    (["list", "--from", "monday"], "did you mean `--since`?"),
    (["--from", "monday"], "did you mean `--since`?"),
    (["list", "--year", "2025"], "did you mean `--on`?"),
    (["list", "--limit", "3"], "did you mean `-n`?"),
    (["restore", "1", "--version", "2"], "did you mean `--at`?"),
    (["restore", "1", "--patch"], "did you mean `diary history --patch`?"),
    (["show", "1", "--json=yes"], "--json takes no value"),
    (["new", "--message", "--tag", "home"], "missing value for '--message'"),
    (["list", "--since", "--json"], "missing value for '--since'"),
  ])
  func `a refused option names the one that is meant`(_ words: [String], _ told: String)
    async throws
  {
    let result = try await run(words)
    #expect(result.status == 64 && result.output.isEmpty, "\(words): \(result)")
    #expect(result.errors.contains(told), "\(words): \(result)")
    #expect(home.files(in: "j").count == 2)
  }

  @Test(arguments: [
    ["add", "-5도였다"], ["add", "-5°C tonight"], ["add", "--force pushes are bad"], ["add", "---"],
    ["add", "--", "--template", "-x"], ["add", "-안녕"], ["add", "--a b=c"],
    ["new", "--message=--tag"], ["new", "-m", "- one\n- two"],
  ])
  func `a text may begin with a dash`(_ words: [String]) async throws {
    let result = try await run(words)
    #expect(result.status == 0, "\(words): \(result)")
    let text = words.dropFirst().filter { $0 != "--" && $0 != "-m" }.joined(separator: " ")
      .replacing("--message=", with: "")
    #expect(try await run(["show", "1"]).output.contains("\n\n\(text)\n"), "\(words)")
  }

  @Test func `a single dash reads standard input`() async throws {
    let result = try await home.diary("add", "-", in: "j", input: "From a pipe.\n")
    #expect(result.status == 0, "\(result)")
    #expect(try await run(["show", "1"]).output.contains("From a pipe."))
  }

  @Test(arguments: [
    (["nwe"], "did you mean `diary new`?"), (["inti"], "did you mean `diary init`?"),
    (["NEW"], "did you mean `diary new`?"), (["hist"], "did you mean `diary history`?"),
    (["export"], "did you mean `diary share`?"), (["pull"], "did you mean `diary sync`?"),
    (["stats"], "hint: `diary help` lists all commands"), (["3"], "did you mean `diary show 3`?"),
    (["today"], "did you mean `diary show today`?"),
    (["2026-01-02"], "did you mean `diary show 2026-01-02`?"),
    (["Lunch with Bob"], "did you mean `diary new 'Lunch with Bob'`?"),
    (["serach", "x"], "did you mean `diary search`?"), (["ls"], "did you mean `diary list`?"),
    (["rm", "1"], "did you mean `diary delete`?"),
    (["foo"], "hint: `diary help` lists all commands"),
    (["help", "lst"], "did you mean `diary list`?"),
    (["weather", "fil"], "did you mean `diary weather fill`?"),
    (["help", "weather", "Seoul"], "unknown command \"weather Seoul\""),
  ])
  func `an unknown verb is told, with the one that is meant`(_ words: [String], _ told: String)
    async throws
  {
    let result = try await run(words)
    #expect(result.status == 64 && result.errors.contains(told), "\(words): \(result)")
  }

  @Test func `--verbose is offered by the watcher alone, and taken by every verb`() async throws {
    #expect(try await run(["watch", "--help"]).output.contains("--verbose"))
    #expect(try await !run(["save", "--help"]).output.contains("--verbose"))
    for words in [["save", "--verbose"], ["-v", "list"], ["add", "-v", "--", "-v"]] {
      #expect(try await run(words).status == 0, "\(words)")
    }
    #expect(try await run(["show", "1"]).output.contains("\n\n-v\n"))
  }

  @Test func `a text that is not UTF-8 is refused with its place`() async throws {
    let result = try await home.run(
      "sh", ["-c", "diary new Title -m \"$(printf 'caf\\351')\""], in: "j")
    #expect(result.status == 64, "\(result)")
    #expect(result.errors.contains("argument 4 is not UTF-8: caf"), "\(result)")
    #expect(home.files(in: "j").count == 2)
  }

  /// Such a library (libfaketime is one) moves the environment away from the arguments, and a release
  /// build then finds none by Swift's own means; so no other file may use them.
  @Test func `the arguments survive a preloaded library that sets a variable`() async throws {
    try home.write(
      "#include <stdlib.h>\n__attribute__((constructor)) static void set(void) "
        + "{ setenv(\"ADDED\", \"1\", 1); }\n", to: "added.c")
    let built = try await home.run("cc", ["-shared", "-fPIC", "-o", "added.so", "added.c"])
    try #require(built.status == 0, "\(built)")
    home.set("LD_PRELOAD", home.home + "/added.so")
    let made = try await run(["new", "Under a library", "--message", "y", "--tag", ""])
    home.set("LD_PRELOAD", nil)
    #expect(made.status == 0 && made.errors.contains("Under a library"), "\(made)")
    #expect(home.files(in: "j").contains { $0.hasSuffix("-under-a-library.md") })
    let files = try await home.run(
      "grep",
      ["-rlE", "CommandLine\\.|processInfo\\.arguments", Project.root.path + "/Sources/diary"])
    #expect(
      files.output.split(separator: "\n").map { $0.split(separator: "/").last } == [
        "CommandArguments.swift"
      ])
  }

  @Test func `the first help names the options of every verb`() async throws {
    let help = try await run(["--help"])
    #expect(help.status == 0)
    for option in ["--journal", "--quiet"] { #expect(help.output.contains(option), "\(help)") }
  }

  private func run(_ words: [String]) async throws -> Sandbox.Result {
    try await home.run(Sandbox.programs + "/diary", words, in: "j")
  }
}
