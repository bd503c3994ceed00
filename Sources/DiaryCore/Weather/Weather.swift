/// The weather conditions of OpenWeather. The raw value is the text in an entry.
package enum Condition: String, CaseIterable, Sendable, Codable {
  case clear = "Clear"
  case clouds = "Clouds"
  case drizzle = "Drizzle"
  case rain = "Rain"
  case thunderstorm = "Thunderstorm"
  case snow = "Snow"
  case mist = "Mist"
  case fog = "Fog"
  case haze = "Haze"
  case smoke = "Smoke"
  case dust = "Dust"
  case sand = "Sand"
  case ash = "Ash"
  case squall = "Squall"
  case tornado = "Tornado"
}

/// The units of temperatures in entries and output.
package enum Units: String, Sendable, Codable, CaseIterable {
  case metric
  case imperial
}

/// The weather of an entry, written by the user or a stamp.
package struct Weather: Hashable, Sendable {
  /// The text in the file. A mapping is converted to `CONDITION, N°C`.
  package let text: String
  /// The condition, if the text names one.
  package let condition: Condition?
  /// Degrees Celsius, if the text contains a temperature.
  package let celsius: Double?

  /// Creates a value from its parts, unchecked. Use ``init(reading:)`` to parse a user's text.
  package init(text: String, condition: Condition?, celsius: Double?) {
    self.text = text
    self.condition = condition
    self.celsius = celsius
  }
}

/// A request to the weather hook, sent as JSON on its standard input (docs/weather-hook.md).
package struct WeatherRequest: Sendable, Codable, Equatable {
  /// The kind of request: the weather at some moments, or the coordinates of a named place.
  package enum Question: String, Sendable, Codable { case weather, place }
  /// The version of this format: 1.
  package var version = 1
  package var ask: Question
  /// `open-meteo` or `openweather`.
  package var provider: String
  /// A base URL that replaces the provider's own.
  package var url: String?
  /// The provider's key. Sent only on standard input, never in arguments.
  package var key: String?
  /// For ``Question/place``: the name to look up.
  package var name: String?
  /// The language for names in the answer, as a BCP 47 tag.
  package var language: String?
  /// Degrees, already rounded to two decimals.
  package var latitude: Double?
  /// Degrees, positive to the east and already rounded to two decimals.
  package var longitude: Double?
  /// The requested moments in Unix seconds. Empty means now.
  package var moments: [Int]
  /// The moment that counts as now, in Unix seconds.
  package var now: Int

  package init(
    ask: Question, provider: String, url: String? = nil, key: String? = nil, name: String? = nil,
    language: String? = nil, latitude: Double? = nil, longitude: Double? = nil, moments: [Int] = [],
    now: Int
  ) {
    self.ask = ask
    self.provider = provider
    self.url = url
    self.key = key
    self.name = name
    self.language = language
    self.latitude = latitude
    self.longitude = longitude
    self.moments = moments
    self.now = now
  }
}

/// The answer of the weather hook, as JSON on its standard output.
package struct WeatherAnswer: Sendable, Codable, Equatable {
  /// The weather at one requested moment.
  package struct Observation: Sendable, Codable, Equatable {
    /// The moment of the request in Unix seconds. For the current weather, the request's `now`.
    package var moment: Int
    /// `nil` if the provider has no value for that moment, or not yet.
    package var condition: Condition?
    /// Degrees Celsius, or `nil` for the same reason.
    package var celsius: Double?
    /// True if the provider reports that it was dark. `nil` if it does not report this.
    package var isNight: Bool?

    package init(moment: Int, condition: Condition?, celsius: Double?, isNight: Bool? = nil) {
      self.moment = moment
      self.condition = condition
      self.celsius = celsius
      self.isNight = isNight
    }
  }

  /// A place that matches a name.
  package struct Place: Sendable, Codable, Equatable {
    /// The name in the requested language.
    package var name: String
    /// Region and country, to distinguish places of the same name.
    package var detail: String
    /// Degrees, positive to the north.
    package var latitude: Double
    /// Degrees, positive to the east.
    package var longitude: Double
    /// The IANA time zone, if the provider reports it.
    package var timeZone: String?

    package init(
      name: String, detail: String, latitude: Double, longitude: Double, timeZone: String? = nil
    ) {
      self.name = name
      self.detail = detail
      self.latitude = latitude
      self.longitude = longitude
      self.timeZone = timeZone
    }
  }

  /// The reason for a missing answer.
  package struct Failure: Sendable, Codable, Equatable, Error {
    /// `unreachable` and `busy` are temporary. `refused` (key) and `unusable` (request or answer)
    /// need action by the user.
    package enum Kind: String, Sendable, Codable { case unreachable, busy, refused, unusable }
    package var kind: Kind
    /// One sentence for the user, without the key and without a URL's query.
    package var message: String
    /// Seconds to wait before the next attempt, if the provider specifies them.
    package var retryAfter: Int?

    package init(kind: Kind, message: String, retryAfter: Int? = nil) {
      self.kind = kind
      self.message = message
      self.retryAfter = retryAfter
    }
  }

  /// One observation for each requested moment.
  package var skies: [Observation]
  /// The matching places, the most likely one first.
  package var places: [Place]
  /// Set if there is no answer or only part of one.
  package var failure: Failure?

  package init(skies: [Observation] = [], places: [Place] = [], failure: Failure? = nil) {
    self.skies = skies
    self.places = places
    self.failure = failure
  }
}
