import DiaryKit
import Foundation
import TestSupport
import Testing

@testable import WebPage

@Suite struct EntriesTests {
  private struct Entry: Decodable {
    let path: String
    let href: String
    let title: String
    let editableTitle: String
    let titleFrom: String
    let body: String
    let version: String
    let dateText: String?
  }

  private struct Saved: Decodable {
    struct Text: Decodable { let title: String, body: String }
    let version: String
    let text: Text?
    let keptBoth: Bool
    let moved: String?
  }

  private struct Created: Decodable {
    let href: String
    let version: String
    let text: Saved.Text?
  }

  private struct Page: Decodable {
    struct Row: Decodable { let path: String, title: String, href: String }
    let rows: [Row]
    let next: String?
  }

  private func decoded<Value: Decodable>(
    _ type: Value.Type, _ answer: RawResponse
  ) throws -> Value {
    try JSONDecoder().decode(type, from: Data(answer.text.utf8))
  }

  private func put(
    _ site: ServedJournal, _ address: String, _ version: String, title: String, body: String,
    leaving: Bool = false
  ) async throws -> RawResponse {
    struct Sent: Encodable { let title: String, body: String, leaving: Bool }
    let sent = try JSONEncoder().encode(Sent(title: title, body: body, leaving: leaving))
    return try await site.send(
      "PUT", "/api/entries/" + address, fields: ["If-Match: \"\(version)\""], body: Array(sent))
  }

  @Test func `the state of the journal equals the output of diary status --json`() async throws {
    try await ServedJournal.serve { site in
      try site.home.write("two\n", to: "j/b.md")
      let answer = try await site.send("GET", "/api/status")
      let printed = try await site.home.diary("status", "--json", in: "j")
      let status = try JSONSerialization.jsonObject(with: Data(answer.body)) as? NSDictionary
      let expected = try JSONSerialization.jsonObject(with: Data(printed.output.utf8))
      #expect(status?["unsaved"] as? [String] == ["b.md"])
      #expect(status == expected as? NSDictionary, "\(answer.text)\n\(printed)")
    }
  }

