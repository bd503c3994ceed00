import Foundation
import TestSupport

/// A repository without a work tree, to push to and fetch from.
public struct BareRepository: Sendable {
  /// Its folder below the home.
  public let name: String
  /// Its folder, absolute.
  public let path: String
  private let home: Sandbox

  /// Makes one below the home; `forwardOnly`: it takes no push that rewrites what it has.
  public init(
    _ home: Sandbox, _ name: String, branch: String = "main", forwardOnly: Bool = false
  ) async throws {
    self.home = home
    self.name = name
    path = home.home + "/" + name
    try await home.git("init", "-q", "--bare", "-b", branch, path, in: "")
    if forwardOnly {
      try await home.git("config", "receive.denyNonFastForwards", "true", in: name)
    }
  }

  /// Refuses every push from now on with a message; `nil` takes pushes again.
  public func refusePushes(_ message: String?) throws {
    let hook = "/hooks/pre-receive"
    try? FileManager.default.removeItem(atPath: path + hook)
    guard let message else { return }
    try home.write("#!/bin/sh\ncat >&2 <<'END'\n\(message)\nEND\nexit 1\n", to: name + hook)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path + hook)
  }
}
