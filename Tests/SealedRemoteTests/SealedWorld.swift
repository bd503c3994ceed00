import Foundation
import SealedRemote
import TestSupport

/// A home with a key, an empty host, and devices: repositories whose remote `origin` is the sealed host.
struct SealedWorld {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    try await makeKey("key")
    try await home.git("init", "--quiet", "--bare", "host", in: "")
  }

  var address: String { "diary::\(home.homePath)/host" }

  func makeKey(_ name: String, in settings: String = ".config") async throws {
    let folder = home.homePath + "/\(settings)/diary/keys"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let made = try await home.run("age-keygen", ["-o", "\(folder)/\(name).txt"])
    guard made.status == 0 else { throw ProgramFailed(message: made.errors) }
  }

  /// Makes a repository with the remote.
  func device(_ name: String) async throws {
    try await home.git("init", "--quiet", name, in: "")
    try await home.git("remote", "add", "origin", address, in: name)
  }

  func clone(_ name: String) async throws {
    try await home.git("clone", "--quiet", address, name, in: "")
  }

  /// Commits a file, and returns the commit.
  @discardableResult
  func commit(_ device: String, _ file: String, _ text: String) async throws -> String {
    try home.write(text, to: "\(device)/\(file)")
    try await home.git("add", "--all", in: device)
    try await home.git("commit", "--quiet", "--message", "\(file) \(text.prefix(20))", in: device)
    return try await tip(device, "HEAD")
  }

  /// Two devices with one commit, which both have.
  func pair() async throws {
    try await device("a")
    try await commit("a", "one", "first")
    try await home.git("push", "--quiet", "--set-upstream", "origin", "main", in: "a")
    try await clone("b")
  }

  func git(_ device: String, _ arguments: String...) async throws -> Sandbox.ProgramResult {
    try await home.run("git", arguments, in: device)
  }

  func tip(_ device: String, _ name: String) async throws -> String {
    try await home.git("rev-parse", name, in: device).trimmingCharacters(in: .newlines)
  }

  /// The remote's refs, as a new reader sees them.
  func remoteRefs() async throws -> [String: String] {
    let lines = try await home.git("ls-remote", address, in: "").split(separator: "\n")
    return Dictionary(
      uniqueKeysWithValues: lines.map { line in
        let words = line.split(separator: "\t").map(String.init)
        return (words[1], words[0])
      })
  }

  /// The names of the encrypted bundles.
  func bundles(at commit: String = "sealed") async throws -> [String] {
    try await home.git("ls-tree", "--name-only", commit, "bundles/", in: "host").split(
      separator: "\n"
    ).map(String.init)
  }

  func carrierCount() async throws -> Int {
    Int(try await home.git("rev-list", "--count", "sealed", in: "host").dropLast()) ?? 0
  }

  /// Runs a script as a hook of a repository. `other` in it runs git as another device does.
  func hook(_ name: String, in folder: String, _ script: String) throws {
    let variables = home.environment.map { "'\($0.key)=\($0.value)'" }.joined(separator: " ")
    let text = """
      #!/bin/sh
      cd '\(home.homePath)'
      other() { env -i \(variables) git "$@"; }
      \(script)
      """
    let path = "\(folder)/hooks/\(name)"
    try home.write(text, to: path)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: "\(home.homePath)/\(path)")
  }

  /// Speaks with the helper as git does, in this process.
  func converse(
    _ device: String, _ lines: [String], mostBundles: Int = 64, now: Int = 1_800_000_000,
    lockTimeout: Double = 60
  ) throws -> String {
    var environment = home.environment
    environment["GIT_DIR"] = "\(home.homePath)/\(device)/.git"
    let session = try SealedSession(
      address: "\(home.homePath)/host", environment: environment, currentFolder: home.homePath,
      now: { now })
    session.mostBundles = mostBundles
    session.lockTimeout = lockTimeout
    var rest = lines[...]
    var answers = ""
    var conversation = HelperConversation(
      session, readLine: { rest.popFirst().map { Array($0.utf8) } }, write: { answers += $0 })
    try conversation.run()
    return answers
  }
}
