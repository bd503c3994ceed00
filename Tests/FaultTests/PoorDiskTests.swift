import Foundation
import TestSupport
import Testing

/// Disks that work, but with fewer features or unreliable reads.
@Suite struct PoorDiskTests {
  /// FAT and many network disks have no hard links and no atomic exchange of names.
  @Test(arguments: FaultScenario.chosen(for: "poor disks"))
  func `every command works without hard links and name exchange`(_ scenario: FaultScenario)
    async throws
  {
    try await EffectWalk(scenario).runWithoutLinks()
  }

  /// A file that cannot be read must not be considered empty or deleted.
  @Test(arguments: FaultScenario.chosen(for: "reads"))
  func `any read of the disk may fail`(_ scenario: FaultScenario) async throws {
    try await EffectWalk(scenario).failReads()
  }
}

extension EffectWalk {
  /// Runs the command without hard links and without exchange of names.
  func runWithoutLinks() async throws {
    try await world.reset()
    let tried = try await world.diary(scenario.arguments, in: scenario.folder, "poor")
    #expect(tried.result.status == 0, "\(scenario.name): \(tried.result)")
    #expect(world.contents(of: scenario.journals) == after, "\(scenario.name)")
    try await expectRecovered("\(scenario.name) on a poor disk")
  }

  /// Makes a sample of the reads fail.
  func failReads() async throws {
    try await world.reset()
    // Only counts the reads; none of them fails.
    let reads = try await world.diary(scenario.arguments, in: scenario.folder, "look:EIO").effects
      .count
    try #require(reads > 0, "\(scenario.name)")
    for number in FaultJournal.effectNumbers(upTo: reads, sample: 1, scenario.name) {
      try await world.reset()
      let tried = try await world.diary(
        scenario.arguments, in: scenario.folder, "look:EIO", at: number)
      guard tried.hasReached(number) else { break }
      let story = "\(scenario.name), EIO at \(tried.effects[number - 1])"
      expectResult(tried.result, story)
      try await expectRecovered(story)
    }
  }
}
