import DiaryCore
import Testing

@Suite struct RenamesTests {
  private func side(_ path: String, _ text: String) throws -> RenameCandidate {
    RenameCandidate(
      path: try #require(EntryPath(path)), contentID: Array(text.utf8), bytes: Array(text.utf8))
  }

  private func found(_ gone: [RenameCandidate], _ new: [RenameCandidate]) -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: renames(removed: gone, added: new).map { ($0.key.text, $0.value.text) })
  }

  @Test func `files with equal content are renames, preferably with the same name`() throws {
    let gone = [try side("a/x.md", "one\n"), try side("a/y.md", "one\n"), try side("z.md", "z\n")]
    let new = [try side("b/y.md", "one\n"), try side("c.md", "one\n")]
    #expect(found(gone, new) == ["b/y.md": "a/y.md", "c.md": "a/x.md"])
  }

  @Test func `a rename needs half of the lines in common`() throws {
    let gone = [try side("old.md", "a\nb\nc\nd\n")]
    #expect(found(gone, [try side("new.md", "a\nb\nx\ny\n")]) == ["new.md": "old.md"])
    #expect(found(gone, [try side("new.md", "a\nx\ny\nz\n")]) == [:])
    #expect(found([], [try side("new.md", "a\n")]) == [:])
  }

  @Test func `the most similar pair is the rename, in any order`() throws {
    let gone = [try side("1.md", "a\nb\nc\nd\n"), try side("2.md", "a\nb\nc\ne\n")]
    let new = [try side("p.md", "a\nb\nc\ne\nf\n"), try side("q.md", "a\nb\nx\nd\n")]
    #expect(found(gone, new) == ["p.md": "2.md", "q.md": "1.md"])
    #expect(found(gone.reversed(), new.reversed()) == ["p.md": "2.md", "q.md": "1.md"])
  }

  @Test func `a thousand moved files are matched`() throws {
    let gone = try (0..<1_000).map { try side("old/\($0).md", "text \($0)\n") }
    let new = try (0..<1_000).map { try side("new/\($0).md", "text \($0)\n") }
    #expect(found(gone, new).count == 1_000)
  }

  @Test func `an entry renamed and retitled at once is matched`() throws {
    let date = "date: 2026-11-21T21:04:00+09:00\n"
    let old = try side("2026/11/a.md", "---\ntitle: Walk\n" + date + "---\n\nBy the river.\n")
    let new = try side(
      "2026/11/b.md", "---\r\ntitle: A longer walk\r\n" + date + "---\r\n\r\nBy the river.\r\n")
    #expect(found([old], [new]) == ["2026/11/b.md": "2026/11/a.md"])
  }

  @Test func `text that all entries have in common makes no rename`() throws {
    func header(_ title: String, _ day: String) -> String {
      "---\ntitle: \(title)\ndate: \(day)\ntags: []\n---\n"
    }
    let old = try side("a.md", header("The market", "2026-11-20") + "Bought pears and bread.\n")
    let new = try side("b.md", header("At home", "2026-11-21") + "Nothing happened at all.\n")
    #expect(found([old], [new]) == [:])
  }

  @Test func `a thousand edited entries of a moved folder are matched by name`() throws {
    let gone = try (0..<1_000).map { try side("old/\($0).md", "text \($0)\nsame\n") }
    let new = try (0..<1_000).map { try side("new/\($0).md", "text \($0)\nsame\nmore\n") }
    #expect(found(gone, new).count == 1_000)
  }
}
