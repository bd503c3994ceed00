import DiaryCore
import Foundation
import TestSupport
import Testing
import WeatherStandIn

@testable import WeatherService

/// The ways in which a provider can fail, and the messages for the user and the caller.
@Suite(.serialized) struct FailureTests {
  struct Row: Sendable, CustomTestStringConvertible {
    var behaviour: FakeProvider.Behaviour
    var kind: WeatherAnswer.Failure.Kind
    var message: String
    var retryAfter: Int?

    init(
      _ behaviour: FakeProvider.Behaviour, _ kind: WeatherAnswer.Failure.Kind, _ message: String,
      retryAfter: Int? = nil
    ) {
      self.behaviour = behaviour
      self.kind = kind
      self.message = message
      self.retryAfter = retryAfter
    }

    var testDescription: String { "\(behaviour)" }
  }

  static let rows = [
    Row(.failing(401, body: #"{"error":true,"reason":"API key required."}"#), .refused, "(401)"),
    Row(.failing(401, body: #"{"cod":401, "message":"Invalid API key."}"#), .refused, "API key"),
    Row(.failing(403), .refused, "(403)"),
    Row(.failing(404, body: #"{"cod":"404","message":"city not found"}"#), .unusable, "city not"),
    Row(.failing(404, body: "<html>nginx</html>"), .unusable, "no such page or place (404)"),
    Row(
      .failing(400, body: #"{"error":true,"reason":"Invalid timezone"}"#), .unusable, "Invalid t"),
    Row(.failing(418, body: "?"), .unusable, "(418)"),
    Row(.failing(429, retryAfter: "30"), .busy, "no more requests", retryAfter: 30),
    Row(.failing(429, retryAfter: "Wed, 21 Oct 2026 07:28:00 GMT"), .busy, "no more requests"),
    Row(.failing(429, retryAfter: "-5"), .busy, "no more requests"),
    Row(
      .failing(429, body: #"{"reason":"Too many concurrent requests","error":true}"#), .busy,
      "concurrent"),
    Row(
      .failing(
        429,
        body:
          #"{"error":true,"reason":"Minutely API request limit exceeded. Please try again in one minute."}"#
      ), .busy, "Minutely", retryAfter: 60),
    Row(
      .failing(
        429,
        body:
          #"{"error":true,"reason":"Hourly API request limit exceeded. Please try again in the next hour."}"#
      ), .busy, "Hourly", retryAfter: 56 * 60),
    Row(
      .failing(
        429,
        body:
          #"{"error":true,"reason":"Daily API request limit exceeded. Please try again tomorrow."}"#
      ), .busy, "Daily", retryAfter: 11 * 3600 + 56 * 60),
    Row(.failing(500), .busy, "has a problem (500)"),
    Row(.failing(502, body: "<html>Bad Gateway</html>"), .busy, "has a problem (502)"),
    Row(
      .failing(503, body: #"{"error":true,"reason":"The service is overloaded"}"#, retryAfter: "9"),
      .busy, "overloaded", retryAfter: 9),
    Row(.failing(304), .unusable, "not followed"),
    Row(.html, .unusable, "a web page instead of JSON"),
    Row(.returning(""), .unusable, "an empty answer"),
    Row(.returning(" \n\t"), .unusable, "an empty answer"),
    Row(.returning("{\"current\":"), .unusable, "not JSON"),
    Row(.returning("nonsense"), .unusable, "not JSON"),
    Row(.returning("null"), .unusable, "an unknown format"),
    Row(.returning("[1]"), .unusable, "an unknown format"),
    Row(.returning("{}"), .unusable, "an unknown format"),
    Row(.returning(#"{"error":true,"reason":"odd"}"#), .unusable, "with an error: odd"),
    Row(.returning(#"{"current":7,"weather":7}"#), .unusable, "an unknown format"),
    Row(
      .returning(#"{"current":{"temperature_2m":"warm"},"weather":[{"id":"x"}]}"#), .unusable,
      "an unknown format (at "),
    Row(.cutShort, .unreachable, "was cut off"),
    Row(.hanging, .unreachable, "did not answer within 0.5 s"),
    Row(.slow(5), .unreachable, "did not answer within 0.5 s"),
    Row(.dripping, .unreachable, "did not answer within 0.5 s"),
    Row(.flooding, .unusable, "more than 65536 bytes"),
  ]

  @Test(arguments: rows, ["open-meteo", "openweather"])
  func `a failure reports its reason`(row: Row, provider: String) async throws {
    try await withFakeProvider(row.behaviour) { standIn in
      // On a busy machine, a short timeout must not replace another failure.
      let seconds = row.message.contains("0.5 s") ? 0.5 : 30
      let answer = await WeatherHook.answer(
        weatherRequest(standIn, provider), limits: ResponseLimits(seconds: seconds, bytes: 65536))
      let failure = try #require(answer.failure)
      #expect(failure.kind == row.kind)
      #expect(failure.message.contains(row.message), "\(failure.message)")
      #expect(failure.retryAfter == row.retryAfter)
      #expect(answer.skies.isEmpty)
      let host = standIn.url.dropFirst("http://".count)
      let name = provider == "openweather" ? "OpenWeather" : "Open-Meteo"
      #expect(failure.message.contains("\(name) at \(host)"))
      #expect(!failure.message.hasSuffix(".") && !failure.message.contains("?"))
    }
  }

  @Test func `history and place search report failures in the same way`() async throws {
    try await withFakeProvider(.failing(503)) { standIn in
      let limits = ResponseLimits(seconds: 30)
      let old = await WeatherHook.answer(weatherRequest(standIn, at: [0]), limits: limits)
      let place = await WeatherHook.answer(placeRequest("Seoul", standIn), limits: limits)
      #expect(old.failure == place.failure)
      #expect(old.failure?.kind == .busy)
      standIn.behaviour = .returning(#"{"hourly":{"time":["2026-09-29T22:45"]},"results":[{}]}"#)
      let odd = await WeatherHook.answer(weatherRequest(standIn, at: [0]), limits: limits)
      #expect(odd.failure?.message.contains("(at hourly.time.") == true)
      let nameless = await WeatherHook.answer(placeRequest("Seoul", standIn), limits: limits)
      #expect(nameless.failure?.message.contains("(at results.Index 0.name)") == true)
    }
  }

  @Test func `a slow answer within the timeout is accepted`() async throws {
    try await withFakeProvider(.slow(0.3)) { standIn in
      #expect(await WeatherHook.answer(weatherRequest(standIn)).skies.first?.condition == .rain)
    }
  }

  @Test func `a refused connection is reported at once`() async throws {
    let standIn = try await FakeProvider.start()
    await standIn.stop()
    for provider in ["open-meteo", "openweather"] {
      let failure = try #require(
        await WeatherHook.answer(weatherRequest(standIn, provider)).failure)
      #expect(failure.kind == .unreachable)
      #expect(failure.message.hasSuffix("refuses connections"), "\(failure.message)")
    }
  }

  @Test func `a closed connection is distinguished from a slow one`() async throws {
    let rude = try ClosingServer()
    defer { rude.close() }
    let request = WeatherRequest(
      ask: .weather, provider: "open-meteo", url: rude.url, latitude: 1, longitude: 1, now: noon)
    let failure = try #require(await WeatherHook.answer(request).failure)
    #expect(failure.kind == .unreachable)
    #expect(
      failure.message.hasSuffix("closed the connection without an answer"), "\(failure.message)")
  }

  @Test func `reads a compressed answer`() async throws {
    let zipped = """
      H4sIAAAAAAACA6tWSi4tKkrNK1GyqlYqSc0tSC1KLCktSo03ylWyMjTSM9VRKk9NLMlILYpPzk9JVbIy1lHKLI5P\
      SawEStfWAgCGzIebPwAAAA==
      """
    let bytes = try #require(Data(base64Encoded: zipped))
    try await withFakeProvider(.encoded(Array(bytes), as: "gzip")) { standIn in
      let answer = await WeatherHook.answer(weatherRequest(standIn))
      #expect(answer.skies.first?.celsius == 12.5)
      #expect(standIn.requests.first?.headers["accept-encoding"]?.contains("gzip") == true)
    }
  }

  @Test func `a cancelled request ends at once`() async throws {
    try await withFakeProvider(.hanging) { standIn in
      let request = weatherRequest(standIn)
      let asking = Task { await WeatherHook.answer(request, limits: ResponseLimits(seconds: 300)) }
      #expect(await Sandbox.holds { !standIn.requests.isEmpty })
      let start = ContinuousClock.now
      asking.cancel()
      #expect(await asking.value.failure?.kind == .unreachable)
      #expect(.now - start < .seconds(30))
    }
  }

  /// Foundation once crashed because it answered a redirect after its task had been cancelled.
  @Test(arguments: [FakeProvider.Behaviour.moved, .redirecting("/loop"), .flooding, .answering])
  func `a timeout at any moment does not crash`(behaviour: FakeProvider.Behaviour) async throws {
    try await withFakeProvider(behaviour) { standIn in
      for step in 0..<30 {
        let limits = ResponseLimits(seconds: 0.0005 * Double(step), bytes: 65536)
        let answer = await WeatherHook.answer(weatherRequest(standIn), limits: limits)
        #expect(answer.skies.isEmpty == (answer.failure != nil))
      }
    }
  }

  @Test func `a name that does not resolve is unreachable`() async throws {
    try await withFakeProvider { standIn in
      var request = weatherRequest(standIn)
      request.url = "http://no-such-host.invalid"
      let failure = try #require(await WeatherHook.answer(request).failure)
      #expect(failure.kind == .unreachable)
      #expect(failure.message.contains("no-such-host.invalid"), "\(failure.message)")
    }
  }

  @Test func `follows a redirect on the same host`() async throws {
    try await withFakeProvider(.moved) { standIn in
      #expect(await WeatherHook.answer(weatherRequest(standIn)).skies.first?.condition == .rain)
      #expect(standIn.requests.map(\.path) == ["/v1/forecast", "/moved/v1/forecast"])
    }
  }

  @Test(arguments: ["open-meteo", "openweather"])
  func `does not follow a redirect to another host or a loop`(provider: String) async throws {
    try await withFakeProvider { elsewhere in
      let port = elsewhere.url.split(separator: ":").last ?? ""
      for target in [elsewhere.url + "/v1/forecast?stolen=1", "http://localhost:\(port)/", "/loop"]
      {
        try await withFakeProvider(.redirecting(target)) { standIn in
          let failure = try #require(
            await WeatherHook.answer(weatherRequest(standIn, provider)).failure)
          #expect(failure.kind == .unusable)
          #expect(failure.message.contains("not followed"))
        }
      }
      #expect(elsewhere.requests.isEmpty)
    }
  }

  @Test(arguments: [
    ("http://a/x", "http://a/y", true), ("http://a/x", "https://A/y", true),
    ("https://a/x", "http://a/y", false), ("http://a:1/x", "http://a:2/x", false),
    ("https://a/x", "https://b/x", false), ("https://a/x", "file:///etc/passwd", false),
    ("https://a/x", "https://a.b/x", false),
  ])
  func `a redirect stays on the same origin`(from: String, to: String, isSame: Bool) throws {
    let (from, to) = (try #require(URL(string: from)), try #require(URL(string: to)))
    #expect(CurlRequest.isSameOrigin(from, to) == isSame)
  }
}
