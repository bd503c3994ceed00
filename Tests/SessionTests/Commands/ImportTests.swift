import Foundation
import TestSupport
import Testing

/// Imports with the built program, into a real journal.
@Suite struct ImportTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    try await home.diary("init", "j")
  }

  private func dayOne(_ entries: [(id: String, text: String)]) -> String {
    let items = entries.map {
      "{\"uuid\":\"\($0.id)\",\"creationDate\":\"2025-01-0\($0.id)T03:00:00Z\","
        + "\"timeZone\":\"Asia/Seoul\",\"text\":\"\($0.text)\"}"
    }
    return "{\"metadata\":{},\"entries\":[\(items.joined(separator: ","))]}"
  }

  @Test func `a second import brings what is new and what has changed, and nothing twice`()
    async throws
  {
    try home.write(dayOne([("1", "One is here."), ("2", "Two is here.")]), to: "a.json")
    #expect(
      try await home.diary("import", "../a.json", in: "j").output.hasSuffix("Imported 2 entries.\n")
    )
    #expect(
      try await home.diary("import", "../a.json", in: "j").output
        == "Imported 0 entries, 2 already here.\n")
    try home.write(
      dayOne([("1", "One is there."), ("2", "Two is here."), ("3", "Three.")]), to: "a.json")
    let again = try await home.diary("import", "../a.json", in: "j")
    #expect(
      again.output.hasSuffix("Imported 1 entry, 1 changed since the last import, 1 already here.\n")
    )
    #expect(try home.read("j/2025/01/2025-01-01-one-is-here.md").contains("One is there."))
    #expect(home.files(in: "j").count { $0.hasSuffix(".md") && $0 != "INDEX.md" } == 3)
    #expect(try await home.git("status", "--porcelain", in: "j") == "")
  }

  @Test func `a conflict copy that comes with a folder is named and can be merged`() async throws {
    try home.write("We walked.\n", to: "notes/2024-05-06.md")
    let copy = "2024-05-06.sync-conflict-20261122-221829-DGYN457.md"
    try home.write("We walked.\n\nThen it rained.\n", to: "notes/" + copy)
    let result = try await home.diary("import", "../notes", in: "j")
    #expect(result.output.hasSuffix("Imported 1 entry.\n"), "\(result.output)")
    #expect(
      result.errors.contains("Not saved: \(copy) is a conflict copy of 2024-05-06.md"),
      "\(result.errors)")
    try await home.diary("check", "--fix", "--yes", in: "j")
    #expect(try home.read("j/2024-05-06.md") == "We walked.\n\nThen it rained.\n")
    #expect(!home.exists("j/" + copy))
  }

  @Test func `what changed on both sides is merged with the last import as base`() async throws {
    try home.write(dayOne([("1", "One is here.\\n\\nThe middle.\\n\\nThe end.")]), to: "a.json")
    try await home.diary("import", "../a.json", in: "j")
    let path = "j/2025/01/2025-01-01-one-is-here.md"
    try home.write(try home.read(path).replacing("The end.", with: "The end, by me."), to: path)
    try await home.diary("save", in: "j")
    try home.write(dayOne([("1", "One is there.\\n\\nThe middle.\\n\\nThe end.")]), to: "a.json")
    let again = try await home.diary("import", "../a.json", in: "j")
    #expect(again.output.contains("1 changed"))
    let text = try home.read(path)
    #expect(text.hasSuffix("One is there.\n\nThe middle.\n\nThe end, by me.\n"))
    // Unchanged there since: what is here stays.
    #expect(
      try await home.diary("import", "../a.json", in: "j").output
        == "Imported 0 entries, 1 already here.\n")
    #expect(try home.read(path) == text)
  }

  @Test func `another device knows what was imported, and what was deleted`() async throws {
    try home.write(dayOne([("1", "One."), ("2", "Two.")]), to: "a.json")
    try await home.diary("import", "../a.json", in: "j")
    try await home.diary("delete", "--yes", "2025-01-02", in: "j")
    try await home.git("clone", "-q", "j", "k", in: "")
    try await home.diary("init", "k", "--yes")
    #expect(
      try await home.diary("import", "../a.json", in: "k").output
        == "Imported 0 entries, 1 already here, 1 deleted here since.\n")
    #expect(
      try await home.diary("import", "../a.json", in: "j").output
        == "Imported 0 entries, 1 already here, 1 deleted here since.\n")
  }

  @Test func `an import that was taken back can be done again`() async throws {
    try home.write(dayOne([("1", "One."), ("2", "Two.")]), to: "a.json")
    try await home.diary("import", "../a.json", in: "j")
    try await home.diary("undo", "--yes", in: "j")
    #expect(home.files(in: "j").count { $0.hasSuffix(".md") && $0 != "INDEX.md" } == 0)
    // Another device sees the history alone.
    try await home.git("clone", "-q", "j", "k", in: "")
    try await home.diary("init", "k", "--yes")
    for device in ["j", "k"] {
      #expect(
        try await home.diary("import", "../a.json", in: device).output
          .hasSuffix("Imported 2 entries.\n"))
    }
  }

  @Test func `an import that was taken back beside a watcher can be done again`() async throws {
    try home.write(dayOne([("1", "One."), ("2", "Two.")]), to: "a.json")
    home.set("DIARY_AUTOSAVE__SITTING", "1s")
    try await home.withWatcher(mustEnd: false) { watcher in
      try await home.diary("import", "../a.json", in: "j")
      try await home.diary("undo", "--yes", in: "j")
      let isCommitted = try await Sandbox.holds(within: 30) {
        try await home.git("--no-optional-locks", "status", "--porcelain", in: "j") == ""
      }
      #expect(isCommitted, "\(watcher.output)")
      #expect(
        try await home.diary("import", "../a.json", in: "j").output
          .hasSuffix("Imported 2 entries.\n"))
    }
  }

  @Test func `a dry run tells all and writes nothing`() async throws {
    try home.write(dayOne([("1", "One two three.")]), to: "a.json")
    let before = home.files(in: "j")
    let plan = try await home.diary("import", "--dry-run", "../a.json", in: "j")
    #expect(plan.status == 0)
    #expect(plan.output.contains("Day One (JSON)\n"))
    #expect(plan.output.contains("Words with titles   3\n"))
    #expect(home.files(in: "j") == before)
    #expect(
      try await home.diary("import", "../a.json", in: "j").output.hasSuffix("Imported 1 entry.\n"))
  }

  @Test func `photos of a zip come along, and what is missing is named`() async throws {
    let text =
      "{\"entries\":[{\"uuid\":\"1\",\"creationDate\":\"2025-01-01T03:00:00Z\","
      + "\"timeZone\":\"Asia/Seoul\",\"text\":\"Look: ![](dayone-moment://A)\","
      + "\"photos\":[{\"identifier\":\"A\",\"md5\":\"aa\",\"type\":\"png\"},"
      + "{\"identifier\":\"B\",\"md5\":\"bb\",\"type\":\"png\"}]}]}"
    try home.write(text, to: "x/Journal.json")
    try home.write("a picture", to: "x/photos/aa.png")
    try await home.run("zip", ["-q", "-r", "../x.zip", "."], in: "x")
    let done = try await home.diary("import", "../x.zip", in: "j")
    #expect(done.output.hasSuffix("Imported 1 entry.\n"), "\(done)")
    #expect(done.errors.contains("photos/bb.png is not in the source"))
    #expect(done.errors.contains("2 pictures") && done.errors.contains("1 picture"))
    #expect(try home.read("j/2025/01/aa.png") == "a picture")
    #expect(try home.read("j/2025/01/2025-01-01-look.md").contains("Look: ![aa](aa.png)\n"))
    #expect(try await home.git("status", "--porcelain", in: "j") == "")
    #expect(try await home.git("log", "--oneline", in: "j").split(separator: "\n").count == 2)
    #expect(
      try await home.diary("import", "../x.zip", in: "j").output
        == "Imported 0 entries, 1 already here.\n")
  }

  @Test func `a link to an imported file keeps its words`() async throws {
    try home.write(
      "My note\n\nSee [the contract](:/1a).\n\nid: n\ncreated_time: 2025-01-01T12:00:00Z\ntype_: 1",
      to: "x/n.md")
    try home.write("house.pdf\n\nid: 1a\nfile_extension: pdf\ntype_: 4", to: "x/r.md")
    try home.write("a contract", to: "x/resources/1a.pdf")
    let done = try await home.diary("import", "../x", in: "j")
    #expect(done.output.hasSuffix("Imported 1 entry.\n"), "\(done)")
    #expect(
      try home.read("j/2025/01/2025-01-01-my-note.md").contains("See [the contract](house.pdf)."))
  }

  @Test func `a text in another encoding needs its name, and UTF-16 tells it itself`() async throws
  {
    let latin = home.homePath + "/latin.txt"
    try Data(Array("[2025-01-01 09:00] Caf".utf8) + [0xE9, 0x0A])
      .write(to: URL(fileURLWithPath: latin))
    let refused = try await home.diary("import", "../latin.txt", in: "j")
    #expect(refused.status == 1)
    #expect(refused.errors.contains("not UTF-8 (line 1)") && refused.errors.contains("--encoding"))
    let done = try await home.diary("import", "--encoding", "latin-1", "../latin.txt", in: "j")
    #expect(done.output.hasSuffix("Imported 1 entry.\n"), "\(done)")
    #expect(home.exists("j/2025/01/2025-01-01-café.md"))
    for (name, encoding) in [("euc-kr", "EUC-KR"), ("shift-jis", "SHIFT_JIS"), ("-", "UTF-16")] {
      let text = name == "shift-jis" ? "東京" : "서울"
      try home.write("[2025-02-01 09:00] \(text) \(encoding)\n", to: "u.txt")
      try await home.run("sh", ["-c", "iconv -t \(encoding) u.txt > e.txt"])
      let arguments = name == "-" ? [] : ["--encoding", name]
      let result = try await home.run(
        Sandbox.programs + "/diary", ["import"] + arguments + ["../e.txt"], in: "j")
      #expect(result.status == 0, "\(encoding): \(result)")
      #expect(
        try await home.diary("list", "--json", in: "j").output.contains("\(text) \(encoding)"))
    }
    let wrong = try await home.diary("import", "--encoding", "euc-kr", "../latin.txt", in: "j")
    #expect(
      wrong.status == 1 && wrong.errors.contains("../latin.txt is not valid euc-kr text (line 1)")
        && wrong.errors.contains("hint: try another --encoding; nothing was imported"), "\(wrong)")
    let unknown = try await home.diary("import", "--encoding", "nonsense", "../latin.txt", in: "j")
    #expect(unknown.status != 0 && unknown.errors.contains("nonsense"))
  }

  @Test func `what has no entries says so, and what comes through a pipe is whole`() async throws {
    try home.write("", to: "empty.txt")
    try FileManager.default.createDirectory(
      atPath: home.homePath + "/nothing", withIntermediateDirectories: true)
    for name in ["../empty.txt", "../nothing"] {
      let refused = try await home.diary("import", name, in: "j")
      #expect(
        refused.status == 1 && refused.errors.contains("cannot import \(name): it is empty"),
        "\(refused)")
    }
    try home.write("{\"metadata\": {\"version\": \"1.0\"}, \"entries\": [ ]}", to: "none.json")
    #expect(
      try await home.diary("import", "../none.json", in: "j").output == "Imported 0 entries.\n")
    try home.write("[2025-03-01 09:00] Through a pipe\nAll of it.\n", to: "p.txt")
    let piped = try await home.run(
      "bash", ["-c", "\(Sandbox.programs)/diary import <(cat ../p.txt)"], in: "j")
    #expect(piped.output.hasSuffix("Imported 1 entry.\n"), "\(piped)")
    #expect(home.exists("j/2025/03/2025-03-01-through-a-pipe.md"))
  }

  @Test func `another journal's entry of the same minute takes nobody's place`() async throws {
    try home.write("[2025-01-01 09:00] Work\nAll day in meetings.\n", to: "work.txt")
    try home.write("[2025-01-01 09:00] Home\nSnow on the roof.\n", to: "home.txt")
    for name in ["work", "home"] {
      #expect(
        try await home.diary("import", "../\(name).txt", in: "j").output == "Imported 1 entry.\n")
    }
    for name in ["work", "home"] {
      #expect(
        try await home.diary("import", "../\(name).txt", in: "j").output
          == "Imported 0 entries, 1 already here.\n")
    }
    // Its title or its text may change: it is the same entry.
    try home.write("[2025-01-01 09:00] Work\nHardly any meetings.\n", to: "work.txt")
    let changed = try await home.diary("import", "../work.txt", in: "j").output
    #expect(changed == "Imported 0 entries, 1 changed since the last import.\n")
    #expect(try home.read("j/2025/01/2025-01-01-home.md").hasSuffix("Snow on the roof.\n"))
  }

  @Test func `a broken item of an archive is named, and a picture is no diary`() async throws {
    try await home.run(
      "python3",
      [
        "-c",
        """
        import zipfile
        with zipfile.ZipFile("a.zip", "w") as z:
          z.writestr("Journal.json", '{"entries": []}')
        data = bytearray(open("a.zip", "rb").read())
        data[data.index(b"entries")] ^= 1
        open("a.zip", "wb").write(data)
        open("a.png", "wb").write(b"\\x89PNG\\r\\n\\x1a\\n0123")
        """,
      ])
    let broken = try await home.diary("import", "../a.zip", in: "j")
    #expect(broken.status == 1 && broken.errors.contains("\"Journal.json\""), "\(broken)")
    let picture = try await home.diary("import", "../a.png", in: "j")
    #expect(picture.status == 1 && picture.errors.contains("no known format"), "\(picture)")
  }

  @Test(arguments: [
    ("a.json", "{\"entries\": [{\"creationDate\": \"x\"}]}", "creationDate"),
    ("a.json", "{\"entries\": [{\"creationDate\": ", "line 1"),
    ("a.txt", "Nothing that has a date.\n", "no known format"),
    ("a.json", "[{\"title\":1,\"body\":\"\",\"created_at\":1}]", "\"title\" is a number"),
    ("a.json", "[{\"title\":\"\",\"body\":\"b\",\"created_at\":1},\n {}]", "line 2, column"),
  ])
  func `a broken file is named, and nothing is imported`(
    _ name: String, _ text: String, _ reason: String
  ) async throws {
    try home.write(text, to: name)
    let done = try await home.diary("import", "../" + name, in: "j")
    #expect(done.status == 1)
    #expect(done.errors.contains(name) && done.errors.contains(reason), "\(done)")
    #expect(home.files(in: "j").count { $0.hasSuffix(".md") && $0 != "INDEX.md" } == 0)
  }

  @Test func `what is undated, untagged or another program's is named`() async throws {
    try home.write("Words.\n", to: "notes/a.md")
    try home.write("---\ndate: 2025-01-01\ntags: [x]\n---\nMore.\n", to: "notes/b.md")
    let plan = try await home.diary("import", "--dry-run", "../notes", in: "j")
    #expect(plan.output.contains("Without a date     1\n"), "\(plan)")
    #expect(plan.output.contains("With tags          1\n"), "\(plan)")
    let done = try await home.diary("import", "../notes", in: "j")
    #expect(done.errors.contains("1 entry of the source has no date."), "\(done)")
    try home.write("<en-export>", to: "a.enex")
    let refused = try await home.diary("import", "../a.enex", in: "j")
    #expect(
      refused.status == 1
        && refused.errors.contains(
          "diary: cannot import ../a.enex: it seems to be Evernote (ENEX), which Diary does not read\nhint: "
        ), "\(refused)")
  }

  @Test func `HTML is compared with the source by its elements`() async throws {
    func journey(_ html: String) throws {
      try home.write(
        "{\"id\":\"1\",\"date_journal\":1735689900000,\"type\":\"html\",\"text\":\"\(html)\"}",
        to: "a.json")
    }
    try journey("<h2>A</h2><p>1. x</p><ul><li>b</li></ul><img src='data:x'>")
    let plan = try await home.diary("import", "--dry-run", "../a.json", in: "j")
    let difference = ": 0 pictures in the text here, 1 picture in the text in the source\n"
    #expect(plan.errors.contains(difference), "\(plan)")
    let done = try await home.diary("import", "../a.json", in: "j")
    #expect(done.errors.contains(difference), "\(done)")
    #expect(
      done.errors.contains("1 heading, 1 list item, 0 pictures in the text here, "), "\(done)")
    try journey("<h2>A</h2><p>2. x</p><ul><li>b</li></ul>")
    let same = try await home.diary("import", "../a.json", in: "j")
    #expect(same.status == 0 && !same.errors.contains("in the source"), "\(same)")
  }

  @Test func `a folder of Markdown keeps its bytes, and changes there are merged here`()
    async throws
  {
    try home.write("{}", to: "v/.obsidian/app.json")
    try home.write("Top.\n\n![[p.png]]\n\nEnd.\n", to: "v/Daily/2025-01-01.md")
    try home.write("a picture", to: "v/Files/p.png")
    try home.write("not shown", to: "v/Files/q.png")
    let first = try await home.diary("import", "../v", in: "j")
    #expect(first.output.hasSuffix("Imported 1 entry.\n"), "\(first)")
    let path = "j/Daily/2025-01-01.md"
    #expect(try home.read(path) == "Top.\n\n![[p.png]]\n\nEnd.\n")
    #expect(home.exists("j/Files/p.png") && !home.exists("j/Files/q.png"))
    try home.write("Top.\n\n![[p.png]]\n\nEnd, by me.\n", to: path)
    try await home.diary("save", in: "j")
    #expect(
      try await home.diary("import", "../v", in: "j").output
        == "Imported 0 entries, 1 already here.\n")
    try home.write("Top, there.\n\n![[p.png]]\n\nEnd.\n", to: "v/Daily/2025-01-01.md")
    let again = try await home.diary("import", "../v", in: "j")
    #expect(again.output.contains("1 changed since the last import"), "\(again)")
    #expect(try home.read(path) == "Top, there.\n\n![[p.png]]\n\nEnd, by me.\n")
    #expect(try await home.git("status", "--porcelain", in: "j") == "")
  }

  @Test func `an archive comes through a pipe, too`() async throws {
    try home.write(dayOne([("1", "One.")]), to: "x/Journal.json")
    try await home.run("zip", ["-q", "-r", "../x.zip", "."], in: "x")
    let done = try await home.run(
      "sh", ["-c", "cat ../x.zip | \(Sandbox.programs)/diary import -"], in: "j")
    #expect(done.output.hasSuffix("Imported 1 entry.\n"), "\(done)")
  }

  @Test func `a file of another format is told which one it seems to be`() async throws {
    try home.write(dayOne([("1", "One.")]), to: "a.json")
    let done = try await home.diary("import", "--format", "phone", "../a.json", in: "j")
    #expect(done.status == 1)
    #expect(done.errors.contains("it seems to be Day One (JSON)"), "\(done)")
  }

  @Test func `a folder that this user may not read is refused, wherever it lies`() async throws {
    try home.write("# One\n", to: "notes/2020-01-01.md")
    try home.write("# Two\n", to: "notes/more/2020-01-02.md")
    for (name, shown) in [("notes/more", "../notes/more"), ("notes", "../notes")] {
      let path = home.homePath + "/" + name
      try #require(chmod(path, 0) == 0)
      defer { chmod(path, 0o700) }
      // Root is refused nothing before it gives up its powers.
      let program = [Sandbox.programs + "/diary", "import", "../notes"]
      let line = (geteuid() == 0 ? ["setpriv", "--bounding-set=-all"] : []) + program
      let result = try await home.run("/usr/bin/env", line, in: "j")
      #expect(
        result.status == 1 && result.errors.contains("cannot read \(shown): Permission denied"),
        "\(result)")
    }
    #expect(try await home.git("log", "--oneline", in: "j").split(separator: "\n").count == 1)
  }

  @Test func `an unsafe archive is refused whole`() async throws {
    try await home.run(
      "python3",
      [
        "-c",
        """
        import zipfile
        with zipfile.ZipFile("a.zip", "w") as z:
          z.writestr("Journal.json", '{"entries": []}')
          z.writestr("../evil.txt", "x")
        """,
      ])
    let done = try await home.diary("import", "../a.zip", in: "j")
    #expect(done.status == 1)
    #expect(done.errors.contains("../evil.txt"), "\(done)")
    #expect(!home.exists("evil.txt"))
  }

  @Test func `an import that was killed goes on at the next one`() async throws {
    let items = (1...400).map {
      "{\"uuid\":\"\($0)\",\"creationDate\":\"2025-01-01T03:00:00Z\",\"text\":\"Entry number \($0).\"}"
    }
    try home.write("{\"entries\":[\(items.joined(separator: ","))]}", to: "a.json")
    var random = SeededGenerator()
    for _ in 0..<6 {
      let delay = Double(Int.random(in: 5...400, using: &random)) / 1000
      try await home.run(
        "timeout", ["-s", "KILL", "\(delay)", Sandbox.programs + "/diary", "import", "../a.json"],
        in: "j")
    }
    let done = try await home.diary("import", "../a.json", in: "j")
    #expect(done.status == 0, "\(done)")
    let files = home.files(in: "j").filter { $0.hasSuffix(".md") && $0 != "INDEX.md" }
    #expect(files.count == 400, "\(random)")
    #expect(try await home.git("status", "--porcelain", in: "j") == "")
    let texts = Set(try files.map { try home.read("j/" + $0).split(separator: "\n").last ?? "" })
    #expect(texts.count == 400)
  }

  @Test func `an import that is interrupted says so, and the next one goes on`() async throws {
    let items = (0..<3000).map { index in
      "{\"uuid\":\"U\(index)\",\"creationDate\":\"20\(10 + index % 10)-03-04T03:00:00Z\","
        + "\"timeZone\":\"Asia/Seoul\",\"text\":\"Day \(index)\"}"
    }
    try home.write(
      "{\"metadata\":{},\"entries\":[\(items.joined(separator: ","))]}", to: "a.json")
    let written: @Sendable () -> Int = { [home] in
      home.files(in: "j").count { $0.hasSuffix(".md") && $0 != "INDEX.md" }
    }
    try await BackgroundProcess.run(
      home, Sandbox.programs + "/diary", ["import", "../a.json"], in: "j"
    ) { importing in
      #expect(await Sandbox.holds { written() > 0 })
      importing.signal(SIGINT)
      #expect(
        await importing.prints("Interrupted. Import it again to continue"), "\(importing.output)")
      #expect(await Sandbox.holds { importing.hasExited })
    }
    let again = try await home.diary("import", "../a.json", in: "j")
    #expect(again.status == 0, "\(again)")
    #expect(written() == 3000)
    #expect(try await home.git("status", "--porcelain", in: "j") == "")
    #expect(try await home.git("log", "--oneline", in: "j").split(separator: "\n").count == 2)
  }

  @Test func `notes of different days with the same text are all imported`() async throws {
    for name in ["2025-01-01", "2025-01-02"] {
      try home.write("Nothing today.\n", to: name + "/" + name + ".md")
      let done = try await home.diary("import", "../" + name, in: "j")
      #expect(done.output.contains("Imported 1 entry"), "\(done)")
    }
    #expect(home.exists("j/2025-01-01.md") && home.exists("j/2025-01-02.md"))
    // This device recognizes a note whose day was corrected.
    try await home.git("mv", "2025-01-02.md", "2025-01-03.md", in: "j")
    let corrected = try await home.diary("import", "../2025-01-02", in: "j")
    #expect(corrected.output.contains("1 already here"), "\(corrected)")
    try await home.git("mv", "2025-01-03.md", "2025-01-02.md", in: "j")
    // Another device, which does not know what was imported here.
    try FileManager.default.removeItem(atPath: home.homePath + "/j/.git/diary/imported.json")
    let again = try await home.diary("import", "../2025-01-02", in: "j")
    #expect(again.output.contains("1 already here"), "\(again)")
  }

  @Test func `a text with a full stop and two slashes is imported`() async throws {
    try home.write("picture", to: "notes/p.png")
    try home.write(".//※ and see ./a//é\n", to: "notes/2025-01-01.md")
    let done = try await home.diary("import", "../notes", in: "j")
    #expect(done.status == 0 && done.output.contains("Imported 1 entry"), "\(done)")
    #expect(try home.read("j/2025-01-01.md") == ".//※ and see ./a//é\n")
  }
}
