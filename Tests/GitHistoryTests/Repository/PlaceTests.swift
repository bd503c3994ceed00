import DiaryCore
import Foundation
import GitHistory
import Glibc
import Testing

@Suite struct PlaceTests {
  @Test func `a folder without a repository has no location`() async throws {
    let box = try await TestRepository()
    let lone = box.folder + "/lone"
    try FileManager.default.createDirectory(atPath: lone, withIntermediateDirectories: true)
    #expect(try RepositoryLocation.find(journal: lone) == nil)
    #expect(throws: GitError.self) { try RepositoryLocation.find(journal: box.folder + "/absent") }
  }

  @Test func `a journal in a subfolder saves under its prefix`() async throws {
    let box = try await TestRepository()
    try box.write("code.txt", "code\n")
    try await box.git("add", ".")
    try await box.git("commit", "-qm", "code")
    try box.write("notes/journal/2026/a.md", "1\n")
    let repository = try box.open(journal: "notes/journal")
    #expect(repository.location.prefix == EntryPath("notes/journal"))
    #expect(repository.location.workTree == box.root)
    #expect(
      try await repository.possibleChanges(box, below: "notes/journal").map(\.text) == ["2026/a.md"]
    )
    let changes = try box.changes(["2026/a.md"], below: "notes/journal")
    _ = try await repository.save(changes, message: "S", at: 1, offsetMinutes: -90)
    #expect(try await repository.pending().map(\.path.text) == ["2026/a.md"])
    let outcome = try await repository.commitSitting(
      nil, read: box.reader(below: "notes/journal"), message: { $0[0].path.text }, at: 2,
      offsetMinutes: -90)
    #expect(outcome.paths == ["2026/a.md"])
    #expect(
      try await box.git("ls-tree", "-r", "--name-only", "HEAD")
        == "code.txt\nnotes/journal/2026/a.md\n")
    #expect(
      try await box.git("log", "-1", "--format=%ad %s", "--date=raw") == "2 -0130 2026/a.md\n")
    #expect(try await box.git("status", "--porcelain") == "")
    #expect(try await Array(repository.headEntries().keys) == [EntryPath("2026/a.md")!])
    #expect(try await repository.savedContent(EntryPath("2026/a.md")!) == Array("1\n".utf8))
  }

  @Test func `linked work trees have separate saves`() async throws {
    let box = try await TestRepository()
    try box.write("a.md", "1\n")
    try await box.git("add", ".")
    try await box.git("commit", "-qm", "1")
    let linked = box.folder + "/main"
    try await box.git("worktree", "add", "-q", "-b", "side", linked)
    let location = try #require(try RepositoryLocation.find(journal: linked))
    #expect(location.workTree == linked)
    #expect(location.commonDirectory == box.root + "/.git")
    let repository = try GitRepository(location)
    let path = EntryPath("a.md")!
    _ = try await repository.save(
      [.write(path, Array("linked\n".utf8), executable: false)], message: "S", at: 5,
      offsetMinutes: 0)
    try Data("linked\n".utf8).write(to: URL(filePath: linked + "/a.md"))
    let outcome = try await repository.commitSitting(
      nil,
      read: { _ in
        FileContents(
          bytes: Array("linked\n".utf8),
          signature: FileSignature(size: 7, modified: 0, inode: 0, mode: 0), readAt: 0)
      }, message: { _ in "S" }, at: 6, offsetMinutes: 0)
    #expect(outcome.paths == ["a.md"])
    #expect(try await box.git("show", "refs/diary/saves/main+/side:a.md") == "linked\n")
    #expect(try await box.git("show", "side:a.md") == "linked\n")
    #expect(try await box.git("show", "main:a.md") == "1\n")
    #expect(try await box.git(["status", "--porcelain"], in: linked) == "")
    #expect(try await box.git("status", "--porcelain") == "")
  }

  @Test func `an unborn branch gets its first commit`() async throws {
    let box = try await TestRepository()
    let repository = try box.open()
    #expect(try await repository.head() == .unborn(branch: "main"))
    try box.write("a.md", "1\n")
    try await repository.save(box, ["a.md"])
    try box.write("a.md", "12\n")
    try await repository.save(box, ["a.md"], at: 1_700_000_150)
    #expect(try await box.git("rev-list", "--count", "refs/diary/saves/main/main") == "2\n")
    #expect(try await repository.lastSave()?.time == 1_700_000_150)
    guard case .committed(let commit, _, _) = try await repository.commitSitting(box) else {
      Issue.record("no commit")
      return
    }
    #expect(try await repository.head() == .branch("main", commit))
    #expect(try await repository.lastSave()?.time == 1_700_000_150)
    #expect(try await box.git("status", "--porcelain") == "")
  }

  @Test func `branches with conflicting names have separate saves`() async throws {
    let box = try await TestRepository()
    let repository = try box.open()
    try box.write("a.md", "1\n")
    try await repository.save(box, ["a.md"])
    _ = try await repository.commitSitting(box)
    for (number, branch) in ["work", "work/x", "work/x/y", "work"].enumerated() {
      try await box.git("checkout", "-q", "-b", branch)
      try box.write("a.md", "on \(branch) \(number)\n")
      #expect(try await repository.save(box, ["a.md"]) != nil)
      #expect(try await repository.pending().count == 1)
      #expect(try await repository.commitSitting(box).paths == ["a.md"])
      try await box.git("checkout", "-q", "main")
      try await box.git("branch", "-q", "-D", branch)
    }
    try await box.git("pack-refs", "--all")
    try box.write("a.md", "packed\n")
    #expect(try await repository.save(box, ["a.md"]) != nil)
    #expect(try await repository.commitSitting(box).paths == ["a.md"])
    #expect(try await box.git("status", "--porcelain") == "")
  }

  @Test func `a new repository equals git's own`() async throws {
    let box = try await TestRepository()
    let folder = box.folder + "/new/journal"
    try await GitRepository.create(at: folder, branch: "trunk")
    #expect(try await box.git(["symbolic-ref", "HEAD"], in: folder) == "refs/heads/trunk\n")
    #expect(try await box.git(["status", "--porcelain"], in: folder) == "")
    await #expect(throws: GitError.self) {
      try await GitRepository.create(at: folder, branch: "trunk")
    }
  }

  @Test(arguments: [
    ("objectFormat", "sha256", "SHA-256"), ("refStorage", "reftable", "reftable"),
    ("partialClone", "origin", "partial clone"), ("somethingNew", "1", "extension"),
  ])
  func `an unsupported repository is refused with its reason`(
    _ key: String, _ value: String, _ word: String
  ) async throws {
    let box = try await TestRepository([
      ["config", "core.repositoryFormatVersion", "1"], ["config", "extensions.\(key)", value],
    ])
    let error = #expect(throws: GitError.self) { try box.open() }
    #expect(error?.reason == .unsupported)
    #expect(error?.description.contains(word) == true)
    #expect(error?.description.contains(box.root) == true)
  }

  /// git marks a partial clone at the remote. A key without a value is true.
  @Test(arguments: [
    ("promisor = true", true), ("promisor = Yes", true), ("promisor", true),
    ("promisor = false", false), ("promisors = true", false),
  ])
  func `a partial clone is refused`(_ line: String, _ isPartial: Bool) async throws {
    let box = try await TestRepository()
    let config = "[remote \"a.b\"]\n\turl = ../remote\n\t\(line)\n"
    let file = try FileHandle(forWritingTo: URL(filePath: box.root + "/.git/config"))
    try file.seekToEnd()
    try file.write(contentsOf: Data(config.utf8))
    var error: GitError?
    do { _ = try box.open() } catch let refusal as GitError { error = refusal }
    #expect(error?.reason == (isPartial ? .unsupported : nil))
  }

  @Test func `opening a repository and reading its remotes leaks no memory`() async throws {
    let box = try await TestRepository()
    try await box.git("remote", "add", "origin", "short:x")
    try await box.git("config", "url.https://example.org/.insteadOf", "short:")
    for key in ["one.a", "two.b", "three.c"] { try await box.git("config", key, "words") }
    func memory() throws -> Int {
      let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(
        separator: " ")
      return (Int(pages[1]) ?? 0) * 4_096
    }
    func open(_ count: Int) async throws {
      for _ in 0..<count {
        let repository = try box.open()
        #expect(try await repository.remotes().first?.url == "https://example.org/x")
        let tracking = try await repository.trackingReference(of: "refs/heads/main", at: "origin")
        #expect(tracking == "refs/remotes/origin/main")
      }
    }
    try await open(50)
    let before = try memory()
    try await open(300)
    let growth = try memory() - before
    #expect(growth < 3_000_000, "\(growth) bytes")
  }

  @Test func `another repository inside the journal is never saved`() async throws {
    let box = try await TestRepository()
    let repository = try box.open()
    try await box.git("init", "-q", "inner")
    try box.write("inner/deep/a.md", "theirs\n")
    try box.write("b.md", "ours\n")
    #expect(try await repository.possibleChanges(box).map(\.text) == ["b.md"])
    let inner = EntryPath("inner/deep/a.md")!
    #expect(try await repository.pathsInForeignFolders([inner, EntryPath("b.md")!]) == [inner])
    await #expect(throws: GitError.self) { try await repository.save(box, ["inner/deep/a.md"]) }
    #expect(try await repository.lastSave() == nil)
  }

  @Test func `excludes and configuration are added and removed without a trace`() async throws {
    let box = try await TestRepository()
    let repository = try box.open()
    let exclude = box.root + "/.git/info/exclude"
    let config = box.root + "/.git/config"
    let before = try Data(contentsOf: URL(filePath: exclude))
    let configBefore = try Data(contentsOf: URL(filePath: config))
    for _ in 0..<2 {
      try await repository.installLocalLines(
        exclude: ["/INDEX.md"], attributes: ["/**/*.md merge=diary"])
      try await repository.setLocalConfig([
        (key: "merge.diary.name", value: "Diary"),
        (key: "merge.diary.driver", value: "diary %O \"x\""),
      ])
    }
    let text = try String(contentsOfFile: exclude, encoding: .utf8)
    #expect(text.components(separatedBy: "/INDEX.md").count == 2)
    #expect(
      try await repository.ignoredPaths(among: [EntryPath("INDEX.md")!, EntryPath("a.md")!]) == [
        EntryPath("INDEX.md")!
      ])
    #expect(try await box.git("check-attr", "merge", "x/a.md") == "x/a.md: merge: diary\n")
    #expect(try await box.git("config", "merge.diary.driver") == "diary %O \"x\"\n")
    try await repository.removeLocalLines()
    try await repository.removeLocalConfig(["merge.diary.name", "merge.diary.driver"])
    #expect(try Data(contentsOf: URL(filePath: exclude)) == before)
    #expect(try Data(contentsOf: URL(filePath: config)) == configBefore)
    // A section that has other keys, behind a line without any, keeps its heading.
    let other = configBefore + Data("[merge \"diary\"]\n\tname = x\n \n\tother = y\n".utf8)
    try other.write(to: URL(filePath: config))
    try await repository.removeLocalConfig(["merge.diary.name"])
    #expect(try await box.git("config", "merge.diary.other") == "y\n")
  }

  @Test func `the user is read from git's configuration`() async throws {
    let box = try await TestRepository()
    let known = try await box.open().identity()
    #expect(known == GitSignature(name: "Mina Kim", email: "mina@example.org"))
    try await box.git("config", "--unset", "user.name")
    try await box.git("config", "--unset", "user.email")
    let guessed = try await box.open().identity()
    #expect(guessed.name != known.name && guessed.email.contains("@") && !guessed.name.isEmpty)
    let repository = try box.open()
    try box.write("a.md", "1\n")
    try await repository.save(box, ["a.md"])
    #expect(try await repository.commitSitting(box).paths == ["a.md"])
    #expect(try await box.git("fsck", "--strict", "--no-dangling") == "")
  }
}
