import DiaryCore
import Foundation

/// openweathermap.org, the free API 2.5. It needs a key and has current weather but no history.
struct OpenWeather: WeatherProvider {
  private static let defaultBaseURL = "https://api.openweathermap.org"

  private let endpoints: Endpoints
  private let key: Secret
  private let client: ProviderClient

  init(endpoints: Endpoints, key: Secret, limits: ResponseLimits, now: Int) {
    self.endpoints = endpoints
    self.key = key
    client = ProviderClient(
      provider: "OpenWeather", endpoints: endpoints, key: key, limits: limits, now: now)
  }

  func observations(at coordinates: Coordinates, moments: [Int], now: Int) async -> WeatherAnswer {
    func isNow(_ moment: Int) -> Bool {
      // Moments can be any integer, so the subtraction must not overflow.
      supportedMoments.contains(moment) && supportedMoments.contains(now)
        && abs(moment - now) <= 3600
    }
    var current: OpenWeatherCurrent?
    var failure: WeatherAnswer.Failure?
    do throws(WeatherAnswer.Failure) {
      if moments.contains(where: isNow) { current = try await self.current(at: coordinates) }
    } catch {
      failure = error
    }
    let observations = moments.compactMap { moment in
      isNow(moment)
        ? current?.observation(at: moment)
        : WeatherAnswer.Observation(moment: moment, condition: nil, celsius: nil)
    }
    return WeatherAnswer(skies: observations, failure: failure)
  }

  private func current(at coordinates: Coordinates) async throws(WeatherAnswer.Failure)
    -> OpenWeatherCurrent
  {
    let url = try endpoints.url(
      OpenWeather.defaultBaseURL, "/data/2.5/weather",
      [
        "lat": coordinates.latitudeText, "lon": coordinates.longitudeText, "units": "metric",
        "appid": key.value,
      ])
    return try await client.fetch(url)
  }

  func places(named name: String, language: String?) async throws(WeatherAnswer.Failure)
    -> [WeatherAnswer.Place]
  {
    let url = try endpoints.url(
      OpenWeather.defaultBaseURL, "/geo/1.0/direct", ["q": name, "limit": "5", "appid": key.value])
    return try await client.fetch(url, as: [OpenWeatherPlace].self).compactMap { place in
      let name = place.local_names?[primaryTag(language)] ?? place.name
      return Coordinates(latitude: place.lat, longitude: place.lon).map { coordinates in
        WeatherAnswer.Place(
          name: client.sanitized(name),
          detail: client.sanitized(placeDetail(name: name, [place.state, place.country])),
          latitude: coordinates.latitudeDegrees, longitude: coordinates.longitudeDegrees)
      }
    }
  }
}

/// The answer of `/data/2.5/weather` with `units=metric`.
struct OpenWeatherCurrent: Decodable {
  struct Weather: Decodable {
    var id: Int?
    var main: String?
    /// An icon such as `10d` (day) or `10n` (night).
    var icon: String?
  }
  struct Main: Decodable {
    var temp: Double?
  }

  /// The first element is the main condition.
  var weather: [Weather]
  var main: Main?

  func observation(at moment: Int) -> WeatherAnswer.Observation {
    let first = weather.first
    let named = first?.main.flatMap(Condition.init(rawValue:))
    return WeatherAnswer.Observation(
      moment: moment, condition: named ?? first?.id.flatMap(Condition.init(openWeather:)),
      celsius: validTemperature(main?.temp),
      isNight: first?.icon.flatMap { $0.last == "n" ? true : $0.last == "d" ? false : nil })
  }
}

/// One result of `/geo/1.0/direct`.
struct OpenWeatherPlace: Decodable {
  var name: String
  var local_names: [String: String]?
  var lat: Double
  var lon: Double
  var country: String?
  var state: String?
}
