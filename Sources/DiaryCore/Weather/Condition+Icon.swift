extension Condition {
  /// An emoji, two columns wide on a terminal.
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
