import DiaryKit
import Foundation
import TestSupport
import Testing

@testable import WebPage

/// The screens of an entry's history and of deleted entries, and what they can bring back.
@Suite struct PastTests {
  private func restore(_ site: ServedJournal, _ path: String, _ body: String) async throws
    -> RawResponse
  {
    try await site.send("POST", "/api/restore/" + path, body: Array(body.utf8))
  }

  @Test func `a version shows the words that came and went, or its text`() async throws {
    let files = ["a.md": "---\ntitle: Day\n---\nRain & soup all day.\n"]
    try await ServedJournal.serve(files) { site in
      try site.home.write("---\ntitle: Day\nstarred: true\n---\nSun & soup.\n", to: "j/a.md")
      try await site.home.diary("save", in: "j")
      let list = try await site.send("GET", "/h/a.md")
      #expect(
        list.text.contains("<del>Rain</del><ins>Sun</ins> … <del>soup all day.</del>"),
        "\(list.text)")
      let commits = list.text.matches(of: #/\?at=([0-9a-f]+)/#).map { String($0.1) }
      try #require(commits.count == 2)
      let changes = try await site.send("GET", "/h/a.md?at=" + commits[0])
      #expect(changes.text.contains("<ins>starred: true\n</ins>"), "\(changes.text)")
      #expect(changes.text.contains("<del>Rain</del><ins>Sun</ins> &amp; <del>soup all day.</del>"))
      let text = try await site.send("GET", "/h/a.md?at=\(commits[0])&as=text")
      #expect(text.text.contains("<p>Sun &amp; soup.</p>") && !text.text.contains("<del>"))
      // All of the first version is new, so it shows its text.
      let first = try await site.send("GET", "/h/a.md?at=" + commits[1])
      #expect(first.text.contains("<p>Rain &amp; soup all day.</p>"))
      #expect(!first.text.contains("<ins>"))
    }
  }

  @Test func `other line ends are no visible signs in the changes`() async throws {
    try await ServedJournal.serve(["a.md": "one\r\ntwo\r\n"]) { site in
      try site.home.write("one\r\nthree\r\n", to: "j/a.md")
      try await site.home.diary("save", in: "j")
      let list = try await site.send("GET", "/h/a.md").text
      let commit = try #require(list.firstMatch(of: #/\?at=([0-9a-f]+)/#)).1
      let text = try await site.send("GET", "/h/a.md?at=\(commit)").text
      #expect(text.contains("one\n<del>two</del><ins>three</ins>\n"), "\(text)")
      #expect(!text.contains("\\x0D"))
    }
  }

  @Test func `versions of one minute are told apart by their seconds`() async throws {
    try await ServedJournal.serve { site in
      for (text, second) in [("two", 4), ("three", 9)] {
        try site.home.write(text + "\n", to: "j/a.md")
        try await site.home.git("add", "-A", in: "j")
        try await site.home.git(
          "commit", "-qm", text, "--date=2026-11-21T09:04:0\(second)+09:00", in: "j")
      }
      let text = try await site.send("GET", "/h/a.md").text
      #expect(text.contains("<b>November 21, 2026, 9:04:04 AM</b>"), "\(text)")
      #expect(text.contains("<b>November 21, 2026, 9:04:09 AM</b>"))
    }
  }

