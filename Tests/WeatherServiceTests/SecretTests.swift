import DiaryCore
import Foundation
import Testing
import WeatherStandIn

@testable import WeatherService

/// The key is in the query of the request to its provider, and nowhere else.
@Suite(.serialized) struct SecretTests {
  static let key = "S3cret/Key+With=Signs&más"
  /// A provider that quotes all that it was sent, in every field that is read.
  static let parrot: String = {
    let forms = [key, key.lowercased(), percentEncoded(key)].joined(separator: " ")
    let quoted = forms.replacingOccurrences(of: "/", with: "\\/")
    return #"{"cod":500,"message":"bad \#(quoted) in http://a.b/c?appid=\#(quoted)"}"#
  }()

  static let behaviours: [StandIn.Behaviour] = [
    .answering, .failing(401, body: parrot), .failing(404, body: parrot),
    .failing(429, body: parrot),
    .failing(500, body: parrot), .failing(400, body: parrot), .saying(parrot), .html, .saying("{"),
    .saying(#"{"weather":"\#(key)"}"#), .saying(#"[{"name":"\#(key)","lat":1,"lon":2}]"#),
    .redirecting("http://127.0.0.1:1/?appid=" + percentEncoded(key)), .cutShort,
    .saying(#"[{"name":"a","state":"\#(key)","lat":1,"lon":2}]"#),
  ]

  @Test(arguments: behaviours)
  func `never appears in an answer`(behaviour: StandIn.Behaviour) async throws {
    try await withStandIn(behaviour) { standIn in
      var place = lookUp("Seoul", standIn, "openweather")
      place.key = SecretTests.key
      for request in [question(standIn, "openweather", key: SecretTests.key), place] {
        let outcome = await WeatherHook.run(try JSONEncoder().encode(request))
        #expect(outcome.status == 0 && !outcome.output.isEmpty)
        expectNoKey(in: String(decoding: outcome.output, as: UTF8.self))
      }
      #expect(standIn.requests.first?.query["appid"] == SecretTests.key)
    }
  }

  @Test func `never appears when nobody answers`() async throws {
    let standIn = try await StandIn.start()
    await standIn.stop()
    let request = question(standIn, "openweather", key: SecretTests.key)
    let outcome = try await runHook(json(request))
    #expect(outcome.output.contains("unreachable"))
    expectNoKey(in: outcome.output + outcome.error)
  }

  @Test func `never appears when the provider quotes it to the program`() async throws {
    try await withStandIn(.failing(401, body: SecretTests.parrot)) { standIn in
      let request = question(standIn, "openweather", key: SecretTests.key)
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
  func `never appears when the request is wrong`(input: String) async throws {
    let outcome = await WeatherHook.run(Data(input.utf8))
    let said = String(decoding: outcome.output, as: UTF8.self) + (outcome.errorMessage ?? "")
    #expect(!said.isEmpty)
    expectNoKey(in: said)
  }

  @Test func `is not sent to a provider that takes none`() async throws {
    try await withStandIn { standIn in
      _ = await WeatherHook.answer(question(standIn, key: "0123456789abcdef"))
      let asked = try #require(standIn.requests.first)
      #expect(!"\(asked)".contains("0123456789abcdef"))
    }
  }

  @Test func `does not print`() throws {
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
