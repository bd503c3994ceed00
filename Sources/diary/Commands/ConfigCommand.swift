import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "config", abstract: localized("List the settings, show one, or change one."),
    discussion: localized(
      """
      KEY prints the current value; KEY and VALUE set it. Separate the values of a list by commas. \
      The file's other lines and comments stay.
      """))

  @Argument(help: ArgumentHelp(localized("The setting, such as units."), valueName: "key"))
  var key: String?
  @Argument(help: ArgumentHelp(localized("The new value."), valueName: "value"))
  var value: [String] = []
  @Flag(help: ArgumentHelp(localized("Remove the setting from the file; its default applies.")))
  var unset = false
  @Flag(help: ArgumentHelp(localized("Change the journal's file, which all devices share.")))
  var shared = false
  @Flag(help: ArgumentHelp(localized("Change your own file, on this device.")))
  var personal = false
  @Flag(help: ArgumentHelp(localized("Print a JSON array.")))
  var json = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if shared, personal {
      throw ValidationError(localized("choose one of --shared and --personal"))
    }
    let changes = unset || !value.isEmpty
    if unset, !value.isEmpty { throw ValidationError(localized("--unset takes no value")) }
    if unset, key == nil { throw ValidationError(localized("--unset needs the name of a setting")) }
    if json, changes {
      throw ValidationError(localized("--json cannot be used to change a setting"))
    }
    if !changes, shared || personal {
      throw ValidationError(localized("--shared and --personal are only for changing a setting"))
    }
  }

  func run() async throws {
    let environment = RuntimeEnvironment.current()
    let root = try? JournalFinder.find(named: common.folder(environment), environment)
    // A personal setting needs no journal, but a journal that is named must exist.
    let journal = !common.hasJournalOption && root == nil ? nil : try common.open()
    let source = journal?.settingsFiles.settingsSource ?? SettingsFiles.settingsSource(environment)
    guard let key else { return try await list(source.all) }
    if unset { return try await change(key, to: nil, source, journal, environment) }
    guard !value.isEmpty else { return try show(key, source) }
    let text = value.joined(separator: " ")
    let parsed: SettingValue?
    do { parsed = try SettingsSource.value(of: text, for: key) } catch {
      // Coordinates are a valid value; a name would have to be sent to the provider.
      guard key == "place", Place(coordinates: text) != nil else {
        throw DiaryError(
          error.message, kind: .usage,
          hint: key == "weather" && text == "on"
            ? localized("to turn it on: `diary weather on PLACE`")
            : localized("`diary config \(key)` shows what it is now; nothing was changed"))
      }
      parsed = .text(text)
    }
    guard let parsed else { throw unknownSettingError(key) }
    try await change(key, to: parsed, source, journal, environment)
  }

  private func list(_ states: [SettingState]) async throws {
    if json {
      return Console.print(json: try EntryJSON.encoded(states.map { SettingJSON($0) }))
    }
    var lines: [String] = []
    for state in states {
      let value =
        state.value.map { Console.escapedOnTerminal($0) } ?? localized("(set, but hidden)")
      let line = Console.styled(state.key, .bold) + (value.isEmpty ? "" : " = " + value)
      let origin =
        state.value == "" && state.origin == .defaultValue
        ? localized("not set") : Self.text(of: state.origin)
      lines.append(line + "  " + Console.styled("(\(origin))", .dim))
      lines += TextWrapper.lines(of: "  " + state.meaning, width: Console.width, indent: 2)
    }
    await Pager.show(lines)
  }

  private func show(_ key: String, _ source: SettingsSource) throws {
    if key.hasPrefix("journals.") {
      let name = String(key.dropFirst("journals.".count))
      guard let folder = Settings.load(source).0.journals[name] else { throw unsetError(key) }
      return Console.print(folder)
    }
    guard let state = source.all.first(where: { $0.key == key }) else {
      throw unknownSettingError(key)
    }
    if json { return Console.print(json: try EntryJSON.encoded([SettingJSON(state)])) }
    if key == "journals" {
      let journals = Settings.load(source).0.journals.sorted { $0.key < $1.key }
      let width = journals.map { displayWidth($0.key) }.max() ?? 0
      for (name, folder) in journals {
        Console.print(name + EntryTable.blanks(width - displayWidth(name)) + "  " + folder)
      }
      return
    }
    guard let value = state.value else {
      return common.printNotice(localized("\(key) is set, but hidden."))
    }
    if value.isEmpty { throw unsetError(key, state.meaning) }
    Console.print(value)
  }

  private func change(
    _ key: String, to value: SettingValue?, _ source: SettingsSource, _ journal: Journal?,
    _ environment: RuntimeEnvironment
  ) async throws {
    guard SettingsSource.isKnown(key) else { throw unknownSettingError(key) }
    let isPersonal = SettingsSource.isPersonal(key)
    if shared, isPersonal {
      throw DiaryError(
        localized(
          "\(key) is read only from your own settings, \(environment.personalSettingsPath)"),
        kind: .usage, hint: localized("leave out --shared"))
    }
    // A value in the user's own file would override the journal's.
    let origin = source.origin(of: key)
    if isPersonal || personal || (!shared && (journal == nil || origin == .personal)) {
      try SettingsFiles.configure(key, to: value, in: source, environment)
      common.printNotice(localized("Changed: \(Console.escaped(environment.personalSettingsPath))"))
    } else if let journal {
      let wasSealed = try await journal.remote.isSealed
      SaveReport.print(try await journal.settingsFiles.configure(key, to: value), common)
      if wasSealed, try await !journal.remote.isSealed {
        common.printNotice(
          localized(
            "The journal is no longer sealed: whoever can read this remote can read the journal."))
      }
    } else {
      throw DiaryError(
        localized("--shared needs a journal, and there is none here"), kind: .usage,
        hint: localized("go to its folder, or use --journal DIR"))
    }
    switch origin {
    case .environment(let variable):
      common.printNotice(localized("\(variable) is set in the environment and overrides it."))
    case .personal where shared:
      common.printNotice(
        localized(
          "\(Console.escaped(environment.personalSettingsPath)) also sets it, and "
            + "overrides it on this device."
        ))
    default: break
    }
    if journal?.runningWatcher != nil {
      common.printNotice(localized("The running watcher uses it after a restart."))
    }
  }

  private func unsetError(_ key: String, _ meaning: String = "") -> DiaryError {
    DiaryError(
      localized("\(key) is not set"), kind: .nothingFound, hint: meaning.isEmpty ? nil : meaning)
  }

  private func unknownSettingError(_ key: String) -> DiaryError {
    // `EDITOR` means `editor`, `daystart` means `day_starts_at`.
    func letters(_ text: String) -> String { text.lowercased().filter { !"_-".contains($0) } }
    let typed = letters(key)
    let suggestion =
      SettingsSource.keys.first { typed.count > 2 && letters($0).hasPrefix(typed) }
      ?? Suggestions.nearest(key.lowercased(), of: SettingsSource.keys)
    return DiaryError(
      localized("there is no setting \"\(key)\""), kind: .usage,
      hint: (suggestion.map { localized("did you mean `\($0)`? ") } ?? "")
        + localized("`diary config` lists all settings"))
  }

  private static func text(of origin: SettingState.Origin) -> String {
    switch origin {
    case .defaultValue: localized("default")
    case .shared: localized("the journal's file")
    case .personal: localized("your own file")
    case .environment(let variable): variable
    }
  }
}

/// A setting in `config --json`.
private struct SettingJSON: Encodable {
  let key: String
  let value: String?
  let standard: String
  let origin: String
  let variable: String?
  let meaning: String

  init(_ state: SettingState) {
    key = state.key
    value = state.value
    standard = state.defaultValue
    meaning = state.meaning
    var variableName: String?
    switch state.origin {
    case .defaultValue: origin = "default"
    case .shared: origin = "journal"
    case .personal: origin = "user"
    case .environment(let variable):
      origin = "environment"
      variableName = variable
    }
    variable = variableName
  }

  /// The JSON key is `default`, which is a keyword of Swift.
  enum CodingKeys: String, CodingKey {
    case key, value, origin, variable, meaning
    case standard = "default"
  }
}
