import Glibc

/// One run of a program, from its start to its end.
struct Run {
  /// Wall time.
  var milliseconds: Double
  /// Processor time of all its threads, in the kernel too: says more than the wall's where others
  /// use the machine.
  var processor: Double
  /// The most memory it held, as the system counted it (wait4); never less than the benchmark's own,
  /// which the system counts in until the program has begun.
  var peakKilobytes: Int
  /// What it wrote to its standard output, in bytes; the bytes themselves are let go.
  var written: Int
  var status: Int32
}

/// A command that is timed, with the world it runs in.
struct Command {
  var words: [String]
  var folder: String
  var environment: [String]

  init(_ words: [String], in folder: String, _ environment: [String]) {
    self.words = words
    self.folder = folder
    self.environment = environment
  }

  /// Runs it once, its output read to the end through a pipe.
  ///
  /// By hand: no library for processes tells what memory a child took.
  func run() -> Run {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { fail("cannot make a pipe") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let began = monotonic()
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
    guard wait4(child, &status, 0, &usage) == child else { fail("cannot wait for \(words)") }
    return Run(
      milliseconds: Double(monotonic() - began) / 1_000_000,
      processor: milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime),
      peakKilobytes: usage.ru_maxrss, written: written, status: status)
  }

  /// Starts it and leaves it running; both outputs go to `output`.
  func start(output: Int32) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var arguments = words.map { strdup($0) as UnsafeMutablePointer<CChar>? } + [nil]
    var variables = environment.map { strdup($0) as UnsafeMutablePointer<CChar>? } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var child: pid_t = 0
    guard chdir(folder) == 0 else { fail("cannot enter \(folder)") }
    guard posix_spawnp(&child, words[0], &actions, nil, &arguments, &variables) == 0 else {
      fail("cannot start \(words[0]); is it installed?")
    }
    return child
  }

  /// Runs it for what it does; anything but success ends the benchmark.
  func must() {
    let run = run()
    if run.status != 0 { fail("\(words.joined(separator: " ")) failed in \(folder)") }
  }
}

private func milliseconds(_ time: timeval) -> Double {
  Double(time.tv_sec) * 1000 + Double(time.tv_usec) / 1000
}

/// Nanoseconds on a clock that nobody sets.
func monotonic() -> Int {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return now.tv_sec * 1_000_000_000 + now.tv_nsec
}

/// Ends the benchmark.
func fail(_ text: String) -> Never {
  note("bench: \(text)")
  exit(1)
}
