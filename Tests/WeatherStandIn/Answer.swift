import Foundation
import HTTPTypes
import HummingbirdCore
import LoopbackServer

extension FakeProvider {
  /// The weather as the providers report it.
  public struct Observation: Sendable, Equatable {
    /// Open-Meteo's `weather_code`.
    public var wmo: Int
    /// Degrees Celsius.
    public var celsius: Double
    /// Whether it is day.
    public var isDay: Bool
    /// OpenWeather's `id`.
    public var id: Int
    /// OpenWeather's `main`.
    public var main: String

    /// Creates an observation; the default is rain at 7.2 °C by day.
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

  /// A place that a search can find.
  public struct Place: Sendable, Equatable {
    /// The name that is searched for.
    public var name: String
    /// `admin1`, or `state`.
    public var region: String?
    /// The country's name.
    public var country: String?
    /// The country code of two letters.
    public var countryCode: String?
    /// The latitude in degrees.
    public var latitude: Double
    /// The longitude in degrees.
    public var longitude: Double
    /// The IANA time zone.
    public var timeZone: String?

    /// Creates a place from its parts.
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

    /// Seoul as Open-Meteo reports it.
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

  var response: Response {
    let type = text.hasPrefix("<") ? "text/html" : "application/json; charset=utf-8"
    return Response(status, [.contentType: type], text.utf8)
  }
}

extension FakeProvider {
  /// The provider's answer to a request.
  func answer(to asked: ReceivedRequest) -> Answer {
    // Compare the end of the path, because a base URL may have its own path.
    let answers: KeyValuePairs = [
      "/v1/forecast": openMeteo, "/v1/archive": openMeteo, "/v1/search": openMeteoSearch,
      "/data/2.5/weather": openWeather, "/geo/1.0/direct": openWeatherSearch,
    ]
    let answer = answers.first { asked.path.hasSuffix($0.key) }?.value
    return answer?(asked) ?? Answer(status: 404, json: ["error": true, "reason": "Not Found"])
  }
}
