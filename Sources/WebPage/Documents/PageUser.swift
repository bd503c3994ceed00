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
  /// The name of its icon; some look different at night.
  func iconName(isNight: Bool) -> String {
    let hasNightIcon = [Condition.clear, .clouds, .haze].contains(self)
    return rawValue.lowercased() + (hasNightIcon && isNight ? "-night" : "")
  }
}
