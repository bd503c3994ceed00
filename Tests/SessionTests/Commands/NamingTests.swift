import Foundation
import TestSupport
import Testing

/// The file name of an entry without a title, and of one that moves to another day.
@Suite struct NamingTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    try await home.diary("init", "j")
  }

  /// The names of the entries, without folder, year and month.
  private var names: [Substring] {
    home.files(in: "j").filter { $0 != "INDEX.md" }.compactMap { $0.split(separator: "/").last }
  }

  @Test(arguments: [
    "new -m", "new, piped", "new -m -", "new, edited", "add", "add, piped", "import",
  ])
  func `the first line gives the file its name`(_ way: String) async throws {
    let text = "The rain stopped: at *noon*.\n\nWe went out.\n"
    let done =
      switch way {
      case "new -m": try await home.diary("new", "-m", text, in: "j")
      case "new, piped": try await home.diary("new", in: "j", input: text)
      case "new -m -": try await home.diary("new", "-m", "-", in: "j", input: text)
      case "add": try await home.diary("add", text, in: "j")
      case "add, piped": try await home.diary("add", in: "j", input: text)
      case "import":
        try await home.diary(
          "import", "-", in: "j",
          input: """
            [{"title": "", "body": "The rain stopped: at *noon*.", "created_at": 1795000000}]
            """)
      default: try await newInEditor(text)
      }
    #expect(done.status == 0, "\(done)")
    #expect(names.count == 1 && names[0].hasSuffix("-the-rain-stopped-at-noon.md"), "\(names)")
    let isSaved = try await home.git("status", "--porcelain", in: "j")
    #expect(isSaved == "", "\(isSaved)")
  }

  private func newInEditor(_ text: String) async throws -> Sandbox.ProgramResult {
    try home.write(text, to: "text")
    home.set("EDITOR", try home.script("editor", "cat \"$HOME/text\" >> \"$1\"\n"))
    return try await home.diary("new", in: "j")
  }

  @Test func `an entry without words is named after its time`() async throws {
    try home.write("a picture", to: "box.png")
    try await home.diary(
      "new", "-m", "🙂", "--date", "2026-11-21 21:04", in: "j")
    #expect(names == ["2026-11-21-2104.md"])
  }

  @Test func `a text with the same beginning gets a unique name`() async throws {
    for text in ["Rain.\n\nAll day.", "Rain.\n\nAgain."] {
      try await home.diary("new", "--date", "2026-11-21 21:04", "-m", text, in: "j")
    }
    #expect(names.sorted() == ["2026-11-21-rain-2.md", "2026-11-21-rain.md"])
  }

  @Test func `an entry moves to another day, and one undo moves it back`() async throws {
    let text = "---\ndate: 2026-11-21T21:04:00+09:00\nweather: Rain, 9°C\n---\n\nSwans.\n"
    try home.write(text, to: "j/2026/11/2026-11-21-swans.md")
    try await home.diary("save", in: "j")
    let moved = try await home.diary("rename", "1", "--date", "2026-10-03", in: "j")
    #expect(moved.output.hasSuffix("/j/2026/10/2026-10-03-swans.md\n"), "\(moved)")
    #expect(moved.errors.contains("The weather is still that of the old date."), "\(moved)")
    #expect(
      moved.errors.contains("then: diary weather stamp 2026/10/2026-10-03-swans.md"), "\(moved)")
    #expect(
      try home.read("j/2026/10/2026-10-03-swans.md")
        == text.replacing("2026-11-21T", with: "2026-10-03T"))
    #expect(!home.exists("j/2026/11"))
    let history = try await home.diary("history", "1", in: "j").output.split(separator: "\n")
    #expect(history.count == 2 && history[1].contains("Write"), "\(history)")
    #expect(history[0].contains("Move \"Swans.\" to 2026/10/2026-10-03-swans.md"), "\(history)")
    #expect(try await home.diary("list", "--deleted", in: "j").output == "")
    let undone = try await home.diary("undo", "--yes", in: "j")
    #expect(undone.output.hasPrefix("Undone: Move the entry \""), "\(undone)")
    #expect(try home.read("j/2026/11/2026-11-21-swans.md") == text)
    #expect(try await home.git("status", "--porcelain", in: "j") == "")

    try home.write(text, to: "j/2026/11/2026-11-20-geese.md")
    let checked = try await home.diary("check", in: "j")
    #expect(checked.status == 1 && checked.output.contains("[other-day-in-name]"), "\(checked)")
    #expect(try await home.diary("rename", "1", in: "j").status == 64)
    for words in [["move", "1", "yesterday"], ["mv", "1", "yesterday"]] {
      let hint = try await home.run(Sandbox.programs + "/diary", words, in: "j").errors
      #expect(hint.contains("`diary rename REF --date"), "\(hint)")
    }
    let hint = try await home.diary("edit", "1", "--date", "yesterday", in: "j").errors
    #expect(hint.contains("`diary rename --date`"), "\(hint)")
  }
}
