import DiaryCore

extension Condition {
  /// The group that the words of a weather service or of an app name; `nil` for others, which are
  /// kept as they are. From the condition codes of WeatherKit, Dark Sky, OpenWeather and Day One.
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
    // Whole words of one or two: a sentence of the writer's is no condition.
    guard words.split(separator: " ").count <= 4,
      let group = groups.first(where: { $0.1.contains { words.contains($0) } })
    else { return nil }
    self = group.0
  }
}

/// Degrees Celsius from a number and the name of its unit; unknown units are Celsius.
func celsius(_ degrees: Double?, unit: String? = nil) -> Double? {
  guard let degrees, degrees.isFinite, abs(degrees) < 1000 else { return nil }
  return unit?.lowercased().hasPrefix("f") == true ? (degrees - 32) * 5 / 9 : degrees
}

/// `LATITUDE,LONGITUDE` with at most six decimals; `nil` off the Earth.
func coordinates(_ latitude: Double?, _ longitude: Double?) -> String? {
  guard let latitude, let longitude, abs(latitude) <= 90, abs(longitude) <= 180 else { return nil }
  func short(_ value: Double) -> String {
    let rounded = (value * 1_000_000).rounded() / 1_000_000
    return rounded == rounded.rounded() ? String(Int(rounded)) : "\(rounded)"
  }
  return short(latitude) + "," + short(longitude)
}
