import DiaryCore
import Foundation

/// openweathermap.org, the free interface 2.5: the sky now, for a key; it knows no history.
struct OpenWeather: WeatherProvider {
  private static let home = "https://api.openweathermap.org"

  private let address: Endpoints
  private let key: Secret
  private let conversation: ProviderClient

  init(address: Endpoints, key: Secret, limits: ResponseLimits, now: Int) {
    self.address = address
    self.key = key
    conversation = ProviderClient(
      with: "OpenWeather", at: address, key: key, limits: limits, now: now)
  }

  func skies(over spot: Coordinates, at moments: [Int], now: Int) async -> WeatherAnswer {
    func isNow(_ moment: Int) -> Bool {
      // Moments may be any number: their difference must not overflow.
      tellable.contains(moment) && tellable.contains(now) && abs(moment - now) <= 3600
    }
    var current: OpenWeatherCurrent?
    var failure: WeatherAnswer.Failure?
    do throws(WeatherAnswer.Failure) {
      if moments.contains(where: isNow) { current = try await self.current(over: spot) }
    } catch {
      failure = error
    }
    let skies = moments.compactMap { moment in
      isNow(moment)
        ? current?.sky(at: moment)
        : WeatherAnswer.Observation(moment: moment, condition: nil, celsius: nil)
    }
    return WeatherAnswer(skies: skies, failure: failure)
  }

  private func current(over spot: Coordinates) async throws(WeatherAnswer.Failure)
    -> OpenWeatherCurrent
  {
    let url = try address.url(
      OpenWeather.home, "/data/2.5/weather",
      [
        "lat": spot.latitudeText, "lon": spot.longitudeText, "units": "metric",
        "appid": key.value,
      ])
    return try await conversation.ask(url)
  }

  func places(named name: String, language: String?) async throws(WeatherAnswer.Failure)
    -> [WeatherAnswer.Place]
  {
    let url = try address.url(
      OpenWeather.home, "/geo/1.0/direct", ["q": name, "limit": "5", "appid": key.value])
    return try await conversation.ask(url, for: [OpenWeatherPlace].self).compactMap { place in
      let name = place.local_names?[primaryTag(language)] ?? place.name
      return Coordinates(latitude: place.lat, longitude: place.lon).map { spot in
        WeatherAnswer.Place(
          name: conversation.cleaned(name),
          detail: conversation.cleaned(placeDetail(name: name, [place.state, place.country])),
          latitude: spot.latitudeDegrees, longitude: spot.longitudeDegrees)
      }
    }
  }
}

/// The answer of `/data/2.5/weather`, asked with `units=metric`.
struct OpenWeatherCurrent: Decodable {
  struct Weather: Decodable {
    var id: Int?
    var main: String?
    /// `10d`, `10n`: day or night.
    var icon: String?
  }
  struct Main: Decodable {
    var temp: Double?
  }

  /// The first is the one that counts.
  var weather: [Weather]
  var main: Main?

  func sky(at moment: Int) -> WeatherAnswer.Observation {
    let first = weather.first
    let named = first?.main.flatMap(Condition.init(rawValue:))
    return WeatherAnswer.Observation(
      moment: moment, condition: named ?? first?.id.flatMap(Condition.init(openWeather:)),
      celsius: validTemperature(main?.temp),
      isNight: first?.icon.flatMap { $0.last == "n" ? true : $0.last == "d" ? false : nil })
  }
}

/// One answer of `/geo/1.0/direct`.
struct OpenWeatherPlace: Decodable {
  var name: String
  var local_names: [String: String]?
  var lat: Double
  var lon: Double
  var country: String?
  var state: String?
}
