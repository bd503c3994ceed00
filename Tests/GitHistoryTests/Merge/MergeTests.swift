import DiaryCore
import Foundation
import GitHistory
import Testing

@Suite struct MergeTests {
  /// Two clones of one journal with five entries.
  private func makeTwoDevices() async throws -> (TestRepository, TestRepository) {
    let (one, other) = (try await TestRepository(), try await TestRepository())
    var files: [String: String?] = [:]
    for day in 1...5 { files["2026/11/2026-11-0\(day).md"] = "one\ntwo\nthree\nday \(day)\n" }
    files["p.jpg"] = "picture\n"
    try await one.commit(files, "Base")
    try await other.git("pull", "-q", one.root, "main")
    return (one, other)
  }

  private func exchange(_ one: TestRepository, _ other: TestRepository) async throws -> (
    CommitID, CommitID
  ) {
    try await one.git("fetch", "-q", other.root, "main:refs/remotes/other/main")
    try await other.git("fetch", "-q", one.root, "main:refs/remotes/other/main")
    return (try await one.id("HEAD"), try await other.id("HEAD"))
  }

  private func makeMerge(
    _ box: TestRepository, _ one: CommitID, _ other: CommitID, journal: String = "",
    by author: GitSignature? = nil
  ) async throws -> MergeCommit? {
    let result = try await box.open(journal: journal).mergeCommit(
      one, other, rules: .byName, by: author)
    guard case .merged(let commit) = result else {
      Issue.record("conflicting: \(result)")
      return nil
    }
    return commit
  }

