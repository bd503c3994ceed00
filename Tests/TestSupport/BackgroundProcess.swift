import Foundation
import Glibc
import Subprocess
import Synchronization
import SystemPackage

/// A program that runs in the background of a test.
public final class BackgroundProcess: Sendable {
  private let text = Mutex("")
  private let process: Int32

  private init(process: Int32) { self.process = process }

  /// Everything it has printed on standard output and error so far.
  public var output: String { text.withLock { $0 } }

  /// Whether the process has exited. It stays a zombie until it is waited for.
  public var hasExited: Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
      return true
    }
    return text.split(separator: ")").last?.hasPrefix(" Z") ?? true
  }

  /// Whether it has a file in the folder open or mapped, or works there.
  public func hasOpenFile(in folder: String) -> Bool {
    let manager = FileManager.default
    let descriptors = (try? manager.contentsOfDirectory(atPath: "/proc/\(process)/fd")) ?? []
    let links = (descriptors.map { "fd/" + $0 } + ["cwd"]).compactMap {
      try? manager.destinationOfSymbolicLink(atPath: "/proc/\(process)/" + $0)
    }
    let maps = try? String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8)
    return links.contains { $0.hasPrefix(folder) } || maps?.contains(folder) != false
  }

  /// The resident memory, in kilobytes.
  public var memory: Int { status("VmRSS:") }

  /// The peak resident memory, in kilobytes.
  public var peakMemory: Int { status("VmHWM:") }

  /// The path of the folder in which the process works.
  public var workingFolder: String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd")
  }

  private func status(_ key: String) -> Int {
    let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix(key) }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }

  /// The number of voluntary context switches of each thread, as counted by the kernel.
  public var contextSwitches: [String: Int] {
    let threads = "/proc/\(process)/task"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: threads)) ?? []
    let counts = names.map { name in
      let status = try? String(contentsOfFile: "\(threads)/\(name)/status", encoding: .utf8)
      let line = status?.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
      return (name, line.flatMap { Int($0.filter(\.isNumber)) } ?? 0)
    }
    return Dictionary(counts) { first, _ in first }
  }

  /// The number of context switches since `before`, without those of threads that have ended.
  public func contextSwitches(since before: [String: Int]) -> Int {
    contextSwitches.reduce(0) { $0 + $1.value - min($1.value, before[$1.key] ?? 0) }
  }

  /// Sends a signal to the process.
  public func signal(_ number: Int32) { kill(process, number) }

  /// Waits until the output contains `part`. The default timeout allows for a busy machine.
  public func prints(_ part: String, within seconds: Double = 60) async -> Bool {
    await Sandbox.holds(within: seconds) { output.contains(part) }
  }

  /// Waits until the process has used no CPU time for half a second. Returns false after `seconds`.
  public func becomesIdle(within seconds: Double = 60) async -> Bool {
    var known = (used: Substring?.none, since: ContinuousClock.now)
    return await Sandbox.holds(within: seconds) {
      // After the program's name, which may contain anything, utime and stime are fields 12 and 13.
      guard let fileStatus = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
      else { return false }
      let fields = fileStatus[(fileStatus.lastIndex(of: ")") ?? fileStatus.startIndex)...].split(
        separator: " ")
      let used = fields[12] + " " + fields[13]
      if known.used != used[...] { known = (used[...], .now) }
      return ContinuousClock.now - known.since > .milliseconds(500)
    }
  }

  /// Waits until no thread has woken up by itself for three seconds: each change of the machine's mounts,
  /// which the suites beside this one make, may wake one.
  public func becomesSilent() async -> Bool {
    let mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
    defer { close(mounts) }
    return await Sandbox.holds {
      var change = pollfd(fd: mounts, events: Int16(POLLPRI), revents: 0)
      poll(&change, 1, 0)
      let before = contextSwitches
      var changes = 0
      _ = await Sandbox.holds(within: 3) {
        if poll(&change, 1, 0) > 0 { changes += 1 }
        return false
      }
      return contextSwitches(since: before) <= changes
    }
  }

  /// Runs a program while `body` runs, then terminates it and kills it if necessary.
  public static func run<Value: Sendable>(
    _ home: Sandbox, _ program: String, _ arguments: [String], in folder: String = "",
    _ body: @Sendable (BackgroundProcess) async throws -> Value
  ) async throws -> Value {
    let variables = Dictionary(
      uniqueKeysWithValues: home.environment.map {
        (Environment.Key(stringLiteral: $0.key), $0.value)
      })
    let workingDirectory = home.homePath + (folder.isEmpty ? "" : "/" + folder)
    let result = try await Subprocess.run(
      program.contains("/") ? .path(FilePath(program)) : .name(program),
      arguments: Arguments(arguments), environment: .custom(variables),
      workingDirectory: FilePath(workingDirectory), input: .none, output: .sequence,
      error: .combinedWithOutput
    ) { execution in
      let background = BackgroundProcess(process: execution.processIdentifier.value)
      let reading = Task {
        for try await line in execution.standardOutput.strings() {
          background.text.withLock { $0 += line + "\n" }
        }
      }
      // If a read outlived this function, it would consume the output of another program whose pipe
      // has the same number.
      let value: Result<Value, any Error>
      do { value = .success(try await body(background)) } catch { value = .failure(error) }
      kill(background.process, SIGTERM)
      if case .success = value { _ = await Sandbox.holds(within: 30) { background.hasExited } }
      kill(background.process, SIGKILL)
      reading.cancel()
      _ = await reading.result
      return try value.get()
    }
    return result.closureResult
  }
}
