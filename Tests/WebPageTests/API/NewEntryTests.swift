import Foundation
import TestSupport
import Testing

@testable import WebPage

/// Entries that begin on a page: with a template, or with a file.
@Suite struct NewEntryTests {
  private struct Created: Decodable {
    struct Text: Decodable { let title: String, body: String }
    let href: String
    let text: Text?
  }

  private func decoded(_ answer: RawResponse) throws -> Created {
    try JSONDecoder().decode(Created.self, from: Data(answer.text.utf8))
  }

  @Test func `a new entry begins with the text of a template, and keeps its header`() async throws {
    try await ServedJournal.serve { site in
      let offered = try await site.send("GET", "/new").text
      #expect(offered.contains("href=\"/new?template=weekly-review\""))
      #expect(!offered.contains("template=plain"))
      try site.home.write(
        "---\r\ntags: [work]\r\n---\r\n# Standup\r\n\r\n한 {{cursor}} after\r\n",
        to: "j/.diary/templates/stand up.md")
      let new = try await site.send("GET", "/new?template=stand%20up").text
      #expect(new.contains("data-template=\"stand up\"") && new.contains("data-caret=\"2\""))
      #expect(
        new.contains(">\nStandup</textarea>") && new.contains(">\n한  after</textarea>"), "\(new)")
      #expect(try await HTMLCheck.read(new).errors == [])
      let sent = #"{"title":"Standup","body":"한 one after","template":"stand up"}"#
      let made = try decoded(
        try await site.send(
          "POST", "/api/entries", fields: ["Idempotency-Key: 1"], body: Array(sent.utf8)))
      #expect(made.text == nil)
      let text = try site.home.read("j/" + made.href.dropFirst(3))
      #expect(text.contains("\ntags: [work]\r\n") && text.contains("\ndate: "), "\(text)")
      #expect(text.hasSuffix("---\r\n# Standup\r\n\r\n한 one after\r\n"), "\(text)")

      for (name, text) in [("none", nil), ("toml", "+++\na = 1\n+++\ntext\n"), ("../a", nil)] {
        if let text { try site.home.write(text, to: "j/.diary/templates/\(name).md") }
        let refused = try await site.send("GET", "/new?template=\(name)")
        #expect(refused.status.description.hasPrefix("4"), "\(name): \(refused.status)")
      }
    }
  }

  /// Creates an entry of a new page, which begins with the text of a template.
  private func create(
    _ site: ServedJournal, _ title: String, _ body: String, template: String?,
    hasFiles: Bool = false
  ) async throws -> RawResponse {
    struct Sent: Encodable {
      let title: String, body: String, template: String?
      let hasFiles: Bool
    }
    let sent = Sent(title: title, body: body, template: template, hasFiles: hasFiles)
    return try await site.send(
      "POST", "/api/entries", fields: ["Idempotency-Key: \(UUID())"],
      body: Array(try JSONEncoder().encode(sent)))
  }

  private func text(_ answer: RawResponse, _ site: ServedJournal) throws -> String {
    try site.home.read("j/" + decoded(answer).href.dropFirst(3))
  }

  @Test(arguments: [("Title", "Body."), ("", "Body.\n\nMore."), ("Title", ""), ("# T", "- a")])
  func `an entry of the usual template is the same with and without its text`(
    _ title: String, _ body: String
  ) async throws {
    try await ServedJournal.serve { site in
      var entries: [String] = []
      for template in [nil, ""] {
        let made = try await create(site, title, body, template: template)
        entries.append(try text(made, site).replacing(#/date: .*/#, with: ""))
      }
      #expect(entries[0] == entries[1])
    }
  }

  @Test func `a title goes where the template has it, and its words stay`() async throws {
    try await ServedJournal.serve { site in
      try site.home.write(
        "---\ntitle: {{title}}\n---\nWhat made me glad today?\n\n{{cursor}}\n",
        to: "j/.diary/templates/glad.md")
      let new = try await site.send("GET", "/new?template=glad").text
      #expect(
        new.contains(">\n</textarea>") && new.contains("What made me glad today?\n\n</textarea>"))
      let body = "What made me glad today?\n\nRain."
      for title in ["My day", ""] {
        let made = try text(try await create(site, title, body, template: "glad"), site)
        #expect(made.hasSuffix("---\n" + body + "\n"), "\(made)")
        #expect(made.contains("title: My day") == !title.isEmpty, "\(made)")
      }
    }
  }

  @Test func `words are saved without a template that has vanished, and never unreadable ones`()
    async throws
  {
    try await ServedJournal.serve { site in
      let made = try await create(site, "", "Words.", template: "vanished")
      #expect(made.status == 201)
      #expect(try text(made, site).hasSuffix("\n\nWords.\n"))
      for words in ["a\0b", "a" + String(repeating: "\u{301}", count: 300)] {
        for (title, body) in [(words, ""), ("", words)] {
          #expect(try await create(site, title, body, template: "").status == 400)
        }
      }
    }
  }

  @Test func `no entry is created where the settings count none`() async throws {
    let settings = "layout: \"{year}/{slug}.md\"\nentries:\n  include: [\"notes/**\"]\n"
    try await ServedJournal.serve([".diary/config.yml": settings]) { site in
      let before = site.home.files(in: "j")
      for _ in 0..<2 {
        let refused = try await create(site, "Rain", "All day.", template: "")
        #expect(refused.status == 500)
        #expect(
          refused.text.contains(".md, which the settings do not count as an entry"),
          "\(refused.text)")
      }
      #expect(site.home.files(in: "j") == before)
    }
  }

  @Test func `an entry that was created for a file only vanishes without it`() async throws {
    try await ServedJournal.serve { site in
      let before = site.home.files(in: "j").sorted()
      #expect(try await create(site, "", "", template: "").status == 400)
      for template in ["", "travel"] {
        let new = try await site.send(
          "GET", "/new?template=" + (template.isEmpty ? "plain" : template))
        let fields = new.text.matches(of: #/<textarea[^>]*>\n([^<]*)<\/textarea>/#).map {
          String($0.1)
        }
        let made = try await create(
          site, fields[0], fields[1], template: template, hasFiles: true)
        let address = try decoded(made).href.dropFirst(3)
        #expect(site.home.files(in: "j").count == before.count + 1)
        #expect(try await site.send("POST", "/api/entries/\(address)/left").status == 200)
        #expect(site.home.files(in: "j").sorted() == before)
      }
    }
  }
}
