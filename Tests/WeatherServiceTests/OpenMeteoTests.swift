import DiaryCore
import Foundation
import Testing
import WeatherStandIn

@testable import WeatherService

@Suite(.serialized) struct OpenMeteoTests {
  @Test func `returns the current weather`() async throws {
    try await withFakeProvider { standIn in
      standIn.sky = FakeProvider.Observation(wmo: 95, celsius: -3.4, isDay: false)
      let answer = await WeatherHook.answer(weatherRequest(standIn))
      #expect(
        answer
          == WeatherAnswer(skies: [
            WeatherAnswer.Observation(
              moment: noon, condition: .thunderstorm, celsius: -3.4, isNight: true)
          ]))
      let asked = try #require(standIn.requests.first)
      #expect(standIn.requests.count == 1)
      #expect(asked.path == "/v1/forecast")
      #expect(asked.query["current"] == "temperature_2m,weather_code,is_day")
      #expect(asked.query["hourly"] == nil)
      #expect(asked.headers["user-agent"] == "diary/0.1 (plain-text journal)")
      #expect(asked.headers["cookie"] == nil)
    }
  }

  @Test func `uses the current weather within an hour of now`() async throws {
    try await withFakeProvider { standIn in
      let moments = [noon - 3600, noon + 3600, noon - 60]
      let answer = await WeatherHook.answer(weatherRequest(standIn, at: moments))
      #expect(answer.skies.map(\.moment) == moments)
      #expect(answer.skies.allSatisfy { $0.condition == .rain && $0.celsius == 7.2 })
      #expect(standIn.requests.map { $0.query["current"] != nil } == [true])
    }
  }

  @Test func `uses the nearest hour for an entry of the last weeks`() async throws {
    try await withFakeProvider { standIn in
      let hour = noon - nonNegativeRemainder(noon, 3600) - 86_400
      standIn.skyAt = {
        FakeProvider.Observation(wmo: $0 == hour ? 0 : 3, celsius: Double($0 - hour) / 3600)
      }
      let moments = [hour + 1799, hour + 1800, hour - 1801]
      let answer = await WeatherHook.answer(weatherRequest(standIn, at: moments))
      #expect(answer.skies.map(\.celsius) == [0, 1, -1])
      #expect(answer.skies.map(\.condition) == [.clear, .clouds, .clouds])
      let asked = try #require(standIn.requests.first)
      #expect(standIn.requests.count == 1)
      #expect(asked.path == "/v1/forecast")
      #expect(asked.query["start_date"] == "2026-11-01")
      #expect(asked.query["end_date"] == "2026-11-21")
    }
  }

  @Test func `asks the archive for times older than 92 days`() async throws {
    try await withFakeProvider { standIn in
      let today = try #require(Day(moment: noon))
      let moments = [-92, -93].map { today.adding($0).ordinal * 86_400 + 43_200 }
      let answer = await WeatherHook.answer(weatherRequest(standIn, at: moments))
      #expect(answer.skies.map(\.moment) == moments)
      #expect(answer.skies.allSatisfy { $0.condition == .rain })
      #expect(standIn.requests.map(\.path) == ["/v1/forecast", "/v1/archive"])
      #expect(standIn.requests.first?.query["start_date"] == "2026-08-21")
      #expect(standIn.requests.last?.query["end_date"] == "2026-08-20")
    }
  }

  @Test func `fills twenty years with twenty requests`() async throws {
    try await withFakeProvider { standIn in
      let last = try day(2020, 12, 31)
      let moments = (0..<500).map { last.adding($0 * -14).ordinal * 86_400 + 75_840 }
      let answer = await WeatherHook.answer(weatherRequest(standIn, at: moments))
      #expect(answer.failure == nil)
      #expect(answer.skies.map(\.moment) == moments)
      #expect(answer.skies.allSatisfy { $0.celsius == 7.2 })
      #expect(standIn.requests.count == 20)
      #expect(standIn.requests.first?.query["end_date"] == "2020-12-31")
    }
  }

  @Test func `returns nothing for the future or before the records begin`() async throws {
    try await withFakeProvider { standIn in
      let moments = [noon + 3601, noon + 86_400 * 400, -946_771_200 - 7200, .min, .max]
      let answer = await WeatherHook.answer(weatherRequest(standIn, at: moments))
      #expect(answer.failure == nil)
      #expect(answer.skies.map(\.moment) == moments)
      #expect(answer.skies.allSatisfy { $0.condition == nil && $0.celsius == nil })
      #expect(standIn.requests.isEmpty)
    }
  }

  @Test(arguments: [Int.min, Int.max, -70_000_000_000, 0])
  func `accepts any value of now`(now: Int) async throws {
    try await withFakeProvider { standIn in
      var request = weatherRequest(standIn, at: [noon, now, .min, .max, 0])
      request.now = now
      #expect(await WeatherHook.answer(request).skies.count == 5)
    }
  }

  @Test func `passes on that a value is missing`() async throws {
    try await withFakeProvider { standIn in
      standIn.skyAt = { _ in nil }
      let answer = await WeatherHook.answer(weatherRequest(standIn, at: [noon - 86_400]))
      #expect(
        answer
          == WeatherAnswer(skies: [
            WeatherAnswer.Observation(moment: noon - 86_400, condition: nil, celsius: nil)
          ]))
    }
  }

  @Test func `keeps earlier results when a later range fails`() async throws {
    try await withFakeProvider { standIn in
      // The second of the two requests fails.
      let old = try day(2020, 5, 5).ordinal * 86_400
      standIn.skyAt = { hour in
        if hour < noon - 100 * 86_400 { return nil }
        standIn.behaviour = .failing(429, retryAfter: "7")
        return FakeProvider.Observation()
      }
      let answer = await WeatherHook.answer(weatherRequest(standIn, at: [old, noon - 86_400]))
      #expect(answer.skies.map(\.moment) == [noon - 86_400])
      #expect(answer.failure?.kind == .busy)
      #expect(answer.failure?.retryAfter == 7)
    }
  }

  @Test func `no data at a place is not a failure`() async throws {
    let words = #"{"error":true,"reason":"No data is available for this location"}"#
    try await withFakeProvider(.failing(400, body: words)) { standIn in
      let answer = await WeatherHook.answer(weatherRequest(standIn, at: [noon - 86_400]))
      #expect(answer.failure == nil)
      #expect(answer.skies.map(\.condition) == [nil])
    }
  }

  @Test func `accepts fractions for integers, and short columns`() async throws {
    let hour = noon - nonNegativeRemainder(noon, 3600) - 86_400
    let body = """
      {"hourly":{"time":[\(hour).0,\(hour + 3600)],"temperature_2m":[7],"weather_code":[61.0,null],
      "is_day":[1.0]},"utc_offset_seconds":0}
      """
    try await withFakeProvider(.returning(body)) { standIn in
      let answer = await WeatherHook.answer(weatherRequest(standIn, at: [hour, hour + 3600]))
      #expect(answer.skies.map(\.condition) == [.rain, nil])
      #expect(answer.skies.map(\.celsius) == [7, nil])
      #expect(answer.skies.map(\.isNight) == [false, nil])
    }
  }

  @Test(arguments: [298.15, -200, 1e300])
  func `rejects an impossible temperature`(degrees: Double) async throws {
    try await withFakeProvider { standIn in
      standIn.sky.celsius = degrees
      let sky = try #require(await WeatherHook.answer(weatherRequest(standIn)).skies.first)
      #expect(sky.celsius == nil)
      #expect(sky.condition == .rain)
    }
  }

  @Test(arguments: [
    (0, Condition.clear), (1, .clear), (2, .clouds), (3, .clouds), (45, .fog), (48, .fog),
    (51, .drizzle), (57, .drizzle), (61, .rain), (66, .rain), (71, .snow), (77, .snow),
    (80, .rain), (85, .snow), (95, .thunderstorm), (99, .thunderstorm), (4, nil), (-1, nil),
    (1000, nil),
  ])
  func `maps WMO codes to conditions`(code: Int, condition: Condition?) {
    #expect(Condition(wmo: code) == condition)
  }

  @Test func `requests paths below a base URL with a path`() async throws {
    try await withFakeProvider { standIn in
      var request = weatherRequest(standIn, at: [noon, noon - 200 * 86_400])
      request.url = standIn.url + "/open/meteo//"
      #expect(await WeatherHook.answer(request).failure == nil)
      #expect(
        standIn.requests.map(\.path) == ["/open/meteo/v1/forecast", "/open/meteo/v1/archive"])
    }
  }

  @Test(arguments: [
    "ftp://example.org", "example.org", "http://", "https://example.org/?key=1",
    "https://example.org/#a", "file:///etc/passwd", "http://exa mple.org", "::",
  ])
  func `rejects a base that is not a web address`(url: String) async throws {
    try await withFakeProvider { standIn in
      var request = weatherRequest(standIn)
      request.url = url
      let failure = try #require(await WeatherHook.answer(request).failure)
      #expect(failure.kind == .unusable)
      #expect(failure.message.contains("base URL"))
      #expect(!failure.message.contains(url))
    }
  }

  @Test func `uses the provider's own hosts without a base`() throws {
    let url = try Endpoints(base: nil).url(
      OpenMeteoPlan.Endpoint.archive.defaultBaseURL, OpenMeteoPlan.Endpoint.archive.path,
      ["a": "b c+d&é"])
    #expect(
      url.absoluteString
        == "https://archive-api.open-meteo.com/v1/archive?a=b%20c%2Bd%26%C3%A9")
  }
}
