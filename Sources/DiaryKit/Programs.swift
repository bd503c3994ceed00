import DiaryCore
import Foundation
import Subprocess
import SystemPackage

/// The one door to other programs: editor, hooks, pager, git.
struct Programs: Sendable {
  let surroundings: Surroundings

  /// What a program that ran to its end left behind.
  struct Result: Sendable {
    /// The exit code; for a signal, 128 and its number, as shells say it.
    var status: Int
    var output: [UInt8]
    var errors: String
  }

  /// Runs a program with bytes as its input and collects what it prints; `nil` when it was not done
  /// within `seconds` and has been killed.
  func ask(
    _ command: [String], input: [UInt8], seconds: Double, environment: [String: String]? = nil
  ) async throws(DiaryError) -> Result? {
    guard let program = command.first else { throw DiaryError("no program is named") }
    let variables = environment ?? surroundings.environment
    do {
      return try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask {
          let result = try await Subprocess.run(
            executable(program), arguments: Arguments(Array(command.dropFirst())),
            environment: Self.custom(variables),
            platformOptions: Self.killedAtOnce(), input: .array(input),
            output: .bytes(limit: 16 << 20), error: .string(limit: 64 << 10))
          return Result(
            status: Self.status(result.terminationStatus), output: result.standardOutput,
            errors: result.standardError)
        }
        group.addTask {
          try await Task.sleep(for: .seconds(seconds))
          return nil
        }
        defer { group.cancelAll() }
        return try await group.next() ?? nil
      }
    } catch {
      throw DiaryError("cannot run \(program): \(error)")
    }
  }

  /// Runs a program on the caller's terminal, as a shell line with the given words behind it, and
  /// waits for it; answers its exit code.
  func attend(
    shellLine: String, words: [String], folder: String? = nil
  ) async throws(DiaryError) -> Int {
    do {
      let result = try await Subprocess.run(
        .path("/bin/sh"),
        arguments: Arguments(["-c", shellLine + " \"$@\"", "sh"] + words),
        environment: Self.custom(surroundings.environment),
        workingDirectory: folder.map { FilePath($0) },
        input: .currentStandardInput, output: .currentStandardOutput, error: .currentStandardError)
      return Self.status(result.terminationStatus)
    } catch {
      throw DiaryError("cannot run \(shellLine): \(error)")
    }
  }

  /// Runs a shell line on the caller's terminal with bytes as its input.
  func feed(_ input: [UInt8], toShellLine line: String) async throws(DiaryError) -> Int {
    do {
      let result = try await Subprocess.run(
        .path("/bin/sh"), arguments: ["-c", line],
        environment: Self.custom(surroundings.environment), input: .array(input),
        output: .currentStandardOutput, error: .currentStandardError)
      return Self.status(result.terminationStatus)
    } catch {
      throw DiaryError("cannot run \(line): \(error)")
    }
  }

  private func executable(_ program: String) -> Executable {
    program.contains("/") ? .path(FilePath(surroundings.absolute(program))) : .name(program)
  }

  private static func custom(_ variables: [String: String]) -> Environment {
    .custom(
      Dictionary(
        uniqueKeysWithValues: variables.map { (Environment.Key(stringLiteral: $0.key), $0.value) }))
  }

  private static func killedAtOnce() -> PlatformOptions {
    var options = PlatformOptions()
    options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .milliseconds(200))]
    return options
  }

  private static func status(_ status: TerminationStatus) -> Int {
    switch status {
    case .exited(let code): Int(code)
    case .signaled(let signal): 128 + Int(signal)
    }
  }
}
