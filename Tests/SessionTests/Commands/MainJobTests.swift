import Foundation
import TestSupport
import Testing

/// The main use of the built program, in an empty home.
@Suite(.serialized) struct MainJobTests {
  let home: Sandbox

  init() throws { home = try Sandbox() }

  @Test func `create, write, list, read, find, rename and delete in a new journal`() async throws {
    let made = try await home.diary("init", "j")
    #expect(made.status == 0, "\(made.errors)")
    try await write("A walk by the river", "The rain stopped at noon. #family", "2026-11-21 21:04")
    try await write("한강 산책", "바람이 차가웠다. 산책했다.", "2026-11-20 08:00")

    let list = try await home.diary("list", in: "j")
    let rows = list.output.split(separator: "\n")
    #expect(rows.count == 2)
    #expect(rows[0].contains("A walk by the river") && rows[0].hasPrefix("1  "))
    #expect(rows[1].contains("한강 산책"))

    let shown = try await home.diary("show", "2", in: "j")
    #expect(shown.output == (try home.read("j/2026/11/2026-11-20-한강-산책.md")))
    let found = try await home.diary("search", "산책", "--json", in: "j")
    #expect(found.output.contains("\"title\":\"한강 산책\""))
    let tags = try await home.diary("tags", in: "j")
    #expect(tags.output == "1  family\n")

    let renamed = try await home.diary("rename", "2", "Along", "the", "Han", in: "j")
    #expect(renamed.output.hasSuffix("/j/2026/11/2026-11-20-along-the-han.md\n"), "\(renamed)")
    let kept = try await home.diary("delete", "2026-11-20", in: "j")
    #expect(kept.status == 1)
    #expect(kept.errors.contains("hint: use --yes"))
    let deleted = try await home.diary("delete", "2026-11-20", "--yes", in: "j")
    #expect(deleted.status == 0, "\(deleted.errors)")
    #expect(deleted.errors.contains("To bring it back: diary restore "))
    #expect(home.files(in: "j") == ["2026/11/2026-11-21-a-walk-by-the-river.md", "INDEX.md"])
    try await expectHealthy("j")
    let log = try await home.git("log", "--format=%s", in: "j").split(separator: "\n")
    #expect(log.first?.hasPrefix("Delete \"Along the Han\"") == true, "\(log)")
    #expect(log.contains { $0.hasPrefix("Rename \"한강 산책\" to \"Along the Han\"") }, "\(log)")
    #expect(log.contains { $0.hasPrefix("Write \"A walk by the river\" (+") }, "\(log)")
  }

  @Test func `a command leaves the index log until it has grown`()
    async throws
  {
    try await home.diary("init", "j")
    func log() throws -> Int? {
      let cache = home.homePath + "/j/.git/diary/cache/"
      let names = try FileManager.default.contentsOfDirectory(atPath: cache)
      return try names.first { $0.hasSuffix("-wal") }.map {
        try FileManager.default.attributesOfItem(atPath: cache + $0)[.size] as? Int ?? 0
      }
    }
    try home.write("# Begun\n", to: "j/a.md")
    try await home.diary("list", in: "j")
    try home.write("# Changed\n", to: "j/a.md")
    #expect(try await home.diary("list", in: "j").output.contains("Changed"))
    let left = try log() ?? 0
    #expect(left > 0 && left < 1 << 20)
    #expect(try await home.diary("index", "--verify", in: "j").status == 0)
    for number in 1...60 {
      try home.write(String(repeating: "Word \(number). ", count: 4_000), to: "j/\(number).md")
    }
    try await home.diary("list", in: "j")
    #expect(try log() ?? 0 > 2 << 20)
    try await home.diary("list", in: "j")
    #expect(try log() == nil)
    #expect(try await home.diary("index", "--verify", in: "j").status == 0)
  }

