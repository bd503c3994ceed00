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

/// Runs `body` with its own fake provider, which is stopped afterwards.
func withFakeProvider(
  _ behaviour: FakeProvider.Behaviour = .answering, _ body: (FakeProvider) async throws -> Void
) async throws {
  let standIn = try await FakeProvider.start()
  standIn.behaviour = behaviour
  let outcome: Result<Void, any Error>
  do { outcome = .success(try await body(standIn)) } catch { outcome = .failure(error) }
  await standIn.stop()
  try outcome.get()
}

/// A request for the weather in Seoul.
func weatherRequest(
  _ standIn: FakeProvider, _ provider: String = "open-meteo", at moments: [Int] = [],
  key: String? = nil
) -> WeatherRequest {
  WeatherRequest(
    ask: .weather, provider: provider, url: standIn.url,
    key: provider == "openweather" ? key ?? "0123456789abcdef" : key, latitude: 37.57,
    longitude: 126.98, moments: moments, now: noon)
}

/// A request for the places of a name.
func placeRequest(
  _ name: String, _ standIn: FakeProvider, _ provider: String = "open-meteo",
  language: String? = nil
) -> WeatherRequest {
  WeatherRequest(
    ask: .place, provider: provider, url: standIn.url, key: "0123456789abcdef", name: name,
    language: language, now: noon)
}

/// A valid day.
func day(_ year: Int, _ month: Int, _ day: Int) throws -> Day {
  try #require(Day(year: year, month: month, day: day))
}

/// The output and exit status of the built program.
struct HookResult {
  var output: String
  var error: String
  /// The exit status; `nil` if a signal ended the program.
  var status: Int32?
}

/// Provides text as standard input in an unnamed file. If the program ended without reading a pipe,
/// SIGPIPE would end the tests.
func withStandardInput<Result: Sendable>(
  _ text: String, _ body: (FileDescriptor) async throws -> Result
) async throws -> Result {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
  try text.write(toFile: path, atomically: false, encoding: .utf8)
  let file = try FileDescriptor.open(FilePath(path), .readOnly)
  try FileManager.default.removeItem(atPath: path)
  defer { try? file.close() }
  return try await body(file)
}

/// Runs the built `diary-weather`, from the folder of the tests, with this standard input.
func runHook(_ input: String, arguments: [String] = []) async throws -> HookResult {
  let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
  let folder = URL(fileURLWithPath: tests).deletingLastPathComponent().path
  let result = try await withStandardInput(input) { file in
    try await run(
      .name("diary-weather"), arguments: Arguments(arguments),
      environment: .inherit.updating(["PATH": folder]),
      input: .fileDescriptor(file, closeAfterSpawningProcess: false),
      output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
  }
  var status: Int32?
  if case .exited(let code) = result.terminationStatus { status = code }
  return HookResult(output: result.standardOutput, error: result.standardError, status: status)
}

/// The JSON of a request, as the hook receives it.
func json(_ request: WeatherRequest) throws -> String {
  String(decoding: try JSONEncoder().encode(request), as: UTF8.self)
}
