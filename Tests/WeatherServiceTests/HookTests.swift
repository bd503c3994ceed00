import DiaryCore
import Foundation
import Testing
import WeatherStandIn

@testable import WeatherService

/// The built program, as Diary runs it.
@Suite(.serialized) struct HookTests {
  @Test func `reads a request and writes an answer`() async throws {
    try await withStandIn { standIn in
      let outcome = try await runHook(json(question(standIn)))
      #expect(outcome.status == 0)
      #expect(outcome.error == "")
      #expect(
        outcome.output
          == #"{"places":[],"skies":[{"celsius":7.2,"condition":"Rain","isNight":false,"moment":\#(noon)}]}"#
          + "\n")
    }
  }

  @Test func `a failure is an answer too`() async throws {
    try await withStandIn(.failing(429, retryAfter: "30")) { standIn in
      let outcome = try await runHook(json(question(standIn, "openweather")))
      #expect(outcome.status == 0)
      let answer = try JSONDecoder().decode(WeatherAnswer.self, from: Data(outcome.output.utf8))
      #expect(answer.failure?.kind == .busy)
      #expect(answer.failure?.retryAfter == 30)
    }
  }

  @Test(arguments: ["", "{}", "[]", "weather", "{\"version\":1}"])
  func `what is no request ends with 64 and a sentence`(input: String) async throws {
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

  @Test func `names the field that is wrong`() async throws {
    let outcome = await WeatherHook.run(
      Data(#"{"version":1,"ask":"weather","provider":"x","moments":[1,"2"],"now":1}"#.utf8))
    #expect(outcome.status == 64)
    #expect(outcome.errorMessage?.contains("\"moments\"") == true)
  }

  @Test func `refuses a request from the future and an unknown provider`() async throws {
    try await withStandIn { standIn in
      var later = question(standIn)
      later.version = 2
      #expect(await WeatherHook.answer(later).failure?.message.contains("version 1") == true)
      let failure = await WeatherHook.answer(question(standIn, "met")).failure
      #expect(failure?.kind == .unusable)
      #expect(standIn.requests.isEmpty)
    }
  }
}
