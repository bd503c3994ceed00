import Synchronization

/// Takes a watch's events.
protocol EventSink: Sendable {
  func send(_ event: FolderEvent)
}

/// Where a watch puts its events, and the stream that they come out of.
///
/// A reader that does not read must not let them grow without bound: beyond `capacity` the oldest
/// are dropped, and then a rescan is always among the newer half of what is kept.
final class EventStream: EventSink {
  let stream: AsyncStream<FolderEvent>
  private let continuation: AsyncStream<FolderEvent>.Continuation
  private let capacity: Int
  /// Events sent since a rescan was put among them for dropped ones.
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

  /// Calls `action` when the reader has gone away or the stream has ended.
  func onEnd(_ action: @escaping @Sendable () -> Void) {
    continuation.onTermination = { _ in action() }
  }
}
