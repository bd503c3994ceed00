import DiaryCore
import Foundation
import Subprocess
import TestSupport
import Testing

@testable import WeatherService

/// `docs/weather-hook.md` is a contract, so its examples are run.
@Suite(.serialized) struct DocumentTests {
  /// The fenced code blocks of a language, in order.
  private func examples(in language: String) throws -> [String] {
    let document = Project.root.appendingPathComponent("docs/weather-hook.md")
    let text = try String(contentsOf: document, encoding: .utf8)
    return text.components(separatedBy: "\n```\(language)\n").dropFirst().compactMap {
      $0.components(separatedBy: "\n```").first
    }
  }

  @Test func `the JSON examples match the format that Diary uses`() throws {
    let blocks = try examples(in: "json").map { Data($0.utf8) }
    let requests = blocks.compactMap { try? JSONDecoder().decode(WeatherRequest.self, from: $0) }
    let answers = blocks.compactMap { try? JSONDecoder().decode(WeatherAnswer.self, from: $0) }
    #expect(requests.map(\.ask) == [.weather, .place])
    #expect(requests.first?.moments == [1_795_262_640])
    #expect(answers.count == 3 && blocks.count == 5)
    #expect(answers.first?.skies.first?.condition == .rain)
    #expect(answers.last?.failure?.kind == .busy)
  }

  @Test func `the document names every condition`() throws {
    let document = Project.root.appendingPathComponent("docs/weather-hook.md")
    let text = try String(contentsOf: document, encoding: .utf8)
    for condition in Condition.allCases { #expect(text.contains("`\(condition.rawValue)`")) }
  }

  @Test func `the example hook in sh answers`() async throws {
    try await expectAnswers(
      from: "sh", data: "7.5\n",
      skies: [
        WeatherAnswer.Observation(moment: noon - 7200, condition: nil, celsius: nil),
        WeatherAnswer.Observation(moment: noon - 60, condition: nil, celsius: 7.5),
      ])
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")))
  func `the example hook in Python answers`() async throws {
    try await expectAnswers(
      from: "python", data: "\(noon - 9000),Snow,-2\n\(noon - 7300),Fog,1\n\(noon - 90),Rain,7.5\n",
      skies: [
        WeatherAnswer.Observation(moment: noon - 7200, condition: .fog, celsius: 1),
        WeatherAnswer.Observation(moment: noon - 60, condition: .rain, celsius: 7.5),
      ])
  }

  private func expectAnswers(
    from language: String, data: String, skies: [WeatherAnswer.Observation]
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (hook, readings) = (
      folder.appendingPathComponent("hook").path, folder.appendingPathComponent("readings").path
    )
    try #require(try examples(in: language).first).write(
      toFile: hook, atomically: false, encoding: .utf8)
    try data.write(toFile: readings, atomically: false, encoding: .utf8)
    func ask(_ request: WeatherRequest, _ readings: String) async throws -> WeatherAnswer {
      let result = try await withStandardInput(try json(request)) { file in
        try await run(
          .name(language == "sh" ? "sh" : "python3"), arguments: [hook, readings],
          input: .fileDescriptor(file, closeAfterSpawningProcess: false),
          output: .string(limit: 65536), error: .string(limit: 65536))
      }
      #expect(result.standardError == "")
      return try JSONDecoder().decode(
        WeatherAnswer.self, from: Data(result.standardOutput.utf8))
    }
    var request = WeatherRequest(
      ask: .weather, provider: "command", latitude: 37.57, longitude: 126.98,
      moments: skies.map(\.moment), now: noon)
    #expect(try await ask(request, readings) == WeatherAnswer(skies: skies))
    request.moments = []
    #expect(try await ask(request, readings).skies.map(\.celsius) == [7.5])
    #expect(try await ask(request, "/nowhere").failure?.kind == .unreachable)
    request.ask = .place
    #expect(try await ask(request, readings) == WeatherAnswer())
  }
}
