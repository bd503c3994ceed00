import Foundation
import TestSupport
import Testing

/// The power is cut at the very moment at which the watcher says what it has saved or committed.
@Suite struct WatchedCutTests {
  private static let rounds = FaultWorld.rounds(4, whole: 40)

  @Test(arguments: FaultWorld.Flushing.allCases)
  func `what the watcher said to be kept survives a cut at that moment`(
    _ flushing: FaultWorld.Flushing
  ) async throws {
    let world = try await FaultWorld(flushing, prepare: Scene.begun)
    let home = world.home
    for (name, value) in [("SETTLE", "50ms"), ("LONGEST", "500ms"), ("SITTING", "300ms")] {
      home.set("DIARY_AUTOSAVE__" + name, value)
    }
    home.set("DIARY_STAMP", "new")
    // Every cut is made from this one run: what the watcher says goes into the traced folder, so that
    // each line is an effect among the others.
    try home.write("", to: "kept/about")
    let (w, effects, cut) = (home.home + "/w", home.home + "/effects", "cut:\(home.home)/kept")
    let watching = ["sh", "-c", "exec diary watch -v > ../told 2>&1"]
    try await Background.running(
      home, Sandbox.programs + "/FaultTracer", [w, effects, "1000000", cut] + watching,
      in: "w/j"
    ) { (watcher: Background) async throws -> Void in
      #expect(await says("watching", home), "\(watcher.output)")
      for round in 1...Self.rounds {
        let name = "day-\(round % 3).md"
        let text = (try? home.read("w/j/" + name)) ?? ""
        try home.write(text + "Words \(round).\n", to: "w/j/" + name)
        // The end of a sitting would take the next words along, and say nothing of a save.
        #expect(await says("committed", times: round, home), "round \(round)")
      }
      watcher.signal(SIGINT)
      #expect(await says("ended", home), "\(watcher.output)")
    }
    try await expectTold(world)
  }

  /// For each line that told of a save: the disk as it was then at the least.
  private func expectTold(_ world: FaultWorld) async throws {
    let home = world.home
    let effects = try home.read("effects").split(separator: "\n").map(String.init)
    let lines = try home.read("w/told").split(separator: "\n")
    let writes = effects.indices.filter { effects[$0].hasSuffix("\twrite\t\(home.home)/w/told") }
    try #require(writes.count == lines.count, "\(writes.count) writes of \(lines)")
    var round = 0
    for (write, line) in zip(writes, lines) {
      if line.contains("saved ") { round += 1 } else if !line.contains("committed ") { continue }
      let story = "power cut at \"\(line)\""
      try PowerCut(home.home + "/kept", of: home.home + "/w", Array(effects[...write]))
        .happen(to: home.home + "/w", .strict)
      if line.contains("committed ") {
        let log = try await home.git("log", "-p", "--format=", in: "w/j")
        #expect(log.contains("+Words \(round)."), "\(story): not on the branch")
      }
      try await world.expectKept((1...round).map { "Words \($0)." }, in: "w/j", story)
      let saved = try await home.diary("save", in: "w/j")
      #expect(saved.status == 0, "\(story): \(saved.errors)")
      try await world.expectWhole("w/j", story)
    }
    #expect(round == Self.rounds)
  }

  private func says(_ part: String, times: Int = 1, _ home: Sandbox) async -> Bool {
    await Sandbox.holds {
      let told = (try? home.read("w/told")) ?? ""
      return told.split(separator: part, omittingEmptySubsequences: false).count > times
    }
  }
}
