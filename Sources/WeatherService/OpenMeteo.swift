import DiaryCore
import Foundation

/// open-meteo.com: no key; the sky now, of the last 92 days, and back to 1940.
struct OpenMeteo: WeatherProvider {
  private let address: Endpoints
  private let conversation: ProviderClient

  init(address: Endpoints, limits: ResponseLimits, now: Int) {
    self.address = address
    conversation = ProviderClient(
      with: "Open-Meteo", at: address, key: nil, limits: limits, now: now)
  }

  func skies(over spot: Coordinates, at moments: [Int], now: Int) async -> WeatherAnswer {
    let plan = OpenMeteoPlan(moments: moments, now: now)
    var current: OpenMeteoObservation?
    var hours: [Int: OpenMeteoObservation] = [:]
    var reached: [ClosedRange<Day>] = []
    var failure: WeatherAnswer.Failure?
    do throws(WeatherAnswer.Failure) {
      if plan.asksForNow { current = try await self.current(over: spot) }
      for (endpoint, range) in plan.ranges {
        hours.merge(try await history(endpoint, over: spot, range)) { first, _ in first }
        reached.append(range)
      }
    } catch {
      failure = error
    }
    let skies = moments.compactMap { moment -> WeatherAnswer.Observation? in
      switch plan.era(of: moment) {
      case .now: current.map { $0.sky(at: moment) }
      case .unknown: WeatherAnswer.Observation(moment: moment, condition: nil, celsius: nil)
      case .past(_, let day):
        reached.contains { $0.contains(day) }
          ? (hours[nearestHour(moment)] ?? OpenMeteoObservation()).sky(at: moment) : nil
      }
    }
    return WeatherAnswer(skies: skies, failure: failure)
  }

  private func current(over spot: Coordinates) async throws(WeatherAnswer.Failure)
    -> OpenMeteoObservation
  {
    let url = try address.url(
      OpenMeteoPlan.Endpoint.forecast.home, OpenMeteoPlan.Endpoint.forecast.path,
      [
        "latitude": spot.latitudeText, "longitude": spot.longitudeText,
        "current": OpenMeteoObservation.variables, "timeformat": "unixtime", "forecast_days": "1",
      ])
    return try await conversation.ask(url, for: OpenMeteoCurrent.self).current
  }

  private func history(
    _ endpoint: OpenMeteoPlan.Endpoint, over spot: Coordinates, _ range: ClosedRange<Day>
  ) async throws(WeatherAnswer.Failure) -> [Int: OpenMeteoObservation] {
    let url = try address.url(
      endpoint.home, endpoint.path,
      [
        "latitude": spot.latitudeText, "longitude": spot.longitudeText,
        "start_date": range.lowerBound.description, "end_date": range.upperBound.description,
        "hourly": OpenMeteoObservation.variables, "timeformat": "unixtime",
      ])
    do {
      return try await conversation.ask(url, for: OpenMeteoHistory.self).hours
    } catch  where error.message.contains("No data is available") {
      // The models have no value there: an answer, not a failure.
      return [:]
    }
  }

  func places(named name: String, language: String?) async throws(WeatherAnswer.Failure)
    -> [WeatherAnswer.Place]
  {
    // The search knows single names only: of "Portland, Oregon" the rest chooses among the namesakes.
    let parts = name.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    let url = try address.url(
      "https://geocoding-api.open-meteo.com", "/v1/search",
      [
        "name": parts.first ?? name, "count": parts.count > 1 ? "50" : "5",
        "language": primaryTag(language), "format": "json",
      ])
    let found = try await conversation.ask(url, for: OpenMeteoPlaces.self).results ?? []
    let wanted = found.filter { place in parts.dropFirst().allSatisfy(place.lies) }
    return (wanted.isEmpty ? found : wanted).prefix(5).compactMap { place in
      Coordinates(latitude: place.latitude, longitude: place.longitude).map { spot in
        WeatherAnswer.Place(
          name: conversation.cleaned(place.name), detail: conversation.cleaned(place.detail),
          latitude: spot.latitudeDegrees, longitude: spot.longitudeDegrees,
          timeZone: place.timezone.map(conversation.cleaned))
      }
    }
  }
}

/// The language of a BCP 47 tag (`ko` of `ko-KR`); English when none is told.
func primaryTag(_ tag: String?) -> String {
  let primary = tag?.prefix { $0.isASCII && $0.isLetter }.lowercased() ?? ""
  return (2...3).contains(primary.count) ? primary : "en"
}
