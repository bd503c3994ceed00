import Foundation
import TestSupport
import Testing

/// The power is cut at any step of a verb: what was not synced is gone, and what was saved before is
/// not.
@Suite struct PowerCutTests {
  @Test(arguments: Scene.journal + Scene.devices, PowerCut.Disk.allCases)
  func `the power may be cut at every step`(_ scene: Scene, _ disk: PowerCut.Disk) async throws {
    let walk = try await Walk(scene)
    for number in FaultWorld.numbers(upTo: walk.effects.count + 1, sample: 1) {
      try await walk.cutPower(before: number, disk)
    }
  }

  /// What had been sent already; git by itself syncs no single object there.
  @Test func `a remote that is a folder is whole after a cut of the power`() async throws {
    let walk = try await Walk(.pushing)
    try await walk.cutPower(before: walk.effects.count + 1, .namesFirst)
  }
}

extension Walk {
  /// Cuts the power before effect `number`, or after the last, and looks what has become of it.
  fileprivate func cutPower(before number: Int, _ disk: PowerCut.Disk) async throws {
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
    let place = tried.effects.count >= number ? "before \(tried.effects[number - 1])" : "at the end"
    try await expectRecovered("\(scene.name), power cut \(place), \(disk)")
  }
}
