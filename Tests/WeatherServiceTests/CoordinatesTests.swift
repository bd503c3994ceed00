import DiaryCore
import Testing
import WeatherStandIn

@testable import WeatherService

@Suite(.serialized) struct CoordinatesTests {
  @Test(arguments: [
    (37.5666, "37.57"), (37.5749, "37.57"), (37.5751, "37.58"), (-0.004, "0.00"),
    (-0.006, "-0.01"), (0, "0.00"), (-37.5, "-37.50"), (5.05, "5.05"), (90, "90.00"),
    (-90, "-90.00"), (59.9999, "60.00"),
  ])
  func `rounds coordinates to two decimals`(degrees: Double, text: String) throws {
    #expect(try #require(Coordinates(latitude: degrees, longitude: 0)).latitudeText == text)
    #expect(try #require(Coordinates(latitude: 0, longitude: degrees)).longitudeText == text)
  }

  @Test(arguments: [
    (90.01, 0.0), (-91, 0), (0, 180.5), (0, -181), (.nan, 0), (0, .infinity), (300, 300),
  ])
  func `rejects a point outside the globe`(latitude: Double, longitude: Double) {
    #expect(Coordinates(latitude: latitude, longitude: longitude) == nil)
  }

  @Test(arguments: ["open-meteo", "openweather"])
  func `sends only two decimals even if more are given`(provider: String) async throws {
    try await withFakeProvider { standIn in
      var request = weatherRequest(standIn, provider)
      (request.latitude, request.longitude) = (37.566_535, -126.977_969)
      #expect(await WeatherHook.answer(request).failure == nil)
      let query = try #require(standIn.requests.first).query
      #expect(query["latitude"] ?? query["lat"] == "37.57")
      #expect(query["longitude"] ?? query["lon"] == "-126.98")
    }
  }

  @Test func `rejects a request without a point and sends nothing`() async throws {
    try await withFakeProvider { standIn in
      for (latitude, longitude) in [(nil, nil), (37.5, nil), (91, 0), (0, 200)]
        as [(Double?, Double?)]
      {
        var request = weatherRequest(standIn)
        (request.latitude, request.longitude) = (latitude, longitude)
        let failure = try #require(await WeatherHook.answer(request).failure)
        #expect(failure.kind == .unusable)
        #expect(failure.message.contains("latitude"))
      }
      #expect(standIn.requests.isEmpty)
    }
  }
}
