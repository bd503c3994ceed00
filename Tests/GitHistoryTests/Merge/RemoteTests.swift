import DiaryCore
import Foundation
import GitHistory
import Testing

@Suite struct RemoteTests {
  private func makeClone() async throws -> (origin: TestRepository, box: TestRepository) {
    let (origin, box) = (try await TestRepository(), try await TestRepository())
    try await origin.commit(["notes/a.md": "a\n"], "Base")
    try await box.git("remote", "add", "origin", origin.root)
    try await box.git("fetch", "-q")
    try await box.git("checkout", "-q", "-B", "main", "origin/main")
    return (origin, box)
  }

  @Test func `remotes are read from git's configuration`() async throws {
    let (origin, box) = try await makeClone()
    try await box.git("remote", "add", "away", "ssh://example.org/diary")
    try await box.git("remote", "set-url", "--push", "away", "git@example.org:diary")
    let repository = try box.open()
    #expect(
      try await repository.remotes() == [
        Remote(
          name: "away", url: "ssh://example.org/diary",
          configuredURLs: ["ssh://example.org/diary", "git@example.org:diary"]),
        Remote(name: "origin", url: origin.root, configuredURLs: [origin.root]),
      ])
  }

  @Test func `a branch's upstream is read and set as git does`() async throws {
    let (origin, box) = try await makeClone()
    let repository = try box.open()
    let tip = try await origin.id("HEAD")
    #expect(
      try await repository.upstream(of: "main")
        == Upstream(remote: "origin", branch: "refs/heads/main"))
    #expect(
      try await repository.trackingReference(of: "refs/heads/main", at: "origin")
        == "refs/remotes/origin/main")
    #expect(try await repository.upstream(of: "none") == nil)
    try await box.git("branch", "v1.0/x")
    try await repository.setUpstream(of: "v1.0/x", remote: "origin", branch: "refs/heads/later")
    #expect(
      try await repository.upstream(of: "v1.0/x")
        == Upstream(remote: "origin", branch: "refs/heads/later"))
    #expect(try await box.git("config", "branch.v1.0/x.merge") == "refs/heads/later\n")
    #expect(try await repository.trackingReference(of: "refs/heads/main", at: "gone") == nil)
    #expect(try await repository.commit(of: "refs/remotes/origin/main") == tip)
    #expect(try await repository.commit(of: "refs/remotes/origin/none") == nil)
  }

  @Test func `a rewritten branch is distinguished from a continued one`() async throws {
    let (origin, box) = try await makeClone()
    let old = try await origin.id("HEAD")
    try await origin.commit(["notes/a.md": "a more\n"], "More")
    try await box.git("fetch", "-q")
    let new = try await origin.id("HEAD")
    let repository = try box.open()
    #expect(try await repository.isAncestor(old, of: new))
    try await origin.git("commit", "-q", "--amend", "-m", "Rewritten")
    try await box.git("fetch", "-q")
    #expect(try await !repository.isAncestor(new, of: origin.id("HEAD")))
  }

  @Test func `unpushed commits of Diary are distinguished from the user's`() async throws {
    let (origin, box) = try await makeClone()
    let repository = try box.open(journal: "notes")
    let base = try await box.id("HEAD")
    try box.write("notes/b.md", "b\n")
    _ = try await repository.save(
      box.changes(["b.md"], below: "notes"), message: "Save", at: 5, offsetMinutes: 0)
    let outcome = try await repository.commitSitting(
      nil, read: box.reader(below: "notes"), message: { _ in "Write \"b\"" }, at: 6,
      offsetMinutes: 0)
    guard case .committed(let own, _, _) = outcome else {
      Issue.record("no commit")
      return
    }
    #expect(try await repository.unpushed(own, known: [base]).map(\.isForeign) == [false])
    #expect(try await repository.unpushedCount(own, known: [base]) == 1)

    // The text of a message is no proof.
    try await box.commit(["code.c": "own\n"], "Write \"b\"")
    let foreign = try await box.id("HEAD")
    let all = try await repository.unpushed(foreign, known: [base])
    #expect(all.map(\.isMadeByDiary) == [false, true])
    #expect(all.map(\.message) == ["Write \"b\"\n", "Write \"b\""].map { $0.trimmed + "\n" })

    try await origin.commit(["notes/c.md": "c\n"], "Theirs")
    try await box.git("fetch", "-q")
    let theirs = try await origin.id("HEAD")
    guard case .merged(let merge) = try await repository.mergeCommit(own, theirs, rules: .byName)
    else {
      Issue.record("no merge")
      return
    }
    let unpushed = try await repository.unpushed(merge.id, known: [theirs])
    #expect(unpushed.map(\.id) == [merge.id, own])
    #expect(unpushed.map(\.isForeign) == [false, false])
    #expect(try await repository.unpushed(theirs, known: [theirs]).isEmpty)
  }

  @Test func `a conflict of changes outside the journal is reported`() async throws {
    let (_, box) = try await makeClone()
    let base = try await box.id("HEAD")
    try await box.git("checkout", "-q", "-b", "side")
    try await box.commit(["code.c": "side\n"], "Side")
    try await box.git("checkout", "-q", "main")
    try await box.commit(["code.c": "main line\n"], "Main")
    try await box.git("merge", "-q", "-s", "ours", "-m", "Both\n\nDiary-Merge: 1", "side")
    let tip = try await box.id("HEAD")
    let merge = try #require(
      try await box.open(journal: "notes").unpushed(tip, known: [base]).first)
    #expect(merge.isMadeByDiary && merge.isForeign)
    #expect(merge.conflicting.map(\.text) == ["code.c"])
  }
}
