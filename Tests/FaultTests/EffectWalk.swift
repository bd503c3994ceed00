import Foundation
import TestSupport
import Testing

/// The effects of a command, with the files before it and after a complete run.
struct EffectWalk: Sendable {
  let scenario: FaultScenario
  let world: FaultJournal
  let before: [String: Data]
  let after: [String: Data]
  /// The effects of the command without a fault.
  let effects: [String]

  init(_ scenario: FaultScenario, _ flushing: FaultJournal.FlushMethod = .batch) async throws {
    self.scenario = scenario
    world = try await FaultJournal(flushing, prepare: scenario.prepare)
    before = world.contents(of: scenario.journals)
    let whole = try await world.diary(scenario.arguments, in: scenario.folder)
    try #require(whole.result.status == 0, "\(scenario.name): \(whole.result.errors)")
    try #require(!whole.effects.isEmpty, "\(scenario.name)")
    effects = whole.effects
    after = world.contents(of: scenario.journals)
  }

  /// Checks after a fault: no file is lost or half written, and the next command works (a save in a
  /// single journal, a sync on each of the devices).
  func expectRecovered(_ story: String) async throws {
    let left = world.contents(of: scenario.journals)
    expectOldOrNew(left, story)
    guard scenario.journals.count == 1 else { return try await expectSynced(story) }
    let saved = try await world.home.diary("save", in: scenario.folder)
    #expect(saved.status == 0, "\(story): \(saved.errors)")
    #expect(world.contents(of: scenario.journals) == left, "\(story): a save changed a file")
    try await world.expectSaved(scenario.requiredTexts, in: scenario.folder, story)
    try await world.expectIntact(scenario.folder, story)
    guard scenario.isRepeatable else { return }
    let again = try await world.diary(scenario.arguments, in: scenario.folder).result
    #expect(again.status == 0, "\(story): \(again.errors)")
    #expect(world.contents(of: scenario.journals) == after, "\(story): run again")
  }

  /// Checks that each file is as before or as after the command, and that none is missing.
  private func expectOldOrNew(_ now: [String: Data], _ story: String) {
    // A rename writes the new title before it moves the file.
    let whole = Set(before.values).union(after.values)
    for (name, bytes) in now {
      #expect(
        whole.contains(bytes),
        "\(story): \(name) is neither: \(String(decoding: bytes, as: UTF8.self).debugDescription)")
    }
    for name in before.keys where now[name] == nil {
      #expect(after[name] == nil, "\(story): \(name) is gone")
    }
  }

  /// Removes the locks of an interrupted push from a remote in a folder (the branch's and HEAD's).
  /// Diary does not remove them, because another device might hold them: sync names them one after
  /// the other, and the owner of the folder removes them.
  private func removeRemoteLocks(_ story: String) async throws {
    let remote = world.home.homePath + "/w/remote.git/"
    let locks = ["refs/heads/main.lock", "HEAD.lock"].map { remote + $0 }
      .filter { FileManager.default.fileExists(atPath: $0) }
    for _ in locks {
      let synced = try await world.home.diary("sync", in: scenario.folder)
      // If everything had been pushed before, no other push is needed.
      if synced.status == 0 { break }
      let named = locks.filter { synced.errors.contains("lock: \($0)") }
      #expect(named.count == 1, "\(story): a sync that is refused names no lock: \(synced.errors)")
      for lock in named {
        #expect(FileManager.default.fileExists(atPath: lock), "\(story): the lock was taken")
        try FileManager.default.removeItem(atPath: lock)
      }
    }
    for lock in locks { try? FileManager.default.removeItem(atPath: lock) }
  }

  /// Checks that both devices, synced in turn, end with the same files and with every text.
  private func expectSynced(_ story: String) async throws {
    try await removeRemoteLocks(story)
    for round in 1...4 {
      for device in scenario.journals {
        let synced = try await world.home.diary("sync", in: device)
        #expect(synced.status == 0, "\(story): then in \(device): \(synced.errors)")
      }
      var heads: Set<String> = []
      for device in scenario.journals {
        heads.insert(try await world.home.git("rev-parse", "HEAD", in: device))
      }
      // Changes that a fault left on disk may be saved by the second sync and pushed by the third.
      if round > 1, heads.count == 1 { break }
    }
    var (heads, trees): (Set<String>, Set<String>) = ([], [])
    var logs = ""
    for device in scenario.journals {
      heads.insert(try await world.home.git("rev-parse", "HEAD", in: device))
      logs += try await world.home.git(
        "log", "-5", "--stat", "--format=%h %p %an %s", in: device)
      let files = world.contents(of: [device]).map { name, bytes in
        "\(name.dropFirst(device.count))\n" + String(decoding: bytes, as: UTF8.self)
      }
      trees.insert(files.sorted().joined())
      try await world.expectSaved(scenario.requiredTexts, in: device, story)
      try await world.expectIntact(device, story)
    }
    #expect(heads.count == 1 && trees.count == 1, "\(story): the devices differ\n\(logs)")
    // Not only in the history: the files of both devices contain each text.
    for word in scenario.requiredTexts where !scenario.deletedTexts.contains(word) {
      #expect(trees.allSatisfy { $0.contains(word) }, "\(story): \"\(word)\" was taken back")
    }
  }
}
