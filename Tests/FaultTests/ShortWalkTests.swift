import TestSupport
import Testing

/// A short walk through each kind of fault, for every change: one command of a journal and one sync of two
/// devices, others each time, each kind once. The suites of each fault walk through all commands.
@Suite struct ShortWalkTests {
  private static let scenes = [Scene.journal, Scene.devices].compactMap { $0.randomElement() }

  @Test(arguments: scenes)
  func `a command may be killed, refused and cut off`(_ scene: Scene) async throws {
    let walk = try await Walk(scene)
    try await walk.kill("kill", sample: 1)
    for trouble in FailingCallTests.troubles { try await walk.fail(trouble) }
    try await walk.limit(openFiles: 17)
    try await walk.failLook()
    try await walk.doWithoutLinks()
    for disk in PowerCut.Disk.extremes {
      for number in FaultWorld.numbers(upTo: walk.effects.count + 1, sample: 1) {
        try await walk.cutPower(before: number, disk)
      }
    }
  }

  @Test func `a disk may be full`() async throws {
    let walk = try await Walk(.saving)
    try await walk.world.onOwnDisk {
      for pages in [0] + FaultWorld.numbers(upTo: 96, sample: 1) {
        try await walk.fill(leaving: pages * FullDiskTests.page)
      }
    }
  }
}
