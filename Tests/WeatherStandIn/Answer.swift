import FlyingFox
import Foundation

extension StandIn {
  /// The sky as the providers spell it.
  public struct Observation: Sendable, Equatable {
    /// Open-Meteo's `weather_code`.
    public var wmo: Int
    /// Degrees Celsius.
    public var celsius: Double
    /// Whether the sun is up.
    public var isDay: Bool
    /// OpenWeather's `id`.
    public var id: Int
    /// OpenWeather's `main`.
    public var main: String

    /// Rain at 7.2 °C by day, unless told otherwise.
    public init(
      wmo: Int = 61, celsius: Double = 7.2, isDay: Bool = true, id: Int = 500, main: String = "Rain"
    ) {
      self.wmo = wmo
      self.celsius = celsius
      self.isDay = isDay
      self.id = id
      self.main = main
    }
  }

  /// A place that a look-up can find.
  public struct Place: Sendable, Equatable {
    /// The name that is looked up.
    public var name: String
    /// `admin1`, or `state`.
    public var region: String?
    /// The country's name.
    public var country: String?
    /// Two letters.
    public var countryCode: String?
    /// Degrees north.
    public var latitude: Double
    /// Degrees east.
    public var longitude: Double
    /// An IANA zone.
    public var timeZone: String?

    /// A place from its parts.
    public init(
      name: String, region: String?, country: String?, countryCode: String?, latitude: Double,
      longitude: Double, timeZone: String?
    ) {
      self.name = name
      self.region = region
      self.country = country
      self.countryCode = countryCode
      self.latitude = latitude
      self.longitude = longitude
      self.timeZone = timeZone
    }

    /// Seoul as Open-Meteo knows it.
    public static let seoul = Place(
      name: "Seoul", region: "Seoul", country: "South Korea", countryCode: "KR", latitude: 37.566,
      longitude: 126.9784, timeZone: "Asia/Seoul")
  }
}

/// A status and the text of a body.
struct Answer {
  var status = 200
  var text: String

  init(status: Int = 200, text: String) {
    self.status = status
    self.text = text
  }

  init(status: Int = 200, json: Any) {
    let data = try? JSONSerialization.data(withJSONObject: json, options: [.sortedKeys])
    self.init(status: status, text: String(decoding: data ?? Data(), as: UTF8.self))
  }

  var response: HTTPResponse {
    let kind = text.hasPrefix("<") ? "text/html" : "application/json; charset=utf-8"
    return HTTPResponse(
      statusCode: HTTPStatusCode(status, phrase: status == 200 ? "OK" : "Error"),
      headers: HTTPHeaders([.contentType: kind]), body: Data(text.utf8))
  }
}

extension StandIn {
  /// What the provider says to this question.
  func answer(to asked: Asked) -> Answer {
    // By its end: a base URL may have a path of its own.
    let answers: KeyValuePairs = [
      "/v1/forecast": openMeteo, "/v1/archive": openMeteo, "/v1/search": openMeteoSearch,
      "/data/2.5/weather": openWeather, "/geo/1.0/direct": openWeatherSearch,
    ]
    let answer = answers.first { asked.path.hasSuffix($0.key) }?.value
    return answer?(asked) ?? Answer(status: 404, json: ["error": true, "reason": "Not Found"])
  }
}
