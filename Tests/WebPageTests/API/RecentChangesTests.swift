import DiaryCore
import DiaryKit
import Foundation
import TestSupport
import Testing

@testable import WebPage

/// What a page sends twice, late, or to an address that the entry no longer has.
@Suite struct RecentChangesTests {
  private struct Entry: Decodable {
    let path: String
    let href: String
    let body: String
    let version: String
  }

  private struct Saved: Decodable {
    struct Text: Decodable { let title: String, body: String }
    let version: String
    let text: Text?
    let moved: String?
  }

  private struct Sent: Encodable {
    var title = ""
    let body: String
    var page: String?
    var number: Int?
    var zone: String?
  }

  private func decoded<Value: Decodable>(
    _ type: Value.Type, _ answer: RawResponse
  ) throws -> Value {
    try JSONDecoder().decode(type, from: Data(answer.text.utf8))
  }

  private func get(_ site: ServedJournal, _ address: String = "a.md") async throws -> Entry {
    try decoded(Entry.self, try await site.send("GET", "/api/entries/" + address))
  }

  private func put(
    _ site: ServedJournal, _ version: String, _ sent: Sent
  ) async throws -> RawResponse {
    try await site.send(
      "PUT", "/api/entries/a.md", fields: ["If-Match: \"\(version)\""],
      body: Array(try JSONEncoder().encode(sent)))
  }

  @Test(arguments: [false, true])
  func `a page that is left during a save sends one text, not two`(
    _ isReversed: Bool
  ) async throws {
    try await ServedJournal.serve(["a.md": "# T\n\nA walk.\n\nSoup.\n"]) { site in
      let version = try await get(site).version
      var texts = [
        Sent(title: "T", body: "A walk by the river and the mill.\n\nSoup.", page: "p", number: 1),
        Sent(title: "T", body: "A walk by the river.\n\nSoup.", page: "p", number: 2),
      ]
      if isReversed { texts.reverse() }
      for (number, sent) in texts.enumerated() {
        let answer = try await put(site, version, sent)
        #expect(answer.status == 200, "\(answer.text)")
        // Another program writes between them.
        if number == 0 {
          let text = try site.home.read("j/a.md").replacing("Soup.", with: "Soup, by vim.")
          try site.home.write(text, to: "j/a.md")
        }
        if number == 1 {
          let text = try decoded(Saved.self, answer).text
          #expect(text?.body == "A walk by the river.\n\nSoup, by vim.")
        }
      }
      #expect(try await get(site).body == "A walk by the river.\n\nSoup, by vim.")
      // Two pages are two writers.
      let other = Sent(title: "T", body: "A walk home.\n\nSoup.", page: "q", number: 1)
      #expect(try await put(site, version, other).status == 200)
      let both = try await get(site).body
      #expect(both.contains("by the river") && both.contains("home"), "\(both)")
    }
  }

  @Test func `a text of a page that was not written is no base of the next one`() async throws {
    try await ServedJournal.serve(["a.md": "# T\n\nA walk.\n"]) { site in
      let version = try await get(site).version
      let refused = try await put(
        site, version, Sent(title: "T", body: "A walk.\n\nMill\u{0}.", page: "p", number: 1))
      #expect(refused.status != 200, "\(refused.text)")
      let next = Sent(title: "T", body: "A walk.\n\nMill.", page: "p", number: 2)
      #expect(try await put(site, version, next).status == 200)
      #expect(try await get(site).body == "A walk.\n\nMill.")
    }
  }

