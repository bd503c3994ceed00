import DiaryCore
import Foundation
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

  /// The condition with this name, in English or the user's language, in any case.
  package init?(named name: String) {
    func isName(_ other: String) -> Bool { other.caseInsensitiveCompare(name) == .orderedSame }
    guard
      let found = Condition.allCases.first(where: {
        isName($0.rawValue) || isName($0.localizedName)
      })
    else { return nil }
    self = found
  }
}
