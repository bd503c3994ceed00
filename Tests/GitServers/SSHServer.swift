import Foundation
import Glibc
import Subprocess
import Synchronization
import SystemPackage
import TestSupport

/// OpenSSH's own server on a port of 127.0.0.1, for the user who runs the tests. It lets in one
/// generated key, by nothing else, and runs what the client asks for with a `HOME` of its own (but
/// in the user's real home, so let it be paths from the root).
///
/// A process of `sshd -i` serves each connection: no daemon is left behind when the tests end, and
/// ending a transfer ends exactly its processes. Under root sshd wants `/run/sshd`, which is made
/// when it is missing; nothing else outside the sandbox is written.
public final class SSHServer: Sendable {
  /// The kinds of key that a client may have.
  public enum Key: String, Sendable {
    /// Short and usual.
    case ed25519
    /// Long and old, 2048 bits.
    case rsa
  }

  /// The key that may log in; the public half stands beside it, with `.pub`.
  public let key: String
  /// The server's own public key, as a line of known_hosts has it: kind and key.
  let hostKey: String
  private let folder: String
  private let door: Port
  private let environment: Environment
  private let sessions = Mutex<[Int32: Session]>([:])

  /// What serves a connection.
  private enum Session {
    case beginning
    case served(by: Int32)
    /// It was stopped before its process was known.
    case doomed
  }

  /// Starts one whose files lie below the home, and readies the home's own ssh for it (`equip`).
  public static func start(_ home: Sandbox, key: Key = .ed25519) async throws -> SSHServer {
    let server = try await SSHServer(home, key)
    try server.open()
    try server.equip(home)
    return server
  }

  private init(_ home: Sandbox, _ kind: Key) async throws {
    door = try Port()
    let name = "ssh-\(door.number)"
    folder = home.home + "/" + name
    key = folder + "/key"
    environment = .custom(["PATH": home.environment["PATH"] ?? ""])
    try FileManager.default.createDirectory(
      atPath: folder + "/home", withIntermediateDirectories: true)
    for (file, kind) in [("host-key", Key.ed25519), ("key", kind)] {
      let made = try await home.run(
        "ssh-keygen",
        ["-q", "-t", kind.rawValue, "-N", "", "-C", "diary-test", "-f", folder + "/" + file]
          + (kind == .rsa ? ["-b", "2048"] : []))
      guard made.status == 0 else { throw ProgramFailed(text: made.errors) }
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
    // The key exchange left out costs each connection a sixth of a second.
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

  /// Where it listens.
  public var port: Int { door.number }

  /// What the server's processes have said, for a test that wants to know why.
  public var log: String { (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "" }

  /// How many connections stand.
  public var connections: Int { sessions.withLock { $0.count } }

  /// Takes connections again, on the same port.
  public func open() throws {
    try door.open { [weak self] connection in
      guard let self else {
        _ = close(connection)
        return
      }
      sessions.withLock { $0[connection] = .beginning }
      Task { await self.serve(connection) }
    }
  }

  /// Ends every connection in the middle of what it does, and takes no more: whoever comes is
  /// refused. One whose process is not known yet ends as soon as it is.
  public func stop() {
    door.shut()
    sessions.withLock { sessions in
      for (connection, session) in sessions {
        if case .served(let process) = session {
          Self.end(process, connection)
        } else {
          sessions[connection] = .doomed
        }
      }
    }
  }

  /// Ends a process and all that come from it, then its connection; what it ran has sessions of its
  /// own. All are halted before the first is killed or can see that its line is cut: one that ends
  /// leaves its own children to nobody.
  private static func end(_ process: Int32, _ connection: Int32) {
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

  /// Returns when a process has got its signal to stop, or is gone: until then it may make others.
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
        if case .doomed = sessions[connection] { return Self.end(process, connection) }
        sessions[connection] = .served(by: process)
      }
    }
    sessions.withLock { sessions in
      sessions[connection] = nil
      _ = close(connection)
    }
  }
}
