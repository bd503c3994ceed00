import DiaryCore
import Foundation
import Localization

extension DiaryError {
  /// An error of the weather hook, with a hint.
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

  /// The error if no place is set, or if the weather is turned off.
  package static var weatherIsOff: DiaryError {
    DiaryError(
      localized("the weather is off: no place is set"),
      hint: localized(
        "run `diary weather on \"PLACE\"`; Diary then sends a rounded position to the provider"))
  }
}
