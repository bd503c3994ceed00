import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Localization

extension JournalWeather {
  /// True if the user has set a place and a provider may be asked.
  package var canFetchWeather: Bool {
    journal.settings.weatherProvider != .off && journal.settings.place != nil
  }

  /// Runs the weather hook. An answer may contain results and an error of the provider.
  func runWeatherHook(_ request: WeatherRequest, seconds: Double) async throws(DiaryError)
    -> WeatherAnswer
  {
    try await JournalWeather.runWeatherHook(
      request, journal.settings, journal.environment, seconds: seconds)
  }

  static func runWeatherHook(
    _ request: WeatherRequest, _ settings: Settings, _ environment: RuntimeEnvironment,
    seconds: Double
  ) async throws(DiaryError) -> WeatherAnswer {
    let programs = ProcessRunner(environment: environment)
    let command = try hookCommand(settings, environment)
    let input = (try? JSONEncoder().encode(request)).map { Array($0) } ?? []
    // The hook gets the variables of a network program, not the rest of the user's environment.
    let allowed = [
      "PATH", "HOME", "LANG", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR", "http_proxy", "https_proxy",
      "HTTP_PROXY", "HTTPS_PROXY", "no_proxy", "NO_PROXY", "all_proxy", "ALL_PROXY",
    ]
    let environment = environment.variables.filter { allowed.contains($0.key) }
    guard
      let result = try await programs.run(
        command, input: input, timeout: seconds, environment: environment)
    else {
      throw DiaryError(
        localized("the provider did not answer within \(Int(seconds.rounded(.up))) s"))
    }
    guard let answer = try? JSONDecoder().decode(WeatherAnswer.self, from: Data(result.output))
    else {
      throw DiaryError(
        localized(
          "the weather hook \(command[0]) gave no valid answer (exit code \(result.status))"),
        details: result.errors.split(separator: "\n").prefix(3).map(String.init),
        hint: localized("docs/weather-hook.md describes the answer"))
    }
    return answer
  }

  private static func hookCommand(
    _ settings: Settings, _ environment: RuntimeEnvironment
  ) throws(DiaryError) -> [String] {
    if settings.weatherProvider == .command {
      guard !settings.weatherCommand.isEmpty else {
        throw DiaryError(
          localized("the weather provider is `command`, but no command is set"),
          hint: localized(
            "add `weather: {provider: command, command: [program]}` to \(environment.personalSettingsPath)"
          ))
      }
      return settings.weatherCommand
    }
    let (program, paths) = environment.diaryProgram("diary-weather")
    if let program { return [program] }
    throw DiaryError(
      localized("the weather hook is missing: neither \(paths[0]) nor \(paths[1]) exists"),
      hint: localized("install Diary with `make install`, which installs the hook"))
  }

  func weatherRequest(
    _ ask: WeatherRequest.Question, name: String? = nil, place: Place? = nil, moments: [Int] = []
  ) -> WeatherRequest {
    return WeatherRequest(
      ask: ask, provider: journal.settings.weatherProvider.rawValue,
      url: journal.settings.weatherURL,
      key: journal.settings.weatherProvider == .openWeather ? journal.settings.openWeatherKey : nil,
      name: name,
      latitude: place?.rounded.latitude, longitude: place?.rounded.longitude,
      moments: moments, now: journal.now)
  }

  /// The weather at each moment that the provider knows, from the cache if it was fetched before,
  /// and the error for the remaining moments, if there was one.
  func observations(
    at moments: [Int], place: Place, seconds: Double
  ) async throws -> (known: [Int: WeatherAnswer.Observation], failure: WeatherAnswer.Failure?) {
    func key(_ moment: Int) -> String {
      let position = String(format: "%.2f %.2f", place.latitude, place.longitude)
      return "\(journal.settings.weatherProvider.rawValue) \(position) \(moment / 3600)"
    }
    let cached = journal.state.weatherAnswers.read()
    let hours = Dictionary(grouping: moments.filter { cached[key($0)] == nil }) { $0 / 3600 }
    var known = cached
    var failure: WeatherAnswer.Failure?
    if !hours.isEmpty {
      let asked = hours.values.compactMap(\.first).sorted()
      let answer = try await runWeatherHook(
        weatherRequest(.weather, place: place, moments: asked), seconds: seconds)
      if cached.count > 20_000 {
        known = known.filter { entry in moments.map(key).contains(entry.key) }
      }
      // A moment without a value is requested again another time.
      for observation in answer.skies
      where observation.condition != nil || observation.celsius != nil {
        known[key(observation.moment)] = observation
      }
      failure = answer.failure
      journal.makeCacheFolder()
      try? journal.state.weatherAnswers.write(known)
    }
    return (
      Dictionary(moments.compactMap { moment in known[key(moment)].map { (moment, $0) } }) { $1 },
      failure
    )
  }

