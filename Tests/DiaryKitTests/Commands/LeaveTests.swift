import DiaryCore
import Foundation
import GitHistory
import TestSupport
import Testing

@testable import DiaryKit

/// Versions that `diary leave` must not delete.
@Suite struct LeaveTests {
  private func refusal(_ world: TestJournal) async throws -> DiaryError? {
    let error = await #expect(throws: DiaryError.self) {
      try await world.journal().leave(.dropIfRedundant)
    }
    #expect(world.home.exists("j/.diary/config.yml"))
    #expect(world.home.exists("j/.git/diary"))
    return error
  }

  private func save(_ text: String, _ name: String, in world: TestJournal) async throws {
    try world.write(text, name)
    let path = try #require(EntryPath(name))
    try await world.journal().savePaths(path)
  }

  @Test func `a version between two commits is not deleted`() async throws {
    let world = try await TestJournal()
    try await save("a thought\n", "a.md", in: world)
    try await save("another one\n", "a.md", in: world)
    try await save("", "a.md", in: world)
    try await save("the last one\n", "a.md", in: world)
    _ = try await world.journal().save()
    let error = try await refusal(world)
    #expect(error?.message == "only the autosaves contain 2 versions of 1 file")
    #expect(error?.details == ["a.md: 2 versions"])
    _ = try await world.journal().leave(.drop)
    #expect(!world.home.exists("j/.diary"))
    #expect(try await world.git("for-each-ref", "refs/diary") == "")
  }

  @Test func `a version on a deleted branch is not deleted`() async throws {
    let world = try await TestJournal()
    _ = try await world.git("checkout", "-qb", "side")
    try world.write("words of a branch\n", "sub/b.md")
    _ = try await world.journal().save()
    _ = try await world.git("checkout", "-q", "main")
    _ = try await world.git("branch", "-qD", "side")
    #expect(try await refusal(world)?.details == ["sub/b.md: 1 version"])
    _ = try await world.journal().leave(.keep)
    #expect(try await world.git("log", "--all", "-p", "-m").contains("+words of a branch"))
  }

  @Test func `a version that the branch lost by a reset is not deleted`() async throws {
    let world = try await TestJournal()
    try world.write("given up\n", "b.md")
    _ = try await world.journal().save()
    _ = try await world.git("reset", "-q", "--hard", "HEAD~1")
    #expect(try await refusal(world)?.details == ["b.md: 1 version"])
    // A tag keeps a commit reachable, as a branch does.
    _ = try await world.git("tag", "-am", "kept", "kept", "HEAD@{1}")
    _ = try await world.journal().leave(.dropIfRedundant)
    #expect(!world.home.exists("j/.diary"))
  }

  @Test func `a file in the settings folder that Diary never saves stays`() async throws {
    let world = try await TestJournal(["a.md": "one\n", ".diary/notes.md": "my notes\n"])
    try world.write("titles: [heading]\n", ".diary/config.yml")
    try world.write("my notes, and more\n", ".diary/notes.md")
    let outcome = try await world.journal().leave(.dropIfRedundant)
    #expect(outcome.remaining == [".diary/notes.md"])
    #expect(try world.home.read("j/.diary/notes.md") == "my notes, and more\n")
    #expect(!world.home.exists("j/.diary/config.yml"))
    #expect(try await world.git("show", "HEAD~1:.diary/config.yml") == "titles: [heading]\n")
    #expect(try await world.git("status", "--porcelain") == " M .diary/notes.md\n")
  }

  @Test func `the leftover of a killed Diary is recovered first`() async throws {
    let world = try await TestJournal()
    let journal = try world.journal()
    try journal.gitLocation.makeDiaryDirectory()
    try world.write("late words\n", ".git/diary/.diary-8c1af7c6658771a2.tmp")
    #expect(try await refusal(world)?.details == [".diary-8c1af7c6658771a2.tmp: 1 version"])
    _ = try await world.journal().leave(.keep)
    #expect(try await world.git("log", "--all", "-p", "-m").contains("+late words"))
  }

  @Test func `a file that waits for its editor is named`() async throws {
    let world = try await TestJournal()
    let journal = try world.journal()
    try journal.gitLocation.makeDiaryDirectory()
    let shown = try await journal.repository.blobID(of: Array("one\n".utf8), at: "a.md")
    try world.write("one\ntwo\n", "a.md")
    _ = try await world.git("commit", "-qam", "another device")
    try world.write("one\n", "a.md")
    try journal.state.checkouts.write([
      CheckoutRecord(path: "a.md", disk: shown, at: journal.now)
    ])
    try world.write("", ".a.md.swp")
    #expect(try await refusal(world)?.details == ["a.md is open in an editor"])
    try world.remove(".a.md.swp")
    _ = try await world.journal().leave(.dropIfRedundant)
    #expect(try world.home.read("j/a.md") == "one\ntwo\n")
    #expect(try await world.git("status", "--porcelain") == "")
  }

  @Test func `missing entries and a half import are refused`() async throws {
    let world = try await TestJournal(["a.md": "one\n", "b.md": "two\n"])
    for name in ["a.md", "b.md"] { try world.remove(name) }
    #expect(try await refusal(world)?.details == ["a.md", "b.md"])
    _ = try await world.git("restore", ".")
    try world.write("[\"c.md\"]", ".git/diary/import.json")
    #expect(try await refusal(world)?.message == "an import was interrupted")
    try world.remove(".git/diary/import.json")
    _ = try await world.journal().leave(.dropIfRedundant)
  }

  @Test func `an ignored entry and a blank one are not left behind untold`() async throws {
    let world = try await TestJournal([".gitignore": "x.md\ny.md\n", "a.md": "one\n"])
    let journal = try world.journal()
    try world.write("not saved\n", "x.md")
    try journal.gitLocation.makeDiaryDirectory()
    for (name, path): (String, EntryPath) in [("b.md", "b.md"), ("y.md", "y.md")] {
      try world.write("blank\n", name)
      try await journal.locked { try $0.saver.recordBlank(Array("blank\n".utf8), at: path) }
      try world.write("", ".\(name).swp")
    }
    #expect(
      try await refusal(world)?.details
        == ["b.md is open in an editor", "y.md is open in an editor"])
    for name in [".b.md.swp", ".y.md.swp"] { try world.remove(name) }
    let outcome = try await world.journal().leave(.dropIfRedundant)
    #expect(outcome.save.skipped.map(\.path) == ["x.md"] && !world.home.exists("j/y.md"))
    #expect(try world.home.read("j/x.md") == "not saved\n" && !world.home.exists("j/b.md"))
  }

  @Test(arguments: ["my-merge %O %A %B", nil])
  func `only Diary's merge driver is removed`(_ own: String?) async throws {
    let world = try await TestJournal()
    try await world.journal().mergeDriver.registerMergeDriver()
    if let own { _ = try await world.git("config", "merge.diary.driver", own) }
    _ = try await world.journal().leave(.dropIfRedundant)
    let config = try world.home.read("j/.git/config")
    #expect(config.contains("[merge \"diary\"]") == (own != nil))
    if let own { #expect(try await world.git("config", "merge.diary.driver") == own + "\n") }
  }

  @Test func `the service is removed, and a killed leave can be repeated`() async throws {
    let world = try await TestJournal()
    let journal = try world.journal()
    try journal.gitLocation.makeDiaryDirectory()
    let service = try await WatchInstallation(of: journal).install(sync: false)
    #expect(FileManager.default.fileExists(atPath: service.file))
    // The state in which a kill after the settings' removal leaves the journal.
    try await journal.locked { _ = try await $0.saver.saveDeletions([".diary/config.yml"]) }
    try world.remove(".diary/config.yml")
    _ = try await world.journal().leave(.dropIfRedundant)
    #expect(!FileManager.default.fileExists(atPath: service.file))
    for name in [".diary", ".git/diary"] { #expect(!world.home.exists("j/" + name)) }
    #expect(try await world.git("ls-files", ".diary") == "")
    #expect(try await world.git("for-each-ref", "refs/diary") == "")
  }

  @Test func `nothing is removed while a watcher or a sync runs`() async throws {
    let world = try await TestJournal()
    let journal = try world.journal()
    try journal.gitLocation.makeDiaryDirectory()
    for name in ["watch.lock", "sync.lock"] {
      let lock = try ProcessLock(journal.stateFolder + "/" + name, text: "process 7")
      #expect(lock != nil)
      _ = try await refusal(world)
      withExtendedLifetime(lock) {}
    }
    _ = try await world.journal().leave(.dropIfRedundant)
  }
}
