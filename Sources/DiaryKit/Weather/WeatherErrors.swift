import DiaryCore
import Foundation
import Localization

extension DiaryError {
  /// What the hook said that it could not do, and what may help.
  init(_ failure: WeatherAnswer.Failure, _ environment: RuntimeEnvironment) {
    let hint: String? =
      switch failure.kind {
      case .refused: localized("check `openweather_key` in \(environment.personalSettingsPath)")
      case .unreachable: localized("is this device online? Try again when it is")
      case .busy: localized("try again in a while")
      case .unusable: nil
      }
    self.init(localized("no weather: \(failure.message)"), hint: hint)
  }

  /// No place has been told, or the weather was turned off.
  package static var weatherIsOff: DiaryError {
    DiaryError(
      localized("the weather is off: no place is set"),
      hint: localized(
        "run `diary weather on \"PLACE\"`; Diary then sends a rounded position to the provider"))
  }
}