  @Test func `two devices make the same merge commit`() async throws {
    let (one, other) = try await makeTwoDevices()
    try await one.commit(
      ["2026/11/2026-11-01.md": "one\ntwo\nthree\nday 1\nhere\n", "p.jpg": "b\n"], "Here",
      at: 1_700_000_500)
    try await other.commit(
      [
        "2026/11/2026-11-01.md": nil, "2026/11/walk.md": "there\none\ntwo\nthree\nday 1\n",
        "p.jpg": "a\n",
      ], "There", at: 1_700_000_400)
    let (here, there) = try await exchange(one, other)
    let first = try #require(try await makeMerge(one, here, there))
    let second = try #require(try await makeMerge(other, there, here))
    #expect(first.id == second.id)
    #expect(first.parents == [here, there].sorted())
    #expect(first == second)
    #expect(try await one.git("rev-parse", "HEAD").hasPrefix(here.description))
    #expect(
      try await one.git("cat-file", "commit", first.id.description).hasSuffix(
        """
        author Diary <diary@localhost> 1700000500 +0000
        committer Diary <diary@localhost> 1700000500 +0000

        Merge two devices' saves

        Review: p-61780798.jpg
        Review: p.jpg
        Diary-Merge: 3

        """))
    let text = try await one.git("show", "\(first.id):2026/11/walk.md")
    #expect(text.contains("here\n") && text.contains("there\n"))
    #expect(try await one.git("ls-tree", "-r", "--name-only", "\(first.id)").contains("p.jpg"))
    #expect(first.merge.conflictPaths.map(\.text).sorted() == ["p-61780798.jpg", "p.jpg"])
    #expect(try await one.git("fsck", "--strict", "--no-dangling") == "")
  }

  @Test func `a merge in the user's name has the same content`() async throws {
    let (one, other) = try await makeTwoDevices()
    try await one.commit(["a.md": "a\n"], "Here")
    try await other.commit(["b.md": "b\n"], "There")
    let (here, there) = try await exchange(one, other)
    let writer = try await one.open().identity()
    let own = try #require(try await makeMerge(one, here, there, by: writer))
    let diarys = try #require(try await makeMerge(one, here, there))
    #expect(own.id != diarys.id)
    #expect(try await one.id("\(own.id)^{tree}") == one.id("\(diarys.id)^{tree}"))
    #expect(try await one.git("log", "-1", "--format=%an", "\(own.id)") == "Mina Kim\n")
    try await one.git("branch", "own", "\(own.id)")
    try await one.git("branch", "theirs", "\(diarys.id)")
    let repository = try one.open()
    #expect(
      try await repository.equivalentMerge(of: own.id, in: diarys.id, excluding: own.id)
        == diarys.id)
    #expect(try await repository.equivalentMerge(of: own.id, in: there, excluding: here) == nil)
  }

  @Test func `a criss-cross of manual merges has one result`() async throws {
    let (one, other) = try await makeTwoDevices()
    try await one.commit(["2026/11/2026-11-01.md": "one\ntwo\nthree\nday 1\nhere\n"], "Here")
    try await other.commit(["2026/11/2026-11-01.md": "there\none\ntwo\nthree\nday 1\n"], "There")
    let (here, there) = try await exchange(one, other)
    // Each device merges in the name of its own user, and then continues.
    try await other.git("config", "user.name", "Ada Kim")
    for (box, mine, theirs) in [(one, here, there), (other, there, here)] {
      let made = try #require(
        try await makeMerge(box, mine, theirs, by: box.open().identity()))
      try await box.git("reset", "-q", "--hard", "\(made.id)")
    }
    try await one.commit(["2026/11/2026-11-02.md": nil, "x.md": "x\n"], "More")
    try await other.commit(["2026/11/2026-11-03.md": nil, "p.jpg": "q\n"], "More")
    let (left, right) = try await exchange(one, other)
    let bases = try await one.git("merge-base", "--all", "\(left)", "\(right)")
    #expect(bases.split(separator: "\n").sorted() == ["\(here)", "\(there)"].sorted())
    let first = try #require(try await makeMerge(one, left, right))
    let second = try #require(try await makeMerge(other, right, left))
    #expect(first.id == second.id)
    #expect(first.merge.conflictPaths.isEmpty)
    #expect(
      try await one.git("ls-tree", "-r", "--name-only", "\(first.id)")
        == "2026/11/2026-11-01.md\n2026/11/2026-11-04.md\n2026/11/2026-11-05.md\np.jpg\nx.md\n")
  }

  @Test func `a criss-cross has two bases and one result`() async throws {
    let box = try await TestRepository()
    try await box.commit(["a.md": "a\n", "b.md": "b\n", "p.jpg": "0\n"], "Base")
    try await box.git("branch", "other")
    try await box.commit(["a.md": "a\nleft\n", "p.jpg": "1\n"], "Left", at: 1_700_000_900)
    try await box.git("checkout", "-q", "other")
    try await box.commit(["a.md": "a\nright\n", "p.jpg": "2\n"], "Right", at: 1_600_000_000)
    let (left, right) = (try await box.id("main"), try await box.id("other"))
    let made = try #require(try await makeMerge(box, left, right))
    var tips: [CommitID] = []
    for parents in [[left, right], [right, left]] {
      let commit = try await box.git(
        "commit-tree", "\(made.id)^{tree}", "-p", "\(parents[0])", "-p", "\(parents[1])", "-m",
        "Cross")
      try await box.git("reset", "-q", "--hard", commit.trimmed)
      let own = String(repeating: "own", count: tips.count + 1)
      try await box.commit(["\(own).md": "new\n", "a.md": "a\nleft\nright\n\(own)\n"], "On")
      tips.append(try await box.id("HEAD"))
    }
    let bases = try await box.git("merge-base", "--all", "\(tips[0])", "\(tips[1])")
    #expect(bases.split(separator: "\n").sorted() == ["\(left)", "\(right)"].sorted())
    let first = try #require(try await makeMerge(box, tips[0], tips[1]))
    #expect(try await makeMerge(box, tips[1], tips[0])?.id == first.id)
    let text = try await box.git("show", "\(first.id):a.md")
    #expect(text.split(separator: "\n").sorted() == ["a", "left", "own", "ownown", "right"])
    #expect(first.merge.conflictPaths.isEmpty)
  }

  @Test func `unrelated histories are merged`() async throws {
    let (one, other) = (try await TestRepository(), try await TestRepository())
    try await one.commit(["a.md": "a\n", "2026-11-21.md": "tea\n"], "One")
    try await other.commit(["b.md": "b\n", "2026-11-21.md": "walk\n"], "Other")
    let (here, there) = try await exchange(one, other)
    #expect(try await one.open().relation(of: here, to: there) == .unrelated)
    let made = try #require(try await makeMerge(one, here, there))
    #expect(
      try await one.git("ls-tree", "-r", "--name-only", "\(made.id)")
        == "2026-11-21.md\na.md\nb.md\n")
    #expect(try await one.git("show", "\(made.id):2026-11-21.md") == "tea\n\nwalk\n")
    #expect(try await one.open().relation(of: here, to: made.id) == .behind(2))
  }

  @Test func `outside the journal only changes of one side are merged`() async throws {
    let (one, other) = (try await TestRepository(), try await TestRepository())
    try await one.commit(["code.c": "1\n", "main.c": "1\n", "notes/a.md": "a\n"], "Base")
    try await other.git("pull", "-q", one.root, "main")
    try await one.commit(["code.c": "22\n", "notes/a.md": "a\nhere\n", "same.c": "=\n"], "Here")
    try await other.commit(
      ["main.c": "22\n", "notes/a.md": "a\nthere\n", "same.c": "=\n"], "There")
    var (here, there) = try await exchange(one, other)
    let made = try #require(try await makeMerge(one, here, there, journal: "notes"))
    #expect(try await one.git("show", "\(made.id):code.c", "\(made.id):main.c") == "22\n22\n")
    #expect(try await one.git("show", "\(made.id):notes/a.md") == "a\nhere\nthere\n")
    try await other.commit(["code.c": "333\n"], "Theirs")
    try await one.commit(["lib": "file\n"], "A file")
    try await other.commit(["lib/x.c": "folder\n"], "A folder")
    (here, there) = try await exchange(one, other)
    let result = try await one.open(journal: "notes").mergeCommit(here, there, rules: .byName)
    #expect(result == .conflicting([EntryPath("code.c")!, EntryPath("lib")!]))
  }

  @Test func `the relation of two commits is the same as in git`() async throws {
    let (one, other) = try await makeTwoDevices()
    try await one.commit(["a.md": "1\n"], "1")
    try await one.commit(["a.md": "22\n"], "2")
    try await other.commit(["b.md": "1\n"], "1", at: 1_400_000_000)
    let (here, there) = try await exchange(one, other)
    let base = try await one.id("HEAD~2")
    let repository = try one.open()
    #expect(try await repository.relation(of: here, to: here) == .same)
    #expect(try await repository.relation(of: here, to: base) == .ahead(2))
    #expect(try await repository.relation(of: base, to: here) == .behind(2))
    #expect(try await repository.relation(of: here, to: there) == .diverged(ahead: 2, behind: 1))
    #expect(try await repository.isAncestor(base, of: here))
    #expect(try await !repository.isAncestor(here, of: there))

    let shallow = try await TestRepository()
    try await shallow.git("fetch", "-q", "--depth=2", "file://" + one.root, "main")
    try await shallow.git("reset", "-q", "--hard", "FETCH_HEAD")
    let cut = try shallow.open()
    #expect(await cut.isShallow())
    let middle = try await shallow.id("HEAD~1")
    #expect(try await cut.relation(of: middle, to: here) == .behind(1))
    try await shallow.git("checkout", "-q", "-b", "side", "HEAD~1")
    try await shallow.commit(["c.md": "1\n"], "Side")
    let side = try await shallow.id("HEAD")
    #expect(try await cut.relation(of: side, to: here) == .diverged(ahead: 1, behind: 1))
    #expect(try await makeMerge(shallow, side, here) != nil)
  }
}
