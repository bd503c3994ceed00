import Foundation
import TestSupport
import Testing

/// Arguments that are options, arguments that are text, and arguments that are neither.
@Suite(.serialized) struct ArgumentTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    try await home.diary("init", "j")
    try await home.diary("new", "Walk", "-m", "It rained.", "--date", "2026-01-02", in: "j")
  }

  /// These are examples of the arguments that `RefusalTests` passes to the parser.
  @Test(arguments: [
    ["add", "I", "ran", "rm", "-r"], ["delete", "1", "--yes", "--force"], ["serach", "x"],
    ["list", "-n", "0"],
  ])
  func `refused arguments change nothing`(_ words: [String]) async throws {
    let files = home.files(in: "j")
    let commits = try await home.git("rev-list", "--all", in: "j")
    let result = try await run(words)
    #expect(result.status == 64 && result.output.isEmpty, "\(words): \(result)")
    #expect(result.errors.hasPrefix("diary: "), "\(words): \(result)")
    #expect(home.files(in: "j") == files)
    #expect(try await home.git("rev-list", "--all", in: "j") == commits)
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

  @Test func `every command accepts --verbose`() async throws {
    for words in [["save", "--verbose"], ["-v", "list"], ["add", "-v", "--", "-v"]] {
      #expect(try await run(words).status == 0, "\(words)")
    }
    #expect(try await run(["show", "1"]).output.contains("\n\n-v\n"))
  }

  @Test func `an argument that is not UTF-8 is refused with its position`() async throws {
    let result = try await home.run(
      "sh", ["-c", "diary new Title -m \"$(printf 'caf\\351')\""], in: "j")
    #expect(result.status == 64, "\(result)")
    #expect(result.errors.contains("argument 4 is not UTF-8: caf"), "\(result)")
    #expect(home.files(in: "j").count == 2)
  }

  /// Such a library (for example libfaketime) moves the environment away from the arguments. A
  /// release build of Swift then finds no arguments, so no other file may use Swift's own means.
  @Test func `the arguments survive a preloaded library that sets a variable`() async throws {
    try home.write(
      "#include <stdlib.h>\n__attribute__((constructor)) static void set(void) "
        + "{ setenv(\"ADDED\", \"1\", 1); }\n", to: "added.c")
    let built = try await home.run("cc", ["-shared", "-fPIC", "-o", "added.so", "added.c"])
    try #require(built.status == 0, "\(built)")
    home.set("LD_PRELOAD", home.homePath + "/added.so")
    let made = try await run(["new", "Under a library", "--message", "y", "--tag", ""])
    home.set("LD_PRELOAD", nil)
    #expect(made.status == 0 && made.errors.contains("Under a library"), "\(made)")
    #expect(home.files(in: "j").contains { $0.hasSuffix("-under-a-library.md") })
    let sources = ["diary", "diary-weather", "diary-web"].map {
      Project.root.path + "/Sources/" + $0
    }
    let files = try await home.run(
      "grep", ["-rlE", "CommandLine\\.|processInfo\\.arguments|\\bparse\\(\\)"] + sources)
    #expect(
      files.output.split(separator: "\n").map { $0.split(separator: "/").last } == [
        "CommandArguments.swift"
      ])
  }

  @Test func `help is printed to standard output`() async throws {
    for words in [["help", "all"], ["help", "new"], ["list", "--help"]] {
      let help = try await run(words)
      #expect(help.status == 0 && help.errors == "", "\(words): \(help)")
      #expect(help.output.contains("OPTIONS:"), "\(words): \(help)")
    }
  }

  private func run(_ words: [String]) async throws -> Sandbox.ProgramResult {
    try await home.run(Sandbox.programs + "/diary", words, in: "j")
  }
}
