import Foundation
import TestSupport
import Testing

/// Real editors started by `new` and `edit`: the cursor position, the treatment of untouched
/// entries, and the editor used if none is set.
@Suite(.serialized) struct EditorStartTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    try await home.diary("init", "j")
  }

  /// An editor in a terminal: its command, its screen, and the keys to write and to quit.
  struct EditorCase: Sendable, CustomTestStringConvertible {
    let editor: String
    let screenText: String
    let insert: [String]
    let leave: [String]
    let leaveUntouched: [String]
    var testDescription: String { editor }
  }

  static let editors = [
    EditorCase(
      editor: "vim", screenText: "All", insert: ["i"], leave: ["Escape", ":wq", "Enter"],
      leaveUntouched: [":q", "Enter"]),
    EditorCase(
      editor: "nano", screenText: "^X", insert: [], leave: ["C-s", "C-x"],
      leaveUntouched: ["C-x"]),
    EditorCase(
      editor: "emacs -nw -q", screenText: "For information about", insert: [],
      leave: ["C-x", "C-s", "C-x", "C-c"], leaveUntouched: ["C-x", "C-c"]),
  ]

  @Test(arguments: editors)
  func `new and edit place the cursor below the header`(_ keys: EditorCase) async throws {
    home.set("EDITOR", keys.editor)
    try await withTerminal { terminal in
      try await terminal.enter("diary new A walk --tag river")
      #expect(try await terminal.shows(keys.screenText))
      #expect(try await terminal.shows("date:"))
      try await terminal.press(keys.insert)
      try await terminal.type("The rain stopped.")
      try await terminal.press(keys.leave)
      #expect(try await terminal.shows("Saved:"))
      try await terminal.enter("clear; diary edit 1")
      #expect(try await terminal.shows("The rain stopped."))
      try await terminal.press(keys.insert)
      try await terminal.type("At noon: ")
      try await terminal.press(keys.leave)
      #expect(try await terminal.shows("Saved:"))
    }
    let file = try #require(home.files(in: "j").first { $0.hasSuffix("-a-walk.md") })
    let text = try home.read("j/" + file)
    #expect(text.hasPrefix("---\ntitle: A walk\ndate: "), "\(text)")
    #expect(text.contains("---\n\nAt noon: The rain stopped."), "\(text)")
    #expect(try await home.diary("check", in: "j").status == 0)
  }

  @Test(arguments: editors)
  func `an untouched entry is removed completely, even with a title`(_ keys: EditorCase)
    async throws
  {
    home.set("EDITOR", keys.editor)
    let before = try await home.git("rev-list", "--all", in: "j")
    try await withTerminal { terminal in
      for title in ["", "Nothing to say", "Tagged --tag river --date 2026-01-02"] {
        try await terminal.enter("clear; diary new \(title)")
        #expect(try await terminal.shows(keys.screenText))
        try await terminal.press(keys.leaveUntouched)
        #expect(try await terminal.shows("was blank, so it was removed"), "\(title)")
      }
    }
    #expect(home.files(in: "j") == ["INDEX.md"])
    #expect(try await home.git("rev-list", "--all", in: "j") == before)
    #expect(try await home.diary("status", "--json", in: "j").output.contains("\"unsaved\":[]"))
  }

  @Test func `a title that the editor has saved is kept`() async throws {
    home.set("EDITOR", "vim")
    try await withTerminal { terminal in
      try await terminal.enter("diary new Bought a car")
      #expect(try await terminal.shows("title: Bought a car"))
      try await terminal.enter(":wq")
      #expect(try await terminal.shows("Saved: Write"))
    }
    #expect(home.files(in: "j").contains { $0.hasSuffix("-bought-a-car.md") })
  }

  @Test func `a missing editor leaves no entry`() async throws {
    home.set("EDITOR", "nosucheditor")
    for title in [["Missing"], []] {
      let result = try await run(["new"] + title)
      #expect(result.status == 1, "\(result)")
      #expect(result.errors.contains("diary: cannot find the editor nosucheditor\n"), "\(result)")
    }
    #expect(home.files(in: "j") == ["INDEX.md"])
    home.set("EDITOR", "false")
    let failed = try await run(["new", "Missing"])
    #expect(failed.errors.contains("the editor ended with exit code 1\n"), "\(failed)")
    #expect(home.files(in: "j") == ["INDEX.md"])
  }

  @Test func `a titled entry is saved even after its command was killed`() async throws {
    home.set(
      "EDITOR", try home.script("pen", "read -r _ _ _ diary _ < /proc/$PPID/stat\nkill -9 $diary\n")
    )
    _ = try await run(["new", "Begun and cut off"])
    let file = try #require(home.files(in: "j").first { $0.hasSuffix("-cut-off.md") })
    #expect(try await run(["save"]).status == 0)
    #expect(try await home.git("ls-files", in: "j").contains(file))
  }

  @Test func `without a setting an editor is found, and git's takes precedence`() async throws {
    let words = "printf 'By %s.\\n' \"$(basename \"$0\")\" >> \"$(eval echo \\${$#})\"\n"
    try await withTerminal { terminal in
      try await terminal.enter("diary new Found")
      #expect(try await terminal.shows("^X"))
      try await terminal.type("By what is there.")
      try await terminal.press(["C-s", "C-x"])
      #expect(try await terminal.shows("Saved:"))
      try await home.git(
        "config", "--global", "core.editor", try home.script("gits", words), in: "j")
      try await terminal.enter("clear; diary new Of git")
      #expect(try await terminal.shows("Saved:"))
    }
    #expect(try await run(["show", "found"]).output.contains("By what is there."))
    #expect(try await run(["show", "of git"]).output.contains("By gits."))
    home.set("VISUAL", try home.script("visual", words))
    #expect(try await run(["new", "Of the environment"]).status == 0)
    #expect(try await run(["show", "of the environment"]).output.contains("By visual."))
  }

  @Test func `a repository cannot set the editor, and a missing one gives advice`()
    async throws
  {
    try await home.git("config", "core.editor", "touch \(home.homePath)/ran; true", in: "j")
    let piped = try await run(["new", "Nowhere"])
    #expect(piped.status == 1 && piped.errors.contains("no editor is set"), "\(piped)")
    #expect(!home.exists("ran"))
    try await withTerminal { terminal in
      try await terminal.enter("PATH=\(Sandbox.programs) diary new Nowhere")
      #expect(try await terminal.shows("no editor found"))
      #expect(try await terminal.shows("apt install nano"))
    }
    #expect(home.files(in: "j") == ["INDEX.md"])
  }

  @Test(arguments: [
    ("plain", "---\n\nWords.\n"), ("gratitude", "\n1. Words.\n2.\n3.\n"),
    ("morning-pages", "good.\n\nWords.\n\n## One thing"),
    ("travel", "## From here to there\n\nWords.\n\n## What I saw"),
    ("weekly-review", "## What this week was made of\n\nWords.\n\n## What went well"),
  ])
  func `a message is inserted at the template's cursor`(_ template: String, _ part: String)
    async throws
  {
    let made = try await run(["new", "--template", template, "--message", "\nWords.\n\n"])
    #expect(made.status == 0, "\(made)")
    let text = try await run(["show", "1"]).output
    #expect(text.contains(part), "\(text)")
    #expect(text.hasSuffix("\n") && !text.hasSuffix("\n\n"), "\(text)")
  }

  /// Runs `body` with a terminal in the journal, and always closes it.
  private func withTerminal(_ body: @Sendable (Terminal) async throws -> Void) async throws {
    let terminal = try await Terminal(home, in: "j")
    do { try await body(terminal) } catch {
      await terminal.close()
      throw error
    }
    await terminal.close()
  }

  private func run(_ words: [String]) async throws -> Sandbox.ProgramResult {
    try await home.run(Sandbox.programs + "/diary", words, in: "j")
  }
}

extension Terminal {
  /// Presses keys by their tmux names. A string that begins with a colon is typed.
  fileprivate func press(_ keys: [String]) async throws {
    for key in keys {
      if key.hasPrefix(":") || key == "i" { try await type(key) } else { try await press(key) }
    }
  }
}
