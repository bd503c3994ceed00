import Foundation
import TestSupport

/// A repository without a work tree, to push to and fetch from.
public struct BareRepository: Sendable {
  /// The path of its folder below the home.
  public let name: String
  /// The absolute path of its folder.
  public let path: String
  private let home: Sandbox

  /// Creates a repository below the home. With `forwardOnly` it rejects non-fast-forward pushes.
  public init(
    _ home: Sandbox, _ name: String, branch: String = "main", forwardOnly: Bool = false
  ) async throws {
    self.home = home
    self.name = name
    path = home.homePath + "/" + name
    try await home.git("init", "-q", "--bare", "-b", branch, path, in: "")
    if forwardOnly {
      try await home.git("config", "receive.denyNonFastForwards", "true", in: name)
    }
  }

  /// Rejects all pushes from now on with a message; `nil` accepts pushes again.
  public func refusePushes(_ message: String?) throws {
    let hook = "/hooks/pre-receive"
    try? FileManager.default.removeItem(atPath: path + hook)
    guard let message else { return }
    try home.write("#!/bin/sh\ncat >&2 <<'END'\n\(message)\nEND\nexit 1\n", to: name + hook)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path + hook)
  }
}
