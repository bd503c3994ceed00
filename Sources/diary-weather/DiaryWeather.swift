// diary-weather: a request on standard input, an answer on standard output (docs/weather-hook.md).

import Foundation
import Localization
import WeatherService

/// The program.
package struct DiaryWeather {
  /// Runs it with the words behind its name; there should be none.
  package static func main(_ words: @Sendable () throws -> [String]) async -> Never {
    Translation.select(ProcessInfo.processInfo.environment)
    guard (try? words())?.isEmpty == true, isatty(STDIN_FILENO) == 0 else {
      complain(localized("usage: diary-weather < request.json (see docs/weather-hook.md)"))
      exit(64)
    }
    let outcome = await WeatherHook.run(FileHandle.standardInput.readDataToEndOfFile())
    if let complaint = outcome.complaint { complain(complaint) }
    try? FileHandle.standardOutput.write(contentsOf: outcome.output)
    exit(outcome.status)
  }

  private static func complain(_ sentence: String) {
    try? FileHandle.standardError.write(contentsOf: Data("diary-weather: \(sentence)\n".utf8))
  }
}
