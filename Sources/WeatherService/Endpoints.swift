import DiaryCore
import Foundation
import Localization

/// The endpoints of a provider: on its own hosts, or all below one base URL.
struct Endpoints: Sendable {
  /// Scheme, host, port and path without a trailing `/`. `nil` means the provider's own hosts.
  private let base: String?
  /// The host of the base URL for messages, without its user, path or query.
  let host: String?

  /// Uses the base URL of the settings, or the provider's own hosts if it is `nil`.
  init(base text: String?) throws(WeatherAnswer.Failure) {
    guard let text = text?.trimmingCharacters(in: .whitespacesAndNewlines), !text.isEmpty else {
      (base, host) = (nil, nil)
      return
    }
    // A query would be lost or duplicated, and may contain a key: reject it without quoting it.
    guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      ["http", "https"].contains(scheme), let host = parts.host, !host.isEmpty,
      parts.query == nil, parts.fragment == nil
    else {
      throw WeatherAnswer.Failure(
        kind: .unusable,
        message: localized(
          "the provider's base URL must have the form http(s)://HOST[:PORT][/PATH], "
            + "without a query"))
    }
    base = String(text.reversed().drop { $0 == "/" }.reversed())
    self.host = parts.port.map { "\(host):\($0)" } ?? host
  }

  /// The URL of an endpoint: `path` below the base URL, otherwise below `defaultBaseURL`, the
  /// provider's own.
  func url(
    _ defaultBaseURL: String, _ path: String, _ query: KeyValuePairs<String, String>
  ) throws(WeatherAnswer.Failure) -> URL {
    let parameters = query.map { percentEncoded($0.key) + "=" + percentEncoded($0.value) }
    guard
      let url = URL(
        string: (base ?? defaultBaseURL) + path + "?" + parameters.joined(separator: "&"))
    else {
      throw WeatherAnswer.Failure(
        kind: .unusable,
        message: localized(
          "the provider's base URL does not give a valid web address")
      )
    }
    return url
  }
}
