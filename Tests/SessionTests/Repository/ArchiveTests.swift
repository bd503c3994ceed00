import Foundation
import TestSupport
import Testing
import WeatherStandIn

/// Journals as diary 0.1.0 left them in intermediate states. This version continues from there
/// without losing anything.
@Suite(.serialized) struct ArchiveTests {
  static let walk = "2026/11/2026-11-21-walk.md"
  let walk = ArchiveTests.walk

  @Test func `there is an archive of every state`() {
    #expect(Archive.names.count == 18, "\(Archive.names)")
  }

  @Test(arguments: Archive.names)
  func `every command works and nothing is lost`(_ name: String) async throws {
    let archive = try await Archive(name)
    for journal in archive.journals {
      for words in [["status"], ["list"], ["search", "the"], ["check"], ["status", "--json"]] {
        let read = try await archive.home.run(Sandbox.programs + "/diary", words, in: journal)
        // A search that finds nothing exits with 2, a check that finds a problem with 1.
        let others = ["search": 2, "check": read.output.isEmpty ? 0 : 1]
        #expect([0, others[words[0]]].contains(read.status), "\(words): \(read)")
      }
      try await archive.expectNothingLost()
      try await archive.diary("save", in: journal)
      try await archive.expectNothingLost()
      try await archive.diary("index", "--verify", in: journal)
      try await archive.diary("history", try await archive.oldestEntry(in: journal), in: journal)
    }
    if archive.home.exists("remote.git") {
      for journal in archive.journals + archive.journals {
        try await archive.diary("sync", in: journal)
      }
      let files = { (journal: String) throws -> [String: String] in
        try TwoDevices(archive.home).text(of: journal).filter { !$0.key.contains(".diary-") }
      }
      #expect(try files("a") == files("b"))
    }
    try await archive.expectNothingLost()
    for journal in archive.journals {
      let files = archive.home.files(in: journal)
      try await archive.diary("new", "Of today", "-m", "Words of today.", in: journal)
      try await archive.diary("undo", "--yes", in: journal)
      #expect(archive.home.files(in: journal) == files)
      let oldest = try await archive.oldestEntry(in: journal)
      try await archive.diary("restore", oldest, "--at", "0", in: journal)
      #expect(!archive.home.exists(journal + "/.git/index.lock"))
    }
    try await archive.expectNothingLost()
  }

  @Test func `an open sitting is committed and each of its saves can be shown`() async throws {
    let archive = try await Archive("open-sitting")
    #expect(try await archive.diary("status").output.contains("not committed  4 files"))
    try await archive.diary("save")
    let tree = try await archive.home.git("ls-tree", "-r", "--name-only", "HEAD", in: "j")
    #expect(tree.contains("today.md") && tree.contains("hill.png") && !tree.contains("river.md"))
    var shown: [String] = []
    for ago in 0...2 {
      shown.append(try await archive.diary("show", "2026/11/today.md", "--at", "\(ago)").output)
    }
    for text in ["\n\nFirst.\n", "First, and second.", "Third, in their place."] {
      #expect(shown.contains { $0.contains(text) }, "\(text): \(shown)")
    }
    try await archive.diary("restore", "River")
    #expect(try archive.home.read("j/2026/11/2026-11-20-river.md").contains("Once by the river."))
  }

  @Test(arguments: ["waiting-file", "replaced-file"])
  func `an old buffer saved after a sync is merged`(_ name: String) async throws {
    let archive = try await Archive(name)
    try archive.home.write(
      "---\ntitle: Walk\ndate: 2026-11-21T10:00:00+09:00\n---\n\nOne.\n\nTwo.\n\nThree, said b.\n",
      to: "b/" + walk)
    try await archive.diary("sync", in: "b")
    for device in ["b", "a"] {
      try await archive.diary("sync", in: device)
      let text = try archive.home.read(device + "/" + walk)
      #expect(text.hasSuffix("\n\nOne, by a.\n\nTwo.\n\nThree, said b.\n"), "\(text)")
    }
    try await archive.expectNothingLost()
  }

  @Test func `a checkout deferred by an editor is completed`() async throws {
    let archive = try await Archive("waiting-file")
    #expect(try await archive.diary("status", in: "b").output.contains("to update      " + walk))
    #expect(try !archive.home.read("b/" + walk).contains("One, by a."))
    try await archive.diary("sync", in: "b")
    #expect(try archive.home.read("b/" + walk).contains("One, by a."))
  }

