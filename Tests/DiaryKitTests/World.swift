import DiaryCore
import Foundation
import TestSupport

@testable import DiaryKit

/// A journal in a repository of its own, in a world of its own.
struct World {
  let home: Sandbox

  /// Makes `j`, with one commit that holds `files`.
  init(_ files: [String: String] = ["a.md": "one\n"]) async throws {
    home = try Sandbox()
    try await home.git("init", "-q", "j", in: "")
    try home.write("", to: "j/.diary/config.yml")
    for (name, text) in files { try home.write(text, to: "j/" + name) }
    try await home.git("add", "-A", in: "j")
    try await home.git("commit", "-qm", "begin", in: "j")
  }

  /// The journal, opened anew.
  func journal(
    _ variables: [String: String] = [:], now: @escaping @Sendable () -> Int = { 1_795_262_640 }
  ) throws -> Journal {
    try Journal(
      root: home.home + "/j",
      environment: RuntimeEnvironment(
        variables: home.environment.merging(variables) { $1 }, currentFolder: home.home,
        now: now, zone: TimeZone(identifier: "Asia/Seoul") ?? .gmt,
        executableDirectory: Sandbox.programs))
  }

  func write(_ text: String, _ name: String) throws { try home.write(text, to: "j/" + name) }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: home.home + "/j/" + name)
  }

  func git(_ words: String...) async throws -> String {
    let result = try await home.run("git", words, in: "j")
    guard result.status == 0 else { throw DiaryError(result.errors) }
    return result.output
  }

  /// Gives a file a time long before the machine was started.
  func age(_ name: String) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)],
      ofItemAtPath: home.home + "/j/" + name)
  }
}

extension EntryPath: ExpressibleByStringLiteral {
  /// A path as a test writes it.
  public init(stringLiteral text: String) {
    guard let path = EntryPath(text) else { preconditionFailure("no path: \(text)") }
    self = path
  }
}

extension Journal {
  /// Keeps what has changed at the paths, as the watcher does.
  @discardableResult
  func keepAll(_ paths: EntryPath...) async throws -> SaveOutcome {
    try await save(try await collectChanges(paths, atStart: false))
  }
}