  @Test func `a new entry is created once, renamed after editing, and found by both names`()
    async throws
  {
    try await ServedJournal.serve { site in
      let words = Array(#"{"title":"First words","body":""}"#.utf8)
      let key = ["Idempotency-Key: 7c1f"]
      let made = try await site.send("POST", "/api/entries", fields: key, body: words)
      #expect(made.status == 201)
      let entry = try decoded(Entry.self, made)
      #expect(entry.editableTitle == "First words")
      let again = try await site.send("POST", "/api/entries", fields: key, body: words)
      #expect(try decoded(Entry.self, again).path == entry.path)

      let address = String(entry.href.dropFirst(3))
      let saved = try await put(
        site, address, entry.version, title: "First words", body: "and more", leaving: true)
      #expect(saved.status == 200)
      let moved = try #require(try decoded(Saved.self, saved).moved)
      #expect(moved.hasSuffix("first-words.md"))

      let old = try await site.send("GET", "/api/entries/" + address)
      #expect(try decoded(Entry.self, old).body == "and more")
      let document = try await site.send("GET", entry.href)
      #expect(document.status == 307 && document["location"] == moved)
      let all = try decoded(Page.self, try await site.send("GET", "/api/entries"))
      #expect(all.rows.map(\.title) == ["First words", "one"])
    }
  }

  @Test func `only text added by a template is sent to the page`() async throws {
    try await ServedJournal.serve { site in
      func create(_ title: String, _ body: String) async throws -> Created {
        let sent = try JSONEncoder().encode(["title": title, "body": body])
        return try decoded(
          Created.self,
          try await site.send(
            "POST", "/api/entries", fields: ["Idempotency-Key: \(UUID())"],
            body: Array(sent)))
      }
      #expect(try await create("Titled", "First words.").text == nil)
      #expect(try await create("", "First line.\nSecond line.").text == nil)
      #expect(try await create("한", "").text == nil)
      try site.home.write(
        "---\ndate: {{date}}\n---\n\nGrateful for:\n", to: "j/.diary/templates/plain.md")
      let made = try await create("Thanks", "The rain.")
      let text = try #require(made.text)
      #expect(text.title == "Thanks")
      #expect(text.body.contains("Grateful for:") && text.body.contains("The rain."))
      let saved = try await put(
        site, String(made.href.dropFirst(3)), made.version, title: text.title,
        body: text.body + " And soup.")
      #expect(saved.status == 200)
      let entry = try await site.send("GET", "/api/entries/" + made.href.dropFirst(3))
      #expect(try decoded(Entry.self, entry).body.contains("Grateful for:"))
    }
  }

  @Test func `a name freed by a renamed entry is not used for the next entry`() async throws {
    try await ServedJournal.serve { site in
      func create(_ title: String) async throws -> Entry {
        let body = Array("{\"title\":\"\(title)\",\"body\":\"\",\"leaving\":false}".utf8)
        return try decoded(
          Entry.self,
          try await site.send(
            "POST", "/api/entries", fields: ["Idempotency-Key: \(title)"], body: body))
      }
      let first = try await create("first")
      let address = String(first.href.dropFirst(3))
      let left = try await site.send("POST", "/api/entries/\(address)/left")
      #expect(left.status == 200)
      let second = try await create("second")
      // A page may still have the old address.
      #expect(second.href != first.href)
      #expect(second.editableTitle == "second")
      let own = String(second.href.dropFirst(3))
      let saved = try await put(site, own, second.version, title: "second", body: "words")
      #expect(saved.status == 200)
      let rows = try decoded(Page.self, try await site.send("GET", "/api/entries")).rows
      #expect(Set(rows.map(\.title)) == ["first", "second", "one"])
      let old = try #require(rows.first { $0.title == "first" })
      let entry = try await site.send("GET", "/api/entries/" + old.href.dropFirst(3))
      #expect(try decoded(Entry.self, entry).body.isEmpty)
      let late = try await put(site, address, first.version, title: "first", body: "late")
      #expect(late.status == 200)
      let kept = try await site.send("GET", "/api/entries/" + old.href.dropFirst(3))
      #expect(try decoded(Entry.self, kept).body.contains("late"))
    }
  }

  @Test func `a change by another editor is merged and returned`() async throws {
    try await ServedJournal.serve(["a.md": "# T\n\none\n\ntwo\n\nthree\n"]) { site in
      let entry = try decoded(Entry.self, try await site.send("GET", "/api/entries/a.md"))
      #expect(entry.title == "T" && entry.titleFrom == "heading")
      try site.home.write("# T\n\none\n\ntwo\n\nthree, by vim\n", to: "j/a.md")
      let saved = try await put(
        site, "a.md", entry.version, title: "T", body: "one, by page\n\ntwo\n\nthree")
      let answer = try decoded(Saved.self, saved)
      #expect(answer.text?.body == "one, by page\n\ntwo\n\nthree, by vim")
      #expect(!answer.keptBoth)
      let same = try await put(
        site, "a.md", answer.version, title: "T", body: try #require(answer.text?.body))
      #expect(try decoded(Saved.self, same).version == answer.version)
      #expect(try decoded(Saved.self, same).text == nil)
    }
  }

  @Test func `a save needs a version and does not recreate a deleted entry`() async throws {
    try await ServedJournal.serve { site in
      let body = Array(#"{"title":"x","body":"y"}"#.utf8)
      #expect(try await site.send("PUT", "/api/entries/a.md", body: body).status == 428)
      #expect(try await site.send("DELETE", "/api/entries/a.md").status == 428)
      let entry = try decoded(Entry.self, try await site.send("GET", "/api/entries/a.md"))
      let gone = try await site.send("DELETE", "/api/entries/a.md", fields: ["If-Match: *"])
      #expect(gone.status == 200)
      struct Undo: Decodable { let undo: String }
      let undo = try decoded(Undo.self, gone).undo
      let late = try await put(site, "a.md", entry.version, title: "x", body: "y")
      #expect(late.status == 410)
      #expect(try decoded(Page.self, try await site.send("GET", "/api/entries")).rows.isEmpty)

      let back = try await site.send("POST", "/api/undo/" + undo)
      #expect(try decoded(Entry.self, back).path == "a.md")
      #expect(try decoded(Page.self, try await site.send("GET", "/api/entries")).rows.count == 1)
      #expect(try await site.send("GET", "/api/entries/no.md").status == 404)
    }
  }

  @Test func `the parts of the list neither repeat nor omit a row`() async throws {
    let files = Dictionary(
      uniqueKeysWithValues: (10...35).map {
        ("2026/n \($0)&%.md", "# No. \($0)\n\nword\($0 % 2)\n")
      })
    try await ServedJournal.serve(files) { site in
      var found: [String] = []
      var next: String? = ""
      while let cursor = next {
        let after = cursor.isEmpty ? "" : "&after=" + cursor
        let page = try decoded(
          Page.self, try await site.send("GET", "/api/entries?limit=10" + after))
        if found.isEmpty { try site.home.write("# New\n", to: "j/2026-11-21-new.md") }
        found += page.rows.map(\.title)
        next = page.next
      }
      #expect(found == (10...35).reversed().map { "No. \($0)" })
      let hits = try decoded(Page.self, try await site.send("GET", "/api/entries?q=word1&limit=60"))
      #expect(hits.rows.count == 13)
      #expect(try await site.send("GET", "/api/entries?after=x").status == 400)
      for row in hits.rows.prefix(2) {
        let answer = try await site.send("GET", "/api/entries/" + row.href.dropFirst(3))
        #expect(try decoded(Entry.self, answer).path == row.path)
      }
    }
  }

  @Test func `phrases, OR and NOT are read as in the command`() async throws {
    try await ServedJournal.serve { site in
      try site.home.write("# Market\n\nLeeks by the river, and kale.\n", to: "j/2026-11-21.md")
      try site.home.write("# Supper\n\nKale soup; by then the fog.\n", to: "j/2026-11-20.md")
      try site.home.write("# Walk\n\nFog over the fields.\n", to: "j/2026-11-19.md")
      for (query, titles) in [
        ("%22by%20the%20river%22", ["Market"]), ("leeks%20OR%20fog", ["Market", "Supper", "Walk"]),
        ("kale%20NOT%20soup", ["Market"]), ("kale%20or%20leeks", []),
        ("NOT%20%22by%20then%22%20fog", ["Walk"]),
      ] {
        let found = try decoded(Page.self, try await site.send("GET", "/api/entries?q=" + query))
        #expect(found.rows.map(\.title).filter { titles.contains($0) } == titles, "\(query)")
        #expect(
          found.rows.allSatisfy {
            !["Market", "Supper", "Walk"].contains($0.title) || titles.contains($0.title)
          },
          "\(query)")
      }
    }
  }

  @Test func `an earlier version can be viewed and restored`() async throws {
    try await ServedJournal.serve { site in
      let entry = try decoded(Entry.self, try await site.send("GET", "/api/entries/a.md"))
      _ = try await put(site, "a.md", entry.version, title: "one", body: "changed later")
      let history = try await site.send("GET", "/h/a.md")
      let commits = history.text.matches(of: #/\?at=([0-9a-f]+)/#).map { String($0.1) }
      #expect(commits.count == 2)
      let old = try #require(commits.last)
      let shown = try await site.send("GET", "/h/a.md?at=" + old)
      #expect(shown.status == 200 && !shown.text.contains("changed later"))
      let restored = try await site.send(
        "POST", "/api/restore/a.md", body: Array("{\"at\":\"\(old)\"}".utf8))
      #expect(restored.status == 200)
      let now = try decoded(Entry.self, try await site.send("GET", "/api/entries/a.md"))
      #expect(now.version == entry.version)
      #expect(try await site.send("GET", "/h/a.md?at=0000000").status == 404)
    }
  }

  @Test func `documents and copies are in the language of the browser`() async throws {
    let files = [
      "2025-11-21-then.md": "---\nweather: Clear, 9°C\n---\n# Then\n\nA *year* ago.\n",
      "2026-11-20.md": "hello\n",
    ]
    try await ServedJournal.serve(files) { site in
      let korean = ["Accept-Language: ko-KR,ko;q=0.9,en;q=0.5"]
      let list = try await site.send("GET", "/", fields: korean)
      #expect(list.status == 200 && list.text.contains("일기장"))
      #expect(list.text.contains("id=\"same-day\"") && list.text.contains("2025년 11월 21일"))
      #expect(try await HTMLCheck.read(list.text).errors == [])
      let old = try await site.send("GET", "/r/2025-11-21-then.md", fields: korean)
      #expect(old["location"] == "/e/2025-11-21-then.md")
      let reading = try await site.send("GET", "/e/2025-11-21-then.md", fields: korean)
      #expect(reading.text.contains("<em>year</em>") && reading.text.contains("맑음, 9°C</span>"))
      #expect(try await HTMLCheck.read(reading.text).errors == [])
      let copy = try await site.send("GET", "/api/share/2025-11-21-then.md?format=md")
      #expect(copy.text.contains("A *year* ago."))
      let page = try await site.send("GET", "/api/share/2025-11-21-then.md?format=html")
      #expect(page["content-disposition"]?.hasPrefix("attachment") == true)
      let missing = try await site.send("GET", "/e/none.md", fields: korean)
      #expect(missing.status == 404 && missing.text.contains("<html lang=\"ko\">"))
      // One that never was is not said to be gone.
      #expect(missing.text.contains("none.md 파일이 없습니다"), "\(missing.text)")
    }
  }

  @Test func `turning the weather off is a user setting and hides the question`() async throws {
    try await ServedJournal.serve { site in
      #expect(try await site.send("GET", "/").text.contains("ask-weather"))
      let off = try await site.send("PUT", "/api/weather", body: Array(#"{"off":true}"#.utf8))
      #expect(off.status == 200)
      let settings = try String(
        contentsOfFile: site.journal.environment.personalSettingsPath, encoding: .utf8)
      #expect(settings.contains("off"))
      #expect(try await !site.send("GET", "/").text.contains("ask-weather"))
      let bad = try await site.send("PUT", "/api/weather", body: Array(#"{"latitude":99}"#.utf8))
      #expect(bad.status == 400)
    }
  }
}