  /// The weather at one moment; `nil` if the provider has no value for it (yet).
  func observation(at moment: Int, place: Place, seconds: Double) async throws -> WeatherAnswer
    .Observation?
  {
    let answer = try await observations(at: [moment], place: place, seconds: seconds)
    if let sky = answer.known[moment] {
      journal.state.weatherBackoff.remove()
      return sky
    }
    if let failure = answer.failure { throw DiaryError(failure, journal.environment) }
    return nil
  }

  /// The text of a stamp, in the journal's units.
  func stampText(_ observation: WeatherAnswer.Observation) -> String? {
    let text = Weather.stamp(
      condition: observation.condition, celsius: observation.celsius, units: journal.settings.units)
    return text.isEmpty ? nil : text
  }

  /// The place of an entry's weather: its own `place:` (coordinates, or a name that was looked up
  /// before), otherwise the settings'. `nil` if the name was not looked up: nothing is sent.
  func weatherPlace(for entry: Entry?) -> Place? {
    guard let name = entry?.place, !name.isEmpty else { return journal.settings.place }
    if let place = Place(coordinates: name) { return place }
    if name.caseInsensitiveCompare(journal.settings.place?.name ?? "") == .orderedSame {
      return journal.settings.place
    }
    return journal.state.places.read()[name.lowercased()]
  }

  /// The weather text for an entry, fetched in the background.
  func weatherText(at moment: Int, for path: EntryPath, seconds: Double) async throws -> String? {
    guard let place = weatherPlace(for: try? entry(at: path)) else { return nil }
    return try await weatherText(at: moment, place: place, seconds: seconds)
  }

  /// The weather text of a moment, fetched in the background: backs off after failures.
  func weatherText(at moment: Int, place: Place, seconds: Double) async throws -> String? {
    let backoff = journal.state.weatherBackoff.read()
    guard backoff.notBefore <= journal.now else {
      throw DiaryError(localized("no weather: \(backoff.message)"))
    }
    let answer: (known: [Int: WeatherAnswer.Observation], failure: WeatherAnswer.Failure?)
    do {
      answer = try await observations(at: [moment], place: place, seconds: seconds)
    } catch {
      let message = DiaryError(error).message
      answer = ([:], WeatherAnswer.Failure(kind: .unreachable, message: message))
    }
    if let failure = answer.failure {
      try? journal.state.weatherBackoff.write(backoff.next(after: failure, at: journal.now))
      throw DiaryError(failure, journal.environment)
    }
    if backoff.failures > 0 { journal.state.weatherBackoff.remove() }
    return answer.known[moment].flatMap(stampText)
  }

  /// The current weather at the settings' place, as `diary weather now` shows it.
  package func weatherNow() async throws -> (place: Place, weather: Weather, isNight: Bool) {
    guard let place = journal.settings.place, journal.settings.weatherProvider != .off else {
      throw DiaryError.weatherIsOff
    }
    let moment = journal.now
    let observation = try await observation(at: moment, place: place, seconds: 10)
    guard let observation, let text = stampText(observation) else {
      throw DiaryError(localized("the provider has no weather for this hour"), kind: .nothingFound)
    }
    return (
      place, Weather(text: text, condition: observation.condition, celsius: observation.celsius),
      observation.isNight ?? false
    )
  }

  /// The entry at a path, from the current file.
  func entry(at path: EntryPath) throws -> Entry? {
    try journal.folder.read(path).map {
      Entry(path: path, text: EntryText($0.bytes), settings: journal.settings, zone: journal.zone)
    }
  }
}

extension Place {
  /// Parses coordinates such as `37.57, 126.98`; `nil` for anything else.
  package init?(coordinates text: String) {
    let parts = text.split(whereSeparator: { $0 == "," || $0 == " " })
    guard parts.count == 2, let latitude = Double(parts[0]), let longitude = Double(parts[1]),
      (-90...90).contains(latitude), (-180...180).contains(longitude)
    else { return nil }
    self.init(name: nil, latitude: latitude, longitude: longitude)
  }
}
