import Foundation
import TestSupport
import Testing

/// Disks that answer, but not as the usual ones do.
@Suite struct PoorDiskTests {
  /// As FAT, and many a disk on a network: no hard links, no two names exchanged in one step.
  @Test(arguments: Scene.journal + Scene.devices)
  func `without hard links and exchanged names every command does the same`(_ scene: Scene)
    async throws
  {
    try await Walk(scene).doWithoutLinks()
  }

  /// What cannot be read is not taken for empty, nor for gone.
  @Test(arguments: Scene.journal + Scene.devices)
  func `any look at the disk may fail`(_ scene: Scene) async throws {
    try await Walk(scene).failLook()
  }
}

extension Walk {
  /// Runs the command where no hard link and no exchange of names is to be had.
  func doWithoutLinks() async throws {
    try await world.putBack()
    let tried = try await world.diary(scene.words, in: scene.folder, "poor")
    #expect(tried.result.status == 0, "\(scene.name): \(tried.result)")
    #expect(world.texts(of: scene.journals) == after, "\(scene.name)")
    try await expectRecovered("\(scene.name) on a poor disk")
  }

  /// Lets some look at the disk fail.
  func failLook() async throws {
    try await world.putBack()
    // Counted, and none of them fails.
    let looks = try await world.diary(scene.words, in: scene.folder, "look:EIO").effects.count
    for number in FaultWorld.numbers(upTo: looks, sample: 1) {
      try await world.putBack()
      let tried = try await world.diary(scene.words, in: scene.folder, "look:EIO", at: number)
      guard tried.reached(number) else { break }
      let story = "\(scene.name), EIO at \(tried.effects[number - 1])"
      expectAnswer(tried.result, story)
      try await expectRecovered(story)
    }
  }
}
