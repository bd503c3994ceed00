import DiaryCore
import Foundation
import Localization

extension ProviderClient {
  /// The failure for an HTTP status other than 200.
  func failure(status: Int, retryAfter: Int?, message text: String?) -> WeatherAnswer.Failure {
    let sentence = text.map(sanitized)?.trimmingCharacters(in: CharacterSet(charactersIn: " ."))
    let detail = sentence.flatMap { $0.isEmpty ? nil : ": " + $0 } ?? ""
    let wait = retryAfter.flatMap { (0...604_800).contains($0) ? $0 : nil }
    switch status {
    case 401, 403:
      let what = key == nil ? "request" : "key"
      return WeatherAnswer.Failure(
        kind: .refused, message: localized("\(name) refused the \(what) (\(status))\(detail)"))
    case 404: return unusable(localized("\(name) has no such page or place (404)\(detail)"))
    case 408, 500...599:
      return WeatherAnswer.Failure(
        kind: .busy, message: localized("\(name) has a problem (\(status))\(detail)"),
        retryAfter: wait)
    case 429:
      return WeatherAnswer.Failure(
        kind: .busy, message: localized("\(name) accepts no more requests for now (429)\(detail)"),
        retryAfter: wait ?? retryDelay(in: text ?? ""))
    case 300...399: return failure(.redirectRejected)
    case 200...299: return unusable(localized("\(name) answered with an error\(detail)"))
    default: return unusable(localized("\(name) did not accept the request (\(status))\(detail)"))
    }
  }

  /// The seconds to wait, from an error message. Open-Meteo gives the pause only as text. Its
  /// limits reset at the next minute, hour or UTC day.
  private func retryDelay(in message: String) -> Int? {
    if message.contains("one minute") { return 60 }
    if message.contains("next hour") { return 3600 - nonNegativeRemainder(now, 3600) }
    if message.contains("tomorrow") { return 86_400 - nonNegativeRemainder(now, 86_400) }
    return nil
  }

  /// The failure for a transfer that did not complete.
  func failure(_ error: HTTPError) -> WeatherAnswer.Failure {
    switch error {
    case .timedOut: unreachable(localized("\(name) did not answer within \(seconds) s"))
    case .truncated: unreachable(localized("the answer of \(name) was cut off"))
    case .tooLarge: unusable(localized("\(name) sent more than \(limits.bytes) bytes"))
    case .redirectRejected:
      unusable(
        localized(
          "\(name) redirected the request to another address, which was not followed"))
    case .closedWithoutResponse:
      unreachable(localized("\(name) closed the connection without an answer"))
    case .unknownHost: unreachable(localized("the address of \(name) was not found"))
    case .connectionRefused: unreachable(localized("\(name) refuses connections"))
    case .noNetwork: unreachable(localized("there is no network to reach \(name)"))
    case .insecure: unreachable(localized("no secure connection to \(name) could be made"))
    case .noLibrary: unusable(localized("libcurl, which fetches the weather, is not installed"))
    case .other(let code): unreachable(localized("the connection to \(name) failed (\(code))"))
    }
  }

  private func unreachable(_ message: String) -> WeatherAnswer.Failure {
    WeatherAnswer.Failure(kind: .unreachable, message: message)
  }

  private var seconds: String {
    limits.seconds == limits.seconds.rounded() ? "\(Int(limits.seconds))" : "\(limits.seconds)"
  }
}

/// The remainder that is never negative, also for moments before 1970.
func nonNegativeRemainder(_ moment: Int, _ length: Int) -> Int {
  (moment % length + length) % length
}
