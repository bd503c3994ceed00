import Foundation
import Glibc

/// A program that runs while others are timed.
struct Background {
  let process: pid_t

  /// Starts it and waits until it rests.
  init(_ command: Command) {
    let sink = open("/dev/null", O_WRONLY | O_CLOEXEC)
    process = command.start(output: sink)
    close(sink)
    waitUntilIdle()
  }

  /// Until its processor time stands still for so many tenths of a second.
  func waitUntilIdle(tenths: Int = 10) {
    var (last, still) = (-1, 0)
    while still < tenths {
      usleep(100_000)
      let used = ticks
      still = used == last ? still + 1 : 0
      last = used
      if used < 0 { fail("a program in the background has ended") }
    }
  }

  /// Kilobytes that it holds in memory now.
  var residentKilobytes: Int { field("VmRSS:", of: "status") ?? 0 }

  /// How often a minute its threads wake up while nothing happens.
  func wakeUpsPerMinute(over seconds: Int) -> Double {
    let before = switches
    sleep(UInt32(seconds))
    return Double(switches - before) * 60 / Double(seconds)
  }

  /// Asks it to end, and waits.
  func stop() {
    kill(process, SIGTERM)
    var status: Int32 = 0
    waitpid(process, &status, 0)
  }

  private var switches: Int {
    let threads =
      (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
    return threads.reduce(0) { sum, thread in
      sum + (field("voluntary_ctxt_switches:", of: "task/\(thread)/status") ?? 0)
    }
  }

  /// Clock ticks of processor time; -1 when it is gone.
  private var ticks: Int {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
      return -1
    }
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    guard fields.count > 12, fields[0] != "Z" else { return -1 }
    return (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0)
  }

  private func field(_ name: String, of file: String) -> Int? {
    let text = (try? String(contentsOfFile: "/proc/\(process)/\(file)", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
  }
}

/// What is compared while a watcher runs.
struct WatchedOperations {
  let pair: Pair
  /// Seconds that a write must lie quiet; the least that the settings allow. It is left out of the
  /// times.
  private static let settle = 0.05

  var watcher: Command {
    pair.world.command(
      ["diary", "watch", "--quiet"], in: pair.journal,
      ["DIARY_AUTOSAVE__SETTLE=50ms", "DIARY_AUTOSAVE__SITTING=0s"])
  }

  var all: [Comparison] {
    [
      Comparison(
        name: "edit to its commit, watched", tool: "git add, git commit",
        limits: [1_000: 3, 10_000: 1, 100_000: 1],
        ours: { timeToCommit() },
        theirs: {
          pair.edit(pair.plain)
          return pair.addAndCommit(Pair.edited)
        })
    ]
  }

  /// From the end of a write to the moment at which the branch moves.
  private func timeToCommit() -> Run {
    let branch = pair.journal + "/.git/refs/heads/main"
    func file() -> UInt {
      var facts = stat()
      return stat(branch, &facts) == 0 ? UInt(facts.st_ino) : 0
    }
    let before = file()
    pair.edit(pair.journal)
    let began = monotonic()
    while file() == before {
      usleep(200)
      if monotonic() - began > 60_000_000_000 { fail("the watcher does not commit") }
    }
    let milliseconds = Double(monotonic() - began) / 1_000_000 - Self.settle * 1000
    // Let it come to rest: its list and its settling are not the next round's.
    usleep(300_000)
    return Run(milliseconds: milliseconds, processor: 0, peakKilobytes: 0, written: 0, status: 0)
  }
}

/// What a program costs that only waits.
struct Idle: Encodable {
  let residentKilobytes: Int
  let wakeUpsPerMinute: Double

  /// Measured on a program that rests.
  init(_ background: Background, seconds: Int) {
    // Threads that have nothing to do end after some seconds; that is the end of its start.
    background.waitUntilIdle(tenths: 120)
    wakeUpsPerMinute = background.wakeUpsPerMinute(over: seconds)
    residentKilobytes = background.residentKilobytes
  }
}
