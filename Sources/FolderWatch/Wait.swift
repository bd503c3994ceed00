import CLinux
import Dispatch
import Glibc
import Synchronization

/// Waits for a duration. Time in which the machine sleeps counts, and changes of its clock do not.
/// Throws `CancellationError` as soon as the task is cancelled.
///
/// `Task.sleep` is not used: its timers start libdispatch threads that then wake up every second.
package func wait(for duration: Duration) async throws {
  let timer = WaitTimer()
  try await withTaskCancellationHandler {
    try await withCheckedThrowingContinuation { timer.start(after: duration, $0) }
  } onCancel: {
    timer.end(CancellationError())
  }
}

private final class WaitTimer: Sendable {
  private struct State: Sendable {
    var waiter: CheckedContinuation<Void, any Error>?
    var cancel: (@Sendable () -> Void)?
    var isOver = false
  }

  private static let queue = DispatchQueue(label: "diary.wait")
  private let state = Mutex(State())

  func start(after duration: Duration, _ waiter: CheckedContinuation<Void, any Error>) {
    let source = Self.source(after: duration)
    source.setEventHandler { self.end(nil) }
    nonisolated(unsafe) let sent = source
    let isOver = state.withLock { state in
      if !state.isOver { (state.waiter, state.cancel) = (waiter, { sent.cancel() }) }
      return state.isOver
    }
    source.resume()
    guard isOver else { return }
    source.cancel()
    waiter.resume(throwing: CancellationError())
  }

  /// - Parameter error: `nil` if the time has elapsed.
  func end(_ error: CancellationError?) {
    let ended = state.withLock { state in
      defer { state = State(isOver: true) }
      return state
    }
    ended.cancel?()
    if let error { ended.waiter?.resume(throwing: error) } else { ended.waiter?.resume() }
  }

  /// Returns a timer that, if no descriptor is left, pauses while the machine sleeps.
  private static func source(after duration: Duration) -> any DispatchSourceProtocol {
    let nanoseconds = max(1, Int64(min(duration / .nanoseconds(1), 9e18)))
    let number = diary_timer(nanoseconds)
    guard number >= 0 else {
      let timer = DispatchSource.makeTimerSource(queue: queue)
      timer.schedule(deadline: .now() + .nanoseconds(Int(nanoseconds)))
      return timer
    }
    let source = DispatchSource.makeReadSource(fileDescriptor: number, queue: queue)
    source.setCancelHandler { close(number) }
    return source
  }
}
