import DiaryCore
import Localization

extension Condition {
  /// Its name in the user's language.
  package var localizedName: String {
    switch self {
    case .clear: localized("Clear")
    case .clouds: localized("Clouds")
    case .drizzle: localized("Drizzle")
    case .rain: localized("Rain")
    case .thunderstorm: localized("Thunderstorm")
    case .snow: localized("Snow")
    case .mist: localized("Mist")
    case .fog: localized("Fog")
    case .haze: localized("Haze")
    case .smoke: localized("Smoke")
    case .dust: localized("Dust")
    case .sand: localized("Sand")
    case .ash: localized("Volcanic ash")
    case .squall: localized("Squall")
    case .tornado: localized("Tornado")
    }
  }

  /// The condition with this name in the user's language, if that is not English.
  package init?(localizedName name: String) {
    let found = Condition.allCases.first { $0.localizedName == name && $0.rawValue != name }
    guard let found else { return nil }
    self = found
  }
}
