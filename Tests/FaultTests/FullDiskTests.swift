import Foundation
import TestSupport
import Testing

/// A disk of its own, filled to the last byte: what really happens where the tracer only says so.
@Suite struct FullDiskTests {
  /// A page of memory, the least that this disk gives.
  private static let page = 4_096

  @Test(arguments: [
    Scene.saving, .packing, .adding, .renaming, .importing, .pruning, .merging, .pushing,
  ])
  func `a disk may be full at any page`(_ scene: Scene) async throws {
    let walk = try await Walk(scene)
    try await walk.world.onOwnDisk {
      for pages in [0] + FaultWorld.numbers(upTo: 96, sample: 1) {
        try await walk.fill(leaving: pages * Self.page)
      }
    }
  }
}

extension Walk {
  /// Runs the verb on a disk with so many bytes left, and then frees it.
  fileprivate func fill(leaving bytes: Int) async throws {
    try await world.putBack()
    try await world.fill(leaving: bytes)
    let result = try await world.home.run(
      Sandbox.programs + "/diary", scene.words, in: scene.folder)
    try await world.free()
    let story = "\(scene.name) with \(bytes) bytes left"
    // Forgetting old saves may wait for another day.
    if bytes == 0, scene.name != "prune" { #expect(result.status == 1, "\(story): \(result)") }
    expectAnswer(result, story)
    try await expectRecovered(story)
  }
}
