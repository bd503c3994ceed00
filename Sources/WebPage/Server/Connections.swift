import NIOCore
import Synchronization

/// The connections that are open, at most so many. One that has shown no session gives way to a new one:
/// whoever holds many keeps nobody out.
final class Connections: Sendable {
  private struct Known {
    let channel: any Channel
    let number: Int
    var isTrusted = false
  }

  private struct State {
    var known: [ObjectIdentifier: Known] = [:]
    var count = 0
  }

  private let most: Int
  private let state = Mutex(State())

  init(most: Int) { self.most = most }

  /// Takes in a connection; `false` where all the others are signed in.
  func open(_ channel: any Channel) -> Bool {
    let (isOpen, displaced) = state.withLock { state -> (Bool, (any Channel)?) in
      var displaced: (any Channel)?
      if state.known.count >= most {
        let oldest = state.known.filter { !$0.value.isTrusted }.min {
          $0.value.number < $1.value.number
        }
        guard let oldest else { return (false, nil) }
        displaced = oldest.value.channel
        state.known[oldest.key] = nil
      }
      state.count += 1
      state.known[ObjectIdentifier(channel)] = Known(channel: channel, number: state.count)
      return (true, displaced)
    }
    displaced?.close(promise: nil)
    return isOpen
  }

  /// Forgets a connection that is closed.
  func close(_ channel: any Channel) {
    state.withLock { $0.known[ObjectIdentifier(channel)] = nil }
  }

  /// Notes that a connection has shown a session.
  func trust(_ channel: any Channel) {
    state.withLock { $0.known[ObjectIdentifier(channel)]?.isTrusted = true }
  }

  func isTrusted(_ channel: any Channel) -> Bool {
    state.withLock { $0.known[ObjectIdentifier(channel)]?.isTrusted ?? false }
  }
}
