import Foundation

/// The thread that a watch sleeps on; a blocked call must not hold up anyone else's task.
final class WatchThread: Sendable {
  let sink = EventStream()
  private let wake = WakeEvent()

  /// What the kernel calls the thread.
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

  /// Ends the events at once, and the thread as soon as it looks up.
  func stop() {
    wake.raise()
    sink.finish()
  }
}
