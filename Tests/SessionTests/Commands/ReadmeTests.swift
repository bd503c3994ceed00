import Foundation
import TestSupport
import Testing

/// The examples of README.md, README.ko.md, docs/start.md and the recipes in docs/from, run in an
/// empty home; those of `docs/from/NAME.md` with the export in `Tests/Foreign/NAME`.
///
/// A block marked `console` is a session: commands after `$ ` and their output. All of a page form
/// one session, recorded at the same time. A block marked `sh` contains commands that exit with 0.
/// Blocks without a mark are not run.
@Suite(.serialized) struct ReadmeTests {
  let home: Sandbox
  let terminal: Terminal

  init() async throws {
    home = try Sandbox()
    home.set("LANG", "en_US.UTF-8")
    home.set("TZ", "Asia/Seoul")
    for pager in ["DIARY_PAGER", "GIT_PAGER"] { home.set(pager, "cat") }
    try await home.stopClock(at: Self.recordingTime)
    try home.write(try Self.page("docs/sample.json"), to: "docs/sample.json")
    terminal = try await Terminal(home, in: "", columns: 300, lines: 60)
  }

  /// 2026-11-22, 01:53:44 in Seoul.
  private static let recordingTime = 1_795_280_024

  private static let recipes = ["dayone", "obsidian", "logseq", "jrnl", "journey"]
  private static let pages =
    ["README.md", "README.ko.md", "docs/start.md"] + recipes.map { "docs/from/\($0).md" }

  @Test(arguments: pages)
  func `the sessions of a page match the program's output`(_ name: String) async throws {
    if name.contains(".ko.") { try await terminal.enter("export LANG=ko_KR.UTF-8") }
    if let recipe = name.firstMatch(of: /from\/(\w+)/)?.1 {
      let export = Project.root.appendingPathComponent("Tests/Foreign/\(recipe)/.").path
      try await home.run("cp", ["-r", export, home.homePath])
    }
    let blocks = try Self.blocks(marked: "console", in: name)
    try #require(!blocks.isEmpty)
    for block in blocks {
      for step in Self.steps(of: block) {
        let ran =
          try await step.command == "diary watch" ? watch() : terminal.runs(step.command)
        #expect(normalized(ran.output) == normalized(step.output), "\(step.command)")
        if name.contains(".ko.") { expectKorean(ran.output) }
      }
    }
    if name == "docs/start.md" { try await showsSampleAsJSON() }
    await terminal.close()
  }

  /// The Latin words that a Korean page may print, besides the names of commands and of files.
  private static let latin: Set = ["origin"]

