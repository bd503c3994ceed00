import Synchronization

/// A request to end what runs now: the user's, or that of `diary lock`.
final class StopRequest: Sendable {
  private struct State {
    var ends = false
    var letsGo = false
    var action: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// True if `diary lock` asked, and not the user, who counts more.
  var letsGo: Bool { state.withLock { $0.letsGo && !$0.ends } }

  /// True if the process should end.
  var ends: Bool { state.withLock(\.ends) }

  /// Sets the action that ends what runs now. It is done at once if the request was made before.
  func arm(_ action: @escaping @Sendable () -> Void) {
    let isRequested = state.withLock { state in
      state.action = action
      return state.ends || state.letsGo
    }
    if isRequested { action() }
  }

  /// Ends what runs now.
  func request(lettingGo: Bool = false) {
    let action = state.withLock { state in
      if lettingGo { state.letsGo = true } else { state.ends = true }
      return state.action
    }
    action?()
  }
}
