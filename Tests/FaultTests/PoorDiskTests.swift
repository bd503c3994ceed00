import Foundation
import TestSupport
import Testing

/// Disks that answer, but not as the usual ones do.
@Suite struct PoorDiskTests {
  /// As FAT, and many a disk on a network: no hard links, no two names exchanged in one step.
  @Test(arguments: Scene.journal + Scene.devices)
  func `without hard links and exchanged names every verb does the same`(_ scene: Scene)
    async throws
  {
    let walk = try await Walk(scene)
    try await walk.world.putBack()
    let tried = try await walk.world.diary(scene.words, in: scene.folder, "poor")
    #expect(tried.result.status == 0, "\(scene.name): \(tried.result)")
    #expect(walk.world.texts(of: scene.journals) == walk.after, "\(scene.name)")
    try await walk.expectRecovered("\(scene.name) on a poor disk")
  }

  /// What cannot be read is not taken for empty, nor for gone.
  @Test(arguments: Scene.journal + Scene.devices)
  func `any look at the disk may fail`(_ scene: Scene) async throws {
    let walk = try await Walk(scene)
    try await walk.world.putBack()
    // Counted, and none of them fails.
    let looks = try await walk.world.diary(scene.words, in: scene.folder, "look:EIO").effects.count
    for number in FaultWorld.numbers(upTo: looks, sample: 1) {
      try await walk.world.putBack()
      let tried = try await walk.world.diary(scene.words, in: scene.folder, "look:EIO", at: number)
      guard tried.reached(number) else { break }
      let story = "\(scene.name), EIO at \(tried.effects[number - 1])"
      walk.expectAnswer(tried.result, story)
      try await walk.expectRecovered(story)
    }
  }
}
