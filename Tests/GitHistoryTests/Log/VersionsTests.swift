import DiaryCore
import Foundation
import GitHistory
import Testing

/// Every version of a path, whatever the user's git has done to the repository.
@Suite struct VersionsTests {
  private func texts(_ repository: GitRepository, _ path: String) async throws -> [String] {
    let found = try await repository.versions(of: #require(EntryPath(path)))
    var texts: [String] = []
    for version in found.versions {
      guard let blob = version.blob else {
        texts.append("gone")
        continue
      }
      texts.append(String(decoding: try await repository.content(of: blob), as: UTF8.self))
    }
    return texts
  }

  /// Makes two sittings of two saves each.
  private func makeTwoSittings(_ box: TestRepository, _ repository: GitRepository) async throws {
    for (index, text) in ["1\n", "1\n2\n", "1\n2\n3\n", "1\n2\n3\n4\n"].enumerated() {
      try box.write("a.md", text)
      try await repository.save(box, ["a.md"])
      if index % 2 == 1 { _ = try await repository.commitSitting(box) }
    }
  }

  private let four = ["1\n2\n3\n4\n", "1\n2\n3\n", "1\n2\n", "1\n"]

  @Test func `saves and sittings become one list with each text once`() async throws {
    let box = try await TestRepository()
    let repository = try box.open()
    try await makeTwoSittings(box, repository)
    let path = try #require(EntryPath("a.md"))
    let found = try await repository.versions(of: path)
    #expect(try await texts(repository, "a.md") == four)
    #expect(found.versions[0].message == "Edit a.md" && found.versions[0].otherCommits.count == 1)
    #expect(found.versions[0].savedAt == 1_700_000_100 && found.versions[0].offsetMinutes == 540)
    #expect(found.versions[1].message == "Save")
    #expect(!found.isCutOff)
  }

  /// Decades of sittings. Recursive deallocation of the commit chain once overflowed the stack.
  @Test func `a history of sixty thousand commits is read to its beginning`() async throws {
    let box = try await TestRepository()
    var stream = ""
    for number in 1...60_000 {
      let text = number % 15_000 == 1 ? "\(number)\n" : "x\n"
      let path = number % 15_000 == 1 ? "a.md" : "other.md"
      stream += "commit refs/heads/main\ncommitter M <m@e> \(1_600_000_000 + number) +0000\n"
      stream += "data 1\nS\nM 644 inline \(path)\ndata \(text.utf8.count)\n\(text)\n"
    }
    try box.write("commits", stream)
    try await box.git("-c", "alias.load=!git fast-import --quiet <commits", "load")
    #expect(try await texts(box.open(), "a.md") == ["45001\n", "30001\n", "15001\n", "1\n"])
  }

  @Test func `gc and an expired reflog remove no save`() async throws {
    let box = try await TestRepository()
    try await makeTwoSittings(box, try box.open())
    try await box.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
    try await box.git("gc", "-q", "--prune=now", "--aggressive")
    try await box.git("prune", "--expire=now")
    #expect(try await texts(try box.open(), "a.md") == four)
  }

  @Test func `versions are found through a rename, a deletion and a restoration`() async throws {
    let box = try await TestRepository()
    let repository = try box.open()
    try await makeTwoSittings(box, repository)
    try await box.git("mv", "a.md", "b.md")
    try await box.git("commit", "-qm", "move")
    try await box.git("rm", "-q", "b.md")
    try await box.git("commit", "-qm", "remove")
    #expect(try await repository.deletedFiles().files.map(\.path.text) == ["b.md"])
    try await box.git("checkout", "-q", "HEAD~1", "--", "b.md")
    try await box.git("commit", "-qm", "return")
    let past = try await texts(repository, "b.md")
    #expect(past == [four[0], "gone", four[0]] + four)
    #expect(try await repository.deletedFiles().files.isEmpty)
    let names = try await repository.versions(of: #require(EntryPath("b.md"))).paths
    #expect(names.map(\.text) == ["b.md", "a.md"])
  }

  @Test func `the search for deletions ends at an earlier commit`() async throws {
    let box = try await TestRepository()
    let repository = try box.open()
    try await makeTwoSittings(box, repository)
    try await box.git("rm", "-q", "a.md")
    try await box.git("commit", "-qm", "remove")
    let deleted = try await repository.deletedFiles().files
    let time = try #require(deleted.first).deletedAt
    #expect(try await repository.deletedFiles(since: time).files == deleted)
    #expect(try await repository.deletedFiles(since: time + 1_000_000_000).files.isEmpty)
  }

  @Test func `a rebase, an amend and a reset lose no text`() async throws {
    let box = try await TestRepository()
    let repository = try box.open()
    try await makeTwoSittings(box, repository)
    try await box.git("commit", "-q", "--amend", "-m", "reworded")
    #expect(Set(try await texts(repository, "a.md")) == Set(four))
    try await box.git("checkout", "-q", "-b", "side", "HEAD~1")
    try box.write("other.md", "o\n")
    try await box.git("add", ".")
    try await box.git("commit", "-qm", "other")
    try await box.git("checkout", "-q", "main")
    try await box.git("rebase", "-q", "side")
    try await box.git("reset", "-q", "--hard", "HEAD~2")
    try await box.git("branch", "-q", "-D", "side")
    try await box.git("reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
    try await box.git("gc", "-q", "--prune=now")
    #expect(Set(try await texts(try box.open(), "a.md")) == Set(four))
  }

  @Test func `both sides of a merge are found under their own names`() async throws {
    let box = try await TestRepository()
    let repository = try box.open()
    try box.write("a.md", "1\n2\n3\n4\n5\n6\n")
    try await repository.save(box, ["a.md"])
    _ = try await repository.commitSitting(box)
    try await box.git("checkout", "-q", "-b", "other")
    try box.write("a.md", "1\n2\n3\n4\n5\n6 theirs\n")
    try await box.git("commit", "-qam", "theirs")
    try await box.git("checkout", "-q", "main")
    try await box.git("mv", "a.md", "b.md")
    try box.write("b.md", "1 ours\n2\n3\n4\n5\n6\n")
    try await box.git("commit", "-qam", "ours")
    try await box.git("merge", "-q", "--no-edit", "other")
    let found = try await texts(repository, "b.md")
    #expect(found.first == "1 ours\n2\n3\n4\n5\n6 theirs\n")
    #expect(
      Set(found.dropFirst()) == [
        "1\n2\n3\n4\n5\n6 theirs\n", "1 ours\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\n5\n6\n",
      ])
  }

  @Test func `saves of a branch that was left or renamed stay reachable`() async throws {
    let box = try await TestRepository()
    let repository = try box.open()
    try await makeTwoSittings(box, repository)
    try await box.git("checkout", "-q", "-b", "draft")
    try box.write("a.md", "draft\n")
    try await repository.save(box, ["a.md"])
    try await box.git("checkout", "-q", "--", "a.md")
    try await box.git("checkout", "-q", "main")
    try await box.git("branch", "-q", "-m", "main", "trunk")
    #expect(Set(try await texts(repository, "a.md")) == Set(four + ["draft\n"]))
  }

  @Test func `the edge of a shallow clone is distinguished from the first commit`() async throws {
    let box = try await TestRepository()
    try await makeTwoSittings(box, try box.open())
    try await box.git("clone", "-q", "--depth", "1", "file://\(box.root)", box.folder + "/shallow")
    let clone = try GitRepository(
      #require(try RepositoryLocation.find(journal: box.folder + "/shallow")))
    let found = try await clone.versions(of: #require(EntryPath("a.md")))
    #expect(found.isCutOff && found.versions.count == 1)
    #expect(try await clone.snapshot(at: 1_000) == .cutOff(at: 1_700_000_200))
  }

  @Test func `the whole journal is read as it was at a commit`() async throws {
    let box = try await TestRepository()
    let repository = try box.open()
    try box.write("a.md", "1\n")
    try await repository.save(box, ["a.md"], at: 1_600_000_000)
    try box.write("b.md", "2\n")
    try await repository.save(box, ["b.md"], at: 1_600_000_100)
    func paths(_ seconds: Int) async throws -> [String] {
      guard case .found(_, _, let files) = try await repository.snapshot(at: seconds) else {
        return []
      }
      return files.keys.map(\.text).sorted()
    }
    #expect(try await paths(1_600_000_050) == ["a.md"])
    #expect(try await paths(1_600_000_100) == ["a.md", "b.md"])
    #expect(try await repository.snapshot(at: 9) == .tooEarly(startedAt: 1_600_000_000))
  }

  @Test func `a damaged save of the sitting stops no further save`() async throws {
    let box = try await TestRepository()
    let repository = try box.open()
    for (number, text) in ["1\n", "2\n", "3\n"].enumerated() {
      try box.write("a.md", text)
      try await repository.save(box, ["a.md"], at: 1_700_000_100 + number)
    }
    let first = try await box.git("rev-parse", "refs/diary/saves/main/main~2")
      .trimmingCharacters(in: .newlines)
    try FileManager.default.removeItem(
      atPath: box.root + "/.git/objects/\(first.prefix(2))/\(first.dropFirst(2))")
    let again = try box.open()
    #expect(try await again.pending().map(\.path.text) == ["a.md"])
    #expect(try await again.lastSave()?.time == 1_700_000_102)
    try box.write("a.md", "4\n")
    #expect(try await again.save(box, ["a.md"]) != nil)
  }

  @Test func `a malformed tree of an old commit does not hide a newer entry`() async throws {
    let box = try await TestRepository()
    func id(_ arguments: String...) async throws -> String {
      try await box.git(arguments).trimmingCharacters(in: .newlines)
    }
    try box.write("broken", "100644 a.md\u{0}short")
    let tree = try await id("hash-object", "-t", "tree", "--literally", "-w", "broken")
    let old = try await id("commit-tree", "-m", "old", tree)
    let next = try await id("commit-tree", "-m", "next", "-p", old, try await id("write-tree"))
    try box.write("b.md", "1\n")
    try await box.git("add", "b.md")
    let new = try await id("commit-tree", "-m", "new", "-p", next, try await id("write-tree"))
    try await box.git("update-ref", "refs/heads/main", new)
    let repository = try box.open()
    #expect(try await texts(repository, "b.md") == ["1\n"])
    try box.write("b.md", "2\n")
    try await repository.save(box, ["b.md"])
    #expect(try await texts(repository, "b.md") == ["2\n", "1\n"])
  }
}
