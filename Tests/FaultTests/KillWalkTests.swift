import Foundation
import TestSupport
import Testing

/// A command that is killed just before any of its effects on disk loses nothing, and the next
/// command completes or continues its work.
@Suite struct KillWalkTests {
  @Test(arguments: FaultScenario.chosen(for: "kills"))
  func `a command may be killed at every step`(_ scenario: FaultScenario) async throws {
    let walk = try await EffectWalk(scenario)
    if FaultJournal.isExhaustive { print("\(scenario.name): \(walk.effects.count) effects") }
    try await walk.kill("kill", sample: 2)
  }

  /// The programs that Diary starts may also be killed alone.
  @Test(arguments: FaultScenario.devices)
  func `git may be killed at every step`(_ scenario: FaultScenario) async throws {
    try await EffectWalk(scenario).kill("kill-one", sample: 2)
  }
}

extension EffectWalk {
  /// Kills the command (with `kill-one`, one process) before each of a sample of its effects.
  func kill(_ fault: String, sample: Int) async throws {
    let story = "\(scenario.name), \(fault)"
    for number in FaultJournal.effectNumbers(upTo: effects.count, sample: sample, story) {
      try await world.reset()
      let tried = try await world.diary(scenario.arguments, in: scenario.folder, fault, at: number)
      guard tried.hasReached(number) else { break }
      try await expectRecovered("\(story) before \(tried.effects[number - 1])")
    }
  }
}