  @Test(arguments: ["sync-noted", "sync-moved"])
  func `a sync that was killed is completed`(_ name: String) async throws {
    let archive = try await Archive(name)
    try await archive.diary("sync", in: "b")
    #expect(try archive.home.read("b/" + walk).contains("One, by a."))
    #expect(archive.home.exists("b/2026/11/2026-11-20-lake.md"))
    try await archive.diary("sync", in: "a")
    #expect(try archive.home.read("a/2026/11/2026-11-19-wood.md").contains("said b"))
  }

  @Test func `a waiting stamp is written when the provider answers`() async throws {
    let archive = try await Archive("owed-stamp")
    let rain = try #require(archive.home.files(in: "j").first { $0.hasSuffix("-rain.md") })
    try await archive.diary("save")
    #expect(try await archive.diary("status").output.contains("needs weather  " + rain))
    let standIn = try await FakeProvider.start()
    archive.home.set("DIARY_WEATHER__URL", standIn.url)
    try FileManager.default.removeItem(
      atPath: archive.home.homePath + "/j/.git/diary/weather-trouble.json")
    let saved = try await archive.home.diary("save", in: "j")
    await standIn.stop()
    #expect(saved.status == 0, "\(saved.errors)")
    #expect(try archive.home.read("j/" + rain).contains("\nweather: "), "\(saved)")
    #expect(try await !archive.diary("status").output.contains("needs weather"))
  }

