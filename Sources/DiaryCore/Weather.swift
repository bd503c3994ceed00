/// The groups of weather that OpenWeather names; the raw value is what stands in an entry.
public enum Condition: String, CaseIterable, Sendable, Codable {
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
public enum Units: String, Sendable, Codable, CaseIterable {
  case metric
  case imperial
}

/// The weather of an entry, as somebody wrote it or a stamp recorded it.
public struct Weather: Hashable, Sendable {
  /// The words that stand in the file (a mapping is shown as `CONDITION, N°C`).
  public let text: String
  /// The group, when the words name one.
  public let condition: Condition?
  /// Degrees Celsius, when the words tell a temperature.
  public let celsius: Double?

  /// A value from its parts, unchecked; ``init(reading:)`` reads a person's words.
  public init(text: String, condition: Condition?, celsius: Double?) {
    self.text = text
    self.condition = condition
    self.celsius = celsius
  }
}

/// What the weather hook is asked, as JSON on its standard input (docs/weather-hook.md).
public struct WeatherRequest: Sendable, Codable, Equatable {
  /// Which question: the sky now or then, or where a named place lies.
  public enum Question: String, Sendable, Codable { case weather, place }
  /// The version of this form; 1.
  public var version = 1
  /// Which question.
  public var ask: Question
  /// `open-meteo` or `openweather`.
  public var provider: String
  /// A base URL in place of the provider's own.
  public var url: String?
  /// The provider's key. It travels on standard input alone, never in arguments.
  public var key: String?
  /// For ``Question/place``: the name to look up. `language` is a BCP 47 tag for the answer's names.
  public var name: String?
  /// BCP 47.
  public var language: String?
  /// Degrees, already rounded to two decimals.
  public var latitude: Double?
  /// The same, east positive.
  public var longitude: Double?
  /// The moments asked about, Unix seconds; empty: now.
  public var moments: [Int]
  /// The moment that counts as now, Unix seconds.
  public var now: Int

  /// A request from its parts.
  public init(
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
public struct WeatherAnswer: Sendable, Codable, Equatable {
  /// The sky at one moment that was asked about.
  public struct Sky: Sendable, Codable, Equatable {
    /// The moment of the request (for now: the request's `now`), Unix seconds.
    public var moment: Int
    /// `nil` when the provider has no value for that moment (yet).
    public var condition: Condition?
    /// Degrees Celsius, `nil` likewise.
    public var celsius: Double?
    /// Whether the provider says that it was dark, if it does.
    public var isNight: Bool?

    /// A sky from its parts.
    public init(moment: Int, condition: Condition?, celsius: Double?, isNight: Bool? = nil) {
      self.moment = moment
      self.condition = condition
      self.celsius = celsius
      self.isNight = isNight
    }
  }

  /// A place that a name may mean.
  public struct Place: Sendable, Codable, Equatable {
    /// In the language that was asked for.
    public var name: String
    /// Region and country, for telling namesakes apart.
    public var detail: String
    /// Degrees, north positive.
    public var latitude: Double
    /// Degrees, east positive.
    public var longitude: Double
    /// IANA zone, when the provider says it.
    public var timeZone: String?

    /// A place from its parts.
    public init(
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
  public struct Failure: Sendable, Codable, Equatable, Error {
    /// `unreachable` and `busy` pass by themselves; `refused` (key) and `unusable` (request, answer)
    /// need the writer.
    public enum Kind: String, Sendable, Codable { case unreachable, busy, refused, unusable }
    /// Whether it passes by itself.
    public var kind: Kind
    /// One sentence for people, without the key and without a URL's query.
    public var message: String
    /// Seconds to wait before the next try, when the provider said so.
    public var retryAfter: Int?

    /// A failure from its parts.
    public init(kind: Kind, message: String, retryAfter: Int? = nil) {
      self.kind = kind
      self.message = message
      self.retryAfter = retryAfter
    }
  }

  /// One for each moment that was asked about.
  public var skies: [Sky]
  /// The likeliest first.
  public var places: [Place]
  /// Set when there is no answer, or only a part of one.
  public var failure: Failure?

  /// An answer from its parts.
  public init(skies: [Sky] = [], places: [Place] = [], failure: Failure? = nil) {
    self.skies = skies
    self.places = places
    self.failure = failure
  }
}
