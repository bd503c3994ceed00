// diary-weather: a request on standard input, an answer on standard output (docs/weather-hook.md).

import Foundation
import Localization
import WeatherService

/// The entry point of the program.
package struct DiaryWeather {
  /// Runs the program with its arguments, of which there should be none.
  package static func main(_ arguments: @Sendable () throws -> [String]) async -> Never {
    Translation.select(ProcessInfo.processInfo.environment)
    guard (try? arguments())?.isEmpty == true, isatty(STDIN_FILENO) == 0 else {
      printError(localized("usage: diary-weather < request.json (see docs/weather-hook.md)"))
      exit(64)
    }
    let outcome = await WeatherHook.run(FileHandle.standardInput.readDataToEndOfFile())
    if let complaint = outcome.errorMessage { printError(complaint) }
    try? FileHandle.standardOutput.write(contentsOf: outcome.output)
    exit(outcome.status)
  }

  private static func printError(_ message: String) {
    try? FileHandle.standardError.write(contentsOf: Data("diary-weather: \(message)\n".utf8))
  }
}
