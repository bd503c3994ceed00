import Foundation
import Subprocess
import Synchronization
import SystemPackage

/// An empty home with a clock of the machine and nothing else of it: no settings, no git
/// configuration, no network. Removed when it is let go.
public final class Sandbox: Sendable {
  /// The home folder, absolute and without links.
  public let home: String
  private let variables: Mutex<[String: String]>

  /// A fresh one. The git identity is a test writer's.
  public init() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "diary-test-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    home = folder.resolvingSymlinksInPath().path
    let config =
      "[user]\n\tname = Test Writer\n\temail = writer@example.org\n[init]\n\tdefaultBranch = main\n"
    try config.write(toFile: home + "/.gitconfig", atomically: true, encoding: .utf8)
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    variables = Mutex([
      "HOME": home, "PATH": Self.programs + ":" + path, "LANG": "C.UTF-8", "TZ": "Asia/Seoul",
      "GIT_CONFIG_NOSYSTEM": "1", "TERM": "xterm-256color",
    ])
  }

  deinit { try? FileManager.default.removeItem(atPath: home) }

  /// The folder of the built programs; `DIARY_PROGRAMS` names that of others, such as installed ones.
  public static let programs: String = {
    if let folder = ProcessInfo.processInfo.environment["DIARY_PROGRAMS"] { return folder }
    let program =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let folder = (program as NSString).deletingLastPathComponent
    if FileManager.default.isExecutableFile(atPath: folder + "/diary") { return folder }
    // Run by the testing helper: the bundle stands among the arguments.
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? ""
    return (bundle as NSString).deletingLastPathComponent
  }()

  /// The environment of every program run here.
  public var environment: [String: String] { variables.withLock { $0 } }

  /// Sets a variable for the programs run from now on; `nil` takes it away.
  public func set(_ name: String, _ value: String?) { variables.withLock { $0[name] = value } }

  /// What a program left behind.
  public struct Result: Sendable {
    /// The exit code; for a signal, 128 and its number.
    public var status: Int
    /// Standard output.
    public var output: String
    /// Standard error.
    public var errors: String
  }

  /// Runs a program to its end, in `folder` (relative to home).
  @discardableResult
  public func run(
    _ program: String, _ arguments: [String], in folder: String = "", input: String = ""
  ) async throws -> Result {
    // A file, not a pipe: a program that ends without reading a pipe would end the tests with it.
    let place = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data(input.utf8).write(to: place)
    let file = try FileDescriptor.open(FilePath(place.path), .readOnly)
    try FileManager.default.removeItem(at: place)
    defer { try? file.close() }
    let result = try await Subprocess.run(
      program.contains("/") ? .path(FilePath(program)) : .name(program),
      arguments: Arguments(arguments), environment: .custom(keys(environment)),
      workingDirectory: FilePath(home + (folder.isEmpty ? "" : "/" + folder)),
      input: .fileDescriptor(file, closeAfterSpawningProcess: false),
      output: .string(limit: 16 << 20), error: .string(limit: 1 << 20))
    let status =
      switch result.terminationStatus {
      case .exited(let code): Int(code)
      case .signaled(let signal): 128 + Int(signal)
      }
    return Result(
      status: status, output: result.standardOutput, errors: result.standardError)
  }

  private func keys(_ variables: [String: String]) -> [Environment.Key: String] {
    Dictionary(uniqueKeysWithValues: variables.map { (Environment.Key(stringLiteral: $0), $1) })
  }

  /// Runs the built `diary`.
  @discardableResult
  public func diary(
    _ arguments: String..., in folder: String = "", input: String = ""
  ) async throws -> Result {
    try await run(Self.programs + "/diary", arguments, in: folder, input: input)
  }

  /// Runs git in `folder`; throws when it fails. git gives up at once where a lock is held, and a
  /// watcher may hold one for a moment: like a writer, this tries again then, for ten seconds.
  @discardableResult
  public func git(_ arguments: String..., in folder: String) async throws -> String {
    let end = ContinuousClock.now + .seconds(10)
    while true {
      let result = try await run("git", arguments, in: folder)
      if result.status == 0 { return result.output }
      let isLocked = result.errors.contains(".lock': File exists")
      guard isLocked, .now < end else { throw ProgramFailed(text: result.errors) }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  /// Runs `body` while `folder` is what a program mounts there; answers whether it may mount at all.
  public func mounting(
    _ program: String, _ words: [String], at folder: String, _ body: () async throws -> Void
  ) async throws -> Bool {
    try FileManager.default.createDirectory(
      atPath: home + "/" + folder, withIntermediateDirectories: true)
    guard try await run(program, words + [folder]).status == 0 else { return false }
    do {
      try await body()
    } catch {
      try await run("umount", ["-l", folder])
      throw error
    }
    let unmounted = try await run("umount", ["-l", folder])
    guard unmounted.status == 0 else { throw ProgramFailed(text: unmounted.errors) }
    return true
  }

  /// Writes a file below home, folders made.
  public func write(_ text: String, to path: String) throws {
    let place = URL(fileURLWithPath: home + "/" + path)
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    let handle: Data = Data(text.utf8)
    guard FileManager.default.createFile(atPath: place.path, contents: handle) else {
      throw ProgramFailed(text: "cannot write \(path)")
    }
  }

  /// A file's text below home.
  public func read(_ path: String) throws -> String {
    try String(contentsOfFile: home + "/" + path, encoding: .utf8)
  }

  /// Whether something is at the path below home.
  public func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: home + "/" + path)
  }

  /// The names of regular files below a folder, `.git` and `.diary` left out, in order.
  public func files(in folder: String) -> [String] {
    let all = FileManager.default.enumerator(atPath: home + "/" + folder)?.allObjects as? [String]
    return (all ?? []).filter { name in
      var isFolder: ObjCBool = false
      let path = home + "/" + folder + "/" + name
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
        return false
      }
      return !isFolder.boolValue && !name.hasPrefix(".git/") && !name.hasPrefix(".diary/")
    }.sorted()
  }

  /// A shell script on the path, for editors that a test plays.
  public func script(_ name: String, _ text: String) throws -> String {
    let path = home + "/bin/" + name
    try write("#!/bin/sh\n" + text, to: "bin/" + name)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return path
  }

  /// Waits until `condition` holds, looking every 50 ms; answers whether it did within `seconds`, by
  /// default as many as a machine that is busy with other work may need.
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

/// A program that a test needed has failed.
public struct ProgramFailed: Error, CustomStringConvertible {
  /// What it said.
  public var text: String
  /// What it said.
  public var description: String { text }

  /// A failure with the program's words.
  public init(text: String) { self.text = text }
}