  @Test func `a deferred sitting is committed after the merge`() async throws {
    let archive = try await Archive("waiting-branch")
    #expect(
      try await archive.diary("status").output.contains("commits        on hold: merge in progress")
    )
    try archive.home.write("# Walk\n\nSettled by the writer.\n", to: "j/" + walk)
    try archive.home.write("both\n", to: "j/bridge.txt")
    try await archive.home.git("add", ".", in: "j")
    try await archive.home.git("commit", "-q", "--no-edit", in: "j")
    try await archive.diary("save")
    let names = try await archive.home.git("ls-tree", "-r", "--name-only", "HEAD", in: "j")
    #expect(names.contains("-meanwhile.md"), "\(names)")
    #expect(try await !archive.diary("status").output.contains("on hold"))
    #expect(try await archive.home.git("status", "--porcelain", in: "j") == "")
  }

  @Test func `the user's staged text stays staged`() async throws {
    let archive = try await Archive("staged")
    try await archive.diary("save")
    let staged = try await archive.home.git("show", ":" + walk, in: "j")
    #expect(staged.hasSuffix("Staged by the writer.\n\nAnd down.\n"), "\(staged)")
    try await archive.home.git("commit", "-q", "-m", "By hand", in: "j")
    try await archive.diary("save")
    let head = try await archive.home.git("show", "HEAD:" + walk, in: "j")
    #expect(head.contains("and changed since."), "\(head)")
  }

  @Test func `the last command can be undone and redone`() async throws {
    let archive = try await Archive("undo")
    let files = archive.home.files(in: "j")
    let phone = try #require(files.first { $0.contains("phone") })
    try await archive.diary("undo", "--yes")
    #expect(!archive.home.exists("j/" + phone))
    try await archive.diary("redo", "--yes")
    #expect(archive.home.files(in: "j") == files)
    try await archive.diary("restore", "2026/11/2026-11-21-hike.md")
    #expect(try archive.home.read("j/2026/11/2026-11-21-hike.md").contains("Up the hill."))
  }

  @Test func `a repeated import adds nothing twice`() async throws {
    let archive = try await Archive("imported")
    let files = archive.home.files(in: "j")
    try await archive.diary("import", "../phone.json")
    #expect(archive.home.files(in: "j") == files)
    try await archive.diary("undo", "--yes")
    #expect(archive.home.files(in: "j").filter { $0.contains("phone") }.isEmpty)
  }

  @Test func `a killed commit is completed, a half-finished append is not`() async throws {
    let archive = try await Archive("killed")
    #expect(archive.home.exists("j/.git/index.lock"))
    try await archive.diary("save")
    #expect(!archive.home.exists("j/.git/index.lock"))
    #expect(try await archive.home.git("status", "--porcelain", in: "j") == "")
    let walked = try await archive.home.git("show", "HEAD:" + walk, in: "j")
    #expect(walked.contains("a word more"), "\(walked)")
    let river = try archive.home.read("j/2026/11/2026-11-20-river.md")
    #expect(!river.contains("heron"), "\(river)")
  }

  @Test func `a blank entry is not committed until it has text`() async throws {
    let archive = try await Archive("blank-entry")
    let blank = try #require(
      archive.home.files(in: "j").first {
        !["INDEX.md", walk].contains($0) && !$0.contains("river")
      })
    try await archive.diary("save")
    let names = { () async throws -> String in
      try await archive.home.git("ls-tree", "-r", "--name-only", "HEAD", in: "j")
    }
    #expect(try await !names().contains(blank))
    try archive.home.write(try archive.home.read("j/" + blank) + "Words.\n", to: "j/" + blank)
    try await archive.diary("save")
    #expect(try await names().contains(blank))
  }

  @Test func `saves of a deleted branch stay in the history`() async throws {
    let archive = try await Archive("deleted-branch")
    try await archive.diary("save")
    let saves = try await archive.home.git("log", "-p", "-m", "--glob=refs/diary/saves", in: "j")
    #expect(saves.contains("+On the train.") && saves.contains("+By the sea."), "\(saves)")
  }

  @Test func `each work tree keeps its own branch and saves`() async throws {
    let archive = try await Archive("worktree")
    let main = try await archive.home.git("rev-parse", "main", in: "j")
    try await archive.diary("save", in: "side")
    let pending = try await archive.home.git("show", "side:2026/11/pending.md", in: "side")
    #expect(pending.contains("Saved, not committed."))
    #expect(try await archive.home.git("rev-parse", "main", in: "j") == main)
  }

  @Test(arguments: [
    ("obsidian", "j/Daily Notes/2024-01-16.md", "später"),
    ("jekyll", "j/_posts/2015-03-02-welcome.md", "Hello again."),
  ])
  func `an adopted folder keeps its bytes and its settings`(_ state: (String, String, String))
    async throws
  {
    let archive = try await Archive(state.0)
    let text = try archive.home.read(state.1)
    try await archive.diary("save")
    #expect(try archive.home.read(state.1) == text && text.contains(state.2))
    #expect(
      try await archive.home.git("show", "HEAD:" + state.1.dropFirst(2), in: "j") == text)
    #expect(!archive.home.exists("j/INDEX.md"))
    let made = try await archive.diary("new", "Again", "-m", "x", "--date", "2024-02-01")
    let folder = (state.1 as NSString).deletingLastPathComponent
    #expect(made.output.contains("/\(folder)/2024-02-01-again."), "\(made.output)")
    if state.0 == "obsidian" {
      #expect(try await !archive.home.git("ls-files", in: "j").contains("Plan A"))
    }
  }

  @Test func `both versions of a merge are kept and shown on the merging device`()
    async throws
  {
    let archive = try await Archive("both-versions")
    let status = try await archive.diary("status", in: "b")
    #expect(status.output.contains(walk), "\(status.output)")
    for device in ["b", "a", "b"] { try await archive.diary("sync", in: device) }
    for device in ["a", "b"] {
      let text = try archive.home.read(device + "/" + walk)
      #expect(text.contains("so high") && text.contains("rather low"), "\(text)")
      #expect(text.contains("title: Walk by the lake\n# title: Long walk\n"), "\(text)")
      #expect(archive.home.exists(device + "/2026/11/2026-11-22-after.md"))
    }
  }

  @Test func `settings, templates and the list file are still read`() async throws {
    let archive = try await Archive("settings")
    let made = try await archive.diary("new", "Tuesday", "--date", "2026-11-17", "-m", "More.")
    #expect(made.output.hasSuffix("/j/2026/2026-11-17-tuesday.md\n"), "\(made.output)")
    #expect(try archive.home.read("j/2026/2026-11-17-tuesday.md").contains("## Done"))
    try await archive.diary("save")
    let list = try await archive.home.git("show", "HEAD:LIST.md", in: "j")
    #expect(list.contains("Tuesday") && list.contains("Monday"), "\(list)")
  }
}
