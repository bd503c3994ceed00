import Foundation
import Localization

extension Settings {
  /// Loads the effective settings: the shared file, overridden key by key by the personal one,
  /// overridden by the environment (`DIARY_DAY_STARTS_AT`, nested keys joined by `__`). Invalid,
  /// unknown and misplaced settings are ignored and, except unknown variables, reported. They never
  /// prevent a save.
  package static func load(
    shared: [UInt8]?, sharedName: String, personal: [UInt8]?, personalName: String,
    environment: [String: String]
  ) -> (Settings, [SettingsProblem]) {
    load(
      SettingsSource(
        shared: shared, sharedName: sharedName, personal: personal, personalName: personalName,
        environment: environment))
  }

  package static func load(_ source: SettingsSource) -> (Settings, [SettingsProblem]) {
    source.read().result()
  }
}

/// The sources of settings: both files, each with its name for messages, and the environment.
package struct SettingsSource: Sendable {
  /// The journal's file. `nil` if there is none.
  package var shared: [UInt8]?
  package var sharedName: String
  /// The user's file. `nil` if there is none.
  package var personal: [UInt8]?
  package var personalName: String
  package var environment: [String: String]

  package init(
    shared: [UInt8]?, sharedName: String, personal: [UInt8]?, personalName: String,
    environment: [String: String]
  ) {
    self.shared = shared
    self.sharedName = sharedName
    self.personal = personal
    self.personalName = personalName
    self.environment = environment
  }

  fileprivate func read() -> SettingsLoader {
    var loader = SettingsLoader(sharedName: sharedName, personalName: personalName)
    if let shared { loader.read(shared, name: sharedName, isShared: true) }
    if let personal { loader.read(personal, name: personalName, isShared: false) }
    loader.read(environment)
    return loader
  }

  /// The effective settings, the origin of each explicit value, and all problems.
  func states() -> (
    settings: Settings, origins: [String: SettingOrigin], problems: [SettingsProblem]
  ) {
    let loader = read()
    let (settings, problems) = loader.result()
    return (settings, loader.origins, problems)
  }
}

/// The source of a setting, and its value there.
struct SettingOrigin {
  let source: SettingState.Origin
  let value: SettingValue
}

/// Combines two files and the environment into settings.
private struct SettingsLoader {
  let sharedName: String
  let personalName: String
  var draft = SettingsDraft()
  var problems: [SettingsProblem] = []
  /// Origins by the name under which a setting is listed.
  var origins: [String: SettingOrigin] = [:]

  init(sharedName: String, personalName: String) {
    self.sharedName = sharedName
    self.personalName = personalName
  }

  mutating func read(_ bytes: [UInt8], name: String, isShared: Bool) {
    let parsed: ParsedSettings
    do {
      parsed = try ParsedSettings(bytes)
    } catch {
      report(
        name, error.line,
        localized("the settings cannot be read: \(error.reason); all of them are ignored"))
      return
    }
    var reported: Set<String> = []
    for line in parsed.lines {
      if let rule = SettingRule.rule(for: line.key) {
        if !isShared || rule.scope == .shared {
          apply(
            rule, line.key, line.value, name, line.number, isShared ? .shared : .personal)
        } else if rule.scope == .secret {
          report(name, line.number, sharedSecretMessage(line.key, personalName))
        } else {
          let group = line.key == "autosave.files" ? line.key : line.group
          if reported.insert(group).inserted {
            report(
              name, line.number,
              localized(
                "\(group) is read only from the personal settings, \(personalName); it is ignored here"
              )
            )
          }
        }
      } else if isShared, isSecretName(line.key) {
        report(name, line.number, sharedSecretMessage(line.key, personalName))
      } else if SettingRule.groups.contains(line.key) {
        report(name, line.number, localized("\(line.key) must be a mapping; it is ignored"))
      } else if line.key == "hooks",
        SettingsEditor.fields(of: line.value).contains(where: { $0.key == "weather" })
      {
        report(
          name, line.number,
          localized("hooks.weather is not a setting; use weather.command"))
      } else {
        report(name, line.number, localized("\(line.key) is not a setting; it is ignored"))
      }
    }
  }

  mutating func read(_ environment: [String: String]) {
    for (variable, text) in environment.sorted(by: { $0.key < $1.key }) {
      // `DIARY_JOURNAL` is read elsewhere: the journal is located before its settings are read.
      guard variable.hasPrefix("DIARY_"), variable != "DIARY_JOURNAL", !text.isEmpty else {
        continue
      }
      let key = variable.dropFirst(6).lowercased().replacing("__", with: ".")
      guard let rule = SettingRule.rule(for: key) else { continue }
      let value = rule.isList ? SettingValue.commaSeparated(text) : .text(text)
      apply(rule, key, value, variable, nil, .environment(variable))
    }
  }

  func result() -> (Settings, [SettingsProblem]) {
    var settings = draft.settings
    var problems = problems
    if let latitude = draft.latitude, let longitude = draft.longitude {
      settings.place =
        Place(name: draft.placeName, latitude: latitude, longitude: longitude).rounded
    } else if draft.latitude != nil || draft.longitude != nil || draft.placeName != nil {
      problems.append(
        SettingsProblem(
          source: personalName, line: nil,
          message: localized(
            "place needs both latitude and longitude; there is no weather without them")))
    }
    if settings.longest < settings.settle {
      settings.longest = max(Settings().longest, settings.settle)
      problems.append(
        SettingsProblem(
          source: sharedName, line: nil,
          message: localized(
            "autosave.longest must not be shorter than autosave.settle;"
              + " \(SettingValue.durationText(seconds: settings.longest)) is used")))
    }
    if settings.weatherProvider == .command, settings.weatherCommand.isEmpty {
      settings.weatherProvider = .off
      problems.append(
        SettingsProblem(
          source: personalName, line: nil,
          message: localized(
            "weather.provider is command, but weather.command names no program;"
              + " the weather is off")))
    }
    return (settings, problems)
  }

  private mutating func apply(
    _ rule: SettingRule, _ key: String, _ value: SettingValue, _ source: String, _ line: Int?,
    _ origin: SettingState.Origin
  ) {
    let before = draft
    do {
      try rule.apply(&draft, value)
      origins[rule.parentKey ?? key] = SettingOrigin(source: origin, value: value)
    } catch {
      draft = before
      let actual = rule.scope == .secret ? "" : localized(", not \(value.displayText)")
      report(source, line, localized("\(key) must be \(error.expected)\(actual); it is ignored"))
    }
  }

  private mutating func report(_ source: String, _ line: Int?, _ message: String) {
    problems.append(SettingsProblem(source: source, line: line, message: message))
  }
}

extension Settings {
  /// The zone of dates without one: the journal's, otherwise the machine's, passed by the caller.
  package func zone(machine: TimeZone) -> TimeZone {
    timeZone.flatMap { TimeZone(identifier: $0) } ?? machine
  }
}

extension Place {
  /// The place rounded to 0.01 degrees, about a kilometre. Nothing more precise leaves the machine.
  package var rounded: Place {
    Place(
      name: name, latitude: (latitude * 100).rounded() / 100,
      longitude: (longitude * 100).rounded() / 100)
  }
}
