import DiaryCore
import Testing

@Suite struct TreeMergeTests {
  typealias Tree = TestTrees.Tree

  /// Merges in both directions, which must agree. Returns tree, conflict paths and merge.
  private func merged(
    _ base: Tree, _ a: Tree, _ b: Tree
  ) -> (tree: Tree, keptBoth: [String], merge: TreeMerge) {
    let trees = TestTrees(base: base, a: a, b: b)
    let merge = trees.merge()
    let other = trees.merge(swapped: true)
    #expect(merge.paths == other.paths)
    #expect(merge.conflictPaths == other.conflictPaths)
    #expect(merge.conflictCopies == other.conflictCopies)
    #expect(merge.newPathsOfA == other.newPathsOfB)
    #expect(merge.newPathsOfB == other.newPathsOfA)
    return (trees.result(merge), merge.conflictPaths.map(\.text).sorted(), merge)
  }

  private let long = "first line\nsecond line\nthird line\n"

  @Test func `changes of one side are applied`() {
    let (tree, kept, _) = merged(
      ["a.md": "1\n", "b.md": "2\n", "c.md": "3\n"],
      ["a.md": "1x\n", "b.md": "2\n", "d.md": "4\n"],
      ["a.md": "1\n", "b.md": "2y\n", "c.md": "3\n"])
    #expect(tree == ["a.md": "1x\n", "b.md": "2y\n", "d.md": "4\n"])
    #expect(kept == [])
  }

  @Test func `an edit wins over a deletion, and two deletions are one`() {
    let (tree, _, merge) = merged(
      ["a.md": "1\n", "b.md": "2\n"], ["b.md": "2\n"], ["a.md": "1\nmore\n"])
    #expect(tree == ["a.md": "1\nmore\n"])
    #expect(merge.newPathsOfB.map { $0.value.text } == ["a.md"])
    #expect(merged(["a.md": "1\n"], [:], [:]).tree == [:])
  }

  @Test func `an entry renamed on one side and edited on the other gets both changes`() {
    let (tree, kept, merge) = merged(
      ["a.md": long], ["2026/b.md": long], ["a.md": long + "zeal\n"])
    #expect(tree.keys.sorted() == ["2026/b.md"])
    #expect(tree["2026/b.md"]?.contains("zeal") == true)
    #expect(kept == [])
    #expect(merge.newPathsOfB[EntryPath("a.md")!] == EntryPath("2026/b.md"))
    #expect(merge.newPathsOfA[EntryPath("2026/b.md")!] == EntryPath("2026/b.md"))
  }

  @Test func `an entry moved on one side and renamed on the other gets both changes`() {
    let (tree, _, _) = merged(["old/a.md": long], ["new/a.md": long], ["old/b.md": long + "z\n"])
    #expect(tree.keys.sorted() == ["new/b.md"])
    let taken = merged(
      ["old/a.md": long, "new/b.md": "else\n"], ["new/a.md": long, "new/b.md": "else\n"],
      ["old/b.md": long, "new/b.md": "else\n"])
    #expect(taken.tree == ["new/b.md": "else\n", "new/a.md": long])
  }

  @Test func `a move that both sides made is one, even if one side has changed the text a lot`() {
    let grown = long + (1...9).map { "and much more, number \($0)\n" }.joined()
    let (tree, kept, _) = merged(
      ["2026/a.md": long], ["old/a.md": long + "zeal\n"], ["old/a.md": grown + "\nend\n"])
    #expect(tree == ["old/a.md": grown + "zeal\n\nend\n"] && kept == [])
    let other = merged(["2026/a.md": long], ["old/a.md": long], ["old/a.md": "another entry\n"])
    #expect(Set(other.tree.values) == [long, "another entry\n"])
  }

