import Foundation
import TestSupport
import Testing

/// Journals, devices and a remote in one folder that is reset before each attempt.
struct FaultJournal: Sendable {
  let home: Sandbox

  /// `DIARY_FAULTS`: `all` tests every effect (`make nightly ARGS=faults`), a number tests a sample
  /// of that size, and unset tests the small sample of a normal test run.
  private static let faultSetting = ProcessInfo.processInfo.environment["DIARY_FAULTS"] ?? ""

  /// Whether every effect is tested.
  static var isExhaustive: Bool { faultSetting == "all" }

  /// The result of a program under the tracer.
  struct TracedResult: Sendable {
    var result: Sandbox.ProgramResult
    /// The effects, one line each: number, call, path.
    var effects: [String]

    /// Whether the program came to the chosen effect.
    func hasReached(_ number: Int) -> Bool { effects.count >= number }
  }

  /// The method that makes writes durable: git's `core.fsyncMethod`. Without the setting, it
  /// depends on what else the machine is writing.
  enum FlushMethod: String, CaseIterable, Sendable {
    /// The whole file system at once.
    case batch
    /// Each file separately.
    case fsync
  }

  /// Prepares the folder `w` and copies it, to reset it before every attempt.
  init(
    _ flushing: FlushMethod = .batch, prepare: @Sendable (Sandbox) async throws -> Void
  ) async throws {
    home = try Sandbox()
    try await home.run("git", ["config", "--global", "core.fsyncMethod", flushing.rawValue])
    try FileManager.default.createDirectory(
      atPath: home.homePath + "/w", withIntermediateDirectories: true)
    try await prepare(home)
    try await home.run("cp", ["-a", "w", "template"])
  }

  /// Resets the content of `w`, but not `w` itself: a separate disk may be mounted there.
  func reset() async throws {
    let script = "mkdir -p w && find w -mindepth 1 -delete && cp -a template/. w"
    let result = try await home.run("sh", ["-c", script])
    guard result.status == 0 else { throw ProgramFailed(message: result.errors) }
  }

  /// The command line: the built `diary`, or `PageWriter` if that is the first word.
  static func command(_ arguments: [String]) -> [String] {
    let all = arguments.first == "PageWriter" ? arguments : ["diary"] + arguments
    return [Sandbox.programs + "/" + all[0]] + all.dropFirst()
  }

  /// Runs a command and injects `fault` at effect `number`.
  func diary(
    _ arguments: [String], in folder: String, _ fault: String = "none", at number: Int = 0
  ) async throws -> TracedResult {
    let result = try await home.run(
      Sandbox.programs + "/FaultTracer",
      [home.homePath + "/w", home.homePath + "/effects", "\(number)", fault]
        + Self.command(arguments),
      in: folder)
    let effects = try home.read("effects").split(separator: "\n").map(String.init)
    return TracedResult(result: result, effects: effects)
  }

  /// The bytes of every file in the folders, without list files and Diary's temporary files.
  func contents(of folders: [String]) -> [String: Data] {
    var texts: [String: Data] = [:]
    for folder in folders {
      for name in home.files(in: folder) where !Self.isCreatedByDiary(name) {
        texts[folder + "/" + name] = FileManager.default.contents(
          atPath: home.homePath + "/" + folder + "/" + name)
      }
    }
    return texts
  }

  /// Diary's temporary files among the user's files.
  func leftovers(in folder: String) -> [String] {
    home.files(in: folder).filter { $0.contains(".diary-") && $0.hasSuffix(".tmp") }
  }

  private static func isCreatedByDiary(_ name: String) -> Bool {
    name == "INDEX.md" || (name.contains(".diary-") && name.hasSuffix(".tmp"))
  }

  /// The number of rounds of a random test.
  static func rounds(_ sample: Int, exhaustive: Int) -> Int {
    isExhaustive ? exhaustive : Int(faultSetting) ?? sample
  }

  /// The value of a variable that repeats a failure: `DIARY_SCENE` (name of a scenario),
  /// or `DIARY_EFFECT` (number of an effect, which timing moves from run to run).
  static func environmentValue(_ variable: String) -> String? {
    ProcessInfo.processInfo.environment[variable].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The effects to test out of `count`: all, or a sample that `DIARY_SEED` and the story vary.
  static func effectNumbers(upTo count: Int, sample: Int, _ story: String) -> [Int] {
    if let effect = environmentValue("DIARY_EFFECT").flatMap({ Int($0) }) { return [effect] }
    let sample = Int(faultSetting) ?? sample
    guard !isExhaustive, count > sample else { return Array(1...max(1, count)) }
    // Failure messages contain the number.
    var random = SeededGenerator(part: story)
    let start = Int.random(in: 0..<max(1, count / sample), using: &random)
    return (0..<sample).map { 1 + start + $0 * count / sample }.filter { $0 <= count }
  }
}
