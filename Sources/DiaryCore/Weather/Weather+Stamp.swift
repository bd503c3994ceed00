extension Weather {
  /// What a stamp writes: `Rain, 7°C`, in the journal's units, whole degrees; either part alone when
  /// the other is unknown, empty when both are.
  package static func stamp(condition: Condition?, celsius: Double?, units: Units) -> String {
    [condition?.rawValue, celsius.map { temperature($0, units: units) }].compactMap { $0 }
      .joined(separator: ", ")
  }

  /// Whole degrees with their unit, never `-0`.
  package static func temperature(_ celsius: Double, units: Units) -> String {
    let degrees = units == .imperial ? celsius * 9 / 5 + 32 : celsius
    // Nothing on Earth comes near the bounds; they keep a mistyped number from trapping.
    let whole = Int(min(max(degrees.isNaN ? 0 : degrees, -9999), 9999).rounded())
    return "\(whole)\(units == .imperial ? "°F" : "°C")"
  }

  /// Whether it is exactly what a stamp writes (`GROUP, N°C` or `GROUP, N°F`), and not a person's
  /// words.
  package var isStamp: Bool {
    guard condition != nil, celsius != nil else { return false }
    return Units.allCases.contains { text.isIdentical(to: Weather.stamp(of: self, units: $0)) }
  }

  /// Whether the writer wants no stamp here: `none`, or a word for it.
  package var isOptOut: Bool { ["none", "off", "-"].contains(text.lowercased()) }

  /// The value for a reader: a stamp in their units, a person's words as they stand.
  package func displayText(in units: Units) -> String {
    isStamp ? Weather.stamp(of: self, units: units) : text
  }

  private static func stamp(of weather: Weather, units: Units) -> String {
    stamp(condition: weather.condition, celsius: weather.celsius, units: units)
  }

  /// The condition as one picture; empty when the words name none.
  package func icon(isNight: Bool) -> String { condition?.icon(isNight: isNight) ?? "" }
}

extension Condition {
  /// One picture, two columns wide on a terminal.
  package func icon(isNight: Bool) -> String {
    switch self {
    case .clear: isNight ? "🌙" : "☀️"
    case .clouds: "☁️"
    case .drizzle: isNight ? "🌧️" : "🌦️"
    case .rain: "🌧️"
    case .thunderstorm: "⛈️"
    case .snow: "❄️"
    case .mist, .fog, .haze, .smoke: "🌫️"
    case .dust, .sand: "🏜️"
    case .ash: "🌋"
    case .squall: "💨"
    case .tornado: "🌪️"
    }
  }
}

extension String {
  /// Byte for byte equal; Swift's `==` calls different spellings of a character equal.
  func isIdentical(to other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
