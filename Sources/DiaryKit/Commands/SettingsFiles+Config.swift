import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Localization

extension SettingsFiles {
  /// The path of a journal's settings file, relative to its folder.
  static let sharedSettingsPath = ".diary/config.yml"

  /// The settings of this journal from its files and the environment.
  package var settingsSource: SettingsSource {
    Self.settingsSource(of: journal.folder, journal.environment).source
  }

  /// The settings outside all journals.
  package static func settingsSource(_ environment: RuntimeEnvironment) -> SettingsSource {
    SettingsSource(
      shared: nil, sharedName: sharedSettingsPath,
      personal: FileManager.default.contents(atPath: environment.personalSettingsPath).map {
        Array($0)
      },
      personalName: environment.personalSettingsPath, environment: environment.variables)
  }

  /// A journal's settings, with a problem if its file could not be read.
  static func settingsSource(
    of folder: JournalFolder, _ environment: RuntimeEnvironment
  ) -> (source: SettingsSource, problems: [SettingsProblem]) {
    var source = settingsSource(environment)
    do throws(FileError) {
      source.shared =
        try EntryPath(sharedSettingsPath).map { path throws(FileError) in
          try folder.read(path)?.bytes
        } ?? nil
    } catch {
      let message = localized("the settings cannot be read: \(error.reason)")
      return (source, [SettingsProblem(source: sharedSettingsPath, line: nil, message: message)])
    }
    return (source, [])
  }

  /// Changes one setting of the user's own file; `nil` removes it. Every other byte stays the same.
  package static func configure(
    _ key: String, to value: SettingValue?, in source: SettingsSource,
    _ environment: RuntimeEnvironment
  ) throws {
    if case .text(let text)? = value, key == "place", let place = Place(coordinates: text) {
      return try JournalWeather.setPlace(place, environment)
    }
    try JournalWeather.updatePersonalSettings(environment) { file in
      try change(key, to: value, in: &file)
      var after = source
      after.personal = file.bytes
      try refuseNewProblems(in: after, since: source)
    }
  }

  /// Changes one setting of the journal's own file, and saves the file as other commands do.
  package func configure(_ key: String, to value: SettingValue?) async throws -> SaveOutcome {
    guard let path = EntryPath(SettingsFiles.sharedSettingsPath) else {
      preconditionFailure("it is a path")
    }
    return try await journal.locked { locked in
      try await locked.writeSetting(key, value, path)
      if key == "sync.remote" { try await chooseRemote(value) }
      return try await locked.saver.saveCommandChanges([path])
    }
  }

  /// Lets the remote that the setting names take the place of this device's sealed one, if git has it.
  fileprivate func chooseRemote(_ value: SettingValue?) async throws {
    let repository = try journal.repository
    guard case .text(let name)? = value,
      let remote = try await repository.remotes().first(where: { $0.name == name })
    else { return }
    if remote.sealedURL != nil {
      try await repository.setLocalConfig([(RemoteSync.sealedRemoteKey, name)])
    } else {
      try await repository.removeLocalConfig([RemoteSync.sealedRemoteKey])
    }
  }

  fileprivate static func change(
    _ key: String, to value: SettingValue?, in file: inout SettingsFile
  ) throws(SettingsFileError) {
    if let value { try file.set(key, value) } else { try file.remove(key) }
  }

  /// Throws if the change causes a problem: a valid value may conflict with another setting.
  fileprivate static func refuseNewProblems(
    in after: SettingsSource, since before: SettingsSource
  ) throws(DiaryError) {
    let known = Set(before.problems.map(\.message))
    guard let new = after.problems.first(where: { !known.contains($0.message) }) else { return }
    throw DiaryError(new.message, hint: localized("nothing was changed"))
  }
}

extension LockedJournal {
  fileprivate func writeSetting(
    _ key: String, _ value: SettingValue?, _ path: EntryPath
  ) async throws {
    for _ in 0..<10 {
      let settled = try await saver.enter([path]).file(at: path)
      var source = journal.settingsFiles.settingsSource
      source.shared = settled.content?.bytes
      var file = SettingsFile(source.shared ?? [])
      do { try SettingsFiles.change(key, to: value, in: &file) } catch {
        throw DiaryError(
          localized("cannot change \(path.text): \(DiaryError.message(of: error))"),
          hint: localized("edit \(journal.root)/\(path.text) by hand"))
      }
      var after = source
      after.shared = file.bytes
      try SettingsFiles.refuseNewProblems(in: after, since: source)
      if file.bytes == source.shared ?? [] { return }
      if settled.content == nil { return try journal.folder.create(path, file.bytes) }
      if case .replaced(let aside) = try saver.attemptReplace(
        settled, with: file.bytes, syncsName: true)
      {
        aside?.discard()
        return
      }
    }
    throw DiaryError.keepsChanging(path)
  }
}
