// WeatherService: the providers that know the sky, and the program that asks them.
//
// It owns everything between a `WeatherRequest` and a `WeatherAnswer`: which address is asked, what
// its answer means, and what is said when there is none. Only `diary-weather` calls it; it is the
// one part of Diary that opens a network connection.
// It never sends coordinates finer than two decimals, never follows a redirect to another host, and
// never lets a key, or the query of a URL, into anything that it says.

import DiaryCore

/// A service that knows the sky over a spot; stateless, one value per request.
package protocol WeatherProvider: Sendable {
  /// The sky at each of the moments (Unix seconds), in their order. With a failure, the moments that
  /// were not reached are missing; a moment that the provider has no value for is there without one.
  func observations(at coordinates: Coordinates, moments: [Int], now: Int) async -> WeatherAnswer

  /// The places that a name may mean, the likeliest first; none is an answer too.
  func places(named name: String, language: String?) async throws(WeatherAnswer.Failure)
    -> [WeatherAnswer.Place]
}

/// How long and how much a provider may answer.
package struct ResponseLimits: Sendable {
  /// From the first packet to the last, redirects included. Below the ten seconds after which the
  /// hook's caller loses patience, so that the reason still reaches it.
  package var seconds: Double
  /// A year of hourly values is a quarter of a megabyte.
  package var bytes: Int

  /// The limits of a real request, unless told otherwise.
  package init(seconds: Double = 8, bytes: Int = 4 << 20) {
    self.seconds = seconds
    self.bytes = bytes
  }
}
