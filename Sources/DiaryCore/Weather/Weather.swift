/// The groups of weather that OpenWeather names; the raw value is what stands in an entry.
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

/// How temperatures are written and shown.
package enum Units: String, Sendable, Codable, CaseIterable {
  case metric
  case imperial
}

/// The weather of an entry, as somebody wrote it or a stamp recorded it.
package struct Weather: Hashable, Sendable {
  /// The words that stand in the file (a mapping is shown as `CONDITION, N°C`).
  package let text: String
  /// The group, when the words name one.
  package let condition: Condition?
  /// Degrees Celsius, when the words tell a temperature.
  package let celsius: Double?

  /// A value from its parts, unchecked; ``init(reading:)`` reads a person's words.
  package init(text: String, condition: Condition?, celsius: Double?) {
    self.text = text
    self.condition = condition
    self.celsius = celsius
  }
}

/// What the weather hook is asked, as JSON on its standard input (docs/weather-hook.md).
package struct WeatherRequest: Sendable, Codable, Equatable {
  /// Which question: the sky now or then, or where a named place lies.
  package enum Question: String, Sendable, Codable { case weather, place }
  /// The version of this form; 1.
  package var version = 1
  /// Which question.
  package var ask: Question
  /// `open-meteo` or `openweather`.
  package var provider: String
  /// A base URL in place of the provider's own.
  package var url: String?
  /// The provider's key. It travels on standard input alone, never in arguments.
  package var key: String?
  /// For ``Question/place``: the name to look up. `language` is a BCP 47 tag for the answer's names.
  package var name: String?
  /// BCP 47.
  package var language: String?
  /// Degrees, already rounded to two decimals.
  package var latitude: Double?
  /// The same, east positive.
  package var longitude: Double?
  /// The moments asked about, Unix seconds; empty: now.
  package var moments: [Int]
  /// The moment that counts as now, Unix seconds.
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

/// What the weather hook answers, as JSON on its standard output.
package struct WeatherAnswer: Sendable, Codable, Equatable {
  /// The sky at one moment that was asked about.
  package struct Observation: Sendable, Codable, Equatable {
    /// The moment of the request (for now: the request's `now`), Unix seconds.
    package var moment: Int
    /// `nil` when the provider has no value for that moment (yet).
    package var condition: Condition?
    /// Degrees Celsius, `nil` likewise.
    package var celsius: Double?
    /// Whether the provider says that it was dark, if it does.
    package var isNight: Bool?

    package init(moment: Int, condition: Condition?, celsius: Double?, isNight: Bool? = nil) {
      self.moment = moment
      self.condition = condition
      self.celsius = celsius
      self.isNight = isNight
    }
  }

  /// A place that a name may mean.
  package struct Place: Sendable, Codable, Equatable {
    /// In the language that was asked for.
    package var name: String
    /// Region and country, for telling namesakes apart.
    package var detail: String
    /// Degrees, north positive.
    package var latitude: Double
    /// Degrees, east positive.
    package var longitude: Double
    /// IANA zone, when the provider says it.
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

  /// Why there is no answer.
  package struct Failure: Sendable, Codable, Equatable, Error {
    /// `unreachable` and `busy` pass by themselves; `refused` (key) and `unusable` (request, answer)
    /// need the writer.
    package enum Kind: String, Sendable, Codable { case unreachable, busy, refused, unusable }
    /// Whether it passes by itself.
    package var kind: Kind
    /// One sentence for people, without the key and without a URL's query.
    package var message: String
    /// Seconds to wait before the next try, when the provider said so.
    package var retryAfter: Int?

    package init(kind: Kind, message: String, retryAfter: Int? = nil) {
      self.kind = kind
      self.message = message
      self.retryAfter = retryAfter
    }
  }

  /// One for each moment that was asked about.
  package var skies: [Observation]
  /// The likeliest first.
  package var places: [Place]
  /// Set when there is no answer, or only a part of one.
  package var failure: Failure?

  package init(skies: [Observation] = [], places: [Place] = [], failure: Failure? = nil) {
    self.skies = skies
    self.places = places
    self.failure = failure
  }
}
