import Foundation
import TestSupport
import Testing

/// A disk of its own, filled to the last byte: what really happens where the tracer only says so.
@Suite struct FullDiskTests {
  /// A page of memory, the least that this disk gives.
  static let page = 4_096

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

  @Test func `a watcher on a full disk says so once, and saves when there is room again`()
    async throws
  {
    let world = try await FaultWorld(prepare: Scene.begun)
    let home = world.home
    for (name, value) in [("SETTLE", "50ms"), ("LONGEST", "500ms"), ("SITTING", "1s")] {
      home.set("DIARY_AUTOSAVE__" + name, value)
    }
    home.set("DIARY_STAMP", "new")
    try await world.onOwnDisk {
      try await world.putBack()
      try await Background.running(home, Sandbox.programs + "/diary", ["watch", "-v"], in: "w/j") {
        (watcher: Background) async throws -> Void in
        #expect(await watcher.prints("watching"), "\(watcher.output)")
        for round in 1...FaultWorld.rounds(1, whole: 10) {
          // The words find room; before they are committed, there is none. A watcher that is busy
          // might have something to give back.
          #expect(await watcher.comesToRest())
          watcher.signal(SIGSTOP)
          try home.write("Written in time, \(round).\n", to: "w/j/a\(round).md")
          try await world.fill()
          watcher.signal(SIGCONT)
          #expect(await watcher.prints("No space left"), "\(watcher.output)")
          try await Task.sleep(for: .seconds(6))
          try await world.free()
          let isDone = try await Sandbox.holds(within: 90) {
            try await home.git("--no-optional-locks", "status", "--porcelain", in: "w/j") == ""
          }
          #expect(isDone, "\(watcher.output)")
          let text = try await home.git("show", "HEAD:a\(round).md", in: "w/j")
          #expect(text == "Written in time, \(round).\n")
        }
        // Once an hour.
        let said = watcher.output.split(separator: "\n").filter { $0.contains("  diary: ") }
        #expect(said.count == 1, "\(watcher.output)")
      }
      try await world.expectWhole("w/j", "after a full disk")
    }
  }
}

extension Walk {
  /// Runs the command on a disk with so many bytes left, and then frees it.
  func fill(leaving bytes: Int) async throws {
    try await world.putBack()
    // The index's shared memory, which is made anew, would give its room to others.
    try await world.home.run("find", ["w", "-name", "*-shm", "-delete"])
    try await world.fill(leaving: bytes)
    let command = FaultWorld.command(scene.words)
    let result = try await world.home.run(command[0], Array(command.dropFirst()), in: scene.folder)
    try await world.free()
    let story = "\(scene.name) with \(bytes) bytes left"
    // Forgetting old saves may wait for another day.
    if bytes == 0, scene.name != "prune" { #expect(result.status == 1, "\(story): \(result)") }
    expectAnswer(result, story)
    try await expectRecovered(story)
  }
}
