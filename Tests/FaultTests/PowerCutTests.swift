import Foundation
import TestSupport
import Testing

/// The power is cut at any step of a command: what was not synced is gone, and what was saved before is
/// not.
@Suite struct PowerCutTests {
  /// In one world for each command and way to sync, for to make it takes longer than a cut.
  @Test(arguments: Scene.journal + Scene.devices, FaultWorld.Flushing.allCases)
  func `the power may be cut at every step`(
    _ scene: Scene, _ flushing: FaultWorld.Flushing
  ) async throws {
    let walk = try await Walk(scene, flushing)
    for disk in PowerCut.Disk.extremes {
      for number in FaultWorld.numbers(upTo: walk.effects.count + 1, sample: 1) {
        try await walk.cutPower(before: number, disk)
      }
    }
    // Between nothing and all.
    let seed = FaultWorld.only("DIARY_SEED").flatMap { UInt64($0) }
    for number in FaultWorld.numbers(upTo: walk.effects.count + 1, sample: 1) {
      for _ in 1...(FaultWorld.isWhole ? 3 : 1) {
        try await walk.cutPower(before: number, .anyPart(seed ?? .random(in: 0 ... .max)))
      }
    }
    for disk in FaultWorld.isWhole ? PowerCut.Disk.extremes : [.strict] {
      try await walk.cutAfterTheEnd(disk)
    }
  }

  /// What had been sent already; git by itself syncs no single object there.
  @Test func `a remote that is a folder is whole after a cut of the power`() async throws {
    let walk = try await Walk(.pushing)
    try await walk.cutPower(before: walk.effects.count + 1, .namesFirst)
  }
}

extension Walk {
  /// Cuts the power after the last effect: what the command told as done needs no other command to be there.
  fileprivate func cutAfterTheEnd(_ disk: PowerCut.Disk) async throws {
    let story = try await cut(before: .max, disk)
    #expect(world.texts(of: scene.journals) == after, "\(story)")
    if scene.saves { try await expectCommitted(story) }
    try await expectRecovered(story)
  }

  /// Cuts the power before effect `number`, or after the last, and looks what has become of it.
  func cutPower(before number: Int, _ disk: PowerCut.Disk) async throws {
    try await expectRecovered(cut(before: number, disk))
  }

  /// Cuts the power before effect `number`, or after the last; answers what was done.
  fileprivate func cut(before number: Int, _ disk: PowerCut.Disk) async throws -> String {
    try await world.putBack()
    let kept = world.home.home + "/kept"
    try? FileManager.default.removeItem(atPath: kept)
    try FileManager.default.createDirectory(atPath: kept, withIntermediateDirectories: false)
    let tried = try await world.diary(scene.words, in: scene.folder, "cut:" + kept, at: number)
    let w = world.home.home + "/w"
    let seen = try await world.home.run(
      "sh",
      ["-c", "find . -exec stat --printf '%i %w\\t%f\\t%n\\0' {} + >\"$1\"", "sh", kept + "/seen"],
      in: "w")
    try #require(seen.status == 0)
    try PowerCut(kept, of: w, tried.effects).happen(to: w, disk, lastSeen: kept + "/seen")
    let isOver = tried.effects.count < number
    if isOver { #expect(tried.result.status == 0, "\(scene.name): \(tried.result)") }
    let place = isOver ? "at the end" : "before \(tried.effects[number - 1])"
    return "\(scene.name), power cut \(place), \(disk.testDescription)"
  }

  /// The branch has what the command makes of the files, to the last byte; looked at with git alone.
  fileprivate func expectCommitted(_ story: String) async throws {
    try await world.home.run("rm", ["-rf", "told"])
    let script = "mkdir ../../told && git archive HEAD | tar -xf - -C ../../told"
    let read = try await world.home.run("sh", ["-c", script], in: scene.folder)
    #expect(read.status == 0, "\(story): \(read)")
    func names(_ texts: [String: Data], in folder: String) -> [String: Data] {
      Dictionary(
        uniqueKeysWithValues: texts.filter { $0.key.hasPrefix(folder + "/") }
          .map { ($0.key.dropFirst(folder.count).description, $0.value) })
    }
    let told = names(world.texts(of: ["told"]), in: "told")
    #expect(told == names(after, in: scene.folder), "\(story): HEAD has \(told.keys.sorted())")
  }
}
