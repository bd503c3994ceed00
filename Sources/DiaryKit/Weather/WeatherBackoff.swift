import DiaryCore

/// The weather hook's outcomes, remembered so that a failing provider is left alone for a while.
struct WeatherBackoff: Codable, Sendable {
  var failures = 0
  /// Unix seconds before which nothing is asked in the background.
  var notBefore = 0
  var message = ""

  /// What is remembered after one more failure: what passes by itself is tried again after 30 s, then
  /// twice that, up to an hour; what needs the writer, after six hours.
  func next(after failure: WeatherAnswer.Failure, at now: Int) -> WeatherBackoff {
    let count = failures + 1
    let isTransient = failure.kind == .unreachable || failure.kind == .busy
    let pause = isTransient ? min(15 << min(count, 8), 3600) : 6 * 3600
    return WeatherBackoff(
      failures: count, notBefore: now + max(pause, failure.retryAfter ?? 0),
      message: failure.message)
  }
}
