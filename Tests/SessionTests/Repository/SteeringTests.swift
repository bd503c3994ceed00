import Foundation
import TestSupport
import Testing

/// A journal whose texts contain control sequences that would change the terminal.
@Suite(.serialized) struct SteeringTests {
  let home: Sandbox

  init() async throws { home = try Sandbox() }

  /// Sequences that set the title, clear a line, and reverse the text direction.
  private static let controlSequences = "\u{1B}]0;owned\u{7}\u{9B}2J\u{202E}lived\u{8}"

  private func fillJournal() async throws {
    try await home.diary("init", "j")
    let evil = Self.controlSequences
    let header =
      #"title: "T \e]0;owned\a\u202E""# + "\n" + #"tags: ["t\e[2J", "a\u2066b"]"# + "\n"
      + #"place: "P \e[5m""# + "\n" + #"weather: "☔ rain \e[6n""# + "\n"
    try home.write(
      "---\n\(header)date: 2026-01-02\n---\n\nkingfisher \(evil) words\n",
      to: "j/2026-01-02-\(evil).md")
    try home.write("# Two \(evil)\n\nkingfisher\n", to: "j/2026-01-03\nSaved: nothing.md")
    try home.write("---\ndate: [\(evil)\n---\n\n<<<<<<< \(evil)\n", to: "j/2026-01-04 \(evil).md")
    try home.write("Words\n", to: "j/.diary/templates/\(evil).md")
    try home.write(
      #"layout: "\e]0;owned\a""# + "\n" + #""k\e[2J": "v\u202E""# + "\n"
        + #"time_zone: "Z\e[6n""# + "\n" + #"hooks: {"\e[2J": "\e[3J"}"# + "\n",
      to: "j/.diary/config.yml")
    try await home.diary("save", in: "j")
    try home.write("Another \(evil)\n", to: "j/2026-01-02-\(evil).md")
    try await home.git("commit", "-aqm", "Mine \(evil)", in: "j")
  }

  /// Returns the control characters of an output, except Diary's own styles, the clearing of the
  /// progress line, and line ends.
  private func controlCharacters(_ output: String) -> [Unicode.Scalar] {
    output.replacing(#/\u{1B}\[[0-9;]*m|\u{1B}\[K/#, with: "").unicodeScalars.filter {
      switch $0.value {
      case 0x09, 0x0A, 0x0D: false
      case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: true
      default: false
      }
    }
  }

  @Test func `no command prints control sequences of a journal`()
    async throws
  {
    try await fillJournal()
    home.set("PAGER", "cat")
    home.set("TERM", "xterm-256color")
    let commands = [
      "list", "list --paths", "list --json", "show 1", "show 2", "show 3", "show --json 1",
      "search kingfisher", "search --json kingfisher", "tags", "tags --json", "status",
      "status --json", "check", "check --json", "history 3", "history --patch 3",
      "history --json 3", "share 3", "share --format html 3", "new --template help",
      "new --template nothing --message x", "weather stamp 1", "rename 3 Other", "sync",
      "undo --yes",
      "delete --yes 3", "list --deleted", "restore --missing", "save --verbose", "leave --help",
      "index --verify", "show nothing", "import nothing.json", "edit 3",
    ]
    var seen = 0
    for command in commands {
      for redirection in ["", ">/dev/null", "2>/dev/null"] {
        let line = "timeout 20 '\(Sandbox.programs)/diary' \(command) \(redirection)"
        let shown = try await home.run("script", ["-qec", line, "/dev/null"], in: "j")
        let found = controlCharacters(shown.output)
        #expect(found.isEmpty, "\(command) \(redirection): \(found) in \(shown.output)")
        if shown.output.contains(#"\x1B"#) { seen += 1 }
      }
    }
    // The texts are still shown, with their control characters escaped.
    #expect(seen > commands.count, "\(seen)")
  }

  @Test func `a file name cannot imitate a line of Diary's output`() async throws {
    try await fillJournal()
    try home.write("More\n", to: "j/2026-01-05\nSaved: all.md")
    try await home.git("add", ".", in: "j")
    try home.write("More, and more\n", to: "j/2026-01-05\nSaved: all.md")
    let saved = try await home.diary("save", in: "j")
    #expect(saved.errors.contains(#"2026-01-05\x0ASaved: all.md"#), "\(saved.errors)")
    #expect(!saved.errors.split(separator: "\n").contains("Saved: all.md"))
  }
}
