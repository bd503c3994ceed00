import DiaryCore
import Foundation
import Localization

/// Sends requests to one provider and turns errors into one-sentence messages.
struct ProviderClient: Sendable {
  /// The provider's display name: `Open-Meteo`, or `Open-Meteo at sky.example.org`.
  let name: String
  let key: Secret?
  let limits: ResponseLimits
  /// Unix seconds. A provider's "tomorrow" is relative to this moment.
  let now: Int

  init(provider: String, endpoints: Endpoints, key: Secret?, limits: ResponseLimits, now: Int) {
    name = provider + (endpoints.host.map { " at " + $0 } ?? "")
    self.key = key
    self.limits = limits
    self.now = now
  }

  /// Fetches a URL and decodes its JSON.
  func fetch<Answer: Decodable>(_ url: URL, as: Answer.Type = Answer.self)
    async throws(WeatherAnswer.Failure) -> Answer
  {
    let response: HTTPResponse
    do {
      response = try await CurlRequest.get(url, limits: limits)
    } catch {
      throw failure(error)
    }
    let errorBody = ProviderErrorBody(response.body)
    // OpenWeather repeats the status in the body, and some proxies answer 200 with that body.
    let status = response.status == 200 ? errorBody.status ?? 200 : response.status
    guard (200...299).contains(status), !errorBody.isError else {
      throw failure(status: status, retryAfter: response.retryAfter, message: errorBody.message)
    }
    return try decode(response.body)
  }

  private func decode<Answer: Decodable>(_ body: Data) throws(WeatherAnswer.Failure) -> Answer {
    let first = body.first { !" \t\r\n".utf8.contains($0) }
    guard let first else { throw unusable(localized("\(name) sent an empty answer")) }
    guard first != UInt8(ascii: "<") else {
      throw unusable(localized("\(name) answered with a web page instead of JSON"))
    }
    do {
      return try JSONDecoder().decode(Answer.self, from: body)
    } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
      throw unusable(localized("\(name) sent something that is not JSON"))
    } catch {
      throw unusable(
        localized("\(name) answered in an unknown format") + location(of: error))
    }
  }

  private func location(of error: any Error) -> String {
    let path: [any CodingKey]
    switch error {
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context):
      path = context.codingPath
    case DecodingError.keyNotFound(let key, let context): path = context.codingPath + [key]
    default: path = []
    }
    let names = path.map(\.stringValue).joined(separator: ".")
    return names.isEmpty ? "" : localized(" (at \(names))")
  }

  /// A failure that needs action by the user.
  func unusable(_ message: String) -> WeatherAnswer.Failure {
    WeatherAnswer.Failure(kind: .unusable, message: message)
  }

  /// Text from a provider for use in a message: one line of at most 160 characters, without the key
  /// and without the query of any URL.
  func sanitized(_ text: String) -> String {
    let words = (key?.redacted(from: text) ?? text)
      .split { $0.isWhitespace || $0.unicodeScalars.allSatisfy { $0.properties.isControl } }
      .map { $0.contains("://") ? $0.prefix { $0 != "?" } : $0 }
    let line = words.joined(separator: " ")
    return line.count > 160 ? line.prefix(159) + "…" : line
  }
}

extension Unicode.Scalar.Properties {
  /// True for C0, C1, DEL, and the format characters that reorder or hide text.
  var isControl: Bool { generalCategory == .control || generalCategory == .format }
}
