/// The time of the next attempt, after pauses that double up to ten minutes.
struct Backoff {
  /// The time, in nanoseconds on the monotonic clock.
  var at: Int64
  private var pause: Double

  /// The first attempt, after so many seconds; 0 is now.
  init(first: Double) {
    pause = max(first, 1)
    at = MonotonicTime.after(first)
  }

  func next() -> Backoff {
    var next = self
    next.pause = min(pause * 2, 600)
    next.at = MonotonicTime.after(pause)
    return next
  }
}
