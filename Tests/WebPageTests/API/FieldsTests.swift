import DiaryKit
import Foundation
import TestSupport
import Testing

@testable import WebPage

/// `PATCH /api/entries/PATH`: star, tags, date and place of an entry.
@Suite struct FieldsTests {
  private struct Changed: Decodable {
    struct Entry: Decodable {
      let path: String, version: String, body: String
      let starred: Bool, tags: [String], headerTags: [String]
      let date: String?, place: String?
    }
    let entry: Entry
    let moved: String?
    let notes: [String]
  }

  private struct Failure: Decodable { let what: String, hint: String? }

  private func decoded<Value: Decodable>(
    _ type: Value.Type, _ answer: RawResponse
  ) throws -> Value {
    try JSONDecoder().decode(type, from: Data(answer.text.utf8))
  }

  private func version(_ site: ServedJournal, _ path: String) async throws -> String {
    struct Entry: Decodable { let version: String }
    return try decoded(Entry.self, try await site.send("GET", "/api/entries/" + path)).version
  }

  /// Sends a change as the page does; from the present version without another one.
  private func patch(
    _ site: ServedJournal, _ path: String, _ fields: String, from version: String? = nil
  ) async throws -> RawResponse {
    var from = version
    if from == nil { from = try await self.version(site, path) }
    return try await site.send(
      "PATCH", "/api/entries/" + path, fields: ["If-Match: \"\(from ?? "")\""],
      body: Array(fields.utf8))
  }

  private func changed(
    _ site: ServedJournal, _ path: String, _ fields: String, from version: String? = nil
  ) async throws -> Changed {
    let answer = try await patch(site, path, fields, from: version)
    #expect(answer.status == 200, "\(answer.text)")
    return try decoded(Changed.self, answer)
  }