  /// Expects no other word in Latin letters in what a command prints to a Korean.
  private func expectKorean(_ output: String) {
    let text = normalized(output).replacing(#/`[^`]*`/#, with: "")
      .replacing(#/\bdiary (\w|--)+|[\w~.-]*\/[\w~.\/가-힣-]*|\b1234567\b/#, with: "")
    let words = text.matches(of: #/[A-Za-z]+/#).map { String($0.0) }
    #expect(words.filter { !Self.latin.contains($0) } == [], "\(output)")
  }

  /// docs/cli.md shows the newest entry of docs/start.md as JSON.
  private func showsSampleAsJSON() async throws {
    let json = try await terminal.runs("diary list -n 1 --json").output
    let sample = try Self.page("docs/cli.md").split(separator: "\n").first {
      $0.hasPrefix("{\"date\":")
    }
    #expect(json == "[\(sample ?? "")]")
  }

  @Test func `the commands of the pages succeed`() async throws {
    _ = try home.script("nano", "for file; do :; done\necho 'Fog on it. #family' >>\"$file\"\n")
    try home.write("not a picture", to: "photo.jpg")
    try home.write(try Self.page("docs/sample.json"), to: "export.json")
    try home.write("# A day\n\nWords.\n", to: "notes/2025-03-01.md")
    let blocks = try Self.pages.flatMap { try Self.blocks(marked: "sh", in: $0) }
    try #require(!blocks.isEmpty)
    for block in blocks {
      _ = try await terminal.runs("cd ~")
      for line in block {
        let ran = try await terminal.runs(line.replacing(#/ {2,}# .*/#, with: ""))
        #expect(ran.status == 0, "\(line)\n\(ran.output)")
      }
    }
    await terminal.close()
  }

  @Test func `with the alias for zsh, patterns are text`() async throws {
    await terminal.close()
    let alias = try #require(try Self.page("docs/start.md").firstMatch(of: /alias diary='.+?'/)).0
    try await home.run("diary", ["init", "--yes"])
    let add = "diary add --quiet What did we do? [park] *"
    let refused = try await home.run("zsh", ["-f", "-c", add])
    #expect(refused.errors.contains("no matches found"), "\(refused)")
    // zsh replaces an alias when it reads a line.
    let taken = try await home.run("zsh", ["-f", "-c", "\(alias)\neval '\(add)'"])
    #expect(taken.status == 0, "\(taken)")
    let shown = try await home.run("diary", ["show", "1"])
    #expect(shown.output.hasSuffix("What did we do? [park] *\n"), "\(shown)")
  }

  /// Runs the watcher while another program adds three words to an entry.
  private func watch() async throws -> (output: String, status: Int) {
    let path = "diary/2025/01/2025-01-01-first-snow.md"
    return try await terminal.runs("diary watch") { screen in
      if screen.hasSuffix("(inotify)") {
        try home.write(try home.read(path) + "\nThen it thawed.\n", to: path)
      } else if screen.contains("  saved "), !screen.contains("^C") {
        try await terminal.press("C-c")
      }
    }
  }

  /// A text without the parts that differ between recordings: the home, ids, times of the log.
  private func normalized(_ text: String) -> String {
    text.replacing(home.homePath, with: "/home/me").replacing(#/\b[0-9a-f]{7}\b/#, with: "1234567")
      .replacing(#/\d\d:\d\d:\d\d  /#, with: "00:00:00  ")
  }

  private static func page(_ name: String) throws -> String {
    try String(contentsOf: Project.root.appendingPathComponent(name), encoding: .utf8)
  }

  /// The lines of each block with that mark.
  private static func blocks(marked mark: String, in name: String) throws -> [[String]] {
    try page(name).matches(of: #/(?ms)^```(\w+)\n(.*?)^```$/#).filter { $0.1 == mark }
      .map { $0.2.split(separator: "\n").map(String.init) }
  }

  private static func steps(of block: [String]) -> [(command: String, output: String)] {
    var steps: [(command: String, lines: [String])] = []
    for line in block {
      if line.hasPrefix("$ ") {
        steps.append((String(line.dropFirst(2)), []))
      } else {
        steps[steps.count - 1].lines.append(line)
      }
    }
    return steps.map { ($0.command, $0.lines.joined(separator: "\n")) }
  }
}

extension Terminal {
  /// Runs a command to its end and returns its output from the screen.
  ///
  /// - Parameter act: called when the screen has changed, for example to answer a question.
  fileprivate func runs(
    _ command: String, _ act: (String) async throws -> Void = { _ in }
  ) async throws -> (output: String, status: Int) {
    let mark = "ended-\(UUID().uuidString.prefix(8))-"
    try await enter("clear; \(command); echo \(mark)$?")
    var last = ""
    var ran: (output: String, status: Int)?
    let ended = try await Sandbox.holds {
      let screen = try await self.screen()
      guard screen != last else { return false }
      last = screen
      let lines = screen.split(separator: "\n").map(String.init)
      if let end = lines.firstIndex(where: { $0.hasPrefix(mark) }) {
        ran = (lines[..<end].joined(separator: "\n"), Int(lines[end].dropFirst(mark.count)) ?? -1)
        return true
      }
      if let question = lines.last?.firstMatch(of: #/(\[[Yy]\/[Nn]\]|Where are you\?)$/#) {
        try await enter(question.1.hasPrefix("[") ? "y" : "")
      } else {
        try await act(lines.joined(separator: "\n"))
      }
      return false
    }
    return try #require(ended ? ran : nil, "\(command)\n\(last)")
  }
}
