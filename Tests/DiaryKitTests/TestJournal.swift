import DiaryCore
import Foundation
import TestSupport

@testable import DiaryKit

/// A journal in its own repository with an isolated environment.
struct TestJournal {
  let home: Sandbox

  /// Makes `j` with one commit that contains `files`.
  init(_ files: [String: String] = ["a.md": "one\n"]) async throws {
    home = try Sandbox()
    try await home.git("init", "-q", "j", in: "")
    try home.write("", to: "j/.diary/config.yml")
    for (name, text) in files { try home.write(text, to: "j/" + name) }
    try await home.git("add", "-A", in: "j")
    try await home.git("commit", "-qm", "begin", in: "j")
  }

  /// Copies a journal and all that is beside it.
  init(copyOf other: TestJournal) async throws {
    home = try Sandbox()
    try await home.run("cp", ["-a", other.home.homePath + "/.", "."])
  }

  /// Opens the journal again.
  func journal(
    _ variables: [String: String] = [:], now: @escaping @Sendable () -> Int = { 1_795_262_640 }
  ) throws -> Journal {
    try Journal(
      root: home.homePath + "/j",
      environment: RuntimeEnvironment(
        variables: home.environment.merging(variables) { $1 }, currentFolder: home.homePath,
        now: now, zone: TimeZone(identifier: "Asia/Seoul") ?? .gmt,
        executableDirectory: Sandbox.programs))
  }

  func write(_ text: String, _ name: String) throws { try home.write(text, to: "j/" + name) }

  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: home.homePath + "/j/" + name)
  }

  func git(_ arguments: String...) async throws -> String {
    let result = try await home.run("git", arguments, in: "j")
    guard result.status == 0 else { throw DiaryError(result.errors) }
    return result.output
  }

  /// Gives a file a modification time long before the machine was started.
  func backdate(_ name: String) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)],
      ofItemAtPath: home.homePath + "/j/" + name)
  }
}

extension EntryPath: ExpressibleByStringLiteral {
  /// A path from a string literal of a test.
  public init(stringLiteral text: String) {
    guard let path = EntryPath(text) else { preconditionFailure("no path: \(text)") }
    self = path
  }
}

extension Journal {
  /// Saves the changes at the paths, as the watcher does.
  @discardableResult
  func savePaths(_ paths: EntryPath...) async throws -> SaveOutcome {
    try await locked {
      try await $0.saver.saveChanges(try await $0.saver.collectChanges(paths, atStart: false))
    }
  }
}
