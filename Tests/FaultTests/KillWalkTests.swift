import Foundation
import TestSupport
import Testing

/// Killed just before each of its effects on the disk, a command loses nothing, and the next command
/// goes on from there.
@Suite struct KillWalkTests {
  @Test(arguments: Scene.journal + Scene.devices)
  func `a command may be killed at every step`(_ scene: Scene) async throws {
    let walk = try await Walk(scene)
    if FaultWorld.isWhole { print("\(scene.name): \(walk.effects.count) effects") }
    try await walk.kill("kill", sample: 2)
  }

  /// The programs that Diary runs may die alone, too.
  @Test(arguments: Scene.devices)
  func `git may be killed at every step`(_ scene: Scene) async throws {
    try await Walk(scene).kill("kill-one", sample: 2)
  }
}

extension Walk {
  /// Kills the command, or with `kill-one` the program that comes to it, before `sample` of its effects.
  func kill(_ fault: String, sample: Int) async throws {
    for number in FaultWorld.numbers(upTo: effects.count, sample: sample) {
      try await world.putBack()
      let tried = try await world.diary(scene.words, in: scene.folder, fault, at: number)
      guard tried.reached(number) else { break }
      try await expectRecovered("\(scene.name), \(fault) before \(tried.effects[number - 1])")
    }
  }
}
