import DiaryCore
import Foundation
import Localization

extension ProviderClient {
  /// What a status other than 200 means for the one who waits.
  func failure(status: Int, retryAfter: Int?, saying words: String?) -> WeatherAnswer.Failure {
    let sentence = words.map(cleaned)?.trimmingCharacters(in: CharacterSet(charactersIn: " ."))
    let said = sentence.flatMap { $0.isEmpty ? nil : ": " + $0 } ?? ""
    let wait = retryAfter.flatMap { (0...604_800).contains($0) ? $0 : nil }
    switch status {
    case 401, 403:
      let what = key == nil ? "request" : "key"
      return WeatherAnswer.Failure(
        kind: .refused, message: localized("\(name) refused the \(what) (\(status))\(said)"))
    case 404: return unusable(localized("\(name) has no such page or place (404)\(said)"))
    case 408, 500...599:
      return WeatherAnswer.Failure(
        kind: .busy, message: localized("\(name) has a problem (\(status))\(said)"),
        retryAfter: wait)
    case 429:
      return WeatherAnswer.Failure(
        kind: .busy, message: localized("\(name) accepts no more requests for now (429)\(said)"),
        retryAfter: wait ?? pause(in: words ?? ""))
    case 300...399: return failure(.sentAway)
    case 200...299: return unusable(localized("\(name) answered with an error\(said)"))
    default: return unusable(localized("\(name) did not accept the request (\(status))\(said)"))
    }
  }

  /// Open-Meteo names its pause in words alone; its counters start anew with the clock's minute,
  /// hour and UTC day.
  private func pause(in words: String) -> Int? {
    if words.contains("one minute") { return 60 }
    if words.contains("next hour") { return 3600 - remainder(now, 3600) }
    if words.contains("tomorrow") { return 86_400 - remainder(now, 86_400) }
    return nil
  }

  /// What a transfer that did not come to its end means.
  func failure(_ fault: HTTPError) -> WeatherAnswer.Failure {
    switch fault {
    case .late: unreachable(localized("\(name) did not answer within \(seconds) s"))
    case .brokenOff: unreachable(localized("the answer of \(name) was cut off"))
    case .tooLarge: unusable(localized("\(name) sent more than \(limits.bytes) bytes"))
    case .sentAway:
      unusable(localized("\(name) sent the request on to another address, which was not followed"))
    case .closed: unreachable(localized("\(name) closed the connection without an answer"))
    case .unknownHost: unreachable(localized("the address of \(name) was not found"))
    case .refused: unreachable(localized("\(name) refuses connections"))
    case .noNetwork: unreachable(localized("there is no network to reach \(name)"))
    case .insecure: unreachable(localized("no secure connection to \(name) could be made"))
    case .noLibrary: unusable(localized("libcurl, which asks for the weather, is not installed"))
    case .lost(let code): unreachable(localized("the connection to \(name) failed (\(code))"))
    }
  }

  private func unreachable(_ message: String) -> WeatherAnswer.Failure {
    WeatherAnswer.Failure(kind: .unreachable, message: message)
  }

  private var seconds: String {
    limits.seconds == limits.seconds.rounded() ? "\(Int(limits.seconds))" : "\(limits.seconds)"
  }
}

/// The remainder that counts up in time, before 1970 too.
func remainder(_ moment: Int, _ length: Int) -> Int {
  (moment % length + length) % length
}
