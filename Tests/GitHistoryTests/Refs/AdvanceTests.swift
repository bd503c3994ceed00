import DiaryCore
import Foundation
import GitHistory
import Glibc
import TestSupport
import Testing

@Suite struct AdvanceTests {
  /// A journal on `main`, and a commit on `theirs` that edits, adds, deletes and moves.
  private func makeJournal() async throws -> (TestRepository, Head, CommitID) {
    let box = try await TestRepository()
    try await box.commit(
      [
        "2026/a.md": "a\n", "2026/b.md": "b\n", "2026/c.md": "c\n", "x": "file\n",
        "own.txt": "own\n",
      ], "Base")
    try await box.git("checkout", "-q", "-b", "theirs")
    try await box.commit(
      [
        "2026/a.md": "a more\n", "2026/b.md": nil, "2026/new.md": "new\n", "x": nil,
        "x/inside.md": "folder\n",
      ], "Theirs")
    let new = try await box.id("HEAD")
    try await box.git("checkout", "-q", "main")
    return (box, try await box.open().head(), new)
  }

  /// The state after `git switch` has written the index and before it moves HEAD.
  @Test func `an advance is deferred if git has just written the index`() async throws {
    let (box, head, new) = try await makeJournal()
    let script = "!touch .git/runs; while test ! -e .git/go; do sleep 0.05; done"
    async let busy = box.git("-c", "alias.wait=" + script, "wait")
    try #require(await Sandbox.holds { access(box.root + "/.git/runs", F_OK) == 0 })
    try await box.git("update-index", "--force-write-index")
    try box.setIndexTime(0.9)
    #expect(try await advance(box, head, new) == .deferred(.operation("git command")))
    #expect(try await box.id("main") == head.commit)
    try Data().write(to: URL(filePath: box.root + "/.git/go"))
    _ = try await busy
    try box.setIndexTime(-2)
    guard case .moved = try await advance(box, head, new) else {
      Issue.record("it has not moved")
      return
    }
  }

  private func advance(
    _ box: TestRepository, _ head: Head, _ new: CommitID
  ) async throws -> AdvanceResult {
    try await box.open().advance(
      to: new, from: head, reason: "diary sync: fast-forward", at: 1_700_000_300,
      offsetMinutes: 540, timeout: .zero)
  }

  /// Replaces the working files as DiaryKit does.
  private func replace(_ files: [UpdatedFile], in box: TestRepository) async throws {
    let repository = try box.open()
    for file in files where file.new == nil {
      try? FileManager.default.removeItem(atPath: box.root + "/" + file.path.text)
    }
    var replaced: [ReplacedFile] = []
    for file in files {
      guard let new = file.new else { continue }
      try box.write(file.path, await repository.content(of: new.id))
      let content = try #require(try box.reader()(file.path))
      replaced.append(ReplacedFile(path: file.path, blob: new.id, signature: content.signature))
    }
    try await repository.refreshIndex(replaced)
  }

