import Synchronization

/// A receiver of a watch's events.
protocol EventSink: Sendable {
  func send(_ event: FolderEvent)
}

/// The stream of a watch's events.
///
/// It must not grow without bound if the consumer does not read. Beyond `capacity` the oldest
/// events are dropped, and then a rescan is always in the newer half of the remaining ones.
final class EventStream: EventSink {
  let stream: AsyncStream<FolderEvent>
  private let continuation: AsyncStream<FolderEvent>.Continuation
  private let capacity: Int
  /// The number of events sent since a rescan was added for dropped ones.
  private let sinceRescan: Mutex<Int>

  init(capacity: Int = 16_384) {
    self.capacity = capacity
    (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(capacity))
    sinceRescan = Mutex(capacity)
  }

  func send(_ event: FolderEvent) {
    let needsRescan = sinceRescan.withLock { count in
      count += 1
      guard case .dropped = continuation.yield(event), count > capacity / 2 else { return false }
      count = 0
      return true
    }
    if needsRescan { continuation.yield(.rescan(.overflow)) }
  }

  func finish() { continuation.finish() }

  /// Calls `action` when the consumer was released or the stream has ended.
  func onEnd(_ action: @escaping @Sendable () -> Void) {
    continuation.onTermination = { _ in action() }
  }
}
