import TestSupport
import Testing

/// A short test of each kind of fault, for every change: one command of a journal and one sync of
/// two devices, chosen by `DIARY_SEED`, each kind once. The suites of each fault test all commands.
@Suite struct ShortWalkTests {
  private static let scenarios = {
    var random = SeededGenerator()
    return [FaultScenario.journal, FaultScenario.devices].compactMap {
      $0.randomElement(using: &random)
    }
  }()

  @Test(arguments: scenarios)
  func `a command may be killed, fail and lose power at any step`(_ scenario: FaultScenario)
    async throws
  {
    let walk = try await EffectWalk(scenario)
    try await walk.kill("kill", sample: 1)
    for trouble in FailingCallTests.faults { try await walk.fail(trouble) }
    try await walk.limit(openFiles: 17)
    try await walk.failReads()
    try await walk.runWithoutLinks()
    for disk in PowerCut.Disk.extremes {
      for number in walk.cutNumbers(disk) { try await walk.cutPower(before: number, disk) }
    }
  }

  @Test func `a disk may be full`() async throws {
    let walk = try await EffectWalk(.saving)
    try await walk.world.withSeparateDisk {
      for pages in [0] + FaultJournal.effectNumbers(upTo: 96, sample: 1, "full disk") {
        try await walk.fill(leaving: pages * FullDiskTests.page)
      }
    }
  }
}
