import Foundation
import TestSupport
import Testing

/// A disk that is full, broken or closed, at every effect of a command: it says so in a line and ends
/// with 1, nothing is half written, and once the disk is well again everything goes on.
@Suite struct FailingCallTests {
  static let troubles = [
    "fail:EIO", "failing:ENOSPC", "failing:EROFS", "failing:EACCES", "short", "fail:EINTR",
  ]

  @Test(arguments: Scene.journal + Scene.devices)
  func `any call may fail`(_ scene: Scene) async throws {
    let walk = try await Walk(scene)
    for trouble in Self.troubles { try await walk.fail(trouble) }
  }

  @Test(arguments: Scene.journal + Scene.devices)
  func `any number of open files may be too many`(_ scene: Scene) async throws {
    let walk = try await Walk(scene)
    for limit in FaultWorld.isWhole ? Array(8...40) : [9, 17] {
      try await walk.limit(openFiles: limit)
    }
  }
}

extension Walk {
  /// Lets the trouble come at some effect.
  func fail(_ trouble: String) async throws {
    for number in FaultWorld.numbers(upTo: effects.count, sample: 1) {
      try await world.putBack()
      let tried = try await world.diary(scene.words, in: scene.folder, trouble, at: number)
      guard tried.reached(number) else { break }
      let story = "\(scene.name), \(trouble) at \(tried.effects[number - 1])"
      expectAnswer(tried.result, story)
      if trouble == "short" { #expect(tried.result.status == 0, "\(story): \(tried.result)") }
      try await expectRecovered(story)
    }
  }

  /// Allows the command no more open files than that.
  func limit(openFiles limit: Int) async throws {
    try await world.putBack()
    let words = FaultWorld.command(scene.words)
    let result = try await world.home.run(
      "sh", ["-c", "ulimit -n \(limit); exec \"$@\"", "sh"] + words, in: scene.folder)
    let story = "\(scene.name) with \(limit) open files"
    expectAnswer(result, story)
    try await expectRecovered(story)
  }

  /// Done, or not done and said so in a few lines.
  func expectAnswer(_ result: Sandbox.Result, _ story: String) {
    #expect([0, 1].contains(result.status), "\(story): \(result)")
    let said = result.errors.split(separator: "\n")
    if result.status == 1 {
      #expect(
        said.contains { $0.hasPrefix("diary: ") || $0.hasPrefix("Not updated yet: ") },
        "\(story): \(result)")
      #expect(said.count < 12, "\(story): \(result.errors)")
    }
    if result.status == 0 {
      #expect(
        world.texts(of: scene.journals) == after, "\(story): 0, and not done: \(result)")
    }
  }
}
