import Foundation
import TestSupport
import Testing

/// A watcher that is killed at random moments and restarted while files are being written.
@Suite struct RandomKillTests {
  @Test func `what a watcher reported as saved survives a kill at any time`() async throws {
    var dice = SeededGenerator()
    let home = try Sandbox()
    home.setAutosave(settle: "50ms", longest: "500ms", sitting: "300ms")
    try await home.diary("init", "j")
    for day in 0..<7 {
      try home.write("---\ndate: 2026-11-0\(day + 1)\n---\n\nBegun.\n", to: "j/day-\(day).md")
    }
    try await home.diary("save", in: "j")
    var savedLines: [String] = []
    var committed = 0
    var stamped = 0
    let rounds = FaultJournal.rounds(30, exhaustive: 2_000)
    for round in 1...rounds {
      // A new file is stamped about two seconds after it was written.
      let isNew = dice.next() % 6 == 0
      let name = isNew ? "new-\(round).md" : "day-\(round % 7).md"
      let begun = isNew ? "" : try home.read("j/" + name)
      let head = try await home.run("git", ["show", "HEAD:" + name], in: "j").output
      // Kill before any message, or during the sitting, its commit and what follows.
      let timeout = dice.next() % 2 == 0 ? 20 : Double(dice.next() % 1_000) / 1_000
      let moment = Duration.milliseconds(dice.next() % 600 + (isNew ? 1_800 : 0))
      let early = dice.next() % 3 == 0
      let output = try await BackgroundProcess.run(
        home, Sandbox.programs + "/diary", ["watch", "-v"], in: "j"
      ) { (watcher: BackgroundProcess) async throws -> String in
        if !early { _ = await watcher.prints("watching") }
        try home.write(begun + "Words \(round).\n", to: "j/" + name)
        if await watcher.prints(name, within: timeout) { try await Task.sleep(for: moment) }
        watcher.signal(SIGKILL)
        return watcher.output
      }
      // The stamp may be saved before the text, but the text is what must be there.
      let lines = output.split(separator: "\n")
      guard let saved = lines.lastIndex(where: { $0.contains("saved ") && $0.contains(name) })
      else { continue }
      savedLines.append("+Words \(round).")
      if output.contains(" to \(name)") { stamped += 1 }
      guard lines[saved...].contains(where: { $0.contains("committed") }) else { continue }
      committed += 1
      // The file had no earlier changes, so the commit contains this text.
      guard !isNew, begun == head else { continue }
      let branch = try await home.git("show", "HEAD:" + name, in: "j")
      #expect(branch.contains("Words \(round).\n"), "\(dice), round \(round): \(output)")
    }
    let story = "\(dice), \(savedLines.count) told, \(committed) committed, \(stamped) stamped"
    print(story)
    if FaultJournal.isExhaustive {
      #expect(committed > rounds / 20 && stamped > rounds / 100, "\(story)")
    }
    let last = try await home.diary("save", in: "j")
    #expect(last.status == 0, "\(story): \(last.errors)")
    let log = try await home.git("log", "-p", "-m", "--all", "--format=", in: "j")
    let lines = Set(log.split(separator: "\n"))
    for line in savedLines { #expect(lines.contains(Substring(line)), "\(story): \(line) is lost") }
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
