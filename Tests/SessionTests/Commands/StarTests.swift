import Foundation
import TestSupport
import Testing

/// Starred entries: adding, removing and finding a star.
@Suite(.serialized) struct StarTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    try await home.diary("init", "j")
  }

  private let walk =
    "---\r\ntitle: 'A  walk'  # mine\r\ndate: 2026-11-20\r\nmood : fine\r\n---\r\n\r\nSoup.\r\n"

  @Test func `a star adds one header line and changes no other byte`() async throws {
    try home.write(walk, to: "j/a.md")
    try home.write("# No header\n\nRain.\n", to: "j/2026-11-19.md")
    try await home.diary("save", in: "j")
    let starred = try await home.diary("star", "A  walk", "2026-11-19", in: "j")
    #expect(starred.output == "Starred a.md\nStarred 2026-11-19.md\n", "\(starred)")
    let mood = "mood : fine\r\n"
    #expect(
      try home.read("j/a.md") == walk.replacing(mood, with: mood + "starred: true\r\n"))
    #expect(
      try home.read("j/2026-11-19.md") == "---\nstarred: true\n---\n\n# No header\n\nRain.\n")
    #expect(try await home.git("status", "--porcelain", in: "j") == "")
    let again = try await home.diary("star", "1", in: "j")
    #expect(again.output == "" && again.errors.contains("Already starred."), "\(again)")
    let taken = try await home.diary("unstar", "1", "2", in: "j")
    #expect(taken.output.contains("Removed the star from a.md"), "\(taken)")
    #expect(try home.read("j/a.md") == walk)
    try home.write("---\nstarred :   false\n---\n\nWords.\n", to: "j/2026-11-18.md")
    try await home.diary("star", "2026-11-18", in: "j")
    #expect(
      try home.read("j/2026-11-18.md") == "---\nstarred :   true\n---\n\nWords.\n")
  }

  @Test func `a header of another format stays, and earlier changes are saved`()
    async throws
  {
    try home.write(walk, to: "j/a.md")
    let toml = "+++\ntitle = \"T\"\ndate = 2026-11-18\n+++\n\nWords.\n"
    try home.write(toml, to: "j/b.md")
    let refused = try await home.diary("star", "a.md", "b.md", in: "j")
    #expect(refused.status == 1 && refused.errors.contains("TOML"), "\(refused)")
    #expect(try home.read("j/b.md") == toml)
    #expect(try await home.git("show", "HEAD:a.md", in: "j").contains("starred: true"))
    try home.write(toml.replacing("+++\n\n", with: "starred = true\n+++\n\n"), to: "j/b.md")
    let listed = try await home.diary("list", "--starred", "--format", "%*%t", in: "j")
    #expect(listed.output == "★A walk\n★T\n", "\(listed)")
  }

  @Test func `every command with list filters accepts --starred`() async throws {
    for (day, star) in [("2026-11-18", "starred: true\n"), ("2026-11-19", ""), ("2026-11-20", "")] {
      try home.write(
        "---\ntitle: Soup of \(day)\ndate: \(day)\n\(star)---\n\nSoup.\n", to: "j/\(day).md")
    }
    try await home.diary("save", in: "j")
    let commands = [
      ["list"], ["search", "soup"], ["show"], ["share", "--format", "text"],
      ["export", "-", "--format", "md"], ["random"], ["list", "--at", "today"],
    ]
    for words in commands {
      let found = try await home.run(
        Sandbox.programs + "/diary", words + ["--starred"], in: "j")
      #expect(found.status == 0 && found.output.contains("of 2026-11-18"), "\(words): \(found)")
      #expect(
        !found.output.contains("-19") && !found.output.contains("-20"), "\(words): \(found)")
    }
    let stats = try await home.diary("stats", "--starred", "--json", in: "j")
    #expect(stats.output.contains("\"entries\":1,"), "\(stats)")
    let list = try await home.diary("list", in: "j")
    #expect(list.output.contains("3  2026-11-18  ★ Soup of 2026-11-18"), "\(list)")
    let json = try await home.diary("list", "--json", "-n", "2", "--reverse", in: "j")
    let stars = json.output.matches(of: /"starred":(true|false)/).map(\.1)
    #expect(stars == ["true", "false"], "\(json)")
    let past = try await home.diary(
      "list", "--at", "today", "--not-tag", "x", "--any-tag", "soup", in: "j")
    #expect(past.output == "", "\(past)")
  }

  @Test func `a starred entry is aligned on eighty columns`() async throws {
    let long = String(repeating: "A long title of soup ", count: 8)
    for (day, star) in [("2026-11-18", "starred: true\n"), ("2026-11-19", "")] {
      try home.write(
        "---\ntitle: \(long)\ndate: \(day)\n\(star)---\n\nSoup.\n", to: "j/\(day).md")
    }
    let terminal = try await Terminal(home, in: "j")
    try await terminal.enter("clear; diary list; echo end")
    #expect(try await terminal.shows("\nend\n"))
    let screen = try await terminal.screen().split(separator: "\n")
    await terminal.close()
    #expect(screen.count == 4 && screen.allSatisfy { $0.count <= 80 }, "\(screen)")
    #expect(screen[1].hasPrefix("2  2026-11-18  ★ A long") && screen[1].hasSuffix("…"), "\(screen)")
  }

  @Test func `an imported favourite becomes a starred entry`() async throws {
    try home.write(
      "[2026-11-18 09:00] Soup day. *\nHot.\n\n[2026-11-19 09:00] Rain. Wet.\n", to: "d.txt")
    let came = try await home.diary("import", home.homePath + "/d.txt", in: "j")
    #expect(came.status == 0, "\(came)")
    let found = try await home.diary("list", "--starred", "--paths", in: "j").output
    #expect(found.split(separator: "\n").count == 1, "\(found)")
    let path = found.trimmingCharacters(in: .whitespacesAndNewlines)
    let text = try await home.run("cat", [path]).output
    #expect(text.contains("\nstarred: true\n"), "\(text)")
  }
}