  @Test func `the branch and the index move and the changed files are returned`() async throws {
    let (box, head, new) = try await makeJournal()
    guard case .moved(let files) = try await advance(box, head, new) else {
      Issue.record("it did not move")
      return
    }
    #expect(
      files.map(\.path.text) == ["2026/a.md", "2026/b.md", "2026/new.md", "x", "x/inside.md"])
    #expect(files.map { $0.old != nil } == [true, true, false, true, false])
    #expect(files.map { $0.new != nil } == [true, false, true, false, true])
    #expect(try await box.id("HEAD") == new)
    #expect(try await box.git("diff", "--cached", "--name-only") == "")
    #expect(try await box.git("symbolic-ref", "HEAD") == "refs/heads/main\n")
    for log in ["main", "HEAD"] {
      let line = try await box.git("reflog", "show", "-1", "--format=%gs", log)
      #expect(line == "diary sync: fast-forward\n")
    }
    try await replace(files, in: box)
    // git need not read any file: the index has all data that it compares.
    #expect(try await box.git("diff-files", "--raw") == "")
    #expect(try await box.git("status", "--porcelain") == "")
    #expect(try await box.git("fsck", "--strict", "--no-dangling") == "")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: box.root + "/.git/diary/locks") == [])
  }

  @Test func `a save that the branch contains is not newer than a sync's change`()
    async throws
  {
    let (box, _, _) = try await makeJournal()
    let repository = try box.open()
    try box.write("2026/c.md", "c, saved\n")
    let save = try #require(try await repository.save(box, ["2026/c.md"])).id
    _ = try await repository.commitSitting(box)
    // The state if Diary was killed before it marked the end of the sitting.
    try await box.git("update-ref", "refs/diary/saves/main/main", "\(save)")
    let head = try await repository.head()
    try await box.commit(["2026/c.md": "c, saved and merged\n"], "Merge")
    let new = try await box.id("HEAD")
    try await box.git("reset", "-q", "--hard", "HEAD~1")
    guard case .moved(let files) = try await advance(box, head, new) else {
      Issue.record("it did not move")
      return
    }
    let path = try #require(EntryPath("2026/c.md"))
    #expect(files.map(\.path) == [path])
    #expect(try await repository.savedEntry(at: path) == files.first?.new)
    #expect(try await repository.pending().isEmpty)
  }

  @Test func `files that the user staged elsewhere stay staged`() async throws {
    let (box, head, new) = try await makeJournal()
    try box.write("own.txt", "own and staged\n")
    try await box.git("add", "own.txt")
    try box.write("own.txt", "own and staged and more\n")
    try box.write("later.md", "later\n")
    try await box.git("add", "-N", "later.md")
    let before = try await box.git("ls-files", "--stage", "--debug", "own.txt", "later.md")
    guard case .moved(let files) = try await advance(box, head, new) else {
      Issue.record("it did not move")
      return
    }
    try await replace(files, in: box)
    #expect(
      try await box.git("ls-files", "--stage", "--debug", "own.txt", "later.md") == before)
    #expect(try await box.git("status", "--porcelain") == " A later.md\nMM own.txt\n")
  }

  @Test(arguments: ["edit", "rm", "folder", "intent"])
  func `nothing moves if the sync would change a staged file`(
    _ kind: String
  ) async throws {
    let (box, head, new) = try await makeJournal()
    var named = "2026/a.md"
    switch kind {
    case "edit":
      try box.write("2026/a.md", "staged\n")
      try await box.git("add", "2026/a.md")
    case "rm": try await box.git("rm", "-q", "--cached", "2026/a.md")
    case "intent":
      named = "2026/new.md"
      try box.write(named, "mine\n")
      try await box.git("add", "-N", named)
    default:
      named = "2026/new.md"
      try box.write("2026/new.md/deep.md", "mine\n")
      try await box.git("add", "2026/new.md")
    }
    let before = try Data(contentsOf: URL(filePath: box.root + "/.git/index"))
    let tip = try await box.id("HEAD")
    #expect(try await advance(box, head, new) == .staged([EntryPath(named)!]))
    #expect(try await box.id("HEAD") == tip)
    #expect(try Data(contentsOf: URL(filePath: box.root + "/.git/index")) == before)
  }

  @Test func `a file staged with the new content does not block`() async throws {
    let (box, head, new) = try await makeJournal()
    try box.write("2026/a.md", "a more\n")
    try await box.git("add", "2026/a.md")
    guard case .moved(let files) = try await advance(box, head, new) else {
      Issue.record("it did not move")
      return
    }
    try await replace(files.filter { $0.path.text != "2026/a.md" }, in: box)
    #expect(try await box.git("status", "--porcelain") == "")
  }

  @Test func `the advance is deferred for the user or another branch`() async throws {
    let (box, head, new) = try await makeJournal()
    let sign = box.root + "/.git/MERGE_HEAD"
    try Data("\(new)\n".utf8).write(to: URL(filePath: sign))
    #expect(try await advance(box, head, new) == .deferred(.operation("merge")))
    unlink(sign)
    let lock = box.root + "/.git/index.lock"
    try Data().write(to: URL(filePath: lock))
    guard case .deferred(.locked(let path)) = try await advance(box, head, new) else {
      Issue.record("it moved under a lock")
      return
    }
    #expect(path == lock && access(lock, F_OK) == 0)
    unlink(lock)
    try await box.git("checkout", "-q", "-b", "side")
    #expect(try await advance(box, head, new) == .headMoved(try box.open().head()))
    try await box.git("checkout", "-q", "--detach")
    #expect(try await advance(box, head, new) == .deferred(.detached))
  }

  @Test func `an unborn branch moves to the fetched commit`() async throws {
    let (other, _, new) = try await makeJournal()
    let box = try await TestRepository()
    try await box.git("fetch", "-q", other.root, "theirs")
    guard case .moved(let files) = try await advance(box, .unborn(branch: "main"), new) else {
      Issue.record("it did not move")
      return
    }
    try await replace(files, in: box)
    #expect(try await box.git("status", "--porcelain") == "")
  }

  @Test func `a sparse checkout stays sparse`() async throws {
    let (box, head, new) = try await makeJournal()
    try await box.git("sparse-checkout", "set", "--no-cone", "/x", "/own.txt")
    guard case .moved(let files) = try await advance(box, head, new) else {
      Issue.record("it did not move")
      return
    }
    #expect(files.filter(\.isSkipWorktree).map(\.path.text) == ["2026/a.md", "2026/b.md"])
    try await replace(files.filter { !$0.isSkipWorktree }, in: box)
    #expect(try await box.git("status", "--porcelain") == "")
    #expect(try await box.git("ls-files", "-t", "2026/a.md") == "S 2026/a.md\n")
  }

  @Test(arguments: [true, false])
  func `a kill between branch and index is repaired at the next start`(_ moved: Bool) async throws {
    let (box, head, new) = try await makeJournal()
    let index = URL(filePath: box.root + "/.git/index")
    let old = try Data(contentsOf: index)
    guard case .moved(let files) = try await advance(box, head, new) else {
      Issue.record("it did not move")
      return
    }
    let fresh = try Data(contentsOf: index)
    // The state after a kill: a complete lock and its record, and the old index.
    try old.write(to: index)
    if !moved { try await box.git("update-ref", "refs/heads/main", "main@{1}") }
    let record = box.root + "/.git/diary/locks/4242-1"
    let lock = box.root + "/.git/index.lock"
    try fresh.write(to: URL(filePath: record))
    try Data(lock.utf8).write(to: URL(filePath: record + ".for"))
    try Data("\(new) refs/heads/main\n\(index.path)\n".utf8)
      .write(to: URL(filePath: record + ".then"))
    #expect(link(record, lock) == 0)
    #expect(try await box.open().clearStaleLocks() == [lock])
    #expect(try await box.git("diff", "--cached", "--name-only") == "")
    if moved { try await replace(files, in: box) }
    #expect(try await box.git("status", "--porcelain") == "")
  }
}
