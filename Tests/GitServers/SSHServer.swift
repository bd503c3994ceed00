import Foundation
import Glibc
import Subprocess
import Synchronization
import SystemPackage
import TestSupport

/// OpenSSH's server on a port of 127.0.0.1, for the user who runs the tests. It accepts only one
/// generated key and runs the client's commands with its own `HOME`. Their working directory is the
/// user's real home, so use absolute paths.
///
/// A process of `sshd -i` serves each connection, so no daemon remains after the tests, and
/// aborting a transfer ends exactly its processes. As root, sshd needs `/run/sshd`, which is
/// created if it is missing. Nothing else is written outside the sandbox.
public final class SSHServer: Sendable {
  /// The types of client key.
  public enum Key: String, Sendable {
    /// A short key of the usual type.
    case ed25519
    /// A long key of the old type, 2048 bits.
    case rsa
  }

  /// The private key that may log in. The public key is in the same folder, with the suffix `.pub`.
  public let key: String
  /// The server's public key in the format of known_hosts: type and key.
  let hostKey: String
  private let folder: String
  private let listener: ReservedPort
  private let environment: Environment
  private let sessions = Mutex<[Int32: Session]>([:])

  /// The state of the process that serves a connection.
  private enum Session {
    case starting
    case served(by: Int32)
    /// Stopped before its process was known.
    case stopRequested
  }

  /// Starts a server with its files below the home, and configures the home's ssh for it (`equip`).
  public static func start(_ home: Sandbox, key: Key = .ed25519) async throws -> SSHServer {
    let server = try await SSHServer(home, key)
    try server.open()
    try server.equip(home)
    return server
  }

  private init(_ home: Sandbox, _ kind: Key) async throws {
    listener = try ReservedPort()
    let name = "ssh-\(listener.number)"
    folder = home.homePath + "/" + name
    key = folder + "/key"
    environment = .custom(["PATH": home.environment["PATH"] ?? ""])
    try FileManager.default.createDirectory(
      atPath: folder + "/home", withIntermediateDirectories: true)
    for (file, kind) in [("host-key", Key.ed25519), ("key", kind)] {
      let made = try await home.run(
        "ssh-keygen",
        ["-q", "-t", kind.rawValue, "-N", "", "-C", "diary-test", "-f", folder + "/" + file]
          + (kind == .rsa ? ["-b", "2048"] : []))
      guard made.status == 0 else { throw ProgramFailed(message: made.errors) }
    }
    hostKey = try home.read(name + "/host-key.pub").split(separator: " ").prefix(2)
      .joined(separator: " ")
    try home.write(try home.read(name + "/key.pub"), to: name + "/authorized_keys")
    try home.write(settings(path: home.environment["PATH"] ?? ""), to: name + "/sshd_config")
    if getuid() == 0 {
      try FileManager.default.createDirectory(
        atPath: "/run/sshd", withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o755])
    }
  }

  deinit { stop() }

  private func settings(path: String) -> String {
    // The key exchange methods that are left out take a sixth of a second for each connection.
    """
    HostKey "\(folder)/host-key"
    AuthorizedKeysFile "\(folder)/authorized_keys"
    AuthenticationMethods publickey
    KexAlgorithms -sntrup761*
    PermitRootLogin prohibit-password
    StrictModes no
    UsePAM no
    PidFile none
    LogLevel VERBOSE
    PrintMotd no
    PermitUserRC no
    AcceptEnv GIT_PROTOCOL
    SetEnv HOME="\(folder)/home" PATH="\(path)" GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1

    """
  }

  /// The port on which it listens.
  public var port: Int { listener.number }

  /// The log of the server's processes, to explain a failure.
  public var log: String { (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "" }

  /// The number of open connections.
  public var connections: Int { sessions.withLock { $0.count } }

  /// Accepts connections again, on the same port.
  public func open() throws {
    try listener.open { [weak self] connection in
      guard let self else {
        _ = close(connection)
        return
      }
      sessions.withLock { $0[connection] = .starting }
      Task { await self.serve(connection) }
    }
  }

  /// Ends every connection immediately and refuses new ones. A connection whose process is not
  /// known yet ends as soon as it is.
  public func stop() {
    listener.shut()
    sessions.withLock { sessions in
      for (connection, session) in sessions {
        if case .served(let process) = session {
          Self.terminate(process, connection)
        } else {
          sessions[connection] = .stopRequested
        }
      }
    }
  }

  /// Kills a process and its descendants, then shuts down its connection. The descendants have
  /// their own sessions. All are stopped before the first is killed or can notice the cut: the
  /// children of a process that exits would be reparented and missed.
  private static func terminate(_ process: Int32, _ connection: Int32) {
    var halted: [Int32] = []
    var found = [process]
    while !found.isEmpty {
      for process in found { kill(process, SIGSTOP) }
      found.forEach(awaitHalt)
      halted += found
      found = halted.flatMap(children).filter { !halted.contains($0) }
    }
    for process in halted { kill(process, SIGKILL) }
    _ = shutdown(connection, Int32(SHUT_RDWR))
  }

  /// Waits until a process has stopped or exited. Until then it may start children.
  private static func awaitHalt(_ process: Int32) {
    while let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
      !stat.contains(") T "), !stat.contains(") Z ")
    {
      usleep(100)
    }
  }

  private static func children(of process: Int32) -> [Int32] {
    let list = "/proc/\(process)/task/\(process)/children"
    let children = (try? String(contentsOfFile: list, encoding: .utf8)) ?? ""
    return children.split(separator: " ").compactMap { Int32($0) }
  }

  private func serve(_ connection: Int32) async {
    let socket = FileDescriptor(rawValue: connection)
    _ = try? await Subprocess.run(
      .path("/usr/sbin/sshd"),
      arguments: ["-i", "-f", folder + "/sshd_config", "-E", folder + "/log"],
      environment: environment,
      input: .fileDescriptor(socket, closeAfterSpawningProcess: false),
      output: .fileDescriptor(socket, closeAfterSpawningProcess: false), error: .discarded
    ) { execution in
      let process = execution.processIdentifier.value
      sessions.withLock { sessions in
        if case .stopRequested = sessions[connection] { return Self.terminate(process, connection) }
        sessions[connection] = .served(by: process)
      }
    }
    sessions.withLock { sessions in
      sessions[connection] = nil
      _ = close(connection)
    }
  }
}
