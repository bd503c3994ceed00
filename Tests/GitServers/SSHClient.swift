import Foundation
import TestSupport

extension SSHServer {
  /// The host's name for a client that `equip` has readied: `ssh diary-test`.
  public static let alias = "diary-test"
  /// The same, reached by a second hop: through itself (`ProxyJump`).
  public static let farAlias = "diary-test-far"
  /// The same without a key on disk: what an agent holds, or nothing.
  public static let keylessAlias = "diary-test-keyless"

  /// A repository's URL, by one of the aliases.
  public func url(_ repository: BareRepository, by alias: String = alias) -> String {
    "ssh://\(alias)\(repository.path)"
  }

  /// The known_hosts text of who knows the server, at its own port or at that of a line to it.
  public func knownHosts(through line: CutLine? = nil) -> String {
    "[127.0.0.1]:\(line?.number ?? port) \(hostKey)\n"
  }

  /// An `~/.ssh/config` with the aliases; all its paths are absolute, for ssh takes `~` from the
  /// user database. It expects known_hosts beside it in `folder`.
  public func config(in folder: String, through line: CutLine? = nil) -> String {
    """
    Host \(Self.alias) \(Self.farAlias)
      IdentityFile "\(key)"
      IdentitiesOnly yes
    Host \(Self.farAlias)
      ProxyJump \(Self.alias)
    Host \(Self.keylessAlias)
      IdentityFile none
    Host *
      HostName 127.0.0.1
      Port \(line?.number ?? port)
      UserKnownHostsFile "\(folder)/known_hosts"
      GlobalKnownHostsFile /dev/null

    """
  }

  /// Gives a home what its ssh needs to know the server and be let in, at the server's own port or
  /// through a line.
  ///
  /// ssh takes the home from the user database, not from `HOME`, so a sandbox's `~/.ssh` would be
  /// passed over and the real one read. The sandbox therefore gets an `ssh` first on its path that
  /// runs the real one with `-F ~/.ssh/config`; with `-F` neither the real home's configuration nor
  /// the machine's is read. `GIT_SSH_COMMAND` and `core.sshCommand` stay free for what is tested: a
  /// value that says `ssh` runs this one, too.
  public func equip(_ home: Sandbox, through line: CutLine? = nil) throws {
    let folder = home.home + "/.ssh"
    try home.write(knownHosts(through: line), to: ".ssh/known_hosts")
    try home.write(config(in: folder, through: line), to: ".ssh/config")
    _ = try home.script("ssh", "exec /usr/bin/ssh -F '\(folder)/config' \"$@\"\n")
    let path = home.environment["PATH"] ?? ""
    let programs = home.home + "/bin:"
    if !path.hasPrefix(programs) { home.set("PATH", programs + path) }
  }

  /// Runs an ssh-agent that holds the key beside `body`, known to the home by `SSH_AUTH_SOCK`.
  public func withAgent<Value: Sendable>(
    _ home: Sandbox, _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    let socket = home.home + "/agent"
    return try await Background.running(home, "ssh-agent", ["-D", "-a", socket]) { agent in
      guard await Sandbox.holds({ home.exists("agent") }) else {
        throw ProgramFailed(text: "ssh-agent: " + agent.output)
      }
      home.set("SSH_AUTH_SOCK", socket)
      defer { home.set("SSH_AUTH_SOCK", nil) }
      let added = try await home.run("ssh-add", ["-q", key])
      guard added.status == 0 else { throw ProgramFailed(text: added.errors) }
      return try await body()
    }
  }
}
