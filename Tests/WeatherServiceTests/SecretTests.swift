import DiaryCore
import Foundation
import Testing
import WeatherStandIn

@testable import WeatherService

/// The key is sent only in the query of the request to its provider.
@Suite(.serialized) struct SecretTests {
  static let key = "S3cret/Key+With=Signs&más"
  /// A response that repeats the key in every field that is read.
  static let echoingBody: String = {
    let forms = [key, key.lowercased(), percentEncoded(key)].joined(separator: " ")
    let quoted = forms.replacingOccurrences(of: "/", with: "\\/")
    return #"{"cod":500,"message":"bad \#(quoted) in http://a.b/c?appid=\#(quoted)"}"#
  }()

  static let behaviours: [FakeProvider.Behaviour] = [
    .answering, .failing(401, body: echoingBody), .failing(404, body: echoingBody),
    .failing(429, body: echoingBody),
    .failing(500, body: echoingBody), .failing(400, body: echoingBody), .returning(echoingBody),
    .html, .returning("{"),
    .returning(#"{"weather":"\#(key)"}"#), .returning(#"[{"name":"\#(key)","lat":1,"lon":2}]"#),
    .redirecting("http://127.0.0.1:1/?appid=" + percentEncoded(key)), .cutShort,
    .returning(#"[{"name":"a","state":"\#(key)","lat":1,"lon":2}]"#),
  ]

  @Test(arguments: behaviours)
  func `the key never appears in an answer`(behaviour: FakeProvider.Behaviour) async throws {
    try await withFakeProvider(behaviour) { standIn in
      var place = placeRequest("Seoul", standIn, "openweather")
      place.key = SecretTests.key
      for request in [weatherRequest(standIn, "openweather", key: SecretTests.key), place] {
        let outcome = await WeatherHook.run(try JSONEncoder().encode(request))
        #expect(outcome.status == 0 && !outcome.output.isEmpty)
        expectNoKey(in: String(decoding: outcome.output, as: UTF8.self))
      }
      #expect(standIn.requests.first?.query["appid"] == SecretTests.key)
    }
  }

  @Test func `the key never appears when the connection is refused`() async throws {
    let standIn = try await FakeProvider.start()
    await standIn.stop()
    let request = weatherRequest(standIn, "openweather", key: SecretTests.key)
    let outcome = try await runHook(json(request))
    #expect(outcome.output.contains("unreachable"))
    expectNoKey(in: outcome.output + outcome.error)
  }

  @Test func `the key never appears in the program's output`() async throws {
    try await withFakeProvider(.failing(401, body: SecretTests.echoingBody)) { standIn in
      let request = weatherRequest(standIn, "openweather", key: SecretTests.key)
      let outcome = try await runHook(json(request))
      #expect(outcome.output.contains("refused"))
      #expect(outcome.error == "")
      expectNoKey(in: outcome.output)
    }
  }

  @Test(arguments: [
    #"{"key":"S3cret/Key+With=Signs&más""#,
    #"{"version":"S3cret/Key+With=Signs&más","ask":"weather"}"#,
    #"{"version":1,"ask":"S3cret/Key+With=Signs&más","moments":[],"now":1,"provider":"x"}"#,
    #"{"version":1,"ask":"weather","moments":["S3cret/Key+With=Signs&más"],"now":1,"provider":"x"}"#,
    #"{"version":1,"ask":"weather","moments":[],"now":1,"provider":"S3cret/Key+With=Signs&más"}"#,
    #"{"version":1,"ask":"weather","moments":[],"now":1,"provider":"openweather","latitude":1,"longitude":1,"key":"k","url":"S3cret/Key+With=Signs&más"}"#,
    #"{"version":1,"ask":"weather","moments":[],"now":1,"provider":"open-meteo","latitude":1,"longitude":1,"url":"http://S3cret:S3cret@127.0.0.1:1/S3cret"}"#,
  ])
  func `the key never appears when the request is invalid`(input: String) async throws {
    let outcome = await WeatherHook.run(Data(input.utf8))
    let said = String(decoding: outcome.output, as: UTF8.self) + (outcome.errorMessage ?? "")
    #expect(!said.isEmpty)
    expectNoKey(in: said)
  }

  @Test func `the key is not sent to a provider that needs none`() async throws {
    try await withFakeProvider { standIn in
      _ = await WeatherHook.answer(weatherRequest(standIn, key: "0123456789abcdef"))
      let asked = try #require(standIn.requests.first)
      #expect(!"\(asked)".contains("0123456789abcdef"))
    }
  }

  @Test func `printing a secret does not show the key`() throws {
    let secret = try #require(Secret(SecretTests.key))
    var dumped = ""
    dump(secret, to: &dumped)
    for text in ["\(secret)", String(reflecting: secret), dumped, "\([secret])"] {
      expectNoKey(in: text)
    }
  }

  private func expectNoKey(in text: String) {
    #expect(!text.lowercased().contains("s3cret"), "\(text)")
  }
}
