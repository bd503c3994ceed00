import Foundation
import Glibc
import TestSupport
import Testing

/// The hours of a day, a few seconds each: entries are written, renamed, deleted and read, and the
/// machine sleeps. At the end of each hour the watcher must not use more memory than before.
@Suite(.serialized) struct DayTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    home.setAutosave(settle: "50ms", longest: "500ms", sitting: "500ms")
    try await home.diary("init", "j")
  }

  @Test func `the watcher's memory stays constant over a day`() async throws {
    var dice = SeededGenerator()
    let seed = dice.description
    let hours = FaultJournal.rounds(3, exhaustive: 24)
    var said: [String] = []
    for hour in 1...hours {
      for number in 1...8 { said.append("Hour \(hour), \(number), \(dice.next() % 1_000).") }
    }
    let words = said
    try await home.withWatcher(mustEnd: false) { watcher in
      var memories: [Int] = []
      for hour in 1...hours {
        try await simulateHour(hour, Array(words[(hour - 1) * 8..<hour * 8]), watcher)
        try await expectCaughtUp(watcher)
        // The memory at rest, not a temporary peak.
        var least = watcher.memory
        for _ in 1...10 {
          try await Task.sleep(for: .milliseconds(100))
          least = min(least, watcher.memory)
        }
        memories.append(least)
      }
      print("\(seed): \(memories) kB")
      // The first hours fill the caches that the later ones use.
      let most = memories.prefix(max(2, hours / 6)).max() ?? 0
      for memory in memories {
        #expect(memory < most + 16_000, "\(seed): \(memories) kB")
      }
      #expect(!watcher.output.contains("diary:"), "\(seed): \(watcher.output.suffix(1_000))")
    }
    let log = try await home.git(
      "log", "-p", "-m", "--all", "--format=", "--", "2026/hour-*.md", in: "j")
    for line in said { #expect(log.contains("+" + line), "\(seed): \(line) is lost") }
    let fsck = try await home.run("git", ["fsck", "--strict", "--full", "--no-dangling"], in: "j")
    #expect(fsck.status == 0 && fsck.errors == "", "\(seed): \(fsck)")
  }

  private func simulateHour(_ hour: Int, _ words: [String], _ watcher: BackgroundProcess)
    async throws
  {
    let path = "j/2026/hour-\(hour).md"
    // Line by line, so each save is longer than the one before.
    for count in 1...words.count {
      try home.write(words.prefix(count).joined(separator: "\n") + "\n", to: path)
      try await Task.sleep(for: .milliseconds(120))
    }
    // Many files at once, over the existing ones, so that the journal does not grow each hour.
    for number in 1...FaultJournal.rounds(50, exhaustive: 500) {
      try home.write("Copied \(hour), \(number).\n", to: "j/copied/\(number).md")
    }
    for number in 1...FaultJournal.rounds(200, exhaustive: 2_000) {
      try home.write("\(number)\n", to: "j/2026/restless.md")
    }
    try await Task.sleep(for: .milliseconds(700))
    // The machine sleeps while another program writes.
    watcher.signal(SIGSTOP)
    try home.write("While it slept, \(hour).\n", to: "j/2026/slept.md")
    try await Task.sleep(for: .milliseconds(700))
    watcher.signal(SIGCONT)
    try await home.run("mv", ["copied/1.md", "copied/moved.md"], in: "j")
    try await home.run("rm", ["copied/2.md"], in: "j")
    for command in [["list"], ["search", "Hour"], ["status"], ["add", "--to", "1", "More."]] {
      let result = try await home.run(Sandbox.programs + "/diary", command, in: "j")
      #expect(result.status == 0, "\(command): \(result)")
    }
  }

  private func expectCaughtUp(_ watcher: BackgroundProcess) async throws {
    var left = ""
    let isDone = try await Sandbox.holds {
      left = try await home.git("--no-optional-locks", "status", "--porcelain", in: "j")
      return left.isEmpty
    }
    #expect(isDone, "\(left.prefix(300)) \(watcher.output.suffix(1_000))")
  }
}
