import DiaryCore
import DiaryKit
import HummingbirdCore
import Localization

extension PageContext {
  /// `PUT /api/weather`: sets the place for the weather of new entries in the user's settings. A
  /// name is sent to the provider once, to find it; a position is rounded before it is stored.
  func setWeather() async throws -> Response {
    struct WeatherRequest: Decodable {
      let latitude: Double?
      let longitude: Double?
      let name: String?
      let off: Bool?
    }
    struct WeatherResponse: Encodable { let said: String }
    let wish = try await json(WeatherRequest.self)
    let environment = journal.environment
    if wish.off == true {
      try JournalWeather.removePlace(environment)
      try JournalWeather.declineWeather(environment)
      try journal.reloadWeatherSettings()
      return try .json(WeatherResponse(said: localized("Weather off: Diary sends nothing.")))
    }
    let place: Place
    if let latitude = wish.latitude, let longitude = wish.longitude,
      abs(latitude) <= 90, abs(longitude) <= 180
    {
      place = Place(name: nil, latitude: latitude, longitude: longitude)
    } else if let name = wish.name, let found = try await journal.weather.geocode(name).first {
      place = found
    } else {
      throw PageFailure.malformed
    }
    try JournalWeather.setPlace(place, environment)
    try journal.reloadWeatherSettings()
    let name = place.name.map { terminalLine($0) } ?? localized("this device's place")
    return try .json(WeatherResponse(said: localized("New entries get the weather of \(name).")))
  }
}