  @Test func `texts that a page sends at once are written one after the other`() async throws {
    try await ServedJournal.serve(["a.md": "# T\n\nA walk.\n"]) { site in
      let version = try await get(site).version
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 1...8 {
          group.addTask {
            let body = "A walk" + String(repeating: " on", count: number) + "."
            let sent = Sent(title: "T", body: body, page: "p", number: number)
            let answer = try await put(site, version, sent)
            #expect(answer.status == 200, "\(answer.text)")
          }
        }
        try await group.waitForAll()
      }
      let last = "A walk" + String(repeating: " on", count: 8) + "."
      #expect(try await get(site).body == last)
    }
  }

  @Test(arguments: [("Pacific/Kiritimati", "+14:00"), ("no zone", "+09:00"), (nil, "+09:00")])
  func `a new entry has the day of the writer, not of the server`(
    _ zone: String?, _ offset: String
  ) async throws {
    try await ServedJournal.serve { site in
      let sent = try JSONEncoder().encode(Sent(body: "Late.", zone: zone))
      let made = try await site.send(
        "POST", "/api/entries", fields: ["Idempotency-Key: 1"], body: Array(sent))
      let text = try site.home.read("j/" + decoded(Entry.self, made).path)
      let date = text.split(separator: "\n").first { $0.hasPrefix("date: ") }
      #expect(date?.hasSuffix(offset) == true, "\(text)")
    }
  }

  @Test func `an entry that a command has renamed is found by its old address`() async throws {
    try await ServedJournal.serve(["a.md": "# T\n\nA walk by the river.\n\nSoup.\n"]) { site in
      let version = try await get(site).version
      for name in ["Mill", "Lake"] {
        let file = site.home.files(in: "j").first { $0.hasSuffix(".md") } ?? ""
        let renamed = try await site.home.diary("rename", file, name, in: "j")
        #expect(renamed.status == 0, "\(renamed)")
        #expect(!site.home.exists("j/" + file))
      }
      #expect(try await get(site).path == "lake.md")
      #expect(try await site.send("GET", "/e/a.md")["location"] == "/e/lake.md")
      let sent = Sent(title: "T", body: "A walk by the river, at dusk.\n\nSoup.")
      let saved = try decoded(Saved.self, try await put(site, version, sent))
      #expect(saved.moved == "/e/lake.md" && saved.text?.title == "Lake")
      #expect(try site.home.read("j/lake.md").contains("at dusk"))
      // What is gone stays gone.
      #expect(try await site.home.diary("delete", "lake.md", "--yes", in: "j").status == 0)
      #expect(try await put(site, saved.version, sent).status == 410)
      #expect(try await site.send("GET", "/api/entries/a.md").status == 404)
    }
  }

  @Test func `a name that another entry had before leads to the present one`() async throws {
    let files = ["a.md": "# A\n\nLeeks and soup.\n", "b.md": "# B\n\nThe river at dusk.\n"]
    try await ServedJournal.serve(files) { site in
      for (old, new) in [("b.md", "c.md"), ("a.md", "b.md")] {
        try await site.home.git("mv", old, new, in: "j")
        try await site.home.git("commit", "-qm", "move", in: "j")
      }
      #expect(try await get(site).path == "b.md")
      // A file that came to the old name was no move when it went.
      try site.home.write("# New\n\nSomething else.\n", to: "j/a.md")
      try await site.home.git("add", "a.md", in: "j")
      try await site.home.git("commit", "-qm", "new", in: "j")
      #expect(try await get(site).path == "a.md")
      try await site.home.run("rm", ["a.md"], in: "j")
      #expect(try await site.send("GET", "/api/entries/a.md").status == 404)
      // Nothing is deleted by an address that is old.
      try await site.home.git("commit", "-qam", "gone", in: "j")
      try await site.home.git("mv", "b.md", "d.md", in: "j")
      try await site.home.git("commit", "-qm", "move", in: "j")
      let deleted = try await site.send("DELETE", "/api/entries/b.md", fields: ["If-Match: *"])
      #expect(deleted.status == 404 && site.home.exists("j/d.md"), "\(deleted.text)")
    }
  }

  @Test func `an entry that was moved twice is not its namesake`() async throws {
    try await ServedJournal.serve(["a.md": "# A\n\nLeeks and soup.\n"]) { site in
      for (old, new) in [("a.md", "b.md"), ("b.md", "c.md")] {
        try await site.home.git("mv", old, new, in: "j")
        try await site.home.git("commit", "-qm", "move", in: "j")
      }
      try site.home.write("# Other\n\nThe river.\n", to: "j/b.md")
      try await site.home.git("add", "-A", in: "j")
      try await site.home.git("commit", "-qm", "new", in: "j")
      #expect(try await get(site).path == "c.md")
      // Nor is one that came to the name of a deleted one.
      try await site.home.git("rm", "-q", "c.md", in: "j")
      try await site.home.git("commit", "-qm", "gone", in: "j")
      try site.home.write("# Other\n\nThe mill.\n", to: "j/c.md")
      try await site.home.git("add", "-A", in: "j")
      try await site.home.git("commit", "-qm", "new", in: "j")
      #expect(try await site.send("GET", "/api/entries/a.md").status == 404)
    }
  }

  @Test(arguments: [(20, 200), (40, 404)])
  func `a move of the last 30 days is found, however it came`(
    _ days: Int, _ status: Int
  ) async throws {
    try await ServedJournal.serve(["a.md": "# A\n\nLeeks and soup.\n"]) { site in
      // As a device that was offline makes it: before commits that are here already.
      let date = "@\(1_795_262_640 - days * 86_400) +0000"
      let script = """
        export GIT_COMMITTER_DATE="$1" GIT_AUTHOR_DATE="$1"
        git checkout -q --orphan old && git commit -qm begin && git mv a.md b.md && git commit -qm move
        """
      let moved = try await site.home.run("sh", ["-ec", script, "sh", date], in: "j")
      #expect(moved.status == 0, "\(moved)")
      #expect(try await site.send("GET", "/api/entries/a.md").status == status)
    }
  }

  @Test(arguments: [false, true])
  func `another entry of the same template is no moved one`(_ isSame: Bool) async throws {
    @Sendable func text(_ word: String) -> String {
      "# Morning\n\n## Slept\n\n\(word)\n\n## Grateful for\n\nCoffee\n\n## Plan for today\n\n- [ ] Write\n"
    }
    try await ServedJournal.serve(["a.md": text("Well")]) { site in
      let version = try await get(site).version
      if isSame {
        // Also the same text is another entry if this one was deleted on purpose.
        #expect(try await site.home.diary("delete", "a.md", "--yes", in: "j").status == 0)
      } else {
        try await site.home.git("rm", "-q", "a.md", in: "j")
      }
      try site.home.write(text(isSame ? "Well" : "Badly"), to: "j/b.md")
      try await site.home.git("add", "-A", in: "j")
      try await site.home.git("commit", "-qm", "both", in: "j")
      #expect(try await site.send("GET", "/api/entries/a.md").status == 404)
      let sent = Sent(title: "Morning", body: "Typed in a.")
      #expect(try await put(site, version, sent).status == 410)
      #expect(try !site.home.read("j/b.md").contains("Typed"))
    }
  }

  @Test func `an address that a page has changed twice leads to its own entry`() async throws {
    try await ServedJournal.serve(["1.md": "# One\n", "2.md": "# Two\n"]) { site in
      let changes = site.server.recentChanges
      let paths = try (0...3).map { try #require(EntryPath("\($0).md")) }
      await changes.recordMove(paths[3], to: paths[2])
      await changes.recordMove(paths[2], to: paths[1])
      #expect(await changes.currentPath(of: paths[3], in: site.journal) == paths[1])
      // Another entry with the name between.
      try site.home.write("# Other\n", to: "j/2.md")
      #expect(await changes.currentPath(of: paths[3], in: site.journal) == paths[1])
      // Another entry gets the name, so the first one is not there any more.
      await changes.recordMove(paths[0], to: paths[1])
      #expect(await changes.currentPath(of: paths[3], in: site.journal) == paths[3])
    }
  }

  @Test func `an entry that was brought back and then renamed is followed`() async throws {
    try await ServedJournal.serve(["a.md": "# T\n\nA walk by the river.\n"]) { site in
      for words in [
        ["delete", "a.md", "--yes"], ["restore", "a.md"], ["rename", "a.md", "Mill"],
      ] {
        let done = try await site.home.run(Sandbox.programs + "/diary", words, in: "j")
        #expect(done.status == 0, "\(words): \(done)")
      }
      #expect(try await get(site).path == "mill.md")
    }
  }

  @Test func `the first text of a new entry, sent late, is no change of a later one`() async throws
  {
    try await ServedJournal.serve { site in
      func post(_ sent: Sent) async throws -> Entry {
        try decoded(
          Entry.self,
          try await site.send(
            "POST", "/api/entries", fields: ["Idempotency-Key: 1"],
            body: Array(try JSONEncoder().encode(sent))))
      }
      _ = try await post(Sent(body: "First words and later ones.", page: "p", number: 2))
      let late = try await post(Sent(body: "First words.", page: "p", number: 1))
      #expect(try site.home.read("j/" + late.path).hasSuffix("First words and later ones.\n"))
      let more = try await post(Sent(body: "First words and more.", page: "p", number: 3))
      #expect(try site.home.read("j/" + more.path).hasSuffix("First words and more.\n"))
      // Another page with its draft counts anew.
      let draft = try await post(Sent(body: "First words and more. A draft.", page: "q", number: 1))
      #expect(try site.home.read("j/" + draft.path).hasSuffix("A draft.\n"))
    }
  }

  @Test func `the name that a new entry had at first is not given to another one`() async throws {
    try await ServedJournal.serve { site in
      func create(_ title: String) async throws -> String {
        let sent = try JSONEncoder().encode(Sent(title: title, body: title + " came."))
        return try decoded(
          Entry.self,
          try await site.send(
            "POST", "/api/entries", fields: ["Idempotency-Key: \(title)"], body: Array(sent))
        ).path
      }
      let first = try await create("Alpha")
      #expect(try await site.send("POST", "/api/entries/\(first)/left").status == 200)
      let second = try await create("Beta")
      #expect(second != first)
      #expect(try await get(site, first).body.contains("Alpha"))
    }
  }

  @Test(arguments: ["diary", "rm"])
  func `a deleted entry is brought back with its header`(_ program: String) async throws {
    let text = "---\ndate: 2026-11-20\ntags: [soup]\n---\n# T\n\nLeeks.\n"
    try await ServedJournal.serve(["a.md": text]) { site in
      _ = try await get(site)
      let command = program == "rm" ? "rm" : Sandbox.programs + "/diary"
      let words = program == "rm" ? ["a.md"] : ["delete", "--yes", "a.md"]
      #expect(try await site.home.run(command, words, in: "j").status == 0)
      let back = try await site.send("POST", "/api/restore/a.md", body: Array("{}".utf8))
      #expect(back.status == 200, "\(back.text)")
      #expect(try site.home.read("j/a.md") == text)
    }
  }
}
