import DiaryCore
import Foundation
import Glibc
import Subprocess
import SystemPackage
import Testing
import WeatherStandIn

@testable import WeatherService

/// 2026-11-21T12:04:00Z, a Saturday.
let noon = 1_795_262_640

/// A test's own provider, gone when the test is.
func withStandIn(
  _ behaviour: StandIn.Behaviour = .answering, _ body: (StandIn) async throws -> Void
) async throws {
  let standIn = try await StandIn.start()
  standIn.behaviour = behaviour
  let outcome: Result<Void, any Error>
  do { outcome = .success(try await body(standIn)) } catch { outcome = .failure(error) }
  await standIn.stop()
  try outcome.get()
}

/// A request for the sky over Seoul.
func question(
  _ standIn: StandIn, _ provider: String = "open-meteo", at moments: [Int] = [], key: String? = nil
) -> WeatherRequest {
  WeatherRequest(
    ask: .weather, provider: provider, url: standIn.url,
    key: provider == "openweather" ? key ?? "0123456789abcdef" : key, latitude: 37.57,
    longitude: 126.98, moments: moments, now: noon)
}

/// A request for the whereabouts of a name.
func lookUp(
  _ name: String, _ standIn: StandIn, _ provider: String = "open-meteo", language: String? = nil
) -> WeatherRequest {
  WeatherRequest(
    ask: .place, provider: provider, url: standIn.url, key: "0123456789abcdef", name: name,
    language: language, now: noon)
}

/// A day that must exist.
func day(_ year: Int, _ month: Int, _ day: Int) throws -> Day {
  try #require(Day(year: year, month: month, day: day))
}

/// What the built program wrote and how it ended.
struct HookRun {
  var output: String
  var error: String
  /// `nil` when a signal ended it.
  var status: Int32?
}

/// Text as a program's standard input: a file without a name. Through a pipe, a program that ends
/// without reading would end the tests with it.
func asInput<Result: Sendable>(
  _ text: String, _ body: (FileDescriptor) async throws -> Result
) async throws -> Result {
  let place = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
  try text.write(toFile: place, atomically: false, encoding: .utf8)
  let file = try FileDescriptor.open(FilePath(place), .readOnly)
  try FileManager.default.removeItem(atPath: place)
  defer { try? file.close() }
  return try await body(file)
}

/// Runs the built `diary-weather`, which lies beside the tests, with this standard input.
func runHook(_ input: String, arguments: [String] = []) async throws -> HookRun {
  let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
  let folder = URL(fileURLWithPath: tests).deletingLastPathComponent().path
  let result = try await asInput(input) { file in
    try await run(
      .name("diary-weather"), arguments: Arguments(arguments),
      environment: .inherit.updating(["PATH": folder]),
      input: .fileDescriptor(file, closeAfterSpawningProcess: false),
      output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
  }
  var status: Int32?
  if case .exited(let code) = result.terminationStatus { status = code }
  return HookRun(output: result.standardOutput, error: result.standardError, status: status)
}

/// A request as the hook reads it.
func json(_ request: WeatherRequest) throws -> String {
  String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
}
