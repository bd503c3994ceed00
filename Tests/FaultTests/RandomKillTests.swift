import Foundation
import TestSupport
import Testing

/// A watcher that is killed at any moment and started again, while somebody writes.
@Suite struct RandomKillTests {
  @Test func `what a watcher said to be saved is kept, whenever it is killed`() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var dice = Seeded(seed)
    let home = try Sandbox()
    for (name, value) in [("SETTLE", "50ms"), ("LONGEST", "500ms"), ("SITTING", "300ms")] {
      home.set("DIARY_AUTOSAVE__" + name, value)
    }
    try await home.diary("init", "j")
    var told: [String] = []
    let rounds = FaultWorld.rounds(30, whole: 2_000)
    for round in 1...rounds {
      let name = "day-\(round % 7).md"
      let text = (home.exists("j/" + name) ? try home.read("j/" + name) : "") + "Words \(round).\n"
      let patience = Double(dice.next() % 1_000) / 1_000
      let early = dice.next() % 3 == 0
      let wasTold = try await Background.running(
        home, Sandbox.programs + "/diary", ["watch", "-v"], in: "j"
      ) { (watcher: Background) async throws -> Bool in
        if !early { _ = await watcher.prints("watching", within: 20) }
        try home.write(text, to: "j/" + name)
        let wasTold = await watcher.prints("saved \(name)", within: patience)
        watcher.signal(SIGKILL)
        return wasTold
      }
      // The stamp may have come before the words: it is the words that must be there.
      if wasTold { told.append("+Words \(round).") }
    }
    let story = "seed \(seed), \(told.count) told"
    let last = try await home.diary("save", in: "j")
    #expect(last.status == 0, "\(story): \(last.errors)")
    let log = try await home.git("log", "-p", "-m", "--all", "--format=", in: "j")
    let lines = Set(log.split(separator: "\n"))
    for line in told { #expect(lines.contains(Substring(line)), "\(story): \(line) is lost") }
    #expect(try await home.git("status", "--porcelain", in: "j") == "", "\(story)")
    let fsck = try await home.run("git", ["fsck", "--strict", "--full", "--no-dangling"], in: "j")
    #expect(fsck.status == 0 && fsck.errors == "", "\(story): \(fsck)")
    #expect(try await home.diary("index", "--verify", in: "j").status == 0, "\(story)")
    let files = try home.files(in: "j").map { try home.read("j/" + $0) }.joined()
    for round in 1...rounds {
      #expect(files.contains("Words \(round).\n"), "\(story): round \(round)")
    }
  }
}
