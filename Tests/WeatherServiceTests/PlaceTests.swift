import DiaryCore
import Testing
import WeatherStandIn

@testable import WeatherService

@Suite(.serialized) struct PlaceTests {
  @Test func `finds a place, rounded to two decimals`() async throws {
    try await withFakeProvider { standIn in
      let answer = await WeatherHook.answer(placeRequest(" Seoul\n", standIn, language: "ko-KR"))
      #expect(
        answer
          == WeatherAnswer(places: [
            WeatherAnswer.Place(
              name: "Seoul", detail: "South Korea", latitude: 37.57, longitude: 126.98,
              timeZone: "Asia/Seoul")
          ]))
      let asked = try #require(standIn.requests.first)
      #expect(asked.path == "/v1/search")
      #expect(asked.query["name"] == "Seoul")
      #expect(asked.query["language"] == "ko")
      #expect(!asked.rawQuery.contains("0123456789abcdef"))
    }
  }

  @Test func `OpenWeather returns a place in the requested language`() async throws {
    try await withFakeProvider { standIn in
      let answer = await WeatherHook.answer(
        placeRequest("Seoul", standIn, "openweather", language: "ko-KR"))
      #expect(
        answer.places == [
          WeatherAnswer.Place(
            name: "서울", detail: "Seoul, KR", latitude: 37.57, longitude: 126.98)
        ])
      #expect(standIn.requests.first?.path == "/geo/1.0/direct")
    }
  }

  @Test(arguments: ["open-meteo", "openweather"])
  func `an unknown place gives an answer without places`(provider: String) async throws {
    try await withFakeProvider { standIn in
      let answer = await WeatherHook.answer(placeRequest("Atlantis", standIn, provider))
      #expect(answer == WeatherAnswer())
    }
  }

  @Test(arguments: ["", " ", "\t\n"])
  func `an empty name is not sent`(name: String) async throws {
    try await withFakeProvider { standIn in
      let failure = try #require(await WeatherHook.answer(placeRequest(name, standIn)).failure)
      #expect(failure.kind == .unusable)
      #expect(standIn.requests.isEmpty)
    }
  }

  @Test func `the part after a comma selects among places of one name`() async throws {
    func portland(_ region: String) -> FakeProvider.Place {
      FakeProvider.Place(
        name: "Portland", region: region, country: "United States", countryCode: "US",
        latitude: 45.5, longitude: -122.7, timeZone: nil)
    }
    try await withFakeProvider { standIn in
      standIn.places = [portland("Maine"), portland("Oregon")]
      let one = await WeatherHook.answer(placeRequest("Portland, oregon, US", standIn))
      #expect(one.places.map(\.detail) == ["Oregon, United States"])
      let both = await WeatherHook.answer(placeRequest("Portland, Elsewhere", standIn))
      #expect(both.places.map(\.detail) == ["Maine, United States", "Oregon, United States"])
      #expect(standIn.requests.allSatisfy { $0.query["name"] == "Portland" })
    }
  }

  @Test func `sends names in any script and with any character`() async throws {
    try await withFakeProvider { standIn in
      for name in ["서울", "Saint-Étienne", "A+B & C=D? #1", "São Paulo%20"] {
        _ = await WeatherHook.answer(placeRequest(name, standIn))
        #expect(standIn.requests.last?.query["name"] == name)
      }
    }
  }

  @Test func `accepts a place with few details`() async throws {
    let body = """
      {"results":[{"id":1,"name":"Atlantic Point","latitude":1,"longitude":2},
      {"id":2,"name":"Nowhere","latitude":300,"longitude":2}]}
      """
    try await withFakeProvider(.returning(body)) { standIn in
      #expect(
        await WeatherHook.answer(placeRequest("At", standIn)).places == [
          WeatherAnswer.Place(name: "Atlantic Point", detail: "", latitude: 1, longitude: 2)
        ])
    }
  }

  @Test func `removes control characters from a provider's text`() async throws {
    let body = #"{"results":[{"name":"Se\u001b[31moul\u202e\n","latitude":1,"longitude":2}]}"#
    try await withFakeProvider(.returning(body)) { standIn in
      let name = try #require(
        await WeatherHook.answer(placeRequest("Se", standIn)).places.first?.name)
      #expect(name == "Se [31moul")
    }
  }

  @Test(arguments: [
    (nil, "en"), ("", "en"), ("C", "en"), ("ko-KR", "ko"), ("ko_KR.UTF-8", "ko"), ("DE", "de"),
    ("../x", "en"), ("fil", "fil"),
  ])
  func `takes the language from a locale tag`(tag: String?, language: String) {
    #expect(primaryTag(tag) == language)
  }
}
