import Foundation
import Testing

@testable import WebPage

/// The article of an entry in its document.
@Suite struct ArticleTests {
  private static let wave = "RIFF\u{0}\u{0}\u{0}\u{0}WAVEfmt "
  private static let film = "\u{0}\u{0}\u{0}\u{18}ftypisom\u{0}\u{0}\u{0}\u{0}"

  @Test func `links lead to entries and files, and sound and videos have players`() async throws {
    let files = [
      "2026/a.md": """
      # A

      [b](b.md) [notes](notes.txt) [none](none.md) ![p](p.png) ![hum](hum.wav) [hum](hum.wav)
      ![film](film.mp4) ![letter](letter.pdf) ![table](table.csv) [web](https://example.org/) [key](../id_rsa)
      """,
      "2026/b.md": "# B\n", "2026/notes.txt": "x", "2026/p.png": "\u{89}PNG",
      "2026/hum.wav": Self.wave,
      "2026/film.mp4": Self.film, "2026/letter.pdf": "%PDF-1.4", "2026/table.csv": "a,b\n",
    ]
    try await ServedJournal.serve(files) { site in
      let text = try await site.send("GET", "/e/2026/a.md").text
      for part in [
        #"<a href="/e/2026/b.md">b</a>"#, #"<a href="/f/2026/notes.txt">notes</a>"#, " none ",
        #"<img alt="p" loading="lazy" src="/f/2026/p.png">"#,
        #"<audio controls preload="metadata" aria-label="hum" src="/f/2026/hum.wav"></audio>"#,
        #"<a href="/f/2026/hum.wav">hum</a><audio controls preload="metadata" src="/f/2026/hum.wav"></audio>"#,
        #"<video controls preload="metadata" aria-label="film" src="/f/2026/film.mp4"></video>"#,
        #"<a href="/f/2026/letter.pdf">letter</a>"#, #"<a href="/f/2026/table.csv">table</a>"#,
        #"<a href="https://example.org/" rel="noopener noreferrer">web</a>"#,
      ] {
        #expect(text.contains(part), "\(part)\n\(text)")
      }
      #expect(try await HTMLCheck.read(text).errors == [])
    }
  }

  @Test(arguments: [
    ("# A\n\none\n", ["1 1": "one"]),
    (
      "---\ntitle: A\n---\n\n\none\ntwo\n\n- x\n- y\n", ["1 2": "one\ntwo", "4 4": "x", "5 5": "y"]
    ),
    ("A\r\n\r\none\r\n\r\n## two\r\n", ["-1 -1": "A", "1 1": "one", "3 3": "two"]),
    ("A\none\n", ["0 1": "A\none"]),
    // A paragraph right above a table.
    ("A\n| x | y |\n|---|---|\n| z | w |\n", ["0 0": "A", "1 1": "", "3 3": ""]),
    ("# A\n\none\ntwo\n| x |\n|---|\n", ["1 2": "one\ntwo", "3 3": ""]),
  ])
  func `each block has the lines of its text in the field`(
    _ text: String, _ lines: [String: String]
  ) async throws {
    try await ServedJournal.serve(["a.md": text]) { site in
      let document = try await site.send("GET", "/e/a.md").text
      let found = document.matches(of: #/data-lines="([^"]*)">([^<]*)/#)
        .map { (String($0.1), $0.2.trimmingCharacters(in: .newlines)) }
      #expect(Dictionary(uniqueKeysWithValues: found) == lines)
    }
  }

  @Test func `lines are right beside the comments of a vault`() async throws {
    let text = "%%\nhidden\n%%\n# A\n\none %%not\nseen%% end\n\ntwo\n"
    try await ServedJournal.serve(["a.md": text, ".obsidian/app.json": "{}"]) { site in
      let document = try await site.send("GET", "/e/a.md").text
      let body = try #require(document.firstMatch(of: #/<textarea id="body"[^>]*>\n([^<]*)</#)?.1)
      let shown = body.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(!document.contains("<p>hidden") && document.contains("data-lines"))
      let blocks = document.matches(of: #/<p data-lines="(\d+) (\d+)">([^<]*)</#)
      #expect(blocks.count == 2)
      for block in blocks {
        let (first, last) = (try #require(Int(block.1)), try #require(Int(block.2)))
        let source = shown[(first - 1)..<last].joined(separator: "\n")
        let word = try #require(block.3.split(separator: " ").first)
        #expect(source.hasPrefix(word), "\(block.0) \(source)")
        #expect(source.hasSuffix(try #require(block.3.split(separator: " ").last)))
      }
    }
  }
}
