import Foundation
import TestSupport
import Testing

/// Adoption of folders of other journal programs: no file is rewritten, and every entry has its day
/// and title.
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
    let made = try await home.diary("init", "r/notes", "--join", "--yes")
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.errors.contains("  this folder: 2 entries, 1 with a date\n"), "\(made.errors)")
    #expect(made.errors.contains("  2020/05/: 1 entry, 1 with a date\n"), "\(made.errors)")
    #expect(
      try await days("r/notes") == [
        "2020-05-18 Just a line 20200518.md", "2020-05-17 First 2020/05/17.md",
        "null Undated words loose.md",
      ])
    #expect(try await home.git("status", "--porcelain", in: "r") == "M  src/main.c\n")
    let saved = try await home.diary("save", in: "r/notes")
    #expect(saved.status == 0, "\(saved.errors)")
    #expect(try await home.git("status", "--porcelain", in: "r") == "M  src/main.c\n")
    let left = try await home.diary("leave", "--yes", in: "r/notes")
    #expect(left.status == 0, "\(left.errors)")
    #expect(!home.exists("r/notes/.diary") && !home.exists("r/.git/diary"))
    #expect(try await home.git("status", "--porcelain", in: "r") == "M  src/main.c\n")
    #expect(try await home.git("for-each-ref", "refs/diary", in: "r") == "")
  }

  @Test func `a journal that joins a repository does not send the user's own commits`()
    async throws
  {
    try await home.git("init", "-q", "--bare", "company.git", in: "")
    try await home.git("clone", "-q", "company.git", "code", in: "")
    try await home.git("commit", "-q", "--allow-empty", "-m", "Base", in: "code")
    try await home.git("push", "-q", "origin", "HEAD", in: "code")
    let joined = try await home.diary("init", "notes", "--join", "--yes", in: "code")
    #expect(joined.status == 0, "\(joined)")
    try await home.git("commit", "-q", "--allow-empty", "-m", "Not to be sent", in: "code")
    let sync = try await home.diary("sync", in: "code/notes")
    #expect(sync.status == 1 && sync.errors.contains(" Not to be sent\n"), "\(sync)")
    let watch = try await home.diary("watch", "--sync", in: "code/notes")
    #expect(watch.status == 1 && watch.errors.contains("automatic sync is off"), "\(watch)")
    // A service that an older version installed goes on saving.
    try await BackgroundProcess.run(
      home, Sandbox.programs + "/diary", ["watch", "--wait", "--sync"], in: "code/notes"
    ) { service in
      #expect(await service.prints("automatic sync is off"), "\(service.output)")
      try home.write("Rain.\n", to: "code/notes/rain.md")
      #expect(await service.prints("saved rain.md"), "\(service.output)")
    }
    #expect(try await home.git("log", "--format=%s", "--all", in: "company.git") == "Base\n")
  }

  @Test func `init reports the files that will not be entries by folder`() async throws {
    try home.write("---\nlayout: post\n---\nHello.\n", to: "j/_posts/2015-03-02-welcome.md")
    for name in ["a", "b", "deep/c"] { try home.write("x\n", to: "j/_wiki/\(name).md") }
    try home.write("x\n", to: "j/about.md")
    try home.write("x\n", to: "j/ignored/z.md")
    try home.write("x\n", to: "j/journal/2024/01/15.txt")
    try home.write("ignored\n", to: "j/.gitignore")
    try await home.git("init", "-q", in: "j")
    let made = try await home.diary("init", "j", "--yes")
    #expect(
      made.errors.contains(
        "4 Markdown files will not be entries:\n  _wiki/: 3 files\n  this folder: 1 file"))
    #expect(made.errors.contains("include: [\"_posts/**\", \"_wiki/**\"]"), "\(made.errors)")
    #expect(made.errors.contains("1 text file will not be an entry:\n  journal/: 1 file"))
    #expect(!made.errors.contains("ignored"), "\(made.errors)")
  }

  @Test func `a folder without Markdown files is reported`() async throws {
    try home.write("Words.\n", to: "j/2024-01-15.txt")
    let made = try await home.diary("init", "j", "--yes")
    #expect(made.errors.contains("It has no entries yet."), "\(made.errors)")
    #expect(made.errors.contains("rename .txt to .md"), "\(made.errors)")
  }

  @Test func `a folder with files is adopted only with --yes`() async throws {
    try home.write("Words.\n", to: "j/2024-01-15.md")
    let made = try await home.diary("init", ".", in: "j")
    #expect(made.status == 1 && made.errors.contains("use --yes"), "\(made)")
    #expect(!home.exists("j/.diary") && !home.exists("j/.git"))
  }

  @Test func `templates are excluded in any case, and Zola is not Hugo`() async throws {
    try home.write("{{date}}\n", to: "j/Templates/daily.md")
    try home.write("base_url = \"https://example.org\"\n", to: "j/config.toml")
    try home.write("+++\ntitle = \"A\"\ndate = 2021-07-04\n+++\nOn.\n", to: "j/content/a.md")
    let made = try await home.diary("init", "j", "--yes")
    #expect(made.errors.contains("This looks like a folder of Zola."), "\(made.errors)")
    #expect(made.errors.contains("Excluded: Templates/**"), "\(made.errors)")
    #expect(try await days() == ["2021-07-04 A content/a.md"])
  }

  @Test func `titles of Logseq, Pelican and MultiMarkdown`() async throws {
    try home.write("title:: By the sea\ntags:: x\n\n- Waves.\n", to: "j/2024-01-15.md")
    try home.write("Title: This Week 363\nDate: 2020-12-2\n\nNews.\n", to: "j/2020-12-2-week.md")
    try home.write("Title: only one line\nof a letter, and no header.\n", to: "j/2020-12-03.md")
    try home.write("Words.\n", to: "j/2020-1-9.md")
    try await adopt()
    #expect(
      try await days() == [
        "2024-01-15 By the sea 2024-01-15.md",
        "2020-12-03 Title: only one line 2020-12-03.md",
        "2020-12-02 This Week 363 2020-12-2-week.md", "2020-01-09 Words. 2020-1-9.md",
      ])
  }

  @Test func `pictures of a vault are saved with the notes that show them`() async throws {
    try home.write("{\"attachmentFolderPath\": \"files\"}", to: "j/.obsidian/app.json")
    try home.write("{\"folder\": \"Daily\"}", to: "j/.obsidian/daily-notes.json")
    let picture = "\u{89}PNG"
    for name in ["files/photo-1.png", "files/deep/Photo 2.PNG", "other/photo-3.png", "alone.png"] {
      try home.write(picture, to: "j/" + name)
    }
    try home.write(
      "![[photo-1.png|300]] ![[deep/photo 2.png]] ![x](../other/photo-3.png)\n",
      to: "j/Daily/2026-11-20.md")
    try home.write("![[photo-21.png]] [[absent.pdf]]\n", to: "j/Daily/2026-11-21.md")
    let made = try await home.diary("init", "j", "--yes")
    #expect(
      made.errors.contains(
        "Not saved: photo-21.png is linked in Daily/2026-11-21.md, but does not exist"),
      "\(made.errors)")
    #expect(!made.errors.contains("absent.pdf"), "\(made.errors)")
    let tree = try await home.git("ls-tree", "-r", "--name-only", "HEAD", in: "j").split(
      separator: "\n")
    #expect(
      Set(tree).isSuperset(of: ["files/photo-1.png", "files/deep/Photo 2.PNG", "other/photo-3.png"]
      ),
      "\(tree)")
    #expect(!tree.contains("alone.png"), "\(tree)")
    let new = try await home.diary("new", "P", "-m", "![](../alone.png)", in: "j")
    #expect(new.status == 0, "\(new)")
    let last = try await home.git("show", "--format=", "--name-only", "HEAD", in: "j")
    #expect(last.contains("alone.png") && last.contains("Daily/"), "\(last)")
    let gone = try await home.diary("delete", "2026-11-21", "--yes", in: "j")
    #expect(gone.status == 0, "\(gone.errors)")
  }

  @Test func `a folder of daily notes that does not exist counts for nothing`() async throws {
    try home.write("{\"folder\": \"2 - Journal\"}", to: "j/.obsidian/daily-notes.json")
    try home.write("Words.\n", to: "j/Journal/2024-01-15.md")
    let made = try await home.diary("init", "j", "--yes")
    #expect(made.errors.contains("1 entry found."), "\(made.errors)")
    #expect(!made.errors.contains("Only these"), "\(made.errors)")
    #expect(try await days() == ["2024-01-15 Words. Journal/2024-01-15.md"])
    let new = try await home.diary("new", "-m", "x", "--date", "2024-01-18", in: "j")
    #expect(!home.exists("j/2 - Journal"), "\(new)")
  }

  @Test func `drawings of a vault are no entries`() async throws {
    try home.write("{}", to: "j/.obsidian/app.json")
    let drawing = "---\nexcalidraw-plugin: parsed\n---\n⚠ Switch to EXCALIDRAW VIEW\n"
    try home.write(drawing, to: "j/Excalidraw/Drawing 2024-01-15 10.00.md")
    try home.write(drawing, to: "j/notes/2024-01-16 [x].md")
    try home.write("data\n", to: "j/notes/Boat 2024-01-17.excalidraw.md")
    try home.write("Words.\n", to: "j/notes/2024-01-18.md")
    let made = try await home.diary("init", "j", "--yes")
    #expect(try await days() == ["2024-01-18 Words. notes/2024-01-18.md"], "\(made.errors)")
    #expect(made.errors.contains("3 Markdown files will not be entries:"), "\(made.errors)")
    #expect(made.errors.contains("*.excalidraw.md") && made.errors.contains("Excalidraw/**"))
  }

  @Test func `init names a key that looks like a date`() async throws {
    for name in ["a", "b"] {
      try home.write("---\nupdated: 2024-01-15\nid: 202401151030\n---\nx\n", to: "j/\(name).md")
    }
    try home.write("---\ncreatedAt: 2024-01-16\nupdated: 2024-02-01\n---\nx\n", to: "j/c.md")
    let made = try await home.diary("init", "j", "--yes")
    #expect(made.errors.contains("  this folder: 3 entries, 1 with a date\n"), "\(made.errors)")
    #expect(
      made.errors.contains(
        "  2 entries without a date: \"updated\" looks like one, but Diary does not read it\n"),
      "\(made.errors)")
  }

  @Test func `files of other formats are counted, with a way`() async throws {
    for name in ["a.org", "b/c.org", "d.norg", "e.Rmd"] {
      try home.write("Words.\n", to: "j/" + name)
    }
    let made = try await home.diary("init", "j", "--yes")
    #expect(
      made.errors.contains(
        "4 files in other formats will not be entries:\n  .org: 2 files\n  .norg: 1 file\n  .rmd: 1 file\n"
      ), "\(made.errors)")
    #expect(
      made.errors.contains("`diary --journal \(home.homePath)/j import` reads Org files"),
      "\(made.errors)")
  }

  @Test func `many folders are counted by their top folder, the largest first`() async throws {
    try home.write("x\n", to: "j/2020-01-01.md")
    for number in 10...31 { try home.write("x\n", to: "j/deep/\(number)/2024-01-\(number).md") }
    let made = try await home.diary("init", "j", "--yes")
    #expect(
      made.errors.hasPrefix(
        "  deep/: 22 entries, 22 with a date\n  this folder: 1 entry, 1 with a date\n"),
      "\(made.errors)")
  }

  @Test func `a page shows the pictures of a vault`() async throws {
    try home.write("{\"folder\": \"Daily\"}", to: "j/.obsidian/daily-notes.json")
    try Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]).write(
      to: URL(fileURLWithPath: home.homePath + "/p.png"))
    try home.write("Sea\n\n![[a b.png|Waves]]\n", to: "j/Daily/2026-11-20.md")
    try FileManager.default.createDirectory(
      atPath: home.homePath + "/j/files", withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      atPath: home.homePath + "/p.png", toPath: home.homePath + "/j/files/a b.png")
    try await home.diary("init", "j", "--yes")
    let page = try await home.diary("share", "1", "--format", "html", in: "j")
    #expect(page.output.contains("src=\"data:image/png") && page.output.contains("Waves"))
    #expect(!page.output.contains("[["), "\(page.errors)")
  }

  @Test func `a rename reports notes that link to it without being entries`() async throws {
    try home.write("{\"folder\": \"Daily\"}", to: "j/.obsidian/daily-notes.json")
    try home.write("A day.\n", to: "j/Daily/2026-11-20-day.md")
    try home.write("See [[2026-11-20-day]].\n", to: "j/Projects/House.md")
    try home.write("See [[2026-11-19-day]].\n", to: "j/Projects/Garden.md")
    try await home.diary("init", "j", "--yes")
    let done = try await home.diary("rename", "2026-11-20", "Big day", in: "j")
    #expect(
      done.errors.contains(
        "The old name, Daily/2026-11-20-day.md, is still linked in 1 file that was not changed:\n"
          + "  Projects/House.md"), "\(done)")
    #expect(try home.read("j/Projects/House.md") == "See [[2026-11-20-day]].\n")
  }

  /// Adopts `j` and expects that no byte of any file changes.
  private func adopt() async throws {
    let before = try contents()
    let made = try await home.diary("init", "j", "--yes")
    #expect(made.status == 0, "\(made.errors)")
    #expect(try contents() == before)
    #expect(try await home.git("fsck", "--strict", in: "j") == "")
  }

  private func contents() throws -> [String: Data] {
    let place = home.homePath + "/j"
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
