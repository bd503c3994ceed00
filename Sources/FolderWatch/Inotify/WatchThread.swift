import Foundation

/// The thread of a watch: its blocking calls must not block other tasks.
final class WatchThread: Sendable {
  let sink = EventStream()
  private let wake = WakeEvent()

  /// The name of the thread in the kernel.
  static let name = "diary-watch"

  init(_ body: @escaping @Sendable (EventStream, WakeEvent) -> Void) {
    let (sink, wake) = (sink, wake)
    sink.onEnd { wake.raise() }
    Thread.detachNewThread {
      Thread.current.name = Self.name
      body(sink, wake)
      sink.finish()
    }
  }

  /// Ends the events at once, and the thread at its next wake-up.
  func stop() {
    wake.raise()
    sink.finish()
  }
}
