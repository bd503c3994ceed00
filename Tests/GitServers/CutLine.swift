import Foundation
import Glibc
import Synchronization

/// A line to a server on this machine that counts what passes, and goes bad when a test tells it
/// to. It has a port of its own; close it at the end of the test.
public final class CutLine: Sendable {
  /// Which way bytes go.
  public enum Direction: Sendable {
    /// To the server.
    case up
    /// From the server.
    case down
  }

  /// How the line treats its connections.
  public enum Behaviour: Sendable, Equatable {
    /// Carries everything.
    case passing
    /// Cuts each connection as soon as it has carried so many bytes; with `once`, passes
    /// everything after the first cut.
    case cutting(Direction, after: Int, once: Bool = false)
    /// Carries so many bytes of each connection and then nothing more, either way, but stays open.
    case stalling(Direction, after: Int)
    /// Nobody listens on the port; connections that stand are cut.
    case refusing
  }

  /// Bytes on the wire.
  public struct Bytes: Sendable, Equatable {
    /// Those sent on to the server.
    public var up = 0
    /// Those sent on to the client.
    public var down = 0
  }

  private struct State {
    var behaviour = Behaviour.passing
    var carried = Bytes()
    var connections = 0
    var standing: [Connection] = []
  }

  private let port: Port
  private let server: Int
  private let state = Mutex(State())

  /// Opens a line to a port of 127.0.0.1.
  public init(to server: Int) throws {
    self.server = server
    port = try Port()
    try open()
  }

  deinit { close() }

  /// The port that stands for the server's.
  public var number: Int { port.number }

  /// What it has carried so far, over all connections.
  public var carried: Bytes { state.withLock { $0.carried } }

  /// How many connections it has taken so far.
  public var connections: Int { state.withLock { $0.connections } }

  /// How the line treats connections that are made from now on.
  public func become(_ behaviour: Behaviour) throws {
    let old = state.withLock { state in
      defer { state.behaviour = behaviour }
      return state.behaviour
    }
    if behaviour == .refusing { close() } else if old == .refusing { try open() }
  }

  /// Cuts every connection and takes no more.
  public func close() {
    port.shut()
    for connection in state.withLock({ $0.standing }) { connection.cut() }
    state.withLock { $0.standing = [] }
  }

  private func open() throws {
    try port.open { [weak self] client in
      guard let self, let server = try? Port.connection(to: server) else {
        _ = Glibc.close(client)
        return
      }
      take(Connection(client: client, server: server))
    }
  }

  private func take(_ connection: Connection) {
    let behaviour = state.withLock { state in
      state.connections += 1
      state.standing.append(connection)
      return state.behaviour
    }
    guard behaviour != .refusing else { return connection.cut() }
    for direction in [Direction.up, .down] {
      // A thread for each: reads and writes block.
      Thread.detachNewThread { [weak self] in
        let end = connection.carry(direction, limit: behaviour.limit(direction)) {
          self?.count($0, direction)
        }
        if end == .spent { self?.spend(connection, behaviour) }
        self?.forget(connection)
      }
    }
  }

  private func count(_ bytes: Int, _ direction: Direction) {
    state.withLock {
      switch direction {
      case .up: $0.carried.up += bytes
      case .down: $0.carried.down += bytes
      }
    }
  }

  /// The connection has carried what the behaviour lets pass.
  private func spend(_ connection: Connection, _ behaviour: Behaviour) {
    if case .stalling = behaviour { return connection.stall() }
    // Before the cut: whoever comes right after it finds the line mended.
    if case .cutting(_, _, once: true) = behaviour {
      state.withLock { if $0.behaviour == behaviour { $0.behaviour = .passing } }
    }
    connection.cut()
  }

  private func forget(_ connection: Connection) {
    guard connection.isOver else { return }
    state.withLock { $0.standing.removeAll { $0 === connection } }
  }
}

extension CutLine.Behaviour {
  /// How many bytes of a connection pass one way.
  fileprivate func limit(_ way: CutLine.Direction) -> Int {
    switch self {
    case .cutting(way, let bytes, _), .stalling(way, let bytes): bytes
    default: .max
    }
  }
}
