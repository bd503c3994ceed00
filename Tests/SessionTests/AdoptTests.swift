import Foundation
import TestSupport
import Testing

/// Folders that other programs kept a diary in: no file is rewritten, every entry has its day and
/// title.
@Suite(.serialized) struct AdoptTests {
  let home: Sandbox

  init() throws { home = try Sandbox() }

  @Test func `Jekyll's posts`() async throws {
    try home.write(
      "---\nlayout: post\ntitle:  \"Welcome: a start\"\ncategories: life\n---\nHello.\n",
      to: "j/_posts/2015-03-02-welcome.md")
    try home.write(
      "---\ntitle: Later\ndate: 2016-01-05 23:10:00 +0100\n---\nHi.\n",
      to: "j/_posts/2016-01-05-later.markdown")
    try home.write("---\nlayout: default\n---\nNot an entry.\n", to: "j/_layouts/page.md")
    try home.write("# About\n", to: "j/about.md")
    try await adopt()
    #expect(
      try await days() == [
        "2016-01-05 Later _posts/2016-01-05-later.markdown",
        "2015-03-02 Welcome: a start _posts/2015-03-02-welcome.md",
      ])
  }

  @Test func `an Obsidian vault with spaces, Unicode and attachments`() async throws {
    try home.write("{\"folder\": \"Daily Notes\"}", to: "j/.obsidian/daily-notes.json")
    try home.write("{\"folder\": \"Vorlagen\"}", to: "j/.obsidian/templates.json")
    try home.write(
      "---\ntags:\n  - daily\nmood: good\n---\nBreakfast at eight.\n\n![[my photo.png]]\n",
      to: "j/Daily Notes/2024-01-15.md")
    try home.write(
      "---\naliases: []\n---\n# Über den Fluß\n\nText #reise\n", to: "j/Daily Notes/2024-01-16.md")
    try home.write("오늘의 첫 줄\n", to: "j/Daily Notes/2024-01-17.md")
    try home.write("{{date}}\n", to: "j/Vorlagen/daily.md")
    try home.write("PNG", to: "j/Daily Notes/my photo.png")
    try home.write("PNG", to: "j/unrelated.png")
    try home.write("A note of another kind.\n", to: "j/Projects/Plan A.md")
    try await adopt()
    #expect(
      try await days() == [
        "2024-01-17 오늘의 첫 줄 Daily Notes/2024-01-17.md",
        "2024-01-16 Über den Fluß Daily Notes/2024-01-16.md",
        "2024-01-15 Breakfast at eight. Daily Notes/2024-01-15.md",
      ])
    let tree = try await home.git(
      "-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", "HEAD", in: "j")
    #expect(tree.contains("Daily Notes/my photo.png"), "\(tree)")
    #expect(!tree.contains("unrelated.png") && !tree.contains("Plan A.md"), "\(tree)")
    let new = try await home.diary("new", "Here", "--message", "x", "--date", "2024-01-18", in: "j")
    #expect(new.output.hasSuffix("/j/Daily Notes/2024-01-18-here.md\n"), "\(new)")
    #expect(try await days().first == "2024-01-18 Here Daily Notes/2024-01-18-here.md")
  }

  @Test func `a Hugo folder with TOML headers`() async throws {
    try home.write("title = 'x'\n", to: "j/hugo.toml")
    try home.write(
      "+++\ntitle = 'By train'\ndate = 2021-07-03T10:00:00+02:00\ntags = ['rail', 'sea']\n+++\nOff we go.\n",
      to: "j/content/posts/by-train.md")
    try home.write(
      "+++\ntitle = \"Second\"\ndate = 2021-07-04\n+++\nOn.\n",
      to: "j/content/posts/second/index.md")
    try home.write("+++\ntitle = '{{ .Name }}'\n+++\n", to: "j/archetypes/default.md")
    try await adopt()
    #expect(
      try await days() == [
        "2021-07-04 Second content/posts/second/index.md",
        "2021-07-03 By train content/posts/by-train.md",
      ])
  }

  @Test func `a folder without any headers, inside a repository with work in it`() async throws {
    try home.write("# First\n\nText.\n", to: "r/notes/2020/05/17.md")
    try home.write("Just a line\n", to: "r/notes/20200518.md")
    try home.write("Undated words\n", to: "r/notes/loose.md")
    try home.write("code\n", to: "r/src/main.c")
    try await home.git("init", "-q", in: "r")
    try await home.git("add", "src", in: "r")
    try await home.git("commit", "-qm", "theirs", in: "r")
    try home.write("code, staged\n", to: "r/src/main.c")
    try await home.git("add", "src", in: "r")
    let made = try await home.diary("init", "r/notes")
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.errors.contains("They stay uncommitted"), "\(made.errors)")
    #expect(made.errors.contains("  ./: 2 entries, 1 with a date\n"), "\(made.errors)")
    #expect(made.errors.contains("  2020/05/: 1 entry, 1 with a date\n"), "\(made.errors)")
    #expect(
      try await days("r/notes") == [
        "2020-05-18 Just a line 20200518.md", "2020-05-17 First 2020/05/17.md",
        "null Undated words loose.md",
      ])
    #expect(try await home.git("status", "--porcelain", "-uno", in: "r") == "M  src/main.c\n")
    let saved = try await home.diary("save", in: "r/notes")
    #expect(saved.status == 0, "\(saved.errors)")
    #expect(try await home.git("status", "--porcelain", in: "r") == "M  src/main.c\n")
    let left = try await home.diary("leave", "--yes", in: "r/notes")
    #expect(left.status == 0, "\(left.errors)")
    #expect(!home.exists("r/notes/.diary") && !home.exists("r/.git/diary"))
    #expect(try await home.git("status", "--porcelain", in: "r") == "M  src/main.c\n")
    #expect(try await home.git("for-each-ref", "refs/diary", in: "r") == "")
  }

  /// Adopts `j` and holds that no byte of any file changed.
  private func adopt() async throws {
    let before = try contents()
    let made = try await home.diary("init", "j", "--yes")
    #expect(made.status == 0, "\(made.errors)")
    #expect(try contents() == before)
    #expect(try await home.git("fsck", "--strict", in: "j") == "")
  }

  private func contents() throws -> [String: Data] {
    let place = home.home + "/j"
    var all: [String: Data] = [:]
    for name in FileManager.default.enumerator(atPath: place)?.allObjects as? [String] ?? []
    where !name.hasPrefix(".git") && !name.hasPrefix(".diary") {
      all[name] = FileManager.default.contents(atPath: place + "/" + name) ?? Data()
    }
    return all
  }

  private func days(_ folder: String = "j") async throws -> [String] {
    struct Row: Decodable {
      var path: String
      var title: String
      var day: String?
    }
    let list = try await home.diary("list", "--json", in: folder)
    return try JSONDecoder().decode([Row].self, from: Data(list.output.utf8)).map {
      "\($0.day ?? "null") \($0.title) \($0.path)"
    }
  }
}
