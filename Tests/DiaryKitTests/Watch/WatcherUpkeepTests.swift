import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Synchronization
import TestSupport
import Testing

@testable import DiaryKit

/// What the watcher keeps until it is done.
@Suite struct WatcherUpkeepTests {
  @Test func `a stamp that cannot be written is kept and written later`() async throws {
    let world = try await TestJournal()
    let journal = try world.journal(["DIARY_AUTOSAVE__SITTING": "1s"])
    let watcher = try Autosave(journal) { _ in }
    try await watcher.add(WaitingStamp(moment: 1_795_262_640, weather: "Rain, 7°C"), "a.md")
    // A folder in the file's place is an error of the file system.
    let path = world.home.homePath + "/j/a.md"
    try FileManager.default.moveItem(atPath: path, toPath: path + ".away")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    await watcher.writeStamps()
    #expect(journal.state.waitingStamps.read().keys.sorted() == ["a.md"])
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: path + ".away", toPath: path)
    await watcher.recordWrite(to: "a.md")
    await watcher.closeEditors()
    await watcher.writeStamps()
    #expect(try world.home.read("j/a.md").contains("weather: Rain, 7°C"))
    #expect(journal.state.waitingStamps.read().isEmpty)
    #expect(try await world.git("log", "-p", "--glob=refs/diary").contains("+weather"))
  }

  @Test func `a file that no command would change gets no stamp`() async throws {
    let world = try await TestJournal()
    let journal = try world.journal(["DIARY_AUTOSAVE__SITTING": "1s"])
    let watcher = try Autosave(journal) { _ in }
    try await watcher.add(WaitingStamp(moment: 1_795_262_640, weather: "Rain, 7°C"), "a.md")
    // Empty since a crash: with a stamp it would look like a text.
    try world.write("", "a.md")
    try world.backdate("a.md")
    await watcher.writeStamps()
    #expect(try world.home.read("j/a.md") == "")
    #expect(journal.state.waitingStamps.read().keys.sorted() == ["a.md"])
    // It waits for an event, not for a time.
    #expect(await watcher.stamps.ready.isEmpty)
    try world.write("one\n", "a.md")
    await watcher.recordWrite(to: "a.md")
    try world.backdate("a.md")
    await watcher.closeEditors()
    await watcher.writeStamps()
    #expect(try world.home.read("j/a.md").contains("weather: Rain, 7°C"))
  }

  @Test func `a waiting stamp follows an entry that a command renames`() async throws {
    let world = try await TestJournal(["a.md": "# One\n\nwords\n"])
    let journal = try world.journal(["DIARY_AUTOSAVE__SITTING": "1s"])
    let watcher = try Autosave(journal) { _ in }
    try await watcher.add(WaitingStamp(moment: 1_795_262_640, weather: "Rain, 7°C"), "a.md")
    try await watcher.add(WaitingStamp(moment: 1_795_262_641, weather: "Snow, 0°C"), "other.md")
    let renamed = try await world.journal().entries.rename("a.md", to: "Two")
    // Another stamp that comes and goes does not bring the old name back.
    try await watcher.add(WaitingStamp(moment: 1_795_262_642), "third.md")
    await watcher.writeStamps()
    #expect(try world.home.read("j/" + renamed.path.text).contains("weather: Rain, 7°C"))
    #expect(!world.home.exists("j/a.md"))
  }

  @Test func `two processes that add waiting stamps at once lose none`() async throws {
    let world = try await TestJournal()
    let journals = [try world.journal(), try world.journal()]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          let path = try #require(EntryPath("\(number).md"))
          _ = try await journals[number % 2].locked {
            try $0.saver.addWaitingStamps(to: [path])
          }
        }
      }
      try await group.waitForAll()
    }
    let stamps = journals[0].state.waitingStamps.read()
    #expect(stamps.count == 20)
    // An answer finds its stamp by the moment.
    #expect(Set(stamps.values.map(\.moment)).count == 20)
  }

  @Test func `weather that cannot be stored is still written`() async throws {
    let world = try await TestJournal(["a.md": "---\ndate: 2026-11-21\n---\nwords\n"])
    let watcher = try Autosave(world.journal()) { _ in }
    try await watcher.add(WaitingStamp(moment: 7), "a.md")
    await watcher.endRequest(at: 7, unstored: "Rain, 7°C")
    await watcher.writeStamps()
    #expect(try world.home.read("j/a.md").contains("weather: Rain, 7°C"))
  }

  @Test(arguments: [
    ("---\ndate: 2026-11-21T21:04:00Z\n---\nwords\n", false), ("words\n", true),
  ])
  func `only a new entry that lacks a date waits for a stamp`(
    _ text: String, _ waits: Bool
  ) async throws {
    let world = try await TestJournal()
    let journal = try world.journal(["DIARY_STAMP": "all"])
    let watcher = try Autosave(journal) { _ in }
    try world.write(text, "new.md")
    // The file's time is that of the clock.
    _ = try await world.home.run("touch", ["-d", "@\(journal.now)", "j/new.md"])
    try await watcher.save(["new.md"])
    #expect(await watcher.stamps.paths == (waits ? ["new.md"] : []))
  }

  @Test func `a waiting file is tried after growing pauses and its record stays`() async throws {
    let world = try await TestJournal([".gitattributes": "*.bin filter=lfs\n", "a.md": "one\n"])
    let journal = try world.journal()
    let shown = try await journal.repository.blobID(of: Array("one\n".utf8), at: "a.md")
    try world.write("one\ntwo\n", "a.md")
    try world.write("sound\n", "rain.bin")
    _ = try await world.git("add", "-A")
    _ = try await world.git("commit", "-qm", "another device")
    try world.write("one\n", "a.md")
    try world.write("", ".a.md.swp")
    try world.remove("rain.bin")
    try journal.gitLocation.makeDiaryDirectory()
    try journal.state.checkouts.write([
      CheckoutRecord(path: "a.md", disk: shown, at: 1),
      CheckoutRecord(path: "rain.bin", disk: nil, at: 1),
    ])
    let inode = try FileManager.default.attributesOfItem(
      atPath: journal.state.checkouts.path)
    #expect(
      try await journal.remote.waitingFiles().map(\.reason) == [
        "is open in an editor",
        "has the git attribute filter=lfs, so Diary leaves it to git: `git restore` updates it",
      ])
    let watcher = try Autosave(journal) { _ in }
    var pauses: [Int64] = []
    for _ in 0..<3 {
      await watcher.retryCheckouts()
      pauses.append(try #require(await watcher.schedule[.checkouts]?.at) - MonotonicTime.now)
    }
    #expect(pauses[2] > 2 * pauses[0], "\(pauses)")
    let after = try FileManager.default.attributesOfItem(
      atPath: journal.state.checkouts.path)
    #expect(after[.systemFileNumber] as? Int == inode[.systemFileNumber] as? Int)
    // A file that only git can update is not polled.
    try world.remove(".a.md.swp")
    await watcher.retryCheckouts()
    #expect(try world.home.read("j/a.md") == "one\ntwo\n")
    #expect(await watcher.schedule[.checkouts] == nil)
    await watcher.scheduleCheckoutRetry(after: ["b.md"])
    #expect(await watcher.schedule[.checkouts] == nil)
  }

  @Test func `the last sitting is pushed although a fetch runs at the end`() async throws {
    let world = try await TestJournal()
    let home = world.home
    try await home.git("clone", "-q", "--bare", "j", "remote.git", in: "")
    _ = try await world.git("remote", "add", "origin", home.homePath + "/remote.git")
    _ = try await world.git("fetch", "-q")
    _ = try await world.git("branch", "-qu", "origin/main")
    let gate = home.homePath + "/gate"
    let script = """
      #!/bin/sh
      touch \(gate).reached
      while [ ! -e \(gate).open ]; do sleep 0.02; done
      exec git-upload-pack "$@"

      """
    try script.write(toFile: gate, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: gate)
    _ = try await world.git("config", "remote.origin.uploadpack", gate)
    let journal = try world.journal([
      "DIARY_AUTOSAVE__SETTLE": "100ms", "DIARY_AUTOSAVE__SITTING": "0s",
    ])
    let isCommitted = Mutex(false)
    let watcher = try Autosave(journal, shouldSync: true) { event in
      if case .committed = event { isCommitted.withLock { $0 = true } }
    }
    let running = Task { try await watcher.run() }
    #expect(await Sandbox.holds { home.exists("gate.reached") })
    try world.write("one, and the last words\n", "a.md")
    #expect(await Sandbox.holds { isCommitted.withLock(\.self) })
    watcher.stop()
    try home.write("", to: "gate.open")
    try await running.value
    let remote = try await home.git("rev-parse", "main", in: "remote.git")
    #expect(try await world.git("rev-parse", "HEAD").hasPrefix(remote.prefix(40)))
  }
}

extension Autosave {
  func add(_ stamp: WaitingStamp, _ path: EntryPath) async throws {
    try await journal.locked { try $0.saver.changeWaitingStamps { $0[path] = stamp } }
  }

  func endRequest(at moment: Int, unstored weather: String) {
    stamps.beginRequest(at: moment)
    stamps.endRequest(at: moment, unstored: weather)
  }

  /// Forgets the writes, as if their editors had closed long ago.
  func closeEditors() { editors = OpenEditors() }
}
