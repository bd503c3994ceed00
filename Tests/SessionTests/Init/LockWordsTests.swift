import Foundation
import TestSupport
import Testing

/// What Diary writes outside of a journal that locks.
@Suite(.serialized) struct LockWordsTests: LockedJournalTests {
  let home: Sandbox

  init() throws { home = try Self.makeHome() }

  /// Made-up words: of texts, titles, tags, file names and searches.
  private static let words = [
    "marrowfen", "thornwick", "brindlecap", "velloweed", "osierhalt", "pinderby", "grapplewort",
    "hollowmere", "saltergate",
  ]

  /// The folder of what the person has: it is not searched.
  private static let own = "own"

  @Test func `no word of the journal is written outside of it`() async throws {
    try await prepare()
    try await withJournal {
      try await home.git("init", "-q", "--bare", "host.git", in: "")
      for words in [
        ["init", "--remote", "host.git", "--sealed", "--yes"],
        ["new", "Thornwick", "-m", "Marrowfen. #brindlecap", "--date", "2026-11-20 10:00"],
        ["new", "--tag", "brindlecap"],
        ["add", "More marrowfen.", "--attach", "own/velloweed.png"],
        ["rename", "1", "Hollowmere"], ["star", "1"],
        ["search", "grapplewort"], ["search", "marrowfen"], ["list"], ["tags"], ["status"],
        ["show", "1"], ["import", "own/notes", "--format", "markdown"], ["check"], ["sync"],
      ] {
        let done = try await home.run(
          Sandbox.programs + "/diary", words + (words[0] == "init" ? ["j"] : ["--journal", "j"]))
        #expect(done.status == (words.last == "grapplewort" ? 2 : 0), "\(words): \(done)")
      }
      let piped = try await home.run(
        "sh", ["-c", "cat own/osierhalt.zip | diary import --journal j --format markdown -"])
      #expect(piped.status == 0, "\(piped)")
      try await watch()
      try await usePage()
      #expect(try await home.diary("sync", "--journal", "j").status == 0)
      // The words have arrived, so the search of the other places means something.
      let found = try await home.run("grep", ["-rhoiE", Self.words.joined(separator: "|"), "j"])
      let inside = Set(found.output.lowercased().split(separator: "\n").map(String.init))
      #expect(inside == Set(Self.words).subtracting(["grapplewort"]), "\(inside)")
      #expect(home.exists("seen/git") && home.exists("seen/age") && home.exists("seen/gocryptfs"))
      try await expectNoWords()
      try await lock()
      try await expectNoWords()
    }
  }

