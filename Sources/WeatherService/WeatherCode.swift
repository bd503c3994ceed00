import DiaryCore

extension Condition {
  /// The condition for a WMO weather code, as used by Open-Meteo (WMO table 4677, grouped).
  init?(wmo code: Int) {
    switch code {
    case 0, 1: self = .clear
    case 2, 3: self = .clouds
    case 45, 48: self = .fog
    case 51, 53, 55, 56, 57: self = .drizzle
    case 61, 63, 65, 66, 67, 80, 81, 82: self = .rain
    case 71, 73, 75, 77, 85, 86: self = .snow
    case 95, 96, 99: self = .thunderstorm
    default: return nil
    }
  }

  /// The condition for an OpenWeather condition id, used if its `main` text is unknown.
  init?(openWeather id: Int) {
    switch id {
    case 200...299: self = .thunderstorm
    case 300...399: self = .drizzle
    case 500...599: self = .rain
    case 600...699: self = .snow
    case 701: self = .mist
    case 711: self = .smoke
    case 721: self = .haze
    case 731, 761: self = .dust
    case 741: self = .fog
    case 751: self = .sand
    case 762: self = .ash
    case 771: self = .squall
    case 781: self = .tornado
    case 800: self = .clear
    case 801...899: self = .clouds
    default: return nil
    }
  }
}

/// A plausible air temperature. Other values are sensor or unit errors (298 is Kelvin), and `nil`.
func validTemperature(_ celsius: Double?) -> Double? {
  celsius.flatMap { (-100...70).contains($0) ? $0 : nil }
}
