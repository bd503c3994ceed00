import DiaryCore
import Foundation

/// open-meteo.com needs no key. It has current weather, the last 92 days, and history back to 1940.
struct OpenMeteo: WeatherProvider {
  private let endpoints: Endpoints
  private let client: ProviderClient

  init(endpoints: Endpoints, limits: ResponseLimits, now: Int) {
    self.endpoints = endpoints
    client = ProviderClient(
      provider: "Open-Meteo", endpoints: endpoints, key: nil, limits: limits, now: now)
  }

  func observations(at coordinates: Coordinates, moments: [Int], now: Int) async -> WeatherAnswer {
    let plan = OpenMeteoPlan(moments: moments, now: now)
    var current: OpenMeteoObservation?
    var hours: [Int: OpenMeteoObservation] = [:]
    var fetched: [ClosedRange<Day>] = []
    var failure: WeatherAnswer.Failure?
    do throws(WeatherAnswer.Failure) {
      if plan.needsCurrent { current = try await self.current(at: coordinates) }
      for (endpoint, range) in plan.ranges {
        hours.merge(try await history(endpoint, at: coordinates, range)) { first, _ in first }
        fetched.append(range)
      }
    } catch {
      failure = error
    }
    let observations = moments.compactMap { moment -> WeatherAnswer.Observation? in
      switch plan.timeRange(of: moment) {
      case .now: current.map { $0.observation(at: moment) }
      case .unknown: WeatherAnswer.Observation(moment: moment, condition: nil, celsius: nil)
      case .past(_, let day):
        fetched.contains { $0.contains(day) }
          ? (hours[nearestHour(moment)] ?? OpenMeteoObservation()).observation(at: moment) : nil
      }
    }
    return WeatherAnswer(skies: observations, failure: failure)
  }

  private func current(at coordinates: Coordinates) async throws(WeatherAnswer.Failure)
    -> OpenMeteoObservation
  {
    let url = try endpoints.url(
      OpenMeteoPlan.Endpoint.forecast.defaultBaseURL, OpenMeteoPlan.Endpoint.forecast.path,
      [
        "latitude": coordinates.latitudeText, "longitude": coordinates.longitudeText,
        "current": OpenMeteoObservation.variables, "timeformat": "unixtime", "forecast_days": "1",
      ])
    return try await client.fetch(url, as: OpenMeteoCurrent.self).current
  }

  private func history(
    _ endpoint: OpenMeteoPlan.Endpoint, at coordinates: Coordinates, _ range: ClosedRange<Day>
  ) async throws(WeatherAnswer.Failure) -> [Int: OpenMeteoObservation] {
    let url = try endpoints.url(
      endpoint.defaultBaseURL, endpoint.path,
      [
        "latitude": coordinates.latitudeText, "longitude": coordinates.longitudeText,
        "start_date": range.lowerBound.description, "end_date": range.upperBound.description,
        "hourly": OpenMeteoObservation.variables, "timeformat": "unixtime",
      ])
    do {
      return try await client.fetch(url, as: OpenMeteoHistory.self).hours
    } catch  where error.message.contains("No data is available") {
      // The models have no value there. This is an empty answer, not a failure.
      return [:]
    }
  }

  func places(named name: String, language: String?) async throws(WeatherAnswer.Failure)
    -> [WeatherAnswer.Place]
  {
    // The search accepts one name. For "Portland, Oregon", the second part filters the results.
    let parts = name.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    let url = try endpoints.url(
      "https://geocoding-api.open-meteo.com", "/v1/search",
      [
        "name": parts.first ?? name, "count": parts.count > 1 ? "50" : "5",
        "language": primaryTag(language), "format": "json",
      ])
    let found = try await client.fetch(url, as: OpenMeteoPlaces.self).results ?? []
    let matching = found.filter { place in parts.dropFirst().allSatisfy(place.isLocated) }
    return (matching.isEmpty ? found : matching).prefix(5).compactMap { place in
      Coordinates(latitude: place.latitude, longitude: place.longitude).map { coordinates in
        WeatherAnswer.Place(
          name: client.sanitized(place.name), detail: client.sanitized(place.detail),
          latitude: coordinates.latitudeDegrees, longitude: coordinates.longitudeDegrees,
          timeZone: place.timezone.map(client.sanitized))
      }
    }
  }
}

/// The primary language of a BCP 47 tag (`ko` of `ko-KR`). English by default.
func primaryTag(_ tag: String?) -> String {
  let primary = tag?.prefix { $0.isASCII && $0.isLetter }.lowercased() ?? ""
  return (2...3).contains(primary.count) ? primary : "en"
}
