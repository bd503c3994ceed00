import Foundation
import TestSupport
import Testing

/// Journals, devices and a remote in one folder, put back as they were before each try.
struct FaultWorld: Sendable {
  let home: Sandbox

  /// `DIARY_FAULTS`: `all` for the whole walk (`make faults`), a number for a sample of that size
  /// from each, nothing for what a test has time for.
  private static let wanted = ProcessInfo.processInfo.environment["DIARY_FAULTS"] ?? ""

  /// The whole walk.
  static var isWhole: Bool { wanted == "all" }

  /// What a program under the tracer came to.
  struct Tried: Sendable {
    var result: Sandbox.Result
    /// A line each: number, call, path.
    var effects: [String]

    /// Whether the chosen effect was among them.
    func reached(_ number: Int) -> Bool { effects.count >= number }
  }

  /// How what a command writes becomes durable: git's `core.fsyncMethod`. Without the setting it depends on
  /// what else the machine is writing.
  enum Flushing: String, CaseIterable, Sendable {
    /// The whole file system at once.
    case batch
    /// Each file by itself.
    case fsync
  }

  /// Makes the world below `w`, as it is at the beginning of every try.
  init(
    _ flushing: Flushing = .batch, prepare: @Sendable (Sandbox) async throws -> Void
  ) async throws {
    home = try Sandbox()
    try await home.run("git", ["config", "--global", "core.fsyncMethod", flushing.rawValue])
    try FileManager.default.createDirectory(
      atPath: home.home + "/w", withIntermediateDirectories: true)
    try await prepare(home)
    try await home.run("cp", ["-a", "w", "template"])
  }

  /// `w` itself stays: a disk of its own may be mounted there.
  func putBack() async throws {
    let script = "mkdir -p w && find w -mindepth 1 -delete && cp -a template/. w"
    let result = try await home.run("sh", ["-c", script])
    guard result.status == 0 else { throw ProgramFailed(text: result.errors) }
  }

  /// The built `diary`, or `PageWriter` where that is the first of the words, and what it is told.
  static func command(_ words: [String]) -> [String] {
    let all = words.first == "PageWriter" ? words : ["diary"] + words
    return [Sandbox.programs + "/" + all[0]] + all.dropFirst()
  }

  /// Runs a command and lets `fault` come at its effect `number`.
  func diary(
    _ words: [String], in folder: String, _ fault: String = "none", at number: Int = 0
  ) async throws -> Tried {
    let result = try await home.run(
      Sandbox.programs + "/FaultTracer",
      [home.home + "/w", home.home + "/effects", "\(number)", fault] + Self.command(words),
      in: folder)
    let effects = try home.read("effects").split(separator: "\n").map(String.init)
    return Tried(result: result, effects: effects)
  }

  /// Every file of the folders with its bytes; lists and temporary files of Diary's aside.
  func texts(of folders: [String]) -> [String: Data] {
    var texts: [String: Data] = [:]
    for folder in folders {
      for name in home.files(in: folder) where !Self.isDiarysOwn(name) {
        texts[folder + "/" + name] = FileManager.default.contents(
          atPath: home.home + "/" + folder + "/" + name)
      }
    }
    return texts
  }

  /// Temporary files of Diary's that stand among the writer's.
  func leftovers(in folder: String) -> [String] {
    home.files(in: folder).filter { $0.contains(".diary-") && $0.hasSuffix(".tmp") }
  }

  private static func isDiarysOwn(_ name: String) -> Bool {
    name == "INDEX.md" || (name.contains(".diary-") && name.hasSuffix(".tmp"))
  }

  /// How often something random is tried.
  static func rounds(_ sample: Int, whole: Int) -> Int { isWhole ? whole : Int(wanted) ?? sample }

  /// What alone is to be tried, to see a failure again: `DIARY_SCENE` by its name, `DIARY_EFFECT` by its
  /// number, `DIARY_SEED` for its dice.
  static func only(_ variable: String) -> String? {
    ProcessInfo.processInfo.environment[variable].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Which of `count` effects are tried: all, or as many as a test has time for.
  static func numbers(upTo count: Int, sample: Int) -> [Int] {
    if let effect = only("DIARY_EFFECT").flatMap({ Int($0) }) { return [effect] }
    let sample = Int(wanted) ?? sample
    guard !isWhole, count > sample else { return Array(1...max(1, count)) }
    // Not the same each day, but known afterwards: the number is in what a failure says.
    let start = Int.random(in: 0..<max(1, count / sample))
    return (0..<sample).map { 1 + start + $0 * count / sample }.filter { $0 <= count }
  }
}
