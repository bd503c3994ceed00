import DiaryCore
import EntryFiles
import Foundation
import Localization

extension JournalWeather {
  /// Looks up the name of a place, which is sent to the provider.
  package func geocode(_ name: String, seconds: Double = 10) async throws -> [Place] {
    try await JournalWeather.geocode(name, journal.settings, journal.environment, seconds: seconds)
  }

  /// Looks up the name of a place before there is a journal.
  package static func geocode(
    _ name: String, _ settings: Settings, _ environment: RuntimeEnvironment, seconds: Double = 10
  ) async throws -> [Place] {
    if let place = Place(coordinates: name) { return [place] }
    var settings = settings
    if settings.weatherProvider == .off { settings.weatherProvider = .openMeteo }
    let request = WeatherRequest(
      ask: .place, provider: settings.weatherProvider.rawValue, url: settings.weatherURL,
      key: settings.weatherProvider == .openWeather ? settings.openWeatherKey : nil, name: name,
      language: environment.language, now: environment.now())
    let answer = try await runWeatherHook(request, settings, environment, seconds: seconds)
    if let failure = answer.failure { throw DiaryError(failure, environment) }
    guard !answer.places.isEmpty else {
      throw DiaryError(
        localized("no place named \(name) was found"), kind: .nothingFound,
        hint: localized("try the nearest town, or coordinates such as 37.57,126.98"))
    }
    return answer.places.map {
      Place(
        name: [$0.name, $0.detail].filter { !$0.isEmpty }.joined(separator: ", "),
        latitude: $0.latitude, longitude: $0.longitude)
    }
  }

  /// Writes the place into the personal settings: from now on its weather is requested.
  package static func setPlace(_ place: Place, _ environment: RuntimeEnvironment) throws {
    let place = place.rounded
    try updatePersonalSettings(environment) { file in
      let parts: [SettingValue.Field] =
        (place.name.map { [.init("name", .text($0))] } ?? []) + [
          .init("latitude", .text(String(format: "%.2f", place.latitude))),
          .init("longitude", .text(String(format: "%.2f", place.longitude))),
        ]
      try file.set("place", .mapping(parts))
      if JournalFinder.personalSettings(environment).weatherProvider == .off {
        try file.set("weather.provider", .text("open-meteo"))
      }
    }
  }

  /// Removes the place: nothing is sent any more.
  package static func removePlace(_ environment: RuntimeEnvironment) throws {
    try updatePersonalSettings(environment) { file in try file.remove("place") }
  }

  /// Records that the user wants no weather, so that it is not offered again.
  package static func declineWeather(_ environment: RuntimeEnvironment) throws {
    guard JournalFinder.personalSettings(environment).weatherProvider == .openMeteo else { return }
    try updatePersonalSettings(environment) { file in
      try file.set("weather.provider", .text("off"))
    }
  }

  /// Changes the personal settings file, which is created if it is missing.
  static func updatePersonalSettings(
    _ environment: RuntimeEnvironment, _ change: (inout SettingsFile) throws -> Void
  ) throws {
    let path = environment.personalSettingsPath
    do {
      try FileManager.default.createDirectory(
        atPath: environment.configDirectory, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      var file = SettingsFile(FileManager.default.contents(atPath: path).map { Array($0) } ?? [])
      try change(&file)
      // A symlinked settings file (dotfiles in a repository) stays a link: its target is written.
      let target = URL(fileURLWithPath: path).resolvingSymlinksInPath()
      try Data(file.bytes).write(to: target, options: .atomic)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: target.path)
    } catch let error as DiaryError {
      throw error
    } catch {
      throw DiaryError(
        localized("cannot write \(path): \(DiaryError.message(of: error))"),
        hint: localized("make it writable, then try again"))
    }
  }

  /// Stamps one entry with the weather of its own time and place. Never replaces an existing value.
  package func stamp(_ path: EntryPath) async throws -> String {
    guard journal.settings.weatherProvider != .off else { throw DiaryError.weatherIsOff }
    guard let entry = try entry(at: path) else { throw DiaryError.missingFile(path) }
    if let weather = entry.weather {
      throw DiaryError(
        localized("\(path.text) already has its weather: \(weather.text)"),
        hint: localized("to get it again, delete the value of `weather:` in the entry"))
    }
    guard needsWeather(path) else {
      throw DiaryError(localized("the header of \(path.text) turns weather off"))
    }
    guard let date = entry.date else {
      throw DiaryError(
        localized("\(path.text) has no date, so it gets no weather"),
        hint: localized("add a `date:` to its header"))
    }
    let place = try await geocodedPlace(for: entry)
    let moment = date.seconds == nil ? date.instant + 12 * 3600 : date.instant
    guard let text = try await observation(at: moment, place: place, seconds: 10).flatMap(stampText)
    else {
      throw DiaryError(
        localized("the provider has no weather for \(date) at this place"), kind: .nothingFound,
        hint: localized("try `diary weather stamp` again in a few days"))
    }
    try await journal.locked { locked in
      let file = try await locked.saver.enter([path]).file(at: path)
      let attempt = try await locked.writeStamp(
        file, moment: moment, weather: text, allowsPlainRename: true)
      switch attempt {
      case .written(_, let aside): aside?.discard()
      case .unneeded: break
      case .refused(let refusal): throw refusal.error(for: path)
      }
      try locked.update(journal.state.queuedStamps) { $0.removeAll { $0.path == path.text } }
      _ = try await locked.saver.saveCommandChanges([path])
    }
    return text
  }

  /// The place of the entry's weather; an unknown name is looked up now.
  private func geocodedPlace(for entry: Entry) async throws -> Place {
    if let place = weatherPlace(for: entry) { return place }
    guard let name = entry.place, let place = try await geocode(name).first else {
      throw DiaryError.weatherIsOff
    }
    try await journal.locked {
      try $0.update(journal.state.places) { $0[name.lowercased()] = place }
    }
    return place
  }
}

extension RuntimeEnvironment {
  /// The user's language as a BCP 47 tag, from `LC_ALL`, `LC_MESSAGES` or `LANG`.
  var language: String? {
    let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
    guard let locale = names.lazy.compactMap({ variables[$0] }).first(where: { !$0.isEmpty }),
      locale != "C", locale != "POSIX", !locale.hasPrefix("C.")
    else { return nil }
    return locale.split(whereSeparator: { "_.@".contains($0) }).first.map(String.init)
  }
}
