import DiaryCore
import EntryFiles
import Foundation
import TestSupport
import Testing

@testable import DiaryKit
@testable import GitHistory

/// Records, repairs and cleanup of Diary's private state.
@Suite struct UpkeepTests {
  @Test func `a deferred commit is recorded with its reason until it is done`() async throws {
    let world = try await TestJournal()
    let journal = try world.journal()
    let head = try await world.git("rev-parse", "HEAD")
    try world.write(head, ".git/MERGE_HEAD")
    try world.write("two\n", "a.md")
    #expect(try await journal.save().deferReason == .operation("merge"))
    #expect(
      journal.changes.deferredCommit
        == DeferredCommit(since: 1_795_262_640, reason: .operation("merge")))
    let status = try await journal.status()
    #expect(status.deferReason == .operation("merge") && status.deferredSince == 1_795_262_640)
    try world.remove(".git/MERGE_HEAD")
    #expect(try await journal.save().commit?.paths == ["a.md"])
    #expect(journal.changes.deferredCommit == nil)
  }

  @Test func `changes of the upkeep at the same time are all kept`() async throws {
    let world = try await TestJournal()
    let journal = try world.journal()
    let names = (1...12).map { "notice-\($0)" }
    try await withThrowingTaskGroup { group in
      for (index, name) in names.enumerated() {
        group.addTask { #expect(await journal.entries.isFirstNotice(name)) }
        guard index < 3 else { continue }
        group.addTask {
          try await journal.locked { locked in
            try locked.update(journal.state.upkeep) { $0.cleanedUp += 1 }
          }
        }
      }
      try await group.waitForAll()
    }
    let upkeep = journal.state.upkeep.read()
    #expect(upkeep.notices == Set(names) && upkeep.cleanedUp == 3)
    #expect(await !journal.entries.isFirstNotice(names[0]))
    let answers = await withTaskGroup { group in
      for _ in 0..<8 { group.addTask { await journal.entries.isFirstNotice("once") } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(answers.count { $0 } == 1)
  }

  @Test func `an index that git cannot read is rebuilt and the old file is kept`() async throws {
    let world = try await TestJournal()
    let journal = try world.journal()
    try world.write("this is no index, and never was\n", ".git/index")
    try world.write("two\n", "a.md")
    let outcome = try await journal.save()
    #expect(outcome.indexRepairMessage?.contains(".git/index.damaged-1") == true)
    #expect(outcome.commit?.paths == ["a.md"])
    #expect(try await world.git("status", "--porcelain") == "")
    #expect(try world.home.read("j/.git/index.damaged-1").hasPrefix("this is no index"))
    #expect(!world.home.exists("j/.git/index.lock") && !world.home.exists("j/.git/diary/index.new"))
  }

  @Test func `an index that only git can read is left alone and reported by status`() async throws {
    let world = try await TestJournal()
    let journal = try world.journal()
    _ = try await world.git("update-index", "--split-index")
    let index = FileManager.default.contents(atPath: world.home.homePath + "/j/.git/index")
    try world.write("two\n", "a.md")
    let outcome = try await journal.save()
    #expect(outcome.indexRepairMessage == nil && outcome.saved == ["a.md"])
    #expect(outcome.deferReason?.message.contains("core.splitIndex") == true)
    #expect(try await journal.status().deferReason?.message.contains("core.splitIndex") == true)
    #expect(FileManager.default.contents(atPath: world.home.homePath + "/j/.git/index") == index)
  }

  @Test func `leaving is refused if only saves contain another branch's text`() async throws {
    let world = try await TestJournal()
    let journal = try world.journal()
    _ = try await world.git("checkout", "-qb", "side/one")
    try world.write("only here\n", "b.md")
    try await journal.savePaths("b.md")
    try world.remove("b.md")
    _ = try await world.git("checkout", "-q", "main")
    let error = await #expect(throws: DiaryError.self) {
      try await world.journal().leave(.dropIfRedundant)
    }
    #expect(error?.message == "only the autosaves contain 1 version of 1 file")
    #expect(error?.details == ["b.md: 1 version"])
    #expect(world.home.exists("j/.diary/config.yml"))
    _ = try await world.journal().leave(.keep)
    #expect(!world.home.exists("j/.diary"))
    #expect(
      try await world.git("show", "refs/diary/saves/main/side/one:b.md") == "only here\n")
  }

  @Test func `leaving is refused while something is staged`() async throws {
    let world = try await TestJournal()
    try world.write("staged\n", "a.md")
    _ = try await world.git("add", "a.md")
    try world.write("staged, and more\n", "a.md")
    let error = await #expect(throws: DiaryError.self) {
      try await world.journal().leave(.dropIfRedundant)
    }
    #expect(error?.details == ["a.md"])
    #expect(world.home.exists("j/.diary/config.yml"))
  }

  @Test func `temporary files of killed Diaries become versions in one save`() async throws {
    let world = try await TestJournal()
    let journal = try world.journal()
    try journal.gitLocation.makeDiaryDirectory()
    let names = ["2026/.diary-1f.tmp", ".git/diary/.diary-2f.tmp", ".git/diary/.diary-3f.tmp"]
    for name in names { try world.write("half of \(name)\n", name) }
    // The history has these bytes, and nobody wrote to the file after it was displaced.
    try world.write("one\n", ".git/diary/.diary-4f.tmp")
    let isLocked = try JournalFolder(root: world.home.homePath + "/j")
    let replaced = try isLocked.replace(
      "a.md", expecting: Array("one\n".utf8), with: Array("two\n".utf8),
      displacedDirectory: journal.stateFolder)
    let walk = { @Sendable in journal.folder.scan(EntryMatcher(settings: journal.settings)) }
    try await journal.locked { try await $0.saver.recoverTemporaryFiles(walk(), quietFor: 60) }
    for name in names { #expect(world.home.exists("j/" + name)) }
    try await journal.locked { try await $0.saver.recoverTemporaryFiles(walk(), quietFor: 0) }
    for name in names { #expect(!world.home.exists("j/" + name)) }
    let left = try FileManager.default.contentsOfDirectory(atPath: journal.stateFolder)
      .filter { $0.hasPrefix(".diary-") }
    withExtendedLifetime(replaced) { #expect(left.count == 1) }
    #expect(try await journal.repository.pending().isEmpty)
    let history = try await world.git(
      "log", "-p", "-m", "--first-parent", "--glob=refs/diary/saves")
    for name in names { #expect(history.contains("half of \(name)")) }
    #expect(history.split(separator: "\n").count { $0.contains("Keep what an") } == 2)
  }

  @Test func `every save recovers the temporary files that its walk has found`() async throws {
    let world = try await TestJournal()
    let journal = try world.journal()
    try await journal.locked { locked in
      try locked.update(journal.state.upkeep) { $0.cleanedUp = journal.now }
    }
    try world.write("half of an entry\n", "2026/.diary-1f.tmp")
    // A file without a process is a leftover two seconds after its last change.
    let isRecovered = await Sandbox.holds {
      guard (try? await journal.save()) != nil else { return false }
      return !world.home.exists("j/2026/.diary-1f.tmp")
    }
    #expect(isRecovered)
    let history = try await world.git(
      "log", "-p", "-m", "--first-parent", "--glob=refs/diary/saves")
    #expect(history.contains("half of an entry"))
  }

  @Test func `late text in a displaced file is merged before it is discarded`() async throws {
    let world = try await TestJournal()
    let journal = try world.journal()
    _ = try await journal.save()
    let editor = try #require(FileHandle(forWritingAtPath: world.home.homePath + "/j/a.md"))
    let (old, new) = (Array("one\n".utf8), Array("---\nweather: Rain\n---\none\n".utf8))
    let replaced = try journal.folder.replace(
      "a.md", expecting: old, with: new, displacedDirectory: journal.stateFolder)
    guard case .replaced(let displaced?) = replaced else {
      Issue.record("not replaced")
      return
    }
    try editor.seekToEnd()
    try editor.write(contentsOf: Data("late\n".utf8))
    try editor.close()
    try await journal.locked {
      try await $0.saver.discard([(path: "a.md", file: displaced, wrote: new)])
    }
    let text = try world.home.read("j/a.md")
    #expect(text.contains("weather: Rain") && text.hasSuffix("one\nlate\n"), "\(text)")
    #expect(try await world.git("show", "HEAD:a.md").contains("late"))
    let left = try FileManager.default.contentsOfDirectory(atPath: journal.stateFolder)
    #expect(!left.contains { $0.hasPrefix(".diary-") })
  }

  @Test func `records about removed files are deleted`() async throws {
    let world = try await TestJournal()
    let journal = try world.journal()
    try journal.gitLocation.makeDiaryDirectory()
    try world.write("blank\n", "b.md")
    for path: EntryPath in ["a.md", "b.md", "gone.md"] {
      try await journal.locked { try $0.saver.recordBlank(Array("blank\n".utf8), at: path) }
      try await journal.weather.queueStamp(path, moment: 1)
    }
    try await journal.locked { try await $0.saver.cleanUp() }
    #expect(Set(journal.changes.blankEntries.keys) == ["b.md"])
    #expect(journal.state.queuedStamps.read().map(\.path) == ["a.md", "b.md"])
  }

  @Test func `a save without a watcher cleans up once a day`()
    async throws
  {
    let world = try await TestJournal()
    let journal = try world.journal()
    try journal.gitLocation.makeDiaryDirectory()
    // No process has this id, because it is above the kernel's limit.
    let names = ["owed.json.4194305-7", "owed.json.1-7", "owed.json"].map { ".git/diary/" + $0 }
    for name in names { try world.write("[]", name) }
    try await journal.locked { try $0.saver.recordBlank(Array("blank\n".utf8), at: "gone.md") }
    _ = try await journal.save()
    #expect(names.map { world.home.exists("j/" + $0) } == [false, true, true])
    #expect(journal.changes.blankEntries.isEmpty)
    try world.write("[]", names[0])
    _ = try await journal.save()
    #expect(world.home.exists("j/" + names[0]))
  }

  @Test func `pending weather follows a renamed entry`() async throws {
    let world = try await TestJournal()
    let journal = try world.journal()
    try journal.gitLocation.makeDiaryDirectory()
    try await journal.weather.queueStamp("a.md", moment: 1)
    let renamed = try await journal.entries.rename("a.md", to: "Another name")
    #expect(journal.state.queuedStamps.read().map(\.path) == [renamed.path.text])
  }

  @Test func `a command that fails after its first save leaves no flush open`() async throws {
    let world = try await TestJournal(["a.md": "+++\ntitle = \"one\"\n+++\n\nText.\n"])
    let journal = try world.journal()
    try world.write("+++\ntitle = \"one\"\n+++\n\nText, and more.\n", "a.md")
    await #expect(throws: (any Error).self) { try await journal.entries.rename("a.md", to: "Two") }
    #expect(try await world.git("log", "-p", "--glob=refs/diary").contains("+Text, and more."))
    #expect(try await !journal.repository.isFlushOpen)
  }
}

extension GitRepository {
  fileprivate var isFlushOpen: Bool { flush.isOpen }
}
