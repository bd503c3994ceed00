import DiaryCore
import DiaryKit
import Localization

/// The user for whom a document or response is made.
struct PageUser: Sendable {
  let language: UserLanguage
  let dates: UserLocale
  /// The short names of the weekdays, Monday first.
  let weekdays: [String]
  /// The units of temperatures.
  let units: Units
  /// True if no controls for writing are shown.
  let isReadOnly: Bool
  /// True if the browser must keep no text.
  let isEncrypted: Bool

  init(language: UserLanguage, units: Units, isReadOnly: Bool, isEncrypted: Bool = false) {
    self.language = language
    dates = UserLocale(named: language.locale)
    weekdays = dates.weekdays
    self.units = units
    self.isReadOnly = isReadOnly
    self.isEncrypted = isEncrypted
  }
}

extension Condition {
  /// The text of its icon for screen readers.
  var accessibilityLabel: String {
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

  /// The name of its icon; some look different at night.
  func iconName(isNight: Bool) -> String {
    let hasNightIcon = [Condition.clear, .clouds, .haze].contains(self)
    return rawValue.lowercased() + (hasNightIcon && isNight ? "-night" : "")
  }
}
