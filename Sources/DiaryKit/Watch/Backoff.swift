/// The time of the next attempt, after pauses that double up to ten minutes.
struct Backoff {
  /// The time, in nanoseconds on the monotonic clock.
  var at: Int64
  private var pause: Double

  /// The first attempt, after so many seconds; 0 is now.
  init(first: Double) {
    pause = max(first, 1)
    at = Autosave.monotonicNow + Autosave.nanoseconds(first)
  }

  func next() -> Backoff {
    var next = self
    next.pause = min(pause * 2, 600)
    next.at = Autosave.monotonicNow + Autosave.nanoseconds(pause)
    return next
  }
}

extension Optional<Backoff> {
  /// The next attempt, or a first one.
  func next(first: Double) -> Backoff { map { $0.next() } ?? Backoff(first: first) }
}