  @Test func `the longer of two new names is used, and the file is kept once`() {
    #expect(
      merged(["a.md": long], ["walk.md": long], ["river.md": long]).tree == ["river.md": long])
    #expect(merged(["a.md": long], ["bb.md": long], ["cc.md": long]).tree == ["bb.md": long])
  }

  @Test func `a file renamed on one side and deleted on the other is kept`() {
    #expect(merged(["a.md": long], ["b.md": long], [:]).tree == ["b.md": long])
  }

  @Test func `new daily notes of one day are merged, other new files are both kept`() {
    let path = "2026/11/2026-11-21.md"
    let daily = merged([:], [path: "tea\n"], [path: "walk\n"])
    #expect(daily.tree == [path: "tea\n\nwalk\n"])
    #expect(daily.keptBoth == [])
    #expect(merged([:], [path: "tea\n"], [path: "tea\n"]).keptBoth == [])
    let ideas = merged([:], ["ideas.md": "tea\n"], ["ideas.md": "walk\n"])
    let twin = "ideas-\(TestTrees.shortID("walk\n")).md"
    #expect(ideas.tree == ["ideas.md": "tea\n", twin: "walk\n"])
    #expect(ideas.keptBoth == ["ideas.md", twin].sorted())
    #expect(ideas.merge.conflictCopies == [EntryPath(twin)!: EntryPath("ideas.md")!])
  }

  @Test func `a file renamed to the name of another new file is kept beside it`() {
    let (tree, kept, merge) = merged(
      ["a.md": long], ["b.md": long], ["a.md": long, "b.md": "new\n"])
    let twin = "b-\(TestTrees.shortID("new\n")).md"
    #expect(tree == ["b.md": long, twin: "new\n"])
    #expect(kept == ["b.md", twin].sorted())
    #expect(merge.newPathsOfB[EntryPath("b.md")!]?.text == twin)
    #expect(merge.newPathsOfB[EntryPath("a.md")!]?.text == "b.md")
  }

  @Test func `a file is renamed if the other side has a folder of its name`() {
    let (tree, kept, _) = merged([:], ["notes": "plain\n"], ["notes/a.md": "entry\n"])
    let twin = "notes-\(TestTrees.shortID("plain\n"))"
    #expect(tree == [twin: "plain\n", "notes/a.md": "entry\n"])
    #expect(kept == [twin])
  }

  @Test func `both versions of differing attachments are kept`() {
    let twin = "p-\(TestTrees.shortID("b\n")).jpg"
    let (tree, kept, _) = merged(["p.jpg": "x\n"], ["p.jpg": "b\n"], ["p.jpg": "a\n"])
    #expect(tree == ["p.jpg": "a\n", twin: "b\n"])
    #expect(kept == ["p.jpg", twin].sorted())
    let again = merged(tree, tree, tree.merging(["new.md": "n\n"]) { $1 })
    #expect(again.tree.count == 3)
    let broken = merged(["e.md": "1\n"], ["e.md": "\0a"], ["e.md": "2\n"])
    #expect(broken.tree.count == 2)
  }

  @Test func `separate changes of the settings are merged by lines`() {
    let base = "a: 1\nb: 2\nc: 3\nd: 4\n"
    let (tree, kept, _) = merged(
      [".diary/config.yml": base], [".diary/config.yml": "a: 9\nb: 2\nc: 3\nd: 4\n"],
      [".diary/config.yml": "a: 1\nb: 2\nc: 3\nd: 5\ne: 6\n"])
    #expect(tree == [".diary/config.yml": "a: 9\nb: 2\nc: 3\nd: 5\ne: 6\n"])
    #expect(kept == [])
    let near = merged(
      [".diary/config.yml": base], [".diary/config.yml": "a: 9\nb: 2\nc: 3\nd: 4\n"],
      [".diary/config.yml": "a: 1\nb: 8\nc: 3\nd: 4\n"])
    #expect(near.tree.count == 2)
    #expect(near.keptBoth.count == 2)
  }

  @Test func `modes, links and submodules follow the side that changed them`() {
    #expect(
      merged(["a.md": "1\n"], ["a.md": "run:1\n"], ["a.md": "2\n"]).tree == ["a.md": "run:2\n"])
    #expect(merged(["l": "link:a"], ["l": "link:b"], ["l": "link:a"]).tree == ["l": "link:b"])
    let links = merged(["l": "link:a"], ["l": "link:b"], ["l": "link:c"])
    #expect(links.tree.count == 1)
    #expect(links.keptBoth == ["l"])
    let modules = merged(["m": "module:a"], ["m": "module:b"], ["m": "module:c"])
    #expect(modules.tree.count == 1)
    #expect(modules.keptBoth == ["m"])
    let mixed = merged(["a.md": "1\n"], ["a.md": "link:b"], ["a.md": "1\n2\n"])
    #expect(mixed.tree == ["a.md": "1\n2\n", "a-\(TestTrees.shortID("b")).md": "link:b"])
  }

  @Test func `a list file created by Diary is used from one side`() {
    let list = "<!-- made by diary; edits are lost -->\n"
    let (tree, kept, _) = merged(
      ["INDEX.md": list], ["INDEX.md": list + "a\n"], ["INDEX.md": list + "b\n"])
    #expect(tree.count == 1)
    #expect(kept == [])
    // `index.file` gives the list another name.
    let (a, b) = ("- 2026-11-21 [a](a.md)\n", "- undated [b](b.md)\n")
    let renamed = merged([:], ["list.md": list + a], ["list.md": list + b])
    #expect(renamed.tree.count == 1 && renamed.tree["list.md"] != list + a + b)
    let copies = merged([:], ["copy.md": list + "Jun.\n"], ["copy.md": list + "Mina.\n"])
    let words = copies.tree.values.joined()
    #expect(words.contains("Jun.") && words.contains("Mina."))
    // A list that Diary wrote once and that a person has edited since.
    let notes = merged(
      ["old.md": list + "a\n\nb\n"], ["old.md": list + "a, ours\n\nb\n"],
      ["old.md": list + "a\n\nb, theirs\n"])
    #expect(notes.tree == ["old.md": list + "a, ours\n\nb, theirs\n"])
    #expect(merged([:], ["INDEX.md": list + "a\n"], ["INDEX.md": list + "b\n"]).tree.count == 1)
    #expect(merged([:], ["INDEX.md": "my own\n"], ["INDEX.md": "mine, too\n"]).tree.count == 2)
  }

  @Test func `two unrelated histories are merged`() {
    let (tree, _, _) = merged([:], ["a.md": "1\n", "s.md": "=\n"], ["b.md": "2\n", "s.md": "=\n"])
    #expect(tree == ["a.md": "1\n", "b.md": "2\n", "s.md": "=\n"])
  }

  @Test func `empty files are not renames of each other`() {
    let (tree, _, _) = merged(["a.md": ""], ["b.md": ""], ["a.md": "words\n"])
    #expect(tree == ["a.md": "words\n", "b.md": ""])
  }

  @Test func `a name that would be too long is cut at a character boundary`() throws {
    let name = String(repeating: "é", count: 126)
    let (tree, _, _) = merged([:], [name + ".md": "a\n"], [name + ".md": "b\n"])
    #expect(tree.count == 2)
    #expect(tree.keys.allSatisfy { $0.utf8.count <= 255 && $0.hasSuffix(".md") })
    #expect(tree.keys.contains { $0.hasPrefix("é") && $0.contains(TestTrees.shortID("b\n")) })
  }
}
