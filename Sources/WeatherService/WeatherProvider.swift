// WeatherService: the weather providers and the program that queries them.
//
// It handles everything between a `WeatherRequest` and a `WeatherAnswer`: the URL, the parsing of
// the answer, and the message if there is none. Only `diary-weather` calls it. No other part of
// Diary opens a network connection.
// It never sends coordinates with more than two decimals and never follows a redirect to another
// host. Its messages never contain a key or the query of a URL.

import DiaryCore

/// A weather service. Stateless, with one value per request.
package protocol WeatherProvider: Sendable {
  /// The weather at the moments (Unix seconds), in order. After a failure, moments not fetched are
  /// missing. A moment for which the provider has no value gets an empty observation.
  func observations(at coordinates: Coordinates, moments: [Int], now: Int) async -> WeatherAnswer

  /// The places that match a name, the most likely one first. The result may be empty.
  func places(named name: String, language: String?) async throws(WeatherAnswer.Failure)
    -> [WeatherAnswer.Place]
}

/// The limits on the time and size of a response.
package struct ResponseLimits: Sendable {
  /// The time for the whole request, redirects included. It is shorter than the caller's timeout of
  /// ten seconds, so that the error message still reaches the caller.
  package var seconds: Double
  /// The maximum size. A year of hourly values is a quarter of a megabyte.
  package var bytes: Int

  /// Creates limits. The defaults are those of a real request.
  package init(seconds: Double = 8, bytes: Int = 4 << 20) {
    self.seconds = seconds
    self.bytes = bytes
  }
}