  @Test func `a deleted entry is listed for 30 days, can be read, and comes back`() async throws {
    try await ServedJournal.serve(
      ["2026/a <b>.md": "---\ntitle: Soup & tea\n---\nLeeks.\n", "b.md": "Untouched.\n"]
    ) { site in
      let path = "2026/a%20%3Cb%3E.md"
      let deleted = try await site.send(
        "DELETE", "/api/entries/" + path, fields: ["If-Match: *"])
      #expect(deleted.status == 200)
      let list = try await site.send("GET", "/deleted")
      #expect(list.text.contains("Soup &amp; tea") && list.text.contains("Leeks."))
      #expect(list.text.contains("Delete “Soup") || list.text.contains("Delete &quot;Soup"))
      #expect(!list.text.contains("Untouched"))
      let history = try await site.send("GET", "/h/" + path)
      #expect(history.status == 200 && history.text.contains("href=\"/deleted\""))
      let commit = try #require(history.text.firstMatch(of: #/\?at=([0-9a-f]+)/#)).1
      let text = try await site.send("GET", "/h/\(path)?at=\(commit)&as=text")
      #expect(text.text.contains("<p>Leeks.</p>"))

      let restored = try await restore(site, path, "{}")
      #expect(restored.status == 200 && restored.text == "{\"href\":\"/e/\(path)\"}")
      #expect(try site.home.read("j/2026/a <b>.md").contains("Leeks."))
      #expect(try await restore(site, path, "{}").status != 200, "it still exists")
      #expect(try await restore(site, "2026/none.md", "{}").status == 404)

      try await site.home.git("rm", "-q", "b.md", in: "j")
      try await site.home.git("commit", "-qm", "old", "--date=2026-10-12T09:04:00+09:00", in: "j")
      let later = try await site.send("GET", "/deleted")
      #expect(later.text.contains("id=\"none\"") && !later.text.contains("Untouched"))
    }
  }

  @Test func `only deleted entries are brought back, no renamed ones and no other files`()
    async throws
  {
    try await ServedJournal.serve(["a.md": "one\n", "b.md": "two\n", "c.txt": "three\n"]) { site in
      try await site.home.git("mv", "a.md", "moved.md", in: "j")
      try await site.home.git("rm", "-q", "b.md", "c.txt", in: "j")
      try await site.home.git("commit", "-qm", "elsewhere", in: "j")
      for (path, status) in [("a.md", 404), ("c.txt", 404), ("b.md", 200)] {
        #expect(try await site.send("GET", "/h/" + path).status == status, "\(path)")
        #expect(try await restore(site, path, "{}").status == status, "\(path)")
      }
      #expect(try site.home.read("j/b.md") == "two\n")
      #expect(!site.home.exists("j/a.md") && !site.home.exists("j/c.txt"))
    }
  }

  @Test func `the next undo and redo are those of the commands`() async throws {
    try await ServedJournal.serve(["a.md": "one\n", "b.md": "two\n"]) { site in
      func steps() async throws -> [String] {
        try await site.send("GET", "/deleted").text
          .matches(of: #/data-step="([^"]+)"/#).map { String($0.1) }
      }
      #expect(try await steps().isEmpty)
      try await site.home.diary("star", "a.md", in: "j")
      try await site.home.diary("delete", "--yes", "b.md", in: "j")
      let first = try await steps()
      try #require(first.count == 1)
      #expect(try await site.send("POST", "/api/steps/" + first[0]).status == 204)
      #expect(try site.home.read("j/b.md") == "two\n")
      // The step that was shown is not the next one any more.
      #expect(try await site.send("POST", "/api/steps/" + first[0]).status != 204)
      #expect(try site.home.read("j/a.md").contains("starred"))
      let second = try await steps()
      try #require(second.count == 2)
      #expect(try await site.send("POST", "/api/steps/" + second[1]).status == 204)
      #expect(!site.home.exists("j/b.md"))
      #expect(try await site.home.diary("undo", "--yes", in: "j").status == 0)
      #expect(site.home.exists("j/b.md"))
    }
  }

  @Test func `a read-only page brings nothing back`() async throws {
    var options = PageOptions()
    options.isReadOnly = true
    try await ServedJournal.serve(options: options) { site in
      try await site.home.diary("star", "a.md", in: "j")
      let page = try await site.send("GET", "/deleted")
      #expect(page.status == 200 && !page.text.contains("data-step"))
      for address in ["/api/restore/a.md", "/api/steps/1-2"] {
        #expect(try await site.send("POST", address, body: Array("{}".utf8)).status == 403)
      }
    }
  }
}
