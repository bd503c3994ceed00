import DiaryCore

extension Condition {
  /// The condition in the text of a weather service or app; `nil` for other texts, which are stored
  /// unchanged. From the condition codes of WeatherKit, Dark Sky, OpenWeather and Day One.
  init?(foreign words: String) {
    let words = words.lowercased()
    let groups: [(Condition, [String])] = [
      (.thunderstorm, ["thunder", "tstorm"]), (.tornado, ["tornado"]), (.squall, ["squall"]),
      (.snow, ["snow", "sleet", "flurr", "blizzard", "wintry", "hail"]),
      (.drizzle, ["drizzle"]), (.rain, ["rain", "shower"]),
      (.haze, ["haze", "hazy"]), (.fog, ["fog"]), (.mist, ["mist"]), (.smoke, ["smok"]),
      (.sand, ["sand"]), (.dust, ["dust"]),
      (.clouds, ["cloud", "overcast"]), (.clear, ["clear", "sunny", "fair"]),
    ]
    // A text of more than four words is a sentence by the user, not a condition.
    guard words.split(separator: " ").count <= 4,
      let group = groups.first(where: { $0.1.contains { words.contains($0) } })
    else { return nil }
    self = group.0
  }
}

/// Returns degrees Celsius from a number and the name of its unit. Unknown units are Celsius.
func celsius(_ degrees: Double?, unit: String? = nil) -> Double? {
  guard let degrees, degrees.isFinite, abs(degrees) < 1000 else { return nil }
  return unit?.lowercased().hasPrefix("f") == true ? (degrees - 32) * 5 / 9 : degrees
}

/// Returns `LATITUDE,LONGITUDE` with at most six decimals, or `nil` for invalid coordinates.
func coordinates(_ latitude: Double?, _ longitude: Double?) -> String? {
  guard let latitude, let longitude, abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
  func short(_ value: Double) -> String {
    let rounded = (value * 1_000_000).rounded() / 1_000_000
    return rounded == rounded.rounded() ? String(Int(rounded)) : "\(rounded)"
  }
  return short(latitude) + "," + short(longitude)
}
