import Foundation
import TestSupport

extension SSHServer {
  /// The alias of the server in the ssh configuration that `equip` writes: `ssh diary-test`.
  public static let alias = "diary-test"
  /// An alias of the same server, reached through a jump host, the server itself (`ProxyJump`).
  public static let jumpAlias = "diary-test-far"
  /// An alias of the same server without a key file, so that only an agent can supply the key.
  public static let keylessAlias = "diary-test-keyless"

  /// The URL of a repository with one of the aliases.
  public func url(_ repository: BareRepository, by alias: String = alias) -> String {
    "ssh://\(alias)\(repository.path)"
  }

  /// The known_hosts text for the server, at its own port or at the port of a proxy to it.
  public func knownHosts(through proxy: FaultyProxy? = nil) -> String {
    "[127.0.0.1]:\(proxy?.portNumber ?? port) \(hostKey)\n"
  }

  /// An `~/.ssh/config` with the aliases. All its paths are absolute, because ssh takes `~` from
  /// the user database. It expects known_hosts in `folder`.
  public func config(in folder: String, through proxy: FaultyProxy? = nil) -> String {
    """
    Host \(Self.alias) \(Self.jumpAlias)
      IdentityFile "\(key)"
      IdentitiesOnly yes
    Host \(Self.jumpAlias)
      ProxyJump \(Self.alias)
    Host \(Self.keylessAlias)
      IdentityFile none
    Host *
      HostName 127.0.0.1
      Port \(proxy?.portNumber ?? port)
      UserKnownHostsFile "\(folder)/known_hosts"
      GlobalKnownHostsFile /dev/null

    """
  }

  /// Configures the ssh of a home so that it trusts the server and can log in, at the server's own
  /// port or through a proxy.
  ///
  /// ssh takes the home from the user database, not from `HOME`, so it would ignore a sandbox's
  /// `~/.ssh` and read the real one. The sandbox therefore gets an `ssh` first on its path that
  /// runs the real one with `-F ~/.ssh/config`. With `-F`, ssh reads neither the real home's
  /// configuration nor the machine's. `GIT_SSH_COMMAND` and `core.sshCommand` remain free for
  /// tests: a value that contains `ssh` also runs this script.
  public func equip(_ home: Sandbox, through proxy: FaultyProxy? = nil) throws {
    let folder = home.homePath + "/.ssh"
    try home.write(knownHosts(through: proxy), to: ".ssh/known_hosts")
    try home.write(config(in: folder, through: proxy), to: ".ssh/config")
    _ = try home.script("ssh", "exec /usr/bin/ssh -F '\(folder)/config' \"$@\"\n")
    let path = home.environment["PATH"] ?? ""
    let programs = home.homePath + "/bin:"
    if !path.hasPrefix(programs) { home.set("PATH", programs + path) }
  }

  /// Runs an ssh-agent that holds the key while `body` runs. `SSH_AUTH_SOCK` is set in the home.
  public func withAgent<Value: Sendable>(
    _ home: Sandbox, _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    let socket = home.homePath + "/agent"
    return try await BackgroundProcess.run(home, "ssh-agent", ["-D", "-a", socket]) { agent in
      guard await Sandbox.holds({ home.exists("agent") }) else {
        throw ProgramFailed(message: "ssh-agent: " + agent.output)
      }
      home.set("SSH_AUTH_SOCK", socket)
      defer { home.set("SSH_AUTH_SOCK", nil) }
      let added = try await home.run("ssh-add", ["-q", key])
      guard added.status == 0 else { throw ProgramFailed(message: added.errors) }
      return try await body()
    }
  }
}
