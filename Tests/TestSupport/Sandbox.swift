import Foundation
import Subprocess
import Synchronization
import SystemPackage

/// An empty home folder without settings and with a minimal git configuration. It is removed when
/// the object is released. Its name has letters of several bytes, as a user's can have.
public final class Sandbox: Sendable {
  /// The absolute path of the home folder, with symbolic links resolved.
  public let homePath: String
  private let variables: Mutex<[String: String]>

  /// Creates an empty home with a git identity for tests.
  public init() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "diary-tést-일기-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    homePath = folder.resolvingSymlinksInPath().path
    let config =
      "[user]\n\tname = Test Writer\n\temail = writer@example.org\n[init]\n\tdefaultBranch = main\n"
    try config.write(toFile: homePath + "/.gitconfig", atomically: true, encoding: .utf8)
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    variables = Mutex([
      "HOME": homePath, "PATH": Self.programs + ":" + path, "LANG": "C.UTF-8", "TZ": "Asia/Seoul",
      "GIT_CONFIG_NOSYSTEM": "1", "TERM": "xterm-256color",
    ])
  }

  deinit { try? FileManager.default.removeItem(atPath: homePath) }

  /// The folder of the built programs. `DIARY_PROGRAMS` overrides it, to test installed ones.
  public static let programs: String = {
    if let folder = ProcessInfo.processInfo.environment["DIARY_PROGRAMS"] { return folder }
    let program =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let folder = (program as NSString).deletingLastPathComponent
    if FileManager.default.isExecutableFile(atPath: folder + "/diary") { return folder }
    // Run by the testing helper: the path of the bundle is one of the arguments.
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? ""
    return (bundle as NSString).deletingLastPathComponent
  }()

  /// The environment of every program run here.
  public var environment: [String: String] { variables.withLock { $0 } }

  /// Sets a variable for the programs that are run from now on; `nil` removes it.
  public func set(_ name: String, _ value: String?) { variables.withLock { $0[name] = value } }

  /// The exit code and output of a program.
  public struct ProgramResult: Sendable {
    /// The exit code, or 128 plus the number of the signal that ended it.
    public var status: Int
    /// Standard output.
    public var output: String
    /// Standard error.
    public var errors: String
  }

  /// Runs a program to its end in `folder`, a path relative to the home.
  @discardableResult
  public func run(
    _ program: String, _ arguments: [String], in folder: String = "", input: String = ""
  ) async throws -> ProgramResult {
    // A file, not a pipe: if the program ended without reading a pipe, SIGPIPE would end the tests.
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data(input.utf8).write(to: url)
    let file = try FileDescriptor.open(FilePath(url.path), .readOnly)
    try FileManager.default.removeItem(at: url)
    defer { try? file.close() }
    let result = try await Subprocess.run(
      program.contains("/") ? .path(FilePath(program)) : .name(program),
      arguments: Arguments(arguments), environment: .custom(keys(environment)),
      workingDirectory: FilePath(homePath + (folder.isEmpty ? "" : "/" + folder)),
      input: .fileDescriptor(file, closeAfterSpawningProcess: false),
      output: .string(limit: 16 << 20), error: .string(limit: 1 << 20))
    let status =
      switch result.terminationStatus {
      case .exited(let code): Int(code)
      case .signaled(let signal): 128 + Int(signal)
      }
    return ProgramResult(
      status: status, output: result.standardOutput, errors: result.standardError)
  }

  private func keys(_ variables: [String: String]) -> [Environment.Key: String] {
    Dictionary(uniqueKeysWithValues: variables.map { (Environment.Key(stringLiteral: $0), $1) })
  }

  /// Runs the built `diary`.
  @discardableResult
  public func diary(
    _ arguments: String..., in folder: String = "", input: String = ""
  ) async throws -> ProgramResult {
    try await run(Self.programs + "/diary", arguments, in: folder, input: input)
  }

  /// Runs git in `folder`; throws if it fails. git fails at once if a lock file exists, and a
  /// watcher may hold one for a moment, so this retries for up to ten seconds.
  @discardableResult
  public func git(_ arguments: String..., in folder: String) async throws -> String {
    let end = ContinuousClock.now + .seconds(10)
    while true {
      let result = try await run("git", arguments, in: folder)
      if result.status == 0 { return result.output }
      let isLocked = result.errors.contains(".lock': File exists")
      guard isLocked, .now < end else { throw ProgramFailed(message: result.errors) }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  /// Mounts a file system at `folder` while `body` runs. Returns false if it cannot be mounted.
  public func withMount(
    _ program: String, _ arguments: [String], at folder: String, _ body: () async throws -> Void
  ) async throws -> Bool {
    try FileManager.default.createDirectory(
      atPath: homePath + "/" + folder, withIntermediateDirectories: true)
    guard try await run(program, arguments + [folder]).status == 0 else { return false }
    do {
      try await body()
    } catch {
      try await run("umount", ["-l", folder])
      throw error
    }
    let unmounted = try await run("umount", ["-l", folder])
    guard unmounted.status == 0 else { throw ProgramFailed(message: unmounted.errors) }
    return true
  }

  /// Writes a file below the home and creates its folders.
  public func write(_ text: String, to path: String) throws {
    let url = URL(fileURLWithPath: homePath + "/" + path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    let data: Data = Data(text.utf8)
    guard FileManager.default.createFile(atPath: url.path, contents: data) else {
      throw ProgramFailed(message: "cannot write \(path)")
    }
  }

  /// Returns the text of a file below the home.
  public func read(_ path: String) throws -> String {
    try String(contentsOfFile: homePath + "/" + path, encoding: .utf8)
  }

  /// Whether a file exists at the path below the home.
  public func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: homePath + "/" + path)
  }

  /// The sorted paths of the regular files below a folder, without `.git` and `.diary`.
  public func files(in folder: String) -> [String] {
    let all =
      FileManager.default.enumerator(atPath: homePath + "/" + folder)?.allObjects as? [String]
    return (all ?? []).filter { name in
      var isFolder: ObjCBool = false
      let path = homePath + "/" + folder + "/" + name
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
        return false
      }
      return !isFolder.boolValue && !name.hasPrefix(".git/") && !name.hasPrefix(".diary/")
    }.sorted()
  }

  /// Creates a shell script on the path, for example a fake editor, and returns its path.
  public func script(_ name: String, _ text: String) throws -> String {
    let path = homePath + "/bin/" + name
    try write("#!/bin/sh\n" + text, to: "bin/" + name)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return path
  }

  /// Checks `condition` every 50 ms until it holds. Returns false after `seconds`; the default
  /// allows for a busy machine.
  public static func holds(
    within seconds: Double = 60, _ condition: () async throws -> Bool
  ) async rethrows -> Bool {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(seconds)
    while true {
      if try await condition() { return true }
      if clock.now > end { return false }
      try? await Task.sleep(for: .milliseconds(50))
    }
  }
}

/// The error that a program required by a test has failed.
public struct ProgramFailed: Error, CustomStringConvertible {
  /// The program's message.
  public var message: String
  /// The program's message.
  public var description: String { message }

  /// Creates the error with the program's message.
  public init(message: String) { self.message = message }
}
