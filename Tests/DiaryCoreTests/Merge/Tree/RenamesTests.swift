import DiaryCore
import Testing

@Suite struct RenamesTests {
  private func candidate(_ path: String, _ text: String) throws -> RenameCandidate {
    RenameCandidate(
      path: try #require(EntryPath(path)), contentID: Array(text.utf8), bytes: Array(text.utf8))
  }

  private func matches(_ removed: [RenameCandidate], _ new: [RenameCandidate]) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: renames(removed: removed, added: new).map {
        ($0.key.text, $0.value.text)
      })
  }

  @Test func `files with equal content are renames, preferably with the same name`() throws {
    let removed = [
      try candidate("a/x.md", "one\n"), try candidate("a/y.md", "one\n"),
      try candidate("z.md", "z\n"),
    ]
    let new = [try candidate("b/y.md", "one\n"), try candidate("c.md", "one\n")]
    #expect(matches(removed, new) == ["b/y.md": "a/y.md", "c.md": "a/x.md"])
  }

  @Test func `a rename needs half of the lines in common`() throws {
    let removed = [try candidate("old.md", "a\nb\nc\nd\n")]
    #expect(matches(removed, [try candidate("new.md", "a\nb\nx\ny\n")]) == ["new.md": "old.md"])
    #expect(matches(removed, [try candidate("new.md", "a\nx\ny\nz\n")]) == [:])
    #expect(matches([], [try candidate("new.md", "a\n")]) == [:])
  }

  @Test func `in a history, an entry with the same text below another header was moved`() throws {
    func inHistory(_ removed: [RenameCandidate], _ new: [RenameCandidate]) -> [String: String] {
      Dictionary(
        uniqueKeysWithValues: renamesInHistory(removed: removed, added: new) { $0.bytes }.map {
          ($0.key.text, $0.value.text)
        })
    }
    func entry(
      _ path: String, day: Int, _ body: String, header: String = ""
    ) throws -> RenameCandidate {
      let date = "date: 2026-01-1\(day)T2\(day):1\(day):3\(day)+09:00\n"
      return try candidate(path, "---\n" + date + header + "---\n\(body)")
    }
    let removed = [
      try entry("1.md", day: 1, "\nIt rained.\n"), try entry("2.md", day: 2, "\nSun.\n"),
      try entry("3.md", day: 3, "\nSun.\n"), try entry("4.md", day: 4, "\n"),
      try entry("6.md", day: 4, "ok\n", header: "title: A promise to plant the oak\n"),
      try candidate("5.txt", "---\na: 1\nb: 2\nc: 3\nd: 4\n---\nText.\n"),
    ]
    let new = [
      try entry("p.md", day: 5, "\nIt rained.\n"), try entry("q.md", day: 6, "\nSun.\n"),
      try entry("r.md", day: 7, "\n"), try entry("t.md", day: 7, "ok\n", header: "title: Pizza\n"),
      try candidate("s.txt", "---\ne: 5\nf: 6\ng: 7\nh: 8\n---\nText.\n"),
    ]
    #expect(inHistory(removed, new) == ["p.md": "1.md"])
    // A new line in the header and other weather say nothing against it, a missing tag does.
    let was = try entry("1.md", day: 1, "Sun.\n", header: "weather: Clear, 20°C, a warm wind\n")
    let now = try entry("2.md", day: 2, "Sun.\n", header: "starred: true\n")
    #expect(inHistory([was], [now]) == ["2.md": "1.md"])
    let tagged = try entry(
      "3.md", day: 3, "Sun.\n", header: "tags: [the lake, a long walk, anna]\n")
    #expect(inHistory([tagged], [now]) == [:])
    // Two devices may have written the same words on two days.
    #expect(matches(removed, new) == [:])
  }

  @Test func `the most similar pair is the rename, in any order`() throws {
    let removed = [try candidate("1.md", "a\nb\nc\nd\n"), try candidate("2.md", "a\nb\nc\ne\n")]
    let new = [try candidate("p.md", "a\nb\nc\ne\nf\n"), try candidate("q.md", "a\nb\nx\nd\n")]
    #expect(matches(removed, new) == ["p.md": "2.md", "q.md": "1.md"])
    #expect(matches(removed.reversed(), new.reversed()) == ["p.md": "2.md", "q.md": "1.md"])
  }

  @Test func `a thousand moved files are matched`() throws {
    let removed = try (0..<1_000).map { try candidate("old/\($0).md", "text \($0)\n") }
    let new = try (0..<1_000).map { try candidate("new/\($0).md", "text \($0)\n") }
    #expect(matches(removed, new).count == 1_000)
  }

  @Test func `an entry renamed and retitled at once is matched`() throws {
    let date = "date: 2026-11-21T21:04:00+09:00\n"
    let old = try candidate("2026/11/a.md", "---\ntitle: Walk\n" + date + "---\n\nBy the river.\n")
    let new = try candidate(
      "2026/11/b.md", "---\r\ntitle: A longer walk\r\n" + date + "---\r\n\r\nBy the river.\r\n")
    #expect(matches([old], [new]) == ["2026/11/b.md": "2026/11/a.md"])
  }

  @Test func `text that all entries have in common makes no rename`() throws {
    func header(_ title: String, _ day: String) -> String {
      "---\ntitle: \(title)\ndate: \(day)\ntags: []\n---\n"
    }
    let old = try candidate(
      "a.md", header("The market", "2026-11-20") + "Bought pears and bread.\n")
    let new = try candidate("b.md", header("At home", "2026-11-21") + "Nothing happened at all.\n")
    #expect(matches([old], [new]) == [:])
  }

  @Test func `a thousand edited entries of a moved folder are matched by name`() throws {
    let removed = try (0..<1_000).map { try candidate("old/\($0).md", "text \($0)\nsame\n") }
    let new = try (0..<1_000).map { try candidate("new/\($0).md", "text \($0)\nsame\nmore\n") }
    #expect(matches(removed, new).count == 1_000)
  }
}
