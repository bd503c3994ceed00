import DiaryCore
import Testing
import WeatherStandIn

@testable import WeatherService

@Suite(.serialized) struct OpenWeatherTests {
  @Test func `returns the current weather`() async throws {
    try await withFakeProvider { standIn in
      standIn.sky = FakeProvider.Observation(celsius: 25.33, isDay: false, id: 741, main: "Fog")
      let answer = await WeatherHook.answer(weatherRequest(standIn, "openweather"))
      #expect(
        answer
          == WeatherAnswer(skies: [
            WeatherAnswer.Observation(moment: noon, condition: .fog, celsius: 25.33, isNight: true)
          ]))
      let asked = try #require(standIn.requests.first)
      #expect(asked.path == "/data/2.5/weather")
      #expect(
        asked.query == [
          "lat": "37.57", "lon": "126.98", "units": "metric", "appid": "0123456789abcdef",
        ])
    }
  }

  @Test func `has no history and sends no request for it`() async throws {
    try await withFakeProvider { standIn in
      let moments = [noon - 3601, noon - 86_400 * 3000, noon + 7200, .min, .max]
      let answer = await WeatherHook.answer(weatherRequest(standIn, "openweather", at: moments))
      #expect(answer.failure == nil)
      #expect(answer.skies.map(\.moment) == moments)
      #expect(answer.skies.allSatisfy { $0.condition == nil && $0.celsius == nil })
      #expect(standIn.requests.isEmpty)
    }
  }

  @Test func `answers old and new moments in their order`() async throws {
    try await withFakeProvider { standIn in
      let moments = [noon - 86_400, noon - 60, noon]
      let answer = await WeatherHook.answer(weatherRequest(standIn, "openweather", at: moments))
      #expect(answer.skies.map(\.moment) == moments)
      #expect(answer.skies.map(\.condition) == [nil, .rain, .rain])
      #expect(standIn.requests.count == 1)
    }
  }

  @Test(arguments: [nil, "", "  \n"])
  func `sends nothing without a key`(key: String?) async throws {
    try await withFakeProvider { standIn in
      var request = weatherRequest(standIn, "openweather")
      request.key = key
      let failure = try #require(await WeatherHook.answer(request).failure)
      #expect(failure.kind == .refused)
      #expect(failure.message.contains("needs a key"))
      #expect(standIn.requests.isEmpty)
    }
  }

  @Test func `a key that the provider does not accept is refused`() async throws {
    try await withFakeProvider { standIn in
      standIn.acceptedKey = "another"
      let failure = try #require(
        await WeatherHook.answer(weatherRequest(standIn, "openweather")).failure)
      #expect(failure.kind == .refused)
      #expect(failure.message.contains("refused the key (401): Invalid API key"))
    }
  }

  @Test func `reads a status in the body as number or text`() async throws {
    for status in [#"401"#, #""401""#] {
      try await withFakeProvider(.returning(#"{"cod":\#(status),"message":"Invalid API key"}"#)) {
        standIn in
        let answer = await WeatherHook.answer(weatherRequest(standIn, "openweather"))
        #expect(answer.failure?.kind == .refused)
      }
    }
  }

  @Test(arguments: Condition.allCases)
  func `maps each condition by its name`(condition: Condition) async throws {
    try await withFakeProvider { standIn in
      standIn.sky = FakeProvider.Observation(id: 0, main: condition.rawValue)
      let sky = await WeatherHook.answer(weatherRequest(standIn, "openweather")).skies.first
      #expect(sky?.condition == condition)
    }
  }

  @Test(arguments: [
    (211, Condition.thunderstorm), (301, .drizzle), (511, .rain), (615, .snow), (701, .mist),
    (711, .smoke), (721, .haze), (731, .dust), (741, .fog), (751, .sand), (761, .dust), (762, .ash),
    (771, .squall), (781, .tornado), (800, .clear), (804, .clouds), (0, nil), (950, nil),
  ])
  func `maps a condition with an unknown name by its number`(id: Int, condition: Condition?) {
    #expect(Condition(openWeather: id) == condition)
  }

  @Test func `an answer without weather or temperature has no values`() async throws {
    try await withFakeProvider(.returning(#"{"weather":[],"main":{},"cod":"200"}"#)) { standIn in
      let answer = await WeatherHook.answer(weatherRequest(standIn, "openweather"))
      #expect(answer.failure == nil)
      #expect(
        answer.skies == [WeatherAnswer.Observation(moment: noon, condition: nil, celsius: nil)])
    }
  }
}
