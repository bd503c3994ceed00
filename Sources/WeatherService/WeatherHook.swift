import DiaryCore
import Foundation
import Localization

/// The weather hook without its standard streams: bytes in, bytes out.
package enum WeatherHook {
  /// The output and exit status of the program.
  package struct Outcome: Sendable, Equatable {
    /// The bytes for standard output. Empty if the input could not be used.
    package var output: Data
    /// One sentence for standard error.
    package var errorMessage: String?
    /// 0, also if the answer is a failure. 64 if the input is not a valid request.
    package var status: Int32
  }

  /// Reads a request (JSON), asks the provider, and returns the answer (JSON and a newline).
  package static func run(_ input: Data, limits: ResponseLimits = ResponseLimits()) async -> Outcome
  {
    let request: WeatherRequest
    do {
      request = try JSONDecoder().decode(WeatherRequest.self, from: input)
    } catch {
      // The decoder's message may quote the input, which contains the key.
      return Outcome(output: Data(), errorMessage: message(for: error), status: 64)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let output = try? encoder.encode(await answer(request, limits: limits)) else {
      return Outcome(
        output: Data(), errorMessage: localized("the answer cannot be written as JSON"), status: 1)
    }
    return Outcome(output: output + Data("\n".utf8), errorMessage: nil, status: 0)
  }

  private static func message(for error: any Error) -> String {
    let fields: [any CodingKey]
    switch error {
    case DecodingError.keyNotFound(let key, let context): fields = context.codingPath + [key]
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context):
      fields = context.codingPath
    default: fields = []
    }
    guard let field = fields.first?.stringValue else {
      return localized(
        "standard input must be one weather request as JSON (see docs/weather-hook.md)")
    }
    return localized("the request's field \"\(field)\" is missing or of the wrong kind")
  }

  /// Asks the provider named in the request.
  package static func answer(
    _ request: WeatherRequest, limits: ResponseLimits = ResponseLimits()
  ) async -> WeatherAnswer {
    do throws(WeatherAnswer.Failure) {
      let provider = try provider(for: request, limits)
      switch request.ask {
      case .weather:
        guard let latitude = request.latitude, let longitude = request.longitude,
          let coordinates = Coordinates(latitude: latitude, longitude: longitude)
        else {
          throw unusable(
            localized("the request needs a latitude (-90 to 90) and a longitude (-180 to 180)"))
        }
        let moments = request.moments.isEmpty ? [request.now] : request.moments
        return await provider.observations(at: coordinates, moments: moments, now: request.now)
      case .place:
        let name = request.name?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        guard !name.isEmpty else {
          throw unusable(localized("the request names no place to look up"))
        }
        return WeatherAnswer(
          places: try await provider.places(named: name, language: request.language))
      }
    } catch {
      return WeatherAnswer(failure: error)
    }
  }

  private static func provider(
    for request: WeatherRequest, _ limits: ResponseLimits
  ) throws(WeatherAnswer.Failure) -> any WeatherProvider {
    guard request.version == 1 else {
      throw unusable(
        localized("this weather hook supports version 1 of the request, not \(request.version)"))
    }
    let endpoints = try Endpoints(base: request.url)
    switch request.provider {
    case "open-meteo":
      // Open-Meteo takes no key. A key in the request is for another provider and is not sent.
      return OpenMeteo(endpoints: endpoints, limits: limits, now: request.now)
    case "openweather":
      guard let key = Secret(request.key) else {
        throw WeatherAnswer.Failure(
          kind: .refused, message: localized("OpenWeather needs a key, and the request has none"))
      }
      return OpenWeather(endpoints: endpoints, key: key, limits: limits, now: request.now)
    default:
      throw unusable(
        localized("the weather hook supports only the providers open-meteo and openweather"))
    }
  }

  private static func unusable(_ message: String) -> WeatherAnswer.Failure {
    WeatherAnswer.Failure(kind: .unusable, message: message)
  }
}
