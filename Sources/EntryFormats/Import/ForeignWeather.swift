import DiaryCore

extension Condition {
  /// The condition in the text of a weather service or app; `nil` for other texts, which are stored
  /// unchanged. From the condition codes of WeatherKit, Dark Sky, OpenWeather and Day One.
  init?(foreign text: String) {
    let groups: [(Condition, Set<String>)] = [
      (
        .thunderstorm,
        [
          "thunder", "thundery", "thunderstorm", "thunderstorms", "thundershower", "thundershowers",
          "tstorm", "tstorms",
        ]
      ), (.tornado, ["tornado", "tornadoes"]), (.squall, ["squall", "squalls", "squally"]),
      (
        .snow,
        [
          "snow", "snowy", "snowing", "snowfall", "snowstorm", "sleet", "flurry", "flurries",
          "blizzard", "wintry", "hail", "hailstorm",
        ]
      ), (.drizzle, ["drizzle", "drizzly", "drizzling"]),
      (
        .rain,
        ["rain", "rainy", "raining", "rains", "rainfall", "shower", "showers", "rainshowers"]
      ), (.haze, ["haze", "hazy"]), (.fog, ["fog", "foggy"]), (.mist, ["mist", "misty"]),
      (.smoke, ["smoke", "smoky"]), (.sand, ["sand", "sandstorm"]),
      (.dust, ["dust", "dusty", "duststorm"]),
      (.clouds, ["cloud", "clouds", "cloudy", "overcast"]),
      (.clear, ["clear", "sunny", "fair"]),
    ]
    // A text of more than four words is a sentence by the user, not a condition.
    let words = Self.words(of: text)
    guard text.split(separator: " ").count <= 4,
      let group = groups.first(where: { !$0.1.isDisjoint(with: words) })
    else { return nil }
    self = group.0
  }

  /// The words of a text or a code, such as `Light rain`, `partly-cloudy-day` and `FreezingRain`, in
  /// lower case.
  private static func words(of text: String) -> [String] {
    var words = [""]
    var last: Character = " "
    for character in text {
      if !character.isLetter || character.isUppercase && last.isLowercase { words.append("") }
      if character.isLetter { words[words.count - 1] += character.lowercased() }
      last = character
    }
    return words.filter { !$0.isEmpty }
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
