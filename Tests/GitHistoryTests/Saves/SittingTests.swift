import DiaryCore
import Foundation
import GitHistory
import Testing

@Suite struct SittingTests {
  @Test func `a sitting becomes one commit and leaves git status clean`() async throws {
    let box = try await TestRepository()
    let repository = try box.open()
    try box.write("2026/11/a.md", "one\n")
    try box.write("2026/11/b.md", "two\n", executable: true)
    #expect(try await repository.save(box, ["2026/11/a.md", "2026/11/b.md"]) != nil)
    let outcome = try await repository.commitSitting(box)
    #expect(outcome.paths == ["2026/11/a.md", "2026/11/b.md"])
    #expect(try await box.git("status", "--porcelain") == "")
    #expect(
      try await box.git("log", "--format=%s|%an|%ae|%at|%ad", "--date=iso")
        == "Edit 2026/11/a.md, 2026/11/b.md|Mina Kim|mina@example.org|1700000200|2023-11-15 07:16:40 +0900\n"
    )
    #expect(try await box.git("ls-tree", "-r", "HEAD").contains("100755 blob"))
    #expect(try await repository.pending().isEmpty)
    #expect(try await box.git("fsck", "--strict", "--no-dangling") == "")

    try box.write("2026/11/a.md", "one more\n")
    #expect(try await repository.save(box, ["2026/11/a.md"]) != nil)
    #expect(try await repository.save(box, ["2026/11/a.md"]) == nil)
    #expect(try await repository.pending().map(\.path.text) == ["2026/11/a.md"])
    try box.remove("2026/11/b.md")
    try await repository.save(box, ["2026/11/b.md"])
    #expect(try await repository.commitSitting(box).paths == ["2026/11/a.md", "2026/11/b.md"])
    #expect(try await box.git("status", "--porcelain") == "")
    #expect(
      try await box.git("reflog", "show", "--format=%gs", "main")
        == "diary: 2 files\ndiary: 2 files\n")
    #expect(
      try await box.git("reflog", "show", "--format=%gs", "HEAD")
        == "diary: 2 files\ndiary: 2 files\n")
    #expect(try await box.git("diff-files", "--raw") == "")
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: box.root + "/.git/diary/locks") == [])
  }

  @Test func `the memory of saves does not grow`() async throws {
    let box = try await TestRepository()
    let repository = try box.open()
    let paths = (0..<80).map { "entry \($0).md" }
    for path in paths { try box.write(path, "0\n") }
    try await repository.save(box, paths)
    // Each save reads a tree of three kilobytes and its commits.
    for number in 1...250 {
      try box.write("entry 1.md", "\(number)\n")
      try await repository.save(box, ["entry 1.md"])
    }
    #expect(GitLibrary.cachedBytes < GitLibrary.maxCachedBytes + 100_000)
  }

  /// Diary 0.1.0 reads and writes these trailers.
  @Test func `the save that ends a sitting has the trailers of 0.1.0`() async throws {
    let box = try await TestRepository()
    let repository = try box.open()
    try box.write("a.md", "1\n")
    try await repository.save(box, ["a.md"])
    _ = try await repository.commitSitting(box)
    let tip = try await box.git("rev-parse", "HEAD").trimmingCharacters(in: .newlines)
    let saves = try await box.git("for-each-ref", "--format=%(refname)", "refs/diary/saves")
      .trimmingCharacters(in: .newlines)
    let message = try await box.git("log", "-1", "--format=%B", saves)
    #expect(message.contains("\nDiary-Sitting: \(tip)\nDiary-Tip: \(tip)\n"), "\(message)")
  }

  @Test func `a file staged in whole and edited since is held back, and others go on`() async throws
  {
    let box = try await TestRepository()
    let repository = try box.open()
    try box.write("a.md", "1\n")
    try box.write("b.md", "1\n")
    try await repository.save(box, ["a.md", "b.md"])
    _ = try await repository.commitSitting(box)
    try box.write("a.md", "staged\n")
    try await box.git("add", "a.md")
    try box.write("a.md", "staged and more\n")
    try box.write("b.md", "22\n")
    try await repository.save(box, ["a.md", "b.md"])
    let outcome = try await repository.commitSitting(box)
    #expect(outcome.paths == ["b.md"])
    #expect(outcome.heldBack == ["a.md"])
    #expect(try await box.git("diff", "--cached", "--name-only") == "a.md\n")
    #expect(try await box.git("show", ":a.md") == "staged\n")
    #expect(try await box.git("status", "--porcelain") == "MM a.md\n")
    #expect(try await repository.pathsStagedByUser().map(\.text) == ["a.md"])
    #expect(try await repository.pending().map(\.path.text) == ["a.md"])
    try await box.git("commit", "-q", "-m", "mine")
    #expect(try await repository.commitSitting(box).paths == ["a.md"])
    #expect(try await box.git("status", "--porcelain") == "")
  }

  @Test(arguments: ["rm", "intent", "move"])
  func `what the writer staged otherwise is left alone`(_ kind: String) async throws {
    let (box, repository) = try await TestRepository.withFirstSitting()
    switch kind {
    case "rm":
      try await box.git("rm", "--cached", "-q", "a.md")
      try box.write("a.md", "changed\n")
      try await repository.save(box, ["a.md"])
    case "intent":
      try box.write("new.md", "new\n")
      try await box.git("add", "-N", "new.md")
      try await repository.save(box, ["new.md"])
    default:
      try await box.git("mv", "a.md", "c.md")
      try box.write("c.md", "moved and edited\n")
      try await repository.save(box, ["a.md", "c.md"])
    }
    let before = try await box.git("status", "--porcelain")
    let tip = try await box.git("rev-parse", "HEAD")
    let outcome = try await repository.commitSitting(box)
    #expect(outcome.paths == nil)
    #expect(!outcome.heldBack.isEmpty)
    #expect(try await box.git("status", "--porcelain") == before)
    #expect(try await box.git("rev-parse", "HEAD") == tip)
  }

  /// An editor may write its old buffer between a save and the commit. Only a save compares it with
  /// what a sync brought.
  @Test func `a commit contains nothing that was not saved`() async throws {
    let (box, repository) = try await TestRepository.withFirstSitting()
    try box.write("a.md", "saved\n")
    try box.write("b.md", "saved\n")
    try box.write("c.png", "saved picture")
    try await repository.save(box, ["a.md", "b.md", "c.png"])
    try box.write("a.md", "older buffer\n")
    try box.write("c.png", "other picture")
    #expect(try await repository.commitSitting(box).paths == ["b.md"])
    #expect(try await repository.pending().map(\.path.text) == ["a.md", "c.png"])
    try box.write("new.md", "never saved\n")
    #expect(try await repository.commitSitting(box, ["new.md"]) == .nothing(heldBack: []))
    try await repository.save(box, ["a.md", "c.png"])
    #expect(try await repository.commitSitting(box).paths == ["a.md", "c.png"])
    #expect(try await box.git("show", "HEAD:a.md") == "older buffer\n")
  }

  @Test func `a file that is back after its deletion was saved stays until it is saved`()
    async throws
  {
    let (box, repository) = try await TestRepository.withFirstSitting()
    try box.remove("a.md")
    try await repository.save(box, ["a.md"])
    try box.write("a.md", "back\n")
    #expect(try await repository.commitSitting(box).paths == nil)
    try await repository.save(box, ["a.md"])
    #expect(try await repository.commitSitting(box).paths == ["a.md"])
    #expect(try await box.git("show", "HEAD:a.md") == "back\n")
  }

  @Test func `what is staged elsewhere never enters the commit`() async throws {
    let box = try await TestRepository()
    let repository = try box.open()
    try box.write("a.md", "1\n")
    try box.write("code.swift", "let x = 1\n")
    try await box.git("add", "code.swift")
    try await repository.save(box, ["a.md"])
    #expect(try await repository.commitSitting(box).paths == ["a.md"])
    #expect(try await box.git("ls-tree", "--name-only", "HEAD") == "a.md\n")
    #expect(try await box.git("status", "--porcelain") == "A  code.swift\n")
  }

  @Test(arguments: [
    "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "SQUASH_MSG", "rebase-merge",
  ])
  func `the branch waits for the writer's operation while saves go on`(_ sign: String) async throws
  {
    let (box, repository) = try await TestRepository.withFirstSitting()
    try Data("x\n".utf8).write(to: URL(filePath: box.root + "/.git/" + sign))
    try box.write("a.md", "12\n")
    #expect(try await repository.save(box, ["a.md"]) != nil)
    guard case .deferred(.operation(let name)) = try await repository.commitSitting(box) else {
      Issue.record("the branch moved under \(sign)")
      return
    }
    #expect(try await repository.deferReason() == .operation(name))
    #expect(access(box.root + "/.git/index.lock", F_OK) != 0)
    try FileManager.default.removeItem(atPath: box.root + "/.git/" + sign)
    #expect(try await repository.commitSitting(box).paths == ["a.md"])
  }

  @Test func `a real conflict waits, and its markers never reach the branch`() async throws {
    let (box, repository) = try await TestRepository.withFirstSitting()
    try await box.git("checkout", "-q", "-b", "other")
    try box.write("a.md", "theirs\n")
    try await box.git("commit", "-qam", "theirs")
    try await box.git("checkout", "-q", "main")
    try box.write("a.md", "ours, longer\n")
    try await box.git("commit", "-qam", "ours")
    await #expect(throws: TestRepository.GitFailed.self) { try await box.git("merge", "other") }
    try await repository.save(box, ["a.md"])
    #expect(try await repository.commitSitting(box) == .deferred(.operation("merge")))
    #expect(try await repository.deferReason() == .operation("merge"))
    #expect(try await box.git("status", "--porcelain") == "UU a.md\n")
  }

  @Test func `a detached HEAD keeps saves and leaves branches alone`() async throws {
    let (box, repository) = try await TestRepository.withFirstSitting()
    try await box.git("checkout", "-q", "--detach")
    try box.write("a.md", "12\n")
    #expect(try await repository.save(box, ["a.md"]) != nil)
    #expect(try await repository.commitSitting(box) == .deferred(.detached))
    #expect(try await box.git("show", "refs/diary/saves/main/HEAD:a.md") == "12\n")
  }

  /// git checks out another branch's files, writes the index, lets its lock go, and moves HEAD only
  /// then: in between all looks like this.
  @Test func `what is staged as the disk has it waits while git may be about to move HEAD`()
    async throws
  {
    let (box, repository) = try await TestRepository.withFirstSitting()
    try box.write("a.md", "12\n")
    try await box.git("add", "a.md")
    try await repository.save(box, ["a.md"])
    try box.setIndexTime(0.9)
    #expect(try await repository.commitSitting(box) == .deferred(.operation("git command")))
    try box.setIndexTime(-2)
    #expect(try await repository.commitSitting(box).paths == ["a.md"])
  }

  /// git needs no lock of Diary's to move HEAD.
  @Test func `a HEAD that moves while the commit is made leaves the branch where it was`()
    async throws
  {
    let (box, repository) = try await TestRepository.withFirstSitting()
    let main = try await box.git("rev-parse", "main")
    try await box.git("branch", "side")
    try box.write("a.md", "12\n")
    try await repository.save(box, ["a.md"])
    let head = URL(filePath: box.root + "/.git/HEAD")
    let outcome = try await repository.commitSitting(
      nil, read: box.reader(),
      message: { _ in
        try? Data("ref: refs/heads/side\n".utf8).write(to: head)
        return "Edit a.md"
      }, at: 1_700_000_200, offsetMinutes: 0, timeout: .zero)
    #expect(outcome == .deferred(.operation("git command")))
    #expect(try await box.git("rev-parse", "main") == main)
    #expect(try await box.git("rev-parse", "side") == main)
  }

  @Test func `somebody else's lock is waited for and never removed`() async throws {
    let box = try await TestRepository()
    let repository = try box.open()
    try box.write("a.md", "1\n")
    try await repository.save(box, ["a.md"])
    let lock = box.root + "/.git/index.lock"
    try Data().write(to: URL(filePath: lock))
    guard case .deferred(.locked(let path)) = try await repository.commitSitting(box) else {
      Issue.record("committed under a lock")
      return
    }
    #expect(path == lock)
    #expect(access(lock, F_OK) == 0)
    async let outcome = repository.commitSitting(box, timeout: .seconds(10))
    // Nothing shows that it waits for the lock; a sitting that has not started yet also gets both.
    try await Task.sleep(for: .milliseconds(60))
    try box.write("b.md", "while waiting\n")
    try await repository.save(box, ["b.md"])
    unlink(lock)
    #expect(try await outcome.paths == ["a.md", "b.md"])
  }

  @Test func `a pull under a pending save is not undone`() async throws {
    let (box, repository) = try await TestRepository.withFirstSitting()
    try box.write("a.md", "saved\n")
    try await repository.save(box, ["a.md"])
    try box.write("a.md", "the writer's own\n")
    try await box.git("commit", "-qam", "mine")
    let tip = try await box.git("rev-parse", "HEAD")
    #expect(try await repository.commitSitting(box) == .nothing(heldBack: []))
    #expect(try await box.git("rev-parse", "HEAD") == tip)
    #expect(try await repository.pending().isEmpty)
  }

  @Test func `what a sitting committed never comes back as pending`() async throws {
    let (box, repository) = try await TestRepository.withFirstSitting()
    try box.write("a.md", "by hand\n")
    try await box.git("commit", "-qam", "mine")
    #expect(try await repository.pending().isEmpty)
    try box.write("b.md", "b\n")
    try await repository.save(box, ["b.md"])
    #expect(try await box.git("show", "refs/diary/saves/main/main:a.md") == "by hand\n")
    #expect(try await repository.pending().map(\.path.text) == ["b.md"])
  }

  @Test func `an absent or emptied file stays pending until that is saved`() async throws {
    let box = try await TestRepository()
    let repository = try box.open()
    try box.write("a.md", "words\n")
    try box.write("b.md", "words\n")
    try await repository.save(box, ["a.md", "b.md"])
    try box.remove("a.md")
    try box.write("b.md", "")
    #expect(try await repository.commitSitting(box) == .nothing(heldBack: []))
    #expect(try await repository.pending().count == 2)
    try await repository.save(box, ["b.md"])
    #expect(try await repository.commitSitting(box).paths == ["b.md"])
    try await repository.save(box, ["a.md"])
    #expect(try await repository.pending().isEmpty)
  }

  @Test func `a folder becomes a file and a file a folder`() async throws {
    let box = try await TestRepository()
    let repository = try box.open()
    try box.write("x/one.md", "1\n")
    try box.write("y", "2\n")
    try await repository.save(box, ["x/one.md", "y"])
    _ = try await repository.commitSitting(box)
    try box.remove("x")
    try box.remove("y")
    try box.write("x", "file\n")
    try box.write("y/two.md", "folder\n")
    try await repository.save(box, ["x/one.md", "x", "y", "y/two.md"])
    #expect(try await repository.commitSitting(box).paths?.count == 4)
    #expect(try await box.git("ls-tree", "-r", "--name-only", "HEAD") == "x\ny/two.md\n")
    #expect(try await box.git("status", "--porcelain") == "")
    #expect(try await box.git("fsck", "--strict", "--no-dangling") == "")
  }
}
