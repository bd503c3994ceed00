import Synchronization

/// A request to end what runs now: the user's, or that of `diary lock`.
final class StopRequest: Sendable {
  private struct State {
    var isRequested = false
    var letsGo = false
    var action: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  /// True if the request came from `diary lock`.
  var letsGo: Bool { state.withLock(\.letsGo) }

  /// Sets the action that ends what runs now. It is done at once if the request was made before.
  func arm(_ action: @escaping @Sendable () -> Void) {
    let isRequested = state.withLock { state in
      state.action = action
      return state.isRequested
    }
    if isRequested { action() }
  }

  /// Ends what runs now.
  func request(lettingGo: Bool = false) {
    let action = state.withLock { state in
      state.isRequested = true
      state.letsGo = state.letsGo || lettingGo
      return state.action
    }
    action?()
  }
}
