import NIOCore
import Synchronization

/// The open connections, up to a limit. A new connection replaces the oldest one without a session,
/// so that a client with many connections cannot block others.
final class Connections: Sendable {
  private struct Connection {
    let channel: any Channel
    let number: Int
    var isTrusted = false
  }

  private struct State {
    var connections: [ObjectIdentifier: Connection] = [:]
    var count = 0
  }

  private let maxCount: Int
  private let state = Mutex(State())

  init(maxCount: Int) { self.maxCount = maxCount }

  /// Adds a connection; `false` if all the others are signed in.
  func add(_ channel: any Channel) -> Bool {
    let (isOpen, displaced) = state.withLock { state -> (Bool, (any Channel)?) in
      var displaced: (any Channel)?
      if state.connections.count >= maxCount {
        let oldest = state.connections.filter { !$0.value.isTrusted }.min {
          $0.value.number < $1.value.number
        }
        guard let oldest else { return (false, nil) }
        displaced = oldest.value.channel
        state.connections[oldest.key] = nil
      }
      state.count += 1
      state.connections[ObjectIdentifier(channel)] = Connection(
        channel: channel, number: state.count)
      return (true, displaced)
    }
    displaced?.close(promise: nil)
    return isOpen
  }

  /// Removes a closed connection.
  func remove(_ channel: any Channel) {
    state.withLock { $0.connections[ObjectIdentifier(channel)] = nil }
  }

  /// Records that a connection has a valid session.
  func trust(_ channel: any Channel) {
    state.withLock { $0.connections[ObjectIdentifier(channel)]?.isTrusted = true }
  }

  func isTrusted(_ channel: any Channel) -> Bool {
    state.withLock { $0.connections[ObjectIdentifier(channel)]?.isTrusted ?? false }
  }
}