  /// Programs that note down how they are started, and what the person brings along.
  private func prepare() async throws {
    for folder in ["tmp", "seen", Self.own] {
      try FileManager.default.createDirectory(
        atPath: home.homePath + "/" + folder, withIntermediateDirectories: true)
    }
    let path = try #require(home.environment["PATH"])
    let programs = ["git", "git-remote-diary", "age", "age-keygen", "gocryptfs", "fusermount3"]
    for program in programs {
      let folders = path.split(separator: ":")
      let real = try #require(
        folders.map { "\($0)/\(program)" }.first(where: FileManager.default.isExecutableFile))
      let seen = "\(home.homePath)/seen/\(program)"
      _ = try home.script(
        program, "{ echo \"$@\"; env; pwd; } >>\(seen)\nexec \(real) \"$@\"\n")
    }
    home.set("PATH", home.homePath + "/bin:" + path)
    home.set("TMPDIR", home.homePath + "/tmp")
    try home.write("Saltergate, in the editor.\n", to: "own/text")
    let editor = home.homePath + "/own/editor"
    try home.write("#!/bin/sh\ncat ~/own/text >>\"$1\"\n", to: "own/editor")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: editor)
    home.set("EDITOR", editor)
    let picture =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
    try #require(Data(base64Encoded: picture))
      .write(to: URL(fileURLWithPath: home.homePath + "/own/velloweed.png"))
    try home.write("---\ndate: 2026-11-18\n---\nOsierhalt.\n", to: "own/notes/osierhalt.md")
    try home.write("---\ndate: 2026-11-17\n---\nOsierhalt again.\n", to: "own/osierhalt.md")
    try await home.run("zip", ["-q", "osierhalt.zip", "osierhalt.md"], in: Self.own)
  }

  /// A watcher with its log in a file, as a service has it.
  private func watch() async throws {
    try await BackgroundProcess.run(
      home, "sh", ["-c", "exec diary watch --sync --journal j >log 2>&1"]
    ) { watcher in
      #expect(await Sandbox.holds { (try? home.read("log"))?.contains("watching") == true })
      try home.write("Marrowfen, from an editor.\n", to: "j/velloweed.md")
      #expect(try await Sandbox.holds { try home.read("log").contains("committed 1 file") })
      try await home.run("rm", ["j/velloweed.md"])
      #expect(try await Sandbox.holds { try home.read("log").contains("saved as deleted: 1 file") })
    }
    let log = try home.read("log")
    #expect(log.contains("saved 1 file") && log.contains("syncing with"), "\(log)")
  }

  /// A save, a search and a picture on the page.
  private func usePage() async throws {
    try await BackgroundProcess.run(
      home, "sh", ["-c", "exec diary web --no-open --journal j >page 2>&1"]
    ) { _ in
      #expect(await Sandbox.holds { (try? home.read("page"))?.contains("/open#") == true })
      let lines = try home.read("page").split(separator: "\n")
      let link = try #require(lines.first { $0.contains("/open#") })
      let parts = link.split(separator: "#")
      let origin = String(parts[0].dropLast("/open".count))
      func ask(_ words: [String], _ body: String = "") async throws -> Sandbox.ProgramResult {
        try await home.run(
          "curl",
          ["-sSf", "-b", "own/cookies", "-c", "own/cookies", "-H", "Origin: \(origin)"] + words,
          input: body)
      }
      let json = ["-H", "Content-Type: application/json", "--data-binary", "@-"]
      _ = try await ask(json + ["\(origin)/open"], "{\"code\":\"\(parts[1])\"}")
      let made = try await ask(
        json + ["-i", "-H", "Idempotency-Key: one", "\(origin)/api/entries"],
        "{\"title\":\"Hollowmere\",\"body\":\"Pinderby. ![](velloweed.png)\"}")
      #expect(made.status == 0 && made.output.contains("201 Created"), "\(made)")
      let href = try #require(
        made.output.firstMatch(of: /"href":"\/e\/([^"]+)"/)?.output.1)
      let added = try await ask([
        "-H", "Content-Type: image/png", "--data-binary", "@own/velloweed.png",
        "\(origin)/api/entries/\(href)/files?name=velloweed.png",
      ])
      #expect(added.output.contains("velloweed"), "\(added)")
      for address in ["/?q=grapplewort", "/e/\(href)", "/pictures", "/api/entries?q=pinderby"] {
        let answer = try await ask(["-i", origin + address])
        #expect(answer.output.contains("cache-control: no-store"), "\(answer)")
      }
      let folder = href.split(separator: "/").dropLast().joined(separator: "/")
      let picture = try await ask(
        [
          "-o", "/dev/null", "-D", "-",
          "\(origin)/f/\(folder.isEmpty ? "" : folder + "/")velloweed.png",
        ])
      #expect(picture.output.contains("cache-control: no-store"), "\(picture)")
    }
  }

  private func expectNoWords() async throws {
    let words = Self.words.joined(separator: "|")
    let texts = try await home.run(
      "grep",
      ["-raliE", words, "--exclude-dir=j", "--exclude-dir=\(Self.own)", ".", "/dev/shm"])
    #expect(texts.status == 1 && texts.output == "", "\(texts)")
    let names = try await home.run(
      "find",
      [".", "/dev/shm", "(", "-path", "./j", "-o", "-path", "./own", ")", "-prune", "-o", "-print"])
    #expect(names.output.contains("./host.git/objects") && names.output.contains("./j.locked/"))
    #expect(!names.output.lowercased().contains(try Regex(words)), "\(names)")
    // git compresses what the host has.
    let objects = try await home.run(
      "sh",
      ["-c", "git -C host.git cat-file --batch-all-objects --batch | grep -acE 'sealed|diary'"])
    #expect(objects.status == 0, "\(objects)")
    let plain = try await home.run(
      "sh", ["-c", "git -C host.git cat-file --batch-all-objects --batch | grep -aciE '\(words)'"])
    #expect(plain.output == "0\n", "\(plain)")
  }
}
