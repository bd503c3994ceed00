import Foundation
import TestSupport
import Testing

/// A separate disk that is really full, where the tracer only simulates the error.
@Suite struct FullDiskTests {
  /// A page of memory, the smallest unit that this disk (tmpfs) allocates.
  static let page = 4_096

  @Test(arguments: [
    FaultScenario.saving, .onePack, .adding, .renaming, .importing, .merging, .pushing,
  ])
  func `a disk may be full at any page`(_ scenario: FaultScenario) async throws {
    let walk = try await EffectWalk(scenario)
    try await walk.world.withSeparateDisk {
      for pages in [0] + FaultJournal.effectNumbers(upTo: 96, sample: 1, scenario.name) {
        try await walk.fill(leaving: pages * Self.page)
      }
    }
  }

  @Test func `a watcher on a full disk reports it once and saves when space is free`()
    async throws
  {
    let world = try await FaultJournal(prepare: FaultScenario.makeThreeEntries)
    let home = world.home
    home.setAutosave(settle: "50ms", longest: "500ms", sitting: "1s")
    home.set("DIARY_STAMP", "new")
    try await world.withSeparateDisk {
      try await world.reset()
      try await home.withWatcher(in: "w/j", mustEnd: false) { watcher in
        for round in 1...FaultJournal.rounds(1, exhaustive: 10) {
          // The save fits, and then no space is left for the commit. A busy watcher might
          // still free space.
          #expect(await watcher.becomesIdle())
          watcher.signal(SIGSTOP)
          try home.write("Written in time, \(round).\n", to: "w/j/a\(round).md")
          try await world.fill()
          watcher.signal(SIGCONT)
          #expect(await watcher.prints("No space left"), "\(watcher.output)")
          // Time for retries, each of which could repeat the message.
          try await Task.sleep(for: .seconds(6))
          try await world.free()
          let isDone = try await Sandbox.holds(within: 90) {
            try await home.git("--no-optional-locks", "status", "--porcelain", in: "w/j") == ""
          }
          #expect(isDone, "\(watcher.output)")
          let text = try await home.git("show", "HEAD:a\(round).md", in: "w/j")
          #expect(text == "Written in time, \(round).\n")
        }
        // The message is repeated once an hour only.
        let said = watcher.output.split(separator: "\n").filter { $0.contains("  diary: ") }
        #expect(said.count == 1, "\(watcher.output)")
      }
      try await world.expectIntact("w/j", "after a full disk")
    }
  }
}

extension EffectWalk {
  /// Runs the command with `bytes` left on the disk, and then frees the disk.
  func fill(leaving bytes: Int) async throws {
    try await world.reset()
    // The shared memory files of the index would be created again and free space for other files.
    try await world.home.run("find", ["w", "-name", "*-shm", "-delete"])
    try await world.fill(leaving: bytes)
    let command = FaultJournal.command(scenario.arguments)
    let result = try await world.home.run(
      command[0], Array(command.dropFirst()), in: scenario.folder)
    try await world.free()
    let story = "\(scenario.name) with \(bytes) bytes left"
    if bytes == 0 { #expect(result.status == 1, "\(story): \(result)") }
    expectResult(result, story)
    try await expectRecovered(story)
  }
}
