import DiaryCore
import FolderWatch
import Foundation
import Glibc
import Localization
import Subprocess
import SystemPackage

/// Runs other programs: editor, hooks, pager, git.
struct ProcessRunner: Sendable {
  let environment: RuntimeEnvironment

  /// The result of a program that has exited.
  struct Result: Sendable {
    /// The exit code; for a signal, 128 plus its number, as in shells.
    var status: Int
    var output: [UInt8]
    var errors: String
  }

  /// Runs a program with bytes as its input and returns its output; `nil` if the timeout killed it.
  /// The input is passed as in ``sendInput(_:to:)``.
  ///
  /// With `ownSession` the program has no terminal for prompts.
  func run(
    _ command: [String], input: [UInt8], timeout: Double,
    environment customEnvironment: [String: String]? = nil,
    ownSession: Bool = false
  ) async throws(DiaryError) -> Result? {
    guard let program = command.first else { throw DiaryError(localized("no program is given")) }
    let variables = customEnvironment ?? environment.variables
    do {
      try Self.requireFreeDescriptors()
      let file = try anonymousTempFile(input)
      defer { try? file.close() }
      return try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask {
          let result = try await Subprocess.run(
            executable(program), arguments: Arguments(Array(command.dropFirst())),
            environment: Self.subprocessEnvironment(variables),
            platformOptions: Self.platformOptions(ownSession: ownSession),
            input: .fileDescriptor(file, closeAfterSpawningProcess: false),
            output: .bytes(limit: 16 << 20), error: .string(limit: 1 << 20))
          return Result(
            status: Self.status(result.terminationStatus), output: result.standardOutput,
            errors: result.standardError)
        }
        group.addTask {
          try await wait(for: .seconds(timeout))
          return nil
        }
        defer { group.cancelAll() }
        return try await group.next() ?? nil
      }
    } catch {
      throw DiaryError(localized("cannot run \(program): \(Self.reason(error))"))
    }
  }

  /// Runs a program on the caller's terminal, as a shell line with additional arguments, and waits
  /// for it. Returns its exit code.
  func runInteractive(
    shellLine: String, arguments: [String], folder: String? = nil
  ) async throws(DiaryError) -> Int {
    do {
      let result = try await Subprocess.run(
        .path("/bin/sh"),
        arguments: Arguments(["-c", shellLine + " \"$@\"", "sh"] + arguments),
        environment: Self.subprocessEnvironment(environment.variables),
        workingDirectory: folder.map { FilePath($0) },
        input: .currentStandardInput, output: .currentStandardOutput, error: .currentStandardError)
      return Self.status(result.terminationStatus)
    } catch {
      throw DiaryError(localized("cannot run \(shellLine): \(Self.reason(error))"))
    }
  }

  /// Runs a shell line on the caller's terminal with bytes as its input.
  func runShellLine(input: [UInt8], line: String) async throws(DiaryError) -> Int {
    do {
      let result = try await Subprocess.run(
        .path("/bin/sh"), arguments: ["-c", line],
        environment: Self.subprocessEnvironment(environment.variables), input: .array(input),
        output: .currentStandardOutput, error: .currentStandardError)
      return Self.status(result.terminationStatus)
    } catch {
      throw DiaryError(localized("cannot run \(line): \(Self.reason(error))"))
    }
  }

  /// Passes bytes to a program and waits for it, but not for its background processes: a
  /// clipboard's program runs until something else is copied. Its output is discarded.
  ///
  /// The input is an unnamed file. With a pipe, a program that exits without reading would end this
  /// process too (SIGPIPE).
  func sendInput(_ input: [UInt8], to command: [String]) async throws(DiaryError) -> Int {
    guard let program = command.first else { throw DiaryError(localized("no program is given")) }
    do {
      try Self.requireFreeDescriptors()
      let file = try anonymousTempFile(input)
      defer { try? file.close() }
      let result = try await Subprocess.run(
        executable(program), arguments: Arguments(Array(command.dropFirst())),
        environment: Self.subprocessEnvironment(environment.variables),
        input: .fileDescriptor(file, closeAfterSpawningProcess: false),
        output: .discarded, error: .discarded)
      return Self.status(result.terminationStatus)
    } catch {
      throw DiaryError(localized("cannot run \(program): \(Self.reason(error))"))
    }
  }

  /// The library's sentence without its full stop, because more may follow.
  private static func reason(_ error: any Error) -> String {
    let text = "\(error)"
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }

  /// Throws if there are too few free file descriptors. Starting a program needs pipes, and the
  /// library ends this process if it gets only some of them.
  private static func requireFreeDescriptors() throws(Errno) {
    var descriptors: [Int32] = []
    defer { for number in descriptors { close(number) } }
    for _ in 0..<16 {
      let number = open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard number >= 0 else { throw Errno(rawValue: errno) }
      descriptors.append(number)
    }
  }

  /// An unnamed file with these bytes, read from its start. Only this process can open it, and it
  /// is removed when closed. It is in memory if possible, because the input may contain a key.
  private func anonymousTempFile(_ bytes: [UInt8]) throws(Errno) -> FileDescriptor {
    let folders = ["/dev/shm", environment.variables["TMPDIR"] ?? "/tmp", "/tmp"]
    let folder = folders.first { access($0, W_OK | X_OK) == 0 } ?? "/tmp"
    var name = Array((folder + "/diary-XXXXXX").utf8CString)
    let number = mkstemp(&name)
    guard number >= 0 else { throw Errno(rawValue: errno) }
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    unlink(name)
    var remaining = bytes[...]
    while !remaining.isEmpty {
      let count = remaining.withUnsafeBytes { write(number, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let code = errno
        close(number)
        throw Errno(rawValue: code)
      }
      remaining = remaining.dropFirst(count)
    }
    lseek(number, 0, SEEK_SET)
    return FileDescriptor(rawValue: number)
  }

  /// True if a program of that name is on the path.
  func isOnPath(_ name: String) -> Bool { path(of: name) != nil }

  /// The location of a program on the path.
  func path(of name: String) -> String? {
    let folders = (environment.variables["PATH"] ?? "").split(separator: ":")
    return folders.lazy.filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }
      .first { access($0, X_OK) == 0 }
  }

  private func executable(_ program: String) -> Executable {
    program.contains("/") ? .path(FilePath(environment.absolutePath(of: program))) : .name(program)
  }

  private static func subprocessEnvironment(_ variables: [String: String]) -> Environment {
    .custom(
      Dictionary(
        uniqueKeysWithValues: variables.map { (Environment.Key(stringLiteral: $0.key), $0.value) }))
  }

  private static func platformOptions(ownSession: Bool) -> PlatformOptions {
    var options = PlatformOptions()
    options.createSession = ownSession
    options.teardownSequence = [
      .gracefulShutDown(
        toProcessGroup: ownSession, allowedDurationToNextStep: .milliseconds(200))
    ]
    return options
  }

  private static func status(_ status: TerminationStatus) -> Int {
    switch status {
    case .exited(let code): Int(code)
    case .signaled(let signal): 128 + Int(signal)
    }
  }
}

/// The programs that this process has started.
package enum ChildPrograms {
  /// Asks all of them to end. Those in a session of their own hear nothing of Ctrl-C.
  package static func endAll() {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    for process in processes.compactMap({ Int32($0) }) where parent(of: process) == getpid() {
      // The group of a session has its leader's number.
      if kill(-process, SIGTERM) != 0 { kill(process, SIGTERM) }
    }
  }

  /// The process that has started another one; `nil` if that has ended.
  static func parent(of process: Int32) -> Int32? {
    let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    // After the program's name, which may contain anything, come the state and the parent.
    return text?.split(separator: ")").last?.split(separator: " ").dropFirst().first
      .flatMap { Int32($0) }
  }
}

/// True if this process ignores a signal, such as SIGHUP under `nohup`.
package func isIgnored(_ signal: Int32) -> Bool {
  var action = sigaction()
  sigaction(signal, nil, &action)
  return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    == unsafeBitCast(SIG_IGN, to: Int.self)
}
