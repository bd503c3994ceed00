import DiaryCore
import Foundation
import GitHistory
import Glibc
import Testing

@Suite struct FormatTests {
  private func makeRepository(_ setUp: [[String]] = []) async throws -> (
    TestRepository, GitRepository
  ) {
    let box = try await TestRepository(setUp)
    let repository = try box.open()
    try box.write("a.md", "1\n")
    try box.write("x/b.md", "1\n")
    try await repository.save(box, ["a.md", "x/b.md"])
    _ = try await repository.commitSitting(box)
    return (box, repository)
  }

  @Test func `with a split index saves continue and the commit is deferred`() async throws {
    let (box, repository) = try await makeRepository()
    try await box.git("update-index", "--split-index")
    try box.write("a.md", "12\n")
    try box.write("new.md", "n\n")
    try box.remove("x/b.md")
    #expect(try await repository.possibleChanges(box).map(\.text) == ["a.md", "new.md", "x/b.md"])
    #expect(try await repository.save(box, ["a.md", "new.md"]) != nil)
    #expect(
      try await repository.trackedPaths(among: [EntryPath("a.md")!, EntryPath("new.md")!]).count
        == 1)
    #expect(
      try await repository.commitSitting(box) == .deferred(.indexUnreadable("core.splitIndex")))
    #expect(try await box.git("diff", "--cached", "--name-only") == "")
    try await box.git("update-index", "--no-split-index")
    #expect(try await repository.commitSitting(box).paths == ["a.md", "new.md"])
    #expect(try await box.git("status", "--porcelain") == " D x/b.md\n")
  }

  /// Entries that git has replaced since are in the index without a name.
  @Test func `a split index with replaced entries is detected`() async throws {
    let (box, repository) = try await makeRepository()
    try await box.git("update-index", "--split-index")
    try box.write("a.md", "12\n")
    try box.write("x/b.md", "34\n")
    try await box.git("add", "a.md", "x/b.md")
    try box.write("new.md", "n\n")
    #expect(try await repository.save(box, ["new.md"]) != nil)
    #expect(
      try await repository.commitSitting(box) == .deferred(.indexUnreadable("core.splitIndex")))
  }

  @Test(arguments: [["index.skipHash"], ["feature.manyFiles", "core.untrackedCache"]])
  func `an index without a hash is read and written without one`(
    _ settings: [String]
  ) async throws {
    let (box, repository) = try await makeRepository()
    for name in settings { try await box.git("config", name, "true") }
    if settings.count > 1 { try await box.git("update-index", "--index-version", "4") }
    let index = URL(filePath: box.root + "/.git/index")
    var bytes = try Data(contentsOf: index)
    bytes.replaceSubrange(bytes.count - 20..<bytes.count, with: Data(count: 20))
    try bytes.write(to: index)
    try box.write("a.md", "12\n")
    #expect(try await repository.possibleChanges(box).map(\.text) == ["a.md"])
    #expect(try await repository.save(box, ["a.md"]) != nil)
    #expect(try await repository.commitSitting(box).paths == ["a.md"])
    #expect(try Data(contentsOf: index).suffix(20) == Data(count: 20))
    #expect(try await box.git("status", "--porcelain") == "")
  }

  @Test func `damage of an index that Diary wrote is detected`() async throws {
    let (box, repository) = try await makeRepository()
    let index = box.root + "/.git/index"
    var bytes = try Data(contentsOf: URL(filePath: index))
    bytes[50] ^= 1
    let file = try FileHandle(forWritingTo: URL(filePath: index))
    try file.write(contentsOf: bytes)
    try file.close()
    try box.write("a.md", "12\n")
    #expect(try await repository.save(box, ["a.md"]) != nil)
    #expect(
      try await repository.commitSitting(box)
        == .deferred(.indexUnreadable("its checksum is wrong")))
    #expect(try Data(contentsOf: URL(filePath: index)) == bytes)
  }

  @Test func `files skipped by a sparse checkout are neither missing nor deleted`() async throws {
    let (box, repository) = try await makeRepository()
    try await box.git("config", "core.sparseCheckout", "true")
    try Data("/*\n!/x/\n".utf8).write(to: URL(filePath: box.root + "/.git/info/sparse-checkout"))
    try await box.git("read-tree", "-mu", "HEAD")
    #expect(access(box.root + "/x/b.md", F_OK) != 0)
    #expect(try await repository.possibleChanges(box) == [])
    try box.write("a.md", "12\n")
    try await repository.save(box, ["a.md", "x/b.md"])
    #expect(try await repository.commitSitting(box).paths == ["a.md"])
    #expect(try await box.git("ls-tree", "-r", "--name-only", "HEAD") == "a.md\nx/b.md\n")
    #expect(try await box.git("status", "--porcelain") == "")
    #expect(try await repository.pending().isEmpty)
  }

  @Test(arguments: ["2", "4"])
  func `the version of an index is preserved`(_ version: String) async throws {
    let (box, repository) = try await makeRepository()
    try await box.git("update-index", "--index-version", version)
    try box.write("a.md", "12\n")
    try await repository.save(box, ["a.md"])
    #expect(try await repository.commitSitting(box).paths == ["a.md"])
    let bytes = try Data(contentsOf: URL(filePath: box.root + "/.git/index"))
    #expect(bytes[7] == UInt8(version))
    #expect(try await box.git("status", "--porcelain") == "")
  }

  @Test func `line endings are stored as git would store them`() async throws {
    let (box, repository) = try await makeRepository([
      ["config", "core.autocrlf", "true"], ["config", "core.safecrlf", "true"],
    ])
    try box.write("c.md", "one\r\ntwo\r\n")
    try box.write("mixed.md", "one\r\ntwo\n")
    #expect(try await repository.save(box, ["c.md", "mixed.md"]) != nil)
    #expect(try await repository.commitSitting(box).paths == ["c.md", "mixed.md"])
    #expect(try await box.git("cat-file", "-p", "HEAD:c.md") == "one\ntwo\n")
    #expect(try await box.git("status", "--porcelain") == "")
    let id = try #require(try await repository.headEntries()[EntryPath("c.md")!])
    #expect(
      try await repository.content(of: id, as: EntryPath("c.md")!) == Array("one\r\ntwo\r\n".utf8))
  }

  @Test func `if git does not trust file modes they are preserved`() async throws {
    let (box, repository) = try await makeRepository([["config", "core.fileMode", "false"]])
    try box.write("a.md", "12\n", executable: true)
    try await repository.save(box, ["a.md"])
    #expect(try await repository.commitSitting(box).paths == ["a.md"])
    #expect(try await box.git("ls-tree", "HEAD", "a.md").hasPrefix("100644"))
    #expect(try await box.git("status", "--porcelain") == "")
  }

  @Test(arguments: [
    "# a note\n*.txt text eol=crlf\n", "*.md merge=diary\n*.txt merge=union text eol=crlf\n",
    "[attr]windows text eol=crlf\n*.txt windows",
  ])
  func `attributes outside the work tree are applied with any other content`(
    _ attributes: String
  ) async throws {
    let (box, repository) = try await makeRepository()
    let file = URL(filePath: box.root + "/.git/info/attributes")
    try Data("*.md merge=diary\n".utf8).write(to: file)
    try box.write("plain.txt", "one\r\ntwo\r\n")
    try await repository.save(box, ["plain.txt"])
    #expect(try await repository.commitSitting(box).paths == ["plain.txt"])
    #expect(try await box.git("cat-file", "-p", "HEAD:plain.txt") == "one\r\ntwo\r\n")
    try Data(attributes.utf8).write(to: file)
    try box.write("c.txt", "one\r\ntwo\r\n")
    try await repository.save(box, ["c.txt"])
    #expect(try await repository.commitSitting(box).paths == ["c.txt"])
    #expect(try await box.git("cat-file", "-p", "HEAD:c.txt") == "one\ntwo\n")
    // Also if they are only in the index, of any version.
    try Data().write(to: file)
    try box.write(".gitattributes", "*.txt text eol=crlf\n")
    try await box.git("add", ".gitattributes")
    try box.remove(".gitattributes")
    for version in ["4", "2"] {
      try await box.git("update-index", "--index-version", version)
      try box.write("d\(version).txt", "one\r\ntwo\r\n")
      try await repository.save(box, ["d\(version).txt"])
      #expect(try await repository.commitSitting(box, ["d\(version).txt"]).paths?.count == 1)
      #expect(try await box.git("cat-file", "-p", "HEAD:d\(version).txt") == "one\ntwo\n")
    }
  }

  @Test func `filters and encodings are reported by name`() async throws {
    let (box, repository) = try await makeRepository()
    try box.write(".gitattributes", "*.jpg filter=lfs -text\n*.txt working-tree-encoding=UTF-16\n")
    let paths = ["p.jpg", "t.txt", "a.md"].compactMap { EntryPath($0) }
    #expect(
      try await repository.unusualAttributes(paths)
        == [paths[0]: "filter=lfs", paths[1]: "working-tree-encoding=UTF-16"])
  }

  @Test func `any name that the disk allows is stored byte for byte`() async throws {
    let (box, repository) = try await makeRepository()
    let names: [[UInt8]] = [
      Array("line\nbreak.md".utf8), Array("\"quoted\" 'name'.md".utf8), Array("-dash.md".utf8),
      Array(".hidden.md".utf8), Array("*[glob]?.md".utf8), Array("cafe\u{301}.md".utf8),
      Array("caf\u{e9}.md".utf8), [0x66, 0xff, 0xfe, 0x2e, 0x6d, 0x64], Array("한글/일기 !.md".utf8),
      Array(":(top)magic.md".utf8), Array("a b\\c.md".utf8), Array("#x#.md".utf8),
    ]
    let paths = names.compactMap { EntryPath(bytes: $0) }.sorted()
    for path in paths { try box.write(path, Array(path.bytes.reversed())) }
    #expect(try await repository.possibleChanges(box) == paths)
    let changes = paths.map { FileChange.write($0, Array($0.bytes.reversed()), executable: false) }
    _ = try await repository.save(changes, message: "S", at: 1, offsetMinutes: 0)
    guard case .committed(_, let committed, _) = try await repository.commitSitting(box) else {
      Issue.record("not committed")
      return
    }
    #expect(committed == paths)
    #expect(try await box.git("status", "--porcelain") == "")
    #expect(try await box.git("fsck", "--strict", "--no-dangling") == "")
    #expect(try await repository.possibleChanges(box) == [])
    for path in paths {
      #expect(try await repository.savedContent(path) == Array(path.bytes.reversed()))
    }
    #expect(try await Set(repository.headEntries().keys).isSuperset(of: paths))
  }

  @Test func `possible changes are those of git status, and ignored files`() async throws {
    let (box, repository) = try await makeRepository()
    try box.write(".gitignore", "*.log\n")
    try box.write("skip.log", "x\n")
    try box.write("deep/er/new.md", "x\n")
    try box.write("a.md", "changed\n")
    try box.remove("x/b.md")
    try box.write("staged.md", "s\n")
    try await box.git("add", "staged.md")
    #expect(
      try await repository.possibleChanges(box).map(\.text)
        == [".gitignore", "a.md", "deep/er/new.md", "skip.log", "staged.md", "x/b.md"])
    #expect(
      try await repository.ignoredPaths(among: [EntryPath("skip.log")!, EntryPath("a.md")!]).map(
        \.text) == [
          "skip.log"
        ])
    try await box.git("add", "-f", "skip.log")
    #expect(try await repository.ignoredPaths(among: [EntryPath("skip.log")!]).isEmpty)
  }
}
