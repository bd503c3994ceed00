import DiaryCore
import Foundation
import Testing
import WeatherStandIn

@testable import WeatherService

/// The built program, run as Diary runs it.
@Suite(.serialized) struct HookTests {
  @Test func `reads a request and writes an answer`() async throws {
    try await withFakeProvider { standIn in
      let outcome = try await runHook(json(weatherRequest(standIn)))
      #expect(outcome.status == 0)
      #expect(outcome.error == "")
      #expect(
        outcome.output
          == #"{"places":[],"skies":[{"celsius":7.2,"condition":"Rain","isNight":false,"moment":\#(noon)}]}"#
          + "\n")
    }
  }

  @Test func `a failure is reported as an answer`() async throws {
    try await withFakeProvider(.failing(429, retryAfter: "30")) { standIn in
      let outcome = try await runHook(json(weatherRequest(standIn, "openweather")))
      #expect(outcome.status == 0)
      let answer = try JSONDecoder().decode(WeatherAnswer.self, from: Data(outcome.output.utf8))
      #expect(answer.failure?.kind == .busy)
      #expect(answer.failure?.retryAfter == 30)
    }
  }

  @Test(arguments: ["", "{}", "[]", "weather", "{\"version\":1}"])
  func `an invalid request ends with exit code 64 and a message`(input: String) async throws {
    let outcome = try await runHook(input)
    #expect(outcome.status == 64)
    #expect(outcome.output == "")
    #expect(outcome.error.hasPrefix("diary-weather: "))
    #expect(outcome.error.hasSuffix("\n") && outcome.error.split(separator: "\n").count == 1)
  }

  @Test func `takes no arguments`() async throws {
    let outcome = try await runHook("{}", arguments: ["--help"])
    #expect(outcome.status == 64)
    #expect(outcome.error.hasPrefix("diary-weather: usage: "))
  }

  @Test func `names the invalid field`() async throws {
    let outcome = await WeatherHook.run(
      Data(#"{"version":1,"ask":"weather","provider":"x","moments":[1,"2"],"now":1}"#.utf8))
    #expect(outcome.status == 64)
    #expect(outcome.errorMessage?.contains("\"moments\"") == true)
  }

  @Test func `rejects a request from the future and an unknown provider`() async throws {
    try await withFakeProvider { standIn in
      var later = weatherRequest(standIn)
      later.version = 2
      #expect(await WeatherHook.answer(later).failure?.message.contains("version 1") == true)
      let failure = await WeatherHook.answer(weatherRequest(standIn, "met")).failure
      #expect(failure?.kind == .unusable)
      #expect(standIn.requests.isEmpty)
    }
  }
}
