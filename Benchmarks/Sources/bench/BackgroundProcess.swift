import Foundation
import Glibc

/// A background process that runs while others are timed.
struct BackgroundProcess {
  let process: pid_t

  /// Starts the program and waits until it is idle.
  init(_ command: Command) {
    let sink = open("/dev/null", O_WRONLY | O_CLOEXEC)
    process = command.start(output: sink)
    close(sink)
    waitUntilIdle()
  }

  /// Waits until its processor time is constant for `tenths` tenths of a second.
  func waitUntilIdle(tenths: Int = 10) {
    var (last, still) = (-1, 0)
    while still < tenths {
      usleep(100_000)
      let used = processorTicks
      still = used == last ? still + 1 : 0
      last = used
      if used < 0 { fail("a program in the background has ended") }
    }
  }

  /// The resident memory in kilobytes.
  var residentKilobytes: Int { field("VmRSS:", of: "status") ?? 0 }

  /// The number of wake-ups of its threads per minute while nothing happens.
  func wakeUpsPerMinute(over seconds: Int) -> Double {
    let before = contextSwitches
    sleep(UInt32(seconds))
    return Double(contextSwitches - before) * 60 / Double(seconds)
  }

  /// Terminates the process and waits for its exit.
  func stop() {
    kill(process, SIGTERM)
    var status: Int32 = 0
    waitpid(process, &status, 0)
  }

  private var contextSwitches: Int {
    let threads =
      (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
    return threads.reduce(0) { sum, thread in
      sum + (field("voluntary_ctxt_switches:", of: "task/\(thread)/status") ?? 0)
    }
  }

  /// The processor time in clock ticks, or -1 if the process has exited.
  private var processorTicks: Int {
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

/// The comparisons with a running watcher.
struct WatchedOperations {
  let pair: JournalPair
  /// The debounce time in seconds, the minimum that the settings allow. It is subtracted from the
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
          return pair.addAndCommit(JournalPair.editedPath)
        })
    ]
  }

  /// Times from the end of a write to the update of the branch.
  private func timeToCommit() -> RunResult {
    let branch = pair.journal + "/.git/refs/heads/main"
    func inode() -> UInt {
      var status = stat()
      return stat(branch, &status) == 0 ? UInt(status.st_ino) : 0
    }
    let before = inode()
    pair.edit(pair.journal)
    let startTime = monotonic()
    while inode() == before {
      usleep(200)
      if monotonic() - startTime > 60_000_000_000 { fail("the watcher does not commit") }
    }
    let milliseconds = Double(monotonic() - startTime) / 1_000_000 - Self.settle * 1000
    // Wait for the list file and the debounce of this round before the next one.
    usleep(300_000)
    return RunResult(
      milliseconds: milliseconds, processor: 0, peakKilobytes: 0, written: 0, status: 0)
  }
}

/// The resource use of an idle program.
struct IdleUsage: Encodable {
  let residentKilobytes: Int
  let wakeUpsPerMinute: Double

  /// Measures an idle program.
  init(_ background: BackgroundProcess, seconds: Int) {
    // Unused threads end after some seconds, which completes the start.
    background.waitUntilIdle(tenths: 120)
    wakeUpsPerMinute = background.wakeUpsPerMinute(over: seconds)
    residentKilobytes = background.residentKilobytes
  }
}
