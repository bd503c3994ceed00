import Localization

/// A setting as `diary config` lists it.
package struct SettingState: Sendable, Equatable {
  /// The source of a setting's value.
  package enum Origin: Sendable, Equatable {
    /// The default applies.
    case defaultValue
    /// The journal's settings file.
    case shared
    /// The user's settings file.
    case personal
    /// The environment variable with this name.
    case environment(String)
  }

  /// The name, with nested names joined by a period.
  package let key: String
  /// The effective value as the user would type it. Empty if there is none, `nil` for a secret.
  package let value: String?
  /// The default. Empty if there is none or if it is not fixed.
  package let defaultValue: String
  package let origin: Origin
  /// True if only the user's settings file may set it.
  package let isPersonal: Bool
  /// A one-sentence description.
  package let meaning: String
}

extension SettingsSource {
  /// All settings in the listed order.
  package var all: [SettingState] {
    let (settings, origins, _) = states()
    return SettingRule.listed.map { key, rule in
      let origin = origins[key]
      var value: String? = origin?.value.inputText ?? rule.defaultValue
      switch key {
      case "place": value = settings.place?.inputText ?? ""
      case "journals":
        value = settings.journals.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
          .joined(separator: ", ")
      default: if rule.scope == .secret, origin != nil { value = nil }
      }
      return SettingState(
        key: key, value: value, defaultValue: rule.defaultValue,
        origin: origin?.source ?? .defaultValue,
        isPersonal: rule.scope != .shared, meaning: rule.meaning?() ?? "")
    }
  }

  /// The names of all settings, for suggestions and shell completion.
  package static var keys: [String] { SettingRule.listed.map(\.key) }

  /// The problems in the settings, including rules that involve several settings.
  package var problems: [SettingsProblem] { states().problems }

  /// Parses typed text as the value of a setting. Throws a one-sentence error if it is invalid.
  /// Returns `nil` if there is no such setting.
  package static func value(of text: String, for key: String) throws(SettingRefusal)
    -> SettingValue?
  {
    guard let rule = SettingRule.rule(for: key) else { return nil }
    var value = SettingValue.text(text)
    if text.hasPrefix("["), rule.isList || key == "weather.command" {
      value = (try? ParsedSettings.fields(Array("x: \(text)".utf8)))?["x"] ?? value
    } else if rule.isList {
      value = .commaSeparated(text)
    }
    do {
      var draft = SettingsDraft()
      try rule.apply(&draft, value)
    } catch {
      let actual = rule.scope == .secret ? "" : localized(", not \(value.displayText)")
      throw SettingRefusal(message: localized("\(key) must be \(error.expected)\(actual)"))
    }
    return value
  }

  /// The source of a setting's current value. `nil` if it is not set.
  package func origin(of key: String) -> SettingState.Origin? {
    states().origins[SettingRule.rule(for: key)?.parentKey ?? key]?.source
  }

  package static func isKnown(_ key: String) -> Bool { SettingRule.rule(for: key) != nil }

  /// The values that a setting allows, if there are few.
  package static func choices(of key: String) -> [String] {
    switch key {
    case "units": Units.allCases.map(\.rawValue)
    case "titles": Settings.TitleSource.allCases.map(\.rawValue)
    case "weather.provider": Settings.WeatherProvider.allCases.map(\.rawValue)
    case "autosave.files": Settings.SavedFiles.allCases.map(\.rawValue)
    case "stamp": Settings.StampedFiles.allCases.map(\.rawValue)
    case "index.commit", "sync.adopted": ["true", "false"]
    default: []
    }
  }

  /// True if only the user's settings file may contain the setting.
  package static func isPersonal(_ key: String) -> Bool {
    SettingRule.rule(for: key)?.scope != .shared
  }
}

/// The reason a typed value is not accepted.
package struct SettingRefusal: Error, Sendable {
  /// One sentence, without a trailing period.
  package let message: String
}

extension SettingValue {
  /// The value as the user would type it. A list is joined by commas, or YAML if an item has one.
  fileprivate var inputText: String {
    switch self {
    case .empty: return ""
    case .text(let text): return text
    case .list(let list):
      let texts = list.map(\.inputText)
      return texts.contains { $0.contains(",") } ? yaml : texts.joined(separator: ",")
    case .mapping: return yaml
    }
  }
}

extension Place {
  /// The name and coordinates, or the coordinates alone.
  fileprivate var inputText: String {
    let coordinates = "\(latitude),\(longitude)"
    return name.map { "\($0) (\(coordinates))" } ?? coordinates
  }
}
