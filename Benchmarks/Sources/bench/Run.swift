import Glibc

/// The measurements of one run of a program.
struct RunResult {
  /// The wall time.
  var milliseconds: Double
  /// The processor time of all threads, including the kernel's. It is more reliable than wall time
  /// on a shared machine.
  var processor: Double
  /// The peak memory by `wait4`. It is at least the benchmark's own memory,
  /// which the system includes until the program has started.
  var peakKilobytes: Int
  /// The number of bytes written to standard output, which are discarded.
  var written: Int
  var status: Int32
}

/// A command to be timed, with its folder and environment.
struct Command {
  var arguments: [String]
  var folder: String
  var environment: [String]

  init(_ arguments: [String], in folder: String, _ environment: [String]) {
    self.arguments = arguments
    self.folder = folder
    self.environment = environment
  }

  /// Runs the command once and reads all of its output through a pipe.
  ///
  /// It uses `posix_spawn` and `wait4`, because process libraries do not report a child's memory.
  func run() -> RunResult {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { fail("cannot make a pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let startTime = monotonic()
    let child = start(output: ends[1])
    close(ends[1])
    var written = 0
    withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 8) { buffer in
      while true {
        let count = read(ends[0], buffer.baseAddress, buffer.count)
        if count <= 0 { break }
        written += count
      }
    }
    close(ends[0])
    var status: Int32 = 0
    var usage = rusage()
    guard wait4(child, &status, 0, &usage) == child else { fail("cannot wait for \(arguments)") }
    return RunResult(
      milliseconds: Double(monotonic() - startTime) / 1_000_000,
      processor: milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime),
      peakKilobytes: usage.ru_maxrss, written: written, status: status)
  }

  /// Starts the command without waiting for it. Its standard output goes to `output`.
  func start(output: Int32) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var argumentPointers = arguments.map { strdup($0) as UnsafeMutablePointer<CChar>? } + [nil]
    var variables = environment.map { strdup($0) as UnsafeMutablePointer<CChar>? } + [nil]
    defer { for text in argumentPointers + variables { free(text) } }
    var child: pid_t = 0
    guard chdir(folder) == 0 else { fail("cannot enter \(folder)") }
    guard posix_spawnp(&child, arguments[0], &actions, nil, &argumentPointers, &variables) == 0
    else { fail("cannot start \(arguments[0]); is it installed?") }
    return child
  }

  /// Runs the command untimed; the benchmark ends if it fails.
  func runOrFail() {
    let run = run()
    if run.status != 0 { fail("\(arguments.joined(separator: " ")) failed in \(folder)") }
  }
}

private func milliseconds(_ time: timeval) -> Double {
  Double(time.tv_sec) * 1000 + Double(time.tv_usec) / 1000
}

/// The monotonic clock in nanoseconds.
func monotonic() -> Int {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return now.tv_sec * 1_000_000_000 + now.tv_nsec
}

/// Prints an error and ends the benchmark.
func fail(_ message: String) -> Never {
  printProgress("bench: \(message)")
  exit(1)
}
