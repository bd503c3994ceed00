import Foundation
import TestSupport
import Testing

/// A sealed host on a second disk whose power is cut at any step of a push: what the host acknowledged is
/// there.
@Suite struct SealedPowerCutTests {
  /// The second disk is `w`; the journal `a` is on the first one.
  private func world() async throws -> FaultJournal {
    let world = try await FaultJournal(.fsync) { home in
      home.set("DIARY_WEATHER__PROVIDER", "off")
      try await home.git("init", "-q", "--bare", "remote.git", in: "w")
      // git finds it without its ending, too.
      let made = try await home.diary("init", "a", "--remote", "w/remote", "--sealed", "--yes")
      try #require(made.status == 0, "\(made)")
      try await home.diary("new", "plover", "-m", "Text of plover.", in: "a")
      try #require(try await home.diary("sync", in: "a").status == 0)
      try await home.diary("new", "lapwing", "-m", "Text of lapwing.", in: "a")
    }
    try await world.home.run("cp", ["-a", "a", "a0"])
    return world
  }

  private func reset(_ world: FaultJournal) async throws {
    try await world.reset()
    try await world.home.run("sh", ["-c", "rm -rf a b && cp -a a0 a"])
  }

  /// The words that a new device reads from the host.
  private func words(_ world: FaultJournal, _ story: String) async throws -> String {
    let cloned = try await world.home.diary("clone", "--sealed", "w/remote.git", "b")
    #expect(cloned.status == 0, "\(story): \(cloned)")
    return try await world.home.diary("list", in: "b").output
  }

  @Test(arguments: [PowerCut.Disk.strict, .namesFirst, .anyPart(1)])
  func `what a sealed host has acknowledged survives a power cut`(
    _ disk: PowerCut.Disk
  ) async throws {
    let world = try await world()
    try await reset(world)
    let whole = try await world.diary(["sync"], in: "a")
    try #require(whole.result.status == 0 && whole.effects.count > 10, "\(whole)")
    let cuts = FaultJournal.effectNumbers(
      upTo: whole.effects.count, sample: 3, "sealed push, \(disk.testDescription)")
    for number in cuts + [Int.max] {
      try await reset(world)
      let kept = world.home.homePath + "/kept"
      try? FileManager.default.removeItem(atPath: kept)
      try FileManager.default.createDirectory(atPath: kept, withIntermediateDirectories: false)
      let tried = try await world.diary(["sync"], in: "a", "cut:" + kept, at: number)
      let w = world.home.homePath + "/w"
      try await world.home.run(
        "sh",
        [
          "-c", "find . -exec stat --printf '%i %w\\t%f\\t%n\\0' {} + >\"$1\"", "sh",
          kept + "/seen",
        ],
        in: "w")
      let last = number == .max || tried.effects.isEmpty ? "at the end" : "\(tried.effects.count)"
      let story = "cut before \(number), \(last), \(disk.testDescription)"
      try PowerCut(kept, of: w, tried.effects).apply(to: w, disk, lastSeen: kept + "/seen")
      if number == .max { #expect(tried.result.status == 0, "\(story): \(tried)") }
      // The locks of a push that was cut off are the person's to remove: another device may hold them.
      try await world.home.run("find", ["w", "-name", "*.lock", "-delete"])
      let list = try await words(world, story)
      #expect(list.contains("plover"), "\(story): \(list)")
      if tried.result.status == 0 { #expect(list.contains("lapwing"), "\(story): \(list)") }
      let again = try await world.home.diary("sync", in: "a")
      #expect(again.status == 0, "\(story): \(again)")
      try await world.home.run("rm", ["-rf", "b"])
      #expect(try await words(world, story).contains("lapwing"), "\(story)")
    }
  }
}