  @Test func `each field changes its own line, and undo takes the change back`() async throws {
    let text = "---\ndate: 2026-11-20 21:04\nmood: calm # mine\n---\n\n# T\n\nOne #river.\n"
    try await ServedJournal.serve(["a.md": text]) { site in
      func file() throws -> String { try site.home.read("j/a.md") }
      var entry = try await changed(site, "a.md", #"{"starred":true}"#).entry
      #expect(entry.starred && entry.body == "One #river.")
      #expect(try file() == text.replacing("---\n\n#", with: "starred: true\n---\n\n#"))
      entry = try await changed(site, "a.md", #"{"starred":false}"#).entry
      #expect(try !entry.starred && file() == text)

      // A tag that the text has already is not written once more.
      entry = try await changed(site, "a.md", ##"{"tags":["#family","soup","River","Soup"]}"##)
        .entry
      #expect(entry.headerTags == ["family", "soup"] && entry.tags == ["family", "soup", "river"])
      #expect(try file().contains("tags: [family, soup]\n"))
      entry = try await changed(site, "a.md", #"{"tags":["soup"]}"#).entry
      #expect(entry.headerTags == ["soup"])
      entry = try await changed(site, "a.md", #"{"tags":[]}"#).entry
      #expect(try entry.headerTags.isEmpty && file() == text)

      entry = try await changed(site, "a.md", #"{"place":" Yangpyeong "}"#).entry
      #expect(try entry.place == "Yangpyeong" && file().contains("place: Yangpyeong\n"))
      try await site.home.diary("undo", "--yes", in: "j")
      #expect(try file() == text)
      try await site.home.diary("redo", "--yes", in: "j")
      entry = try await changed(site, "a.md", #"{"place":""}"#).entry
      #expect(try entry.place == nil && file() == text)

      let same = try await version(site, "a.md")
      entry = try await changed(site, "a.md", "{}").entry
      #expect(try entry.version == same && file() == text)
    }
  }

  @Test func `text that is typed meanwhile is saved from either version without a merge`()
    async throws
  {
    struct Saved: Decodable {
      struct Text: Decodable { let body: String }
      let version: String
      let text: Text?
      let moved: String?
    }
    try await ServedJournal.serve(["a.md": "---\ndate: 2026-11-20\n---\n\n# T\n\none\n"]) { site in
      func put(_ path: String, _ body: String, from version: String) async throws -> Saved {
        let answer = try await site.send(
          "PUT", "/api/entries/" + path, fields: ["If-Match: \"\(version)\""],
          body: Array("{\"title\":\"T\",\"body\":\"\(body)\"}".utf8))
        #expect(answer.status == 200, "\(answer.text)")
        return try decoded(Saved.self, answer)
      }
      let old = try await version(site, "a.md")
      let starred = try await changed(site, "a.md", #"{"starred":true}"#)
      // A save that was sent before the answer arrived.
      let saved = try await put("a.md", "one, typed", from: old)
      #expect(saved.text == nil)
      #expect(
        try site.home.read("j/a.md")
          == "---\ndate: 2026-11-20\nstarred: true\n---\n\n# T\n\none, typed\n")
      // A change from a version that is older than this save.
      let tagged = try await changed(
        site, "a.md", #"{"tags":["x"]}"#, from: starred.entry.version)
      #expect(tagged.entry.body == "one, typed" && tagged.entry.headerTags == ["x"])
      let more = try await put("a.md", "one, typed, on", from: tagged.entry.version)
      #expect(more.text == nil)
      #expect(try site.home.read("j/a.md").contains("tags: [x]\n"))
    }
  }

  @Test func `tags that another program adds or removes meanwhile stay so`() async throws {
    let text = "---\ntags: [a, b, c]\n---\n\n# T\n\none\n"
    try await ServedJournal.serve(["a.md": text]) { site in
      let old = try await version(site, "a.md")
      try site.home.write("---\ntags: [a, c, d] # vim\n---\n\n# T\n\none, by vim\n", to: "j/a.md")
      let entry = try await changed(site, "a.md", #"{"tags":["a","b","e"]}"#, from: old).entry
      #expect(entry.headerTags == ["a", "d", "e"] && entry.body == "one, by vim")
      #expect(
        try site.home.read("j/a.md") == "---\ntags: [a, d, e] # vim\n---\n\n# T\n\none, by vim\n")
    }
  }

  @Test func `a new date moves the entry with its links, and the old address leads to it`()
    async throws
  {
    let files = [
      "2026/11/2026-11-20-walk.md":
        "---\ndate: 2026-11-20T21:04:33+09:00\nweather: Rain, 7°C\n---\n\n# Walk\n\nRain.\n",
      "2026/11/2026-11-21-soup.md": "See [the walk](2026-11-20-walk.md).\n",
      "notes.txt": "x",
    ]
    try await ServedJournal.serve(files) { site in
      let old = "2026/11/2026-11-20-walk.md"
      let version = try await version(site, old)
      let done = try await changed(site, old, #"{"date":"2026-10-02 21:04:33"}"#)
      #expect(done.moved == "/e/2026/10/2026-10-02-walk.md")
      #expect(done.entry.path == "2026/10/2026-10-02-walk.md")
      #expect(done.entry.date == "2026-10-02T21:04:33+09:00")
      #expect(done.notes == ["The weather is still that of the old date."])
      #expect(
        try site.home.read("j/2026/11/2026-11-21-soup.md").contains("(../10/2026-10-02-walk.md)"))
      #expect(!site.home.files(in: "j").contains(old))
      // The page's own save may still be on its way to the old address, from the old version.
      let saved = try await site.send(
        "PUT", "/api/entries/" + old, fields: ["If-Match: \"\(version)\""],
        body: Array(#"{"title":"Walk","body":"Rain. Typed."}"#.utf8))
      #expect(
        saved.status == 200 && saved.text.contains(#""moved":"/e/2026/10"#), "\(saved.text)")
      #expect(try site.home.read("j/" + done.entry.path).contains("Rain. Typed."))
      #expect(try await site.send("GET", "/e/" + old)["location"] == done.moved)
      // The day alone keeps the time.
      let again = try await changed(site, old, #"{"date":"2026-10-03"}"#)
      #expect(again.entry.date == "2026-10-03T21:04:33+09:00")
    }
  }

  @Test func `an entry that is being written is named by its title also after a new date`()
    async throws
  {
    try await ServedJournal.serve { site in
      struct Made: Decodable { let href: String, version: String }
      let made = try decoded(
        Made.self,
        try await site.send(
          "POST", "/api/entries", fields: ["Idempotency-Key: k"],
          body: Array(#"{"title":"First words","body":""}"#.utf8)))
      let path = String(made.href.dropFirst(3))
      let moved = try #require(try await changed(site, path, #"{"date":"2026-10-02 08:00"}"#).moved)
      let left = try await site.send("POST", "/api/entries/\(moved.dropFirst(3))/left")
      #expect(left.text.contains("2026-10-02-first-words.md"), "\(left.text)")
    }
  }

  @Test func `what cannot be changed is refused, and the file stays`() async throws {
    let files = [
      "toml.md": "+++\ntitle = \"x\"\n+++\n\none\n",
      "place.md": "---\nplace: {name: Seoul, latitude: 37.5}\n---\n\none\n",
      "2026-11-20.md": "one\n", "a.md": "one\n",
    ]
    try await ServedJournal.serve(files) { site in
      for (path, fields, status) in [
        ("toml.md", #"{"starred":true}"#, 409), ("toml.md", #"{"date":"2026-01-01"}"#, 409),
        ("place.md", #"{"place":"Busan"}"#, 409), ("place.md", #"{"place":""}"#, 409),
        ("2026-11-20.md", #"{"date":"2026-11-20 21:04"}"#, 400),
        ("a.md", #"{"date":"2026-02-31"}"#, 400), ("a.md", #"{"date":""}"#, 400),
        ("a.md", #"{"starred":true,"date":"never"}"#, 400),
        ("a.md", #"{"place":"a\u0000b"}"#, 400), ("a.md", #"{"tags":["a\u0000"]}"#, 400),
        ("a.md", #"{"starred":"yes"}"#, 400), ("a.md", #"{"tags":"a"}"#, 400),
        ("a.md", "[]", 400), ("a.md", "{", 400),
      ] {
        let answer = try await patch(site, path, fields)
        #expect(answer.status == status, "\(path) \(fields): \(answer.text)")
        #expect(try !decoded(Failure.self, answer).what.isEmpty)
        #expect(try site.home.read("j/" + path) == files[path], "\(path) \(fields)")
      }
      let large = try await patch(
        site, "a.md", #"{"place":""# + String(repeating: "x", count: 1 << 16) + #""}"#)
      #expect(large.status == 413)
      try await site.home.git("rm", "-qf", "a.md", in: "j")
      let gone = try await patch(site, "a.md", #"{"starred":true}"#, from: "x")
      #expect(gone.status == 410)
    }
  }

  @Test func `a change needs a version, a session, our origin and a path of the journal`()
    async throws
  {
    let body = Array(#"{"starred":true}"#.utf8)
    try await ServedJournal.serve { site in
      func status(_ path: String, _ fields: [String]) async throws -> Int {
        try await site.send(
          head: "PATCH /api/entries/\(path) HTTP/1.1",
          fields: fields + ["Content-Type: application/json", "Content-Length: \(body.count)"],
          body: body
        ).status
      }
      let version = try await version(site, "a.md")
      let fields = site.ownFields
      let known = ["If-Match: \"\(version)\""]
      #expect(try await status("a.md", fields) == 428)
      #expect(try await status("a.md", fields.filter { !$0.hasPrefix("Cookie") } + known) == 401)
      #expect(try await status("a.md", fields.filter { !$0.hasPrefix("Origin") } + known) == 403)
      let foreign = fields.map {
        $0.hasPrefix("Sec-Fetch") ? "Sec-Fetch-Site: same-site" : $0
      }
      #expect(try await status("a.md", foreign + known) == 403)
      for path in ["../a.md", "%2e%2e/a.md", ".diary/config.yml", ".git/config", "a%2fb.md", ""] {
        #expect([404, 405].contains(try await status(path, fields + known)), "\(path)")
      }
      for path in ["none.md", "x.txt"] {
        #expect([404, 410].contains(try await status(path, fields + known)), "\(path)")
      }
      let form = try await site.send(
        "PATCH", "/api/entries/a.md", fields: known, body: body, type: "text/plain")
      #expect(form.status == 415)
      #expect(try site.home.read("j/a.md") == "one\n")
      #expect(try await status("a.md", fields + known) == 200)
      #expect(try site.home.read("j/a.md").contains("starred: true"))
    }
    var options = PageOptions()
    options.isReadOnly = true
    try await ServedJournal.serve(options: options) { site in
      let answer = try await patch(site, "a.md", #"{"starred":true}"#)
      #expect(answer.status == 403)
      #expect(try site.home.read("j/a.md") == "one\n")
    }
  }

  @Test func `the journal's tags are listed for completion`() async throws {
    try await ServedJournal.serve(["a.md": "---\ntags: [work]\n---\n\n#Home\n", "b.md": "#work\n"])
    {
      site in
      struct Tags: Decodable { let tags: [String] }
      let answer = try await site.send("GET", "/api/tags")
      #expect(try Set(decoded(Tags.self, answer).tags) == ["work", "Home"])
    }
  }
}
