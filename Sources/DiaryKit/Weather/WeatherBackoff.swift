import DiaryCore

/// The failures of the weather hook, stored so that a failing provider is not asked for a while.
struct WeatherBackoff: Codable, Sendable {
  var failures = 0
  /// The time before which no background request is made, in Unix seconds.
  var notBefore = 0
  var message = ""

  /// The state after one more failure. A transient one is retried after 30 s, then with doubled
  /// pauses up to an hour; one that needs the user, after six hours.
  func next(after failure: WeatherAnswer.Failure, at now: Int) -> WeatherBackoff {
    let count = failures + 1
    let isTransient = failure.kind == .unreachable || failure.kind == .busy
    let pause = isTransient ? min(15 << min(count, 8), 3600) : 6 * 3600
    return WeatherBackoff(
      failures: count, notBefore: now + max(pause, failure.retryAfter ?? 0),
      message: failure.message)
  }
}
