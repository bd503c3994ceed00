import Foundation
import Subprocess
import Synchronization
import SystemPackage

/// A program that runs beside a test: its output so far, and its end.
public final class Background: Sendable {
  private let text = Mutex("")
  private let process: Int32

  private init(process: Int32) { self.process = process }

  /// Everything it has printed on standard output and error so far.
  public var output: String { text.withLock { $0 } }

  /// Whether it runs no more; it stays a zombie until it is waited for.
  public var isOver: Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
      return true
    }
    return text.split(separator: ")").last?.hasPrefix(" Z") ?? true
  }

  /// Kilobytes of memory that it holds.
  public var memory: Int { status("VmRSS:") }

  /// Kilobytes of memory that it has held at most.
  public var peakMemory: Int { status("VmHWM:") }

  private func status(_ key: String) -> Int {
    let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix(key) }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }

  /// How often each of its threads has gone to sleep so far, by the kernel's count.
  public var sleeps: [String: Int] {
    let threads = "/proc/\(process)/task"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: threads)) ?? []
    let counts = names.map { name in
      let status = try? String(contentsOfFile: "\(threads)/\(name)/status", encoding: .utf8)
      let line = status?.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
      return (name, line.flatMap { Int($0.filter(\.isNumber)) } ?? 0)
    }
    return Dictionary(counts) { first, _ in first }
  }

  /// How often its threads have gone to sleep since; those of a thread that has ended are not known.
  public func sleeps(since before: [String: Int]) -> Int {
    sleeps.reduce(0) { $0 + $1.value - min($1.value, before[$1.key] ?? 0) }
  }

  /// Sends it a signal.
  public func signal(_ number: Int32) { kill(process, number) }

  /// Waits until it has printed `part`, for as long as a machine that is busy with other work may need.
  public func prints(_ part: String, within seconds: Double = 60) async -> Bool {
    await Sandbox.holds(within: seconds) { output.contains(part) }
  }

  /// Whether it has, within so many seconds, used no processor for half a second.
  public func comesToRest(within seconds: Double = 60) async -> Bool {
    var known = (used: Substring?.none, since: ContinuousClock.now)
    return await Sandbox.holds(within: seconds) {
      // Behind the program's name, which may hold anything, utime and stime are the 12th and 13th.
      guard let facts = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
      else { return false }
      let fields = facts[(facts.lastIndex(of: ")") ?? facts.startIndex)...].split(separator: " ")
      let used = fields[12] + " " + fields[13]
      if known.used != used[...] { known = (used[...], .now) }
      return ContinuousClock.now - known.since > .milliseconds(500)
    }
  }

  /// Runs a program beside `body` and ends it afterwards, by force if need be.
  public static func running<Value: Sendable>(
    _ home: Sandbox, _ program: String, _ arguments: [String], in folder: String = "",
    _ body: @Sendable (Background) async throws -> Value
  ) async throws -> Value {
    let variables = Dictionary(
      uniqueKeysWithValues: home.environment.map {
        (Environment.Key(stringLiteral: $0.key), $0.value)
      })
    let place = home.home + (folder.isEmpty ? "" : "/" + folder)
    let result = try await Subprocess.run(
      program.contains("/") ? .path(FilePath(program)) : .name(program),
      arguments: Arguments(arguments), environment: .custom(variables),
      workingDirectory: FilePath(place), input: .none, output: .sequence, error: .combinedWithOutput
    ) { execution in
      let background = Background(process: execution.processIdentifier.value)
      let reading = Task {
        for try await line in execution.standardOutput.strings() {
          background.text.withLock { $0 += line + "\n" }
        }
      }
      // A read that outlived this would take what another program prints through a pipe of the same
      // number.
      let value: Result<Value, any Error>
      do { value = .success(try await body(background)) } catch { value = .failure(error) }
      kill(background.process, SIGTERM)
      if case .success = value { _ = await Sandbox.holds(within: 30) { background.isOver } }
      kill(background.process, SIGKILL)
      reading.cancel()
      _ = await reading.result
      return try value.get()
    }
    return result.closureResult
  }
}