  @Test func `the command that delete prints restores the entry`() async throws {
    try await home.diary("init", "j")
    try await write("Gone", "Precious words.", "2026-11-21 10:00")
    let before = try home.read("j/2026/11/2026-11-21-gone.md")
    let deleted = try await home.diary("delete", "1", "--yes", in: "j")
    let line = try #require(
      deleted.errors.split(separator: "\n").first { $0.hasPrefix("To bring it back: ") })
    let command = String(line.dropFirst("To bring it back: ".count))
    let back = try await home.run("sh", ["-c", command], in: "j")
    #expect(back.status == 0, "\(back.errors)")
    #expect(try home.read("j/2026/11/2026-11-21-gone.md") == before)
  }

  @Test func `a blank entry vanishes, an edited one is named by its title`() async throws {
    try await home.diary("init", "j")
    home.set("EDITOR", try home.script("idle", "sleep 2.1\n"))
    let blank = try await home.diary("new", in: "j")
    #expect(blank.status == 0, "\(blank.errors)")
    #expect(blank.errors.contains("blank"))
    #expect(home.files(in: "j") == ["INDEX.md"])

    home.set("EDITOR", try home.script("pen", "printf '# Evening tea\\n\\nGood.\\n' >> \"$1\"\n"))
    let written = try await home.diary("new", in: "j")
    #expect(written.output.contains("-evening-tea.md"), "\(written)")
    try await expectHealthy("j")
  }

  @Test func `editors with arguments, errors or forks lose nothing`()
    async throws
  {
    try await home.diary("init", "j")
    let pen = try home.script("pen", "[ \"$1\" = --wait ] && echo words >> \"$2\"\n")
    home.set("EDITOR", pen + " --wait")
    let good = try await home.diary("new", "Args", in: "j")
    #expect(good.status == 0 && good.output.contains("args.md"), "\(good)")

    home.set("EDITOR", try home.script("bad", "echo half >> \"$1\"; exit 3\n"))
    let bad = try await home.diary("new", "Crash", in: "j")
    #expect(bad.status == 1)
    #expect(bad.errors.contains("exit code 3") && bad.errors.contains("is kept"), "\(bad.errors)")
    let kept = home.files(in: "j").first { $0.contains("crash") }
    #expect(try home.read("j/" + #require(kept)).contains("half"))

    home.set("EDITOR", "true")
    let forked = try await home.diary("new", "Fork", in: "j")
    #expect(forked.status == 0 && forked.errors.contains("code --wait"), "\(forked.errors)")
    #expect(home.files(in: "j").contains { $0.contains("fork") })
    home.set("EDITOR", nil)
    let none = try await home.diary("new", "None", in: "j")
    #expect(none.status == 1 && none.errors.contains("no editor is set"))
    #expect(!home.files(in: "j").contains { $0.contains("none") })
  }

  @Test func `add appends to today's newest entry and keeps its other bytes`() async throws {
    try await home.diary("init", "j")
    let first = try await home.diary("add", "-5도였다", in: "j")
    #expect(first.status == 0, "\(first.errors)")
    let path = String(first.output.dropLast().dropFirst((home.homePath + "/").count))
    let before = try home.read(path)
    let second = try await home.diary("add", "--time", "It", "snowed.", in: "j")
    #expect(second.output == first.output, "\(second)")
    let after = try home.read(path)
    #expect(after.hasPrefix(before))
    #expect(after.hasSuffix(" It snowed.\n"))
    let piped = try await home.diary("add", in: "j", input: "From a pipe.\n\nTwo paragraphs.\n")
    #expect(piped.status == 0, "\(piped.errors)")
    #expect(try home.read(path).contains("From a pipe.\n\nTwo paragraphs."))
    try await expectHealthy("j")
  }

  @Test func `the sample import is complete and adds nothing twice`() async throws {
    try await home.diary("init", "j")
    let items = """
      [{"title": "Same", "body": "one", "created_at": 1751328000},
       {"title": "Same", "body": "two 😀\\n\\nlines", "created_at": 1751328000},
       {"title": "", "body": "three \\ud83c\\udf75", "created_at": 1751328000},
       {"title": "Same", "body": "one", "created_at": 1751328000}]
      """
    try home.write(items, to: "export.json")
    let first = try await home.diary("import", home.homePath + "/export.json", in: "j")
    #expect(first.output == "Imported 4 entries.\n", "\(first)")
    let list = try await home.diary("list", "--json", in: "j").output
    let again = try await home.diary("import", home.homePath + "/export.json", in: "j")
    #expect(again.output == "Imported 0 entries, 4 already here.\n", "\(again)")
    #expect(try await home.diary("list", "--json", in: "j").output == list)
    let bodies = try home.files(in: "j").filter { $0 != "INDEX.md" }.map {
      try home.read("j/" + $0)
    }
    #expect(bodies.filter { $0.hasSuffix("\none\n") }.count == 2)
    #expect(bodies.contains { $0.contains("two 😀\n\nlines") })
    #expect(bodies.contains { $0.contains("three 🍵") })
    #expect(try await home.git("rev-list", "--count", "HEAD", in: "j") == "2\n")
    try await expectHealthy("j")
  }

  @Test func `save names a template by its file and reports skipped files`() async throws {
    try await home.diary("init", "j")
    try home.write("---\ntitle: {{title}}\n---\n", to: "j/.diary/templates/own.md")
    try await home.diary("save", in: "j")
    let subject = try await home.git("log", "-1", "--format=%s", in: "j")
    #expect(subject == "Write .diary/templates/own.md\n")
    try FileManager.default.createSymbolicLink(
      atPath: home.homePath + "/j/link.md", withDestinationPath: "nowhere")
    let saved = try await home.diary("save", in: "j")
    #expect(saved.status == 0 && saved.errors.contains("Not saved: link.md"), "\(saved.errors)")
    #expect(!saved.errors.contains("Everything is saved"), "\(saved.errors)")
  }

  @Test func `the columns of a list are aligned in every language`() async throws {
    try await home.diary("init", "j")
    for day in 1...8 {
      try home.write("---\ntitle: T\(day)\ndate: 2026-01-0\(day)\n---\n", to: "j/\(day).md")
    }
    try home.write(
      "---\ntitle: 바다\ndate: 2026-11-21T12:00:00+09:00\nweather: Rain, 7°C\n---\n", to: "j/k.md")
    try home.write("Some words\n", to: "j/u.md")
    home.set("LANG", "ko_KR.UTF-8")
    let rows = try await home.diary("list", in: "j").output.split(separator: "\n")
    try #require(rows.count == 10)
    #expect(rows[0] == " 1  2026년 11월 21일 (토)  오후 12:00  🌧️  바다")
    #expect(rows[1] == " 2  2026년 1월 8일 (목)                    T8")
    #expect(rows[9] == "10  –                                      Some words")
  }

  /// Tests each command, because fields that are not shown are not always read.
  @Test func `JSON has every field, also for search results`() async throws {
    try await home.diary("init", "j")
    let text =
      "---\ntitle: Tide\ndate: 2026-11-21T21:04:00+09:00\nweather: Rain, 7°C\n"
      + "tags: [sea]\n---\n\nThe boats lay still.\n"
    try home.write(text, to: "j/tide.md")
    for words in [["list"], ["list", "--weather", "rain"], ["show", "1"]] {
      try await expectTide(words)
    }
    for words in [["search", "boats"], ["search", "--regex", "b.ats"]] {
      let found = try await expectTide(words)
      #expect(found["match"] as? String == "The boats lay still.")
    }
  }

  @discardableResult
  private func expectTide(_ words: [String]) async throws -> [String: Any] {
    let result = try await home.run(Sandbox.programs + "/diary", words + ["--json"], in: "j")
    let json = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
    let entry = try #require((json as? [[String: Any]])?.first, "\(words): \(result)")
    for (key, value) in [
      "title": "Tide", "date": "2026-11-21T21:04:00+09:00", "day": "2026-11-21",
      "preview": "The boats lay still.", "path": "tide.md",
    ] {
      #expect(entry[key] as? String == value, "\(words): \(result.output)")
    }
    #expect(entry["tags"] as? [String] == ["sea"], "\(words): \(result.output)")
    #expect(entry["words"] as? Int == 4, "\(words): \(result.output)")
    let weather = try #require(entry["weather"] as? [String: Any], "\(words): \(result.output)")
    #expect(weather["text"] as? String == "Rain, 7°C", "\(words): \(result.output)")
    return entry
  }

  private func write(_ title: String, _ text: String, _ date: String) async throws {
    let result = try await home.diary("new", title, "--message", text, "--date", date, in: "j")
    #expect(result.status == 0, "\(result.errors)")
  }

  private func expectHealthy(_ folder: String) async throws {
    #expect(try await home.git("status", "--porcelain", in: folder) == "")
    try await home.git("fsck", "--strict", "--full", in: folder)
    let verified = try await home.diary("index", "--verify", in: folder)
    #expect(verified.status == 0, "\(verified.errors)")
  }
}
