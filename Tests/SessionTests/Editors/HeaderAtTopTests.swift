import Foundation
import TestSupport
import Testing

/// An editor that leaves words above the header, and texts that no entry may hold.
@Suite(.serialized) struct HeaderAtTopTests {
  let home: Sandbox
  private let entry = "2026-01-02-lake.md"

  init() async throws {
    home = try Sandbox()
    try await home.diary("init", "j")
    try home.write(
      "---\ntitle: Lake\ndate: 2026-01-02T10:00:00+09:00\ntags: [travel]\n---\n\nOld words.\n",
      to: "j/" + entry)
    try await home.diary("save", in: "j")
    home.set("EDITOR", "sed -i 1iHello")
  }

  @Test func `words above the header are told, kept, checked and mended`() async throws {
    let edited = try await run(["edit", "1"])
    #expect(edited.status == 0, "\(edited)")
    #expect(edited.errors.contains("no longer at the top"), "\(edited)")
    #expect(edited.errors.contains("hint: `diary check --fix` moves it back"), "\(edited)")
    let raw = try home.read("j/" + entry)
    #expect(raw.hasPrefix("Hello\n---\ntitle: Lake\n"))
    #expect(try await home.git("show", "HEAD:" + entry, in: "j") == raw)

    let check = try await run(["check"])
    #expect(check.status == 1, "\(check)")
    #expect(check.output.contains(entry + ":2: a header begins here"), "\(check)")
    let fixed = try await run(["check", "--fix"])
    #expect(
      fixed.status == 0 && fixed.errors.contains("Moved the header to the top in"), "\(fixed)")
    #expect(try home.read("j/" + entry) == mended)
    #expect(try await run(["list", "--tag", "travel"]).output.contains("Lake"))
  }

  @Test(arguments: [("", true), ("n", false)])
  func `on a terminal it is asked whether the header shall go back`(
    _ answer: String, _ isBack: Bool
  )
    async throws
  {
    let terminal = try await Terminal(home, in: "j")
    try await terminal.enter("diary edit 1")
    #expect(try await terminal.shows("Move it back to the top? [Y/n]"))
    try await terminal.enter(answer)
    #expect(try await terminal.shows("Saved:"))
    await terminal.close()
    let text = try home.read("j/" + entry)
    #expect(isBack ? text == mended : text.hasPrefix("Hello\n---\n"), "\(text)")
    #expect(try await home.git("show", "HEAD:" + entry, in: "j") == text)
    let saves = try await home.git(
      "log", "-p", "--format=", "--glob=refs/diary/saves", in: "j")
    #expect(saves.contains("+Hello"))
  }

  private let mended =
    "---\ntitle: Lake\ndate: 2026-01-02T10:00:00+09:00\ntags: [travel]\n---\n\n"
    + "Hello\n\nOld words.\n"

  @Test(arguments: ["sed -i /title/d", "sed -i 1,5d", "true"])
  func `a header that is changed or taken out is the user's`(_ editor: String) async throws {
    home.set("EDITOR", editor)
    let edited = try await run(["edit", "1"])
    #expect(edited.status == 0 && !edited.errors.contains("header"), "\(edited)")
  }

  @Test func `an opening line that is broken is told`() async throws {
    home.set("EDITOR", "sed -i 1s/$/x/")
    let edited = try await run(["edit", "1"])
    #expect(edited.errors.contains("no longer at the top"), "\(edited)")
    #expect(edited.errors.contains("move the lines from --- to ---"), "\(edited)")
  }

  @Test func `a check ends with 1 when it finds something, in every form`() async throws {
    #expect(try await run(["check"]).status == 0)
    try home.write("<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n", to: "j/2026-01-03.md")
    let text = try await run(["check"])
    #expect(
      text.status == 1 && text.output.contains("2026-01-03.md:1: conflict markers of"), "\(text)")
    let json = try await run(["check", "--json"])
    #expect(json.status == 1 && json.output.contains("conflict-mark"), "\(json)")
    #expect(try await run(["check", "--paths"]).status == 1)
  }

  @Test(arguments: [
    ("add -", "a\\0b", "a NUL character in line 1, column 2"),
    ("add", "one\\ntw\\377o", "bytes that are not UTF-8 in line 2, column 3"),
    ("new Title", "ä\\nb\\0", "a NUL character in line 2, column 2"),
    ("new --message -", "\\377", "bytes that are not UTF-8 in line 1, column 1"),
  ])
  func `a text that no entry may hold is refused on its way in`(
    _ command: String, _ bytes: String, _ told: String
  ) async throws {
    let files = home.files(in: "j")
    let result = try await home.run("sh", ["-c", "printf '\(bytes)' | diary \(command)"], in: "j")
    #expect(result.status == 1, "\(result)")
    #expect(result.errors.contains("standard input has " + told), "\(result)")
    #expect(result.errors.contains("the text: "), "\(result)")
    #expect(home.files(in: "j") == files)
    #expect(try await home.git("status", "--porcelain", in: "j") == "")
  }

  @Test func `an entry or a template that holds a NUL is named with its place`() async throws {
    try home.write("# Old\n\nwith \0 in it\n", to: "j/2026-01-05-old.md")
    for words in [["add", "--to", "old", "more"], ["rename", "old", "New"]] {
      let result = try await run(words)
      #expect(result.status == 1, "\(words): \(result)")
      #expect(
        result.errors.contains("2026-01-05-old.md has a NUL character in line 3, column 6"),
        "\(words): \(result)")
    }
    #expect(try await run(["add", "--to", "old", "more"]).errors.contains("the text: more"))
    try home.write("a\0\n", to: "j/.diary/templates/bad.md")
    let made = try await run(["new", "--template", "bad", "-m", "words"])
    #expect(made.status == 1 && made.errors.contains("the template bad has a NUL"), "\(made)")
    #expect(made.errors.contains("the text: words"), "\(made)")
  }

  @Test func `a letter under a heap of marks is refused as well`() async throws {
    let heap = "a" + String(repeating: "\u{301}", count: 40)
    for words in [["add", heap], ["new", heap, "-m", "x"], ["rename", "1", heap]] {
      let result = try await run(words)
      #expect(
        result.status == 64 && result.errors.contains("more combining marks"), "\(words): \(result)"
      )
    }
    #expect(try await home.git("status", "--porcelain", in: "j") == "")
  }

  @Test func `a template whose header Diary does not write says what was not added`() async throws {
    try home.write("+++\ntitle = \"x\"\n+++\n", to: "j/.diary/templates/hugo.md")
    let plain = try await run(["new", "--template", "hugo", "-m", "x"])
    #expect(plain.status == 0 && !plain.errors.contains("not added"), "\(plain)")
    let told = try await run(["new", "Title", "--template", "hugo", "-m", "x", "--tag", "a"])
    #expect(told.status == 0 && told.errors.contains("tags and place were not added"), "\(told)")
  }

  @Test(arguments: [
    ("with \\u0000 nul", "a NUL character"),
    ("a" + String(repeating: "\\u0301", count: 40), "more combining marks"),
  ])
  func `one item of an import that no entry may hold, and nothing is written`(
    _ body: String, _ told: String
  ) async throws {
    let files = home.files(in: "j")
    try home.write(
      """
      [{"title":"good one","body":"fine","created_at":1700000000},
       {"title":"bad","body":"\(body)","created_at":1700000001},
       {"title":"good two","body":"fine","created_at":1700000002}]
      """, to: "export.json")
    let result = try await run(["import", "../export.json"])
    #expect(result.status == 1, "\(result)")
    for part in [told, "entry 2", "line 2, column 24", "nothing was imported"] {
      #expect(result.errors.contains(part), "\(part): \(result)")
    }
    #expect(home.files(in: "j") == files)
    #expect(try await home.git("status", "--porcelain", in: "j") == "")
  }

  private func run(_ words: [String]) async throws -> Sandbox.ProgramResult {
    try await home.run(Sandbox.programs + "/diary", words, in: "j")
  }
}
