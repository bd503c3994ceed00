import Foundation
import Glibc
import Synchronization

/// A TCP proxy to a server on this machine. It counts the forwarded bytes and fails as the test
/// requests. It has its own port; close it at the end of the test.
public final class FaultyProxy: Sendable {
  /// The direction of bytes.
  public enum Direction: Sendable {
    /// To the server.
    case up
    /// From the server.
    case down
  }

  /// The way in which the proxy handles its connections.
  public enum Behaviour: Sendable, Equatable {
    /// Forwards everything.
    case passing
    /// Cuts each connection as soon as it has forwarded this number of bytes. With `once`, forwards
    /// everything after the first cut.
    case cutting(Direction, after: Int, once: Bool = false)
    /// Forwards this number of bytes of each connection, then nothing, but stays open.
    case stalling(Direction, after: Int)
    /// Refuses connections on the port. Existing connections are cut.
    case refusing
  }

  /// The number of forwarded bytes by direction.
  public struct ByteCounts: Sendable, Equatable {
    /// Bytes sent to the server.
    public var up = 0
    /// Bytes sent to the client.
    public var down = 0
  }

  private struct State {
    var behaviour = Behaviour.passing
    var forwarded = ByteCounts()
    var connections = 0
    var openConnections: [ProxyConnection] = []
  }

  private let port: ReservedPort
  private let server: Int
  private let state = Mutex(State())

  /// Opens a proxy to a port of 127.0.0.1.
  public init(to server: Int) throws {
    self.server = server
    port = try ReservedPort()
    try open()
  }

  deinit { close() }

  /// The port that clients use in place of the server's.
  public var portNumber: Int { port.number }

  /// The number of bytes forwarded so far, over all connections.
  public var forwarded: ByteCounts { state.withLock { $0.forwarded } }

  /// The number of connections accepted so far.
  public var connections: Int { state.withLock { $0.connections } }

  /// Sets the behaviour for connections that are accepted from now on.
  public func setBehaviour(_ behaviour: Behaviour) throws {
    let old = state.withLock { state in
      defer { state.behaviour = behaviour }
      return state.behaviour
    }
    if behaviour == .refusing { close() } else if old == .refusing { try open() }
  }

  /// Cuts every connection and accepts no more.
  public func close() {
    port.shut()
    for connection in state.withLock({ $0.openConnections }) { connection.cut() }
    state.withLock { $0.openConnections = [] }
  }

  private func open() throws {
    try port.open { [weak self] client in
      guard let self, let server = try? ReservedPort.connection(to: server) else {
        _ = Glibc.close(client)
        return
      }
      handle(ProxyConnection(client: client, server: server))
    }
  }

  private func handle(_ connection: ProxyConnection) {
    let behaviour = state.withLock { state in
      state.connections += 1
      state.openConnections.append(connection)
      return state.behaviour
    }
    guard behaviour != .refusing else { return connection.cut() }
    for direction in [Direction.up, .down] {
      // One thread for each direction, because reads and writes block.
      Thread.detachNewThread { [weak self] in
        let end = connection.forward(direction, limit: behaviour.limit(direction)) {
          self?.count($0, direction)
        }
        if end == .limitReached { self?.endAtLimit(connection, behaviour) }
        self?.removeIfClosed(connection)
      }
    }
  }

  private func count(_ bytes: Int, _ direction: Direction) {
    state.withLock {
      switch direction {
      case .up: $0.forwarded.up += bytes
      case .down: $0.forwarded.down += bytes
      }
    }
  }

  /// Called when a connection has forwarded as many bytes as the behaviour allows.
  private func endAtLimit(_ connection: ProxyConnection, _ behaviour: Behaviour) {
    if case .stalling = behaviour { return connection.stall() }
    // Before the cut, so that a client that reconnects at once finds the proxy working.
    if case .cutting(_, _, once: true) = behaviour {
      state.withLock { if $0.behaviour == behaviour { $0.behaviour = .passing } }
    }
    connection.cut()
  }

  private func removeIfClosed(_ connection: ProxyConnection) {
    guard connection.isClosed else { return }
    state.withLock { $0.openConnections.removeAll { $0 === connection } }
  }
}

extension FaultyProxy.Behaviour {
  /// The maximum number of bytes of a connection in one direction.
  fileprivate func limit(_ direction: FaultyProxy.Direction) -> Int {
    switch self {
    case .cutting(direction, let bytes, _), .stalling(direction, let bytes): bytes
    default: .max
    }
  }
}
