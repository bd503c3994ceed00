import Foundation
import TestSupport
import Testing

/// The power is cut at the very moment at which the watcher reports a save or a commit.
@Suite struct WatchedCutTests {
  private static let rounds = FaultJournal.rounds(4, exhaustive: 40)

  @Test(arguments: FaultJournal.FlushMethod.allCases)
  func `what the watcher reported as saved survives a cut at that moment`(
    _ flushing: FaultJournal.FlushMethod
  ) async throws {
    let world = try await FaultJournal(flushing, prepare: FaultScenario.makeThreeEntries)
    let home = world.home
    home.setAutosave(settle: "50ms", longest: "500ms", sitting: "300ms")
    home.set("DIARY_STAMP", "new")
    // Every cut is made from this one run: the watcher's output goes into the traced folder, so
    // each line is one of the effects.
    try home.write("", to: "kept/about")
    let (w, effects, cut) = (
      home.homePath + "/w", home.homePath + "/effects", "cut:\(home.homePath)/kept"
    )
    let watching = ["sh", "-c", "exec diary watch -v > ../told 2>&1"]
    try await BackgroundProcess.run(
      home, Sandbox.programs + "/FaultTracer", [w, effects, "1000000", cut] + watching,
      in: "w/j"
    ) { (watcher: BackgroundProcess) async throws -> Void in
      #expect(await hasReported("watching", home), "\(watcher.output)")
      for round in 1...Self.rounds {
        let name = "day-\(round % 3).md"
        let text = (try? home.read("w/j/" + name)) ?? ""
        try home.write(text + "Words \(round).\n", to: "w/j/" + name)
        // The commit at the end of a sitting would include the next text without a message "saved".
        #expect(await hasReported("committed", times: round, home), "round \(round)")
      }
      watcher.signal(SIGINT)
      #expect(await hasReported("ended", home), "\(watcher.output)")
    }
    try await expectReported(world)
  }

  /// Checks for each reported save or commit that the disk at that moment contains it.
  private func expectReported(_ world: FaultJournal) async throws {
    let home = world.home
    let effects = try home.read("effects").split(separator: "\n").map(String.init)
    let lines = try home.read("w/told").split(separator: "\n")
    let writes = effects.indices.filter {
      effects[$0].hasSuffix("\twrite\t\(home.homePath)/w/told")
    }
    try #require(writes.count == lines.count, "\(writes.count) writes of \(lines)")
    var round = 0
    for (write, line) in zip(writes, lines) {
      if line.contains("saved ") { round += 1 } else if !line.contains("committed ") { continue }
      let story = "power cut at \"\(line)\""
      try PowerCut(home.homePath + "/kept", of: home.homePath + "/w", Array(effects[...write]))
        .apply(to: home.homePath + "/w", .strict)
      if line.contains("committed ") {
        let log = try await home.git("log", "-p", "--format=", in: "w/j")
        #expect(log.contains("+Words \(round)."), "\(story): not on the branch")
      }
      try await world.expectSaved((1...round).map { "Words \($0)." }, in: "w/j", story)
      let saved = try await home.diary("save", in: "w/j")
      #expect(saved.status == 0, "\(story): \(saved.errors)")
      try await world.expectIntact("w/j", story)
    }
    #expect(round == Self.rounds)
  }

  private func hasReported(_ part: String, times: Int = 1, _ home: Sandbox) async -> Bool {
    await Sandbox.holds {
      let told = (try? home.read("w/told")) ?? ""
      return told.split(separator: part, omittingEmptySubsequences: false).count > times
    }
  }
}
