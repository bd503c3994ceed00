import Foundation
import TestSupport
import Testing

/// A command's way over its effects: the world as it was before, and as the whole command makes it.
struct Walk: Sendable {
  let scene: Scene
  let world: FaultWorld
  let before: [String: Data]
  let after: [String: Data]
  /// What the command does when nothing goes wrong.
  let effects: [String]

  init(_ scene: Scene, _ flushing: FaultWorld.Flushing = .batch) async throws {
    self.scene = scene
    world = try await FaultWorld(flushing, prepare: scene.prepare)
    before = world.texts(of: scene.journals)
    let whole = try await world.diary(scene.words, in: scene.folder)
    try #require(whole.result.status == 0, "\(scene.name): \(whole.result.errors)")
    try #require(!whole.effects.isEmpty, "\(scene.name)")
    effects = whole.effects
    after = world.texts(of: scene.journals)
  }

  /// After a fault: no file is lost or half written, and the next command finds its way, a save in a
  /// journal alone, a sync on each of the devices.
  func expectRecovered(_ story: String) async throws {
    let left = world.texts(of: scene.journals)
    expectOldOrNew(left, story)
    guard scene.journals.count == 1 else { return try await expectJoined(story) }
    let saved = try await world.home.diary("save", in: scene.folder)
    #expect(saved.status == 0, "\(story): \(saved.errors)")
    #expect(world.texts(of: scene.journals) == left, "\(story): a save changed a file")
    try await world.expectKept(scene.kept, in: scene.folder, story)
    try await world.expectWhole(scene.folder, story)
    guard scene.isRepeatable else { return }
    let again = try await world.diary(scene.words, in: scene.folder).result
    #expect(again.status == 0, "\(story): \(again.errors)")
    #expect(world.texts(of: scene.journals) == after, "\(story): run again")
  }

  /// Every file is as it was before or as the command makes it; none is gone that the command keeps.
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

  /// What a push that was cut off has locked in a remote that is a folder (the branch, and HEAD, which
  /// names it) stays there, for another device might hold it: sync says which files they are, one after
  /// the other, and whoever keeps the folder removes them.
  private func freeRemote(_ story: String) async throws {
    let remote = world.home.home + "/w/remote.git/"
    let locks = ["refs/heads/main.lock", "HEAD.lock"].map { remote + $0 }
      .filter { FileManager.default.fileExists(atPath: $0) }
    for _ in locks {
      let synced = try await world.home.diary("sync", in: scene.folder)
      // What had arrived there before asks for no other push.
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

  /// Both devices, synced in turn, end with the same and with every word.
  private func expectJoined(_ story: String) async throws {
    try await freeRemote(story)
    for round in 1...4 {
      for device in scene.journals {
        let synced = try await world.home.diary("sync", in: device)
        #expect(synced.status == 0, "\(story): then in \(device): \(synced.errors)")
      }
      var heads: Set<String> = []
      for device in scene.journals {
        heads.insert(try await world.home.git("rev-parse", "HEAD", in: device))
      }
      // What a fault left on the disk may be saved by the second, and travels with the third.
      if round > 1, heads.count == 1 { break }
    }
    var (heads, trees): (Set<String>, Set<String>) = ([], [])
    var logs = ""
    for device in scene.journals {
      heads.insert(try await world.home.git("rev-parse", "HEAD", in: device))
      logs += try await world.home.git(
        "log", "-5", "--stat", "--format=%h %p %an %s", in: device)
      let files = world.texts(of: [device]).map { name, bytes in
        "\(name.dropFirst(device.count))\n" + String(decoding: bytes, as: UTF8.self)
      }
      trees.insert(files.sorted().joined())
      try await world.expectKept(scene.kept, in: device, story)
      try await world.expectWhole(device, story)
    }
    #expect(heads.count == 1 && trees.count == 1, "\(story): the devices differ\n\(logs)")
    // Not in the history alone: what one device wrote stands in the files of both.
    for word in scene.kept where !scene.takenBack.contains(word) {
      #expect(trees.allSatisfy { $0.contains(word) }, "\(story): \"\(word)\" was taken back")
    }
  }
}
