import Localization

/// One setting as `diary config` lists it.
package struct SettingState: Sendable, Equatable {
  /// What decides a setting.
  package enum Origin: Sendable, Equatable {
    /// Nothing is set.
    case defaultValue
    /// The journal's file.
    case shared
    /// The user's own file.
    case personal
    /// A variable of this name.
    case environment(String)
  }

  /// The name, nested ones joined by a point.
  package let key: String
  /// The value that holds, as it would be typed; empty where there is none, `nil` for a secret.
  package let value: String?
  /// The default; empty where there is none, or where it is no fixed value.
  package let defaultValue: String
  /// What decides it.
  package let origin: Origin
  /// Whether only the user's own file may set it.
  package let isPersonal: Bool
  /// One sentence on what it means.
  package let meaning: String
}

extension SettingsSource {
  /// All settings, in the order in which they are listed.
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

  /// The names of all settings, for a guess and for completions.
  package static var keys: [String] { SettingRule.listed.map(\.key) }

  /// What is refused in the files as they are, the rules between settings included.
  package var problems: [SettingsProblem] { states().problems }

  /// The value that a typed text means for a setting. Throws one sentence on what it must be; `nil` when
  /// there is no such setting.
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

  /// What decides a setting now; `nil` when nothing sets it.
  package func origin(of key: String) -> SettingState.Origin? {
    states().origins[SettingRule.rule(for: key)?.parentKey ?? key]?.source
  }

  /// Whether there is such a setting.
  package static func isKnown(_ key: String) -> Bool { SettingRule.rule(for: key) != nil }

  /// The values that a setting may have, where they are few.
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

  /// Whether only the user's own file may hold the setting.
  package static func isPersonal(_ key: String) -> Bool {
    SettingRule.rule(for: key)?.scope != .shared
  }
}

/// Why a typed value is not taken.
package struct SettingRefusal: Error, Sendable {
  /// One sentence, without a trailing period.
  package let message: String
}

extension SettingValue {
  /// The value as it would be typed: a list with commas, unless one of its texts has some.
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
  /// Its name and position, or its position alone.
  fileprivate var inputText: String {
    let coordinates = "\(latitude),\(longitude)"
    return name.map { "\($0) (\(coordinates))" } ?? coordinates
  }
}
