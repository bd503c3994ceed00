import Foundation
import Localization

extension SettingRule {
  /// Settings that belong to one user and one device.
  static let personal: KeyValuePairs<String, SettingRule> = [
    "journal": SettingRule(
      .personal, "~/diary",
      localized("The journal to use outside of any journal's folder.")
    ) { (draft, value) throws(InvalidSetting) in
      draft.settings.journal = try optionalText(value, localized("a folder"))
    },
    "journals": SettingRule(.personal, "", localized("Journals by name, for `diary -j NAME`.")) {
      (draft, value) throws(InvalidSetting) in
      guard value == .empty else {
        throw InvalidSetting(expected: localized("a mapping of names and folders"))
      }
      draft.settings.journals = [:]
    },
    "editor": SettingRule(
      .personal, "",
      localized(
        "The editor's command line, such as code --wait. Default: $VISUAL, $EDITOR, "
          + "git's core.editor or an installed editor.")
    ) { (draft, value) throws(InvalidSetting) in
      if case .list = value {
        draft.settings.editor = try value.command().joined(separator: " ")
      } else {
        draft.settings.editor = try optionalText(value, localized("a program"))
      }
    },
    "place": SettingRule(
      .personal, "",
      localized(
        "The place for the weather; `diary weather on PLACE` looks up a town. Without it "
          + "nothing is sent.")
    ) { (draft, value) throws(InvalidSetting) in
      let expected = localized(
        "a mapping of name, latitude and longitude; `diary weather on` writes it")
      let text = value == .empty ? "none" : try value.text(expected)
      guard text == "none" || text == "off" else { throw InvalidSetting(expected: expected) }
      draft.latitude = nil
      draft.longitude = nil
    },
    "place.name": SettingRule(.personal, partOf: "place") { (draft, value) throws(InvalidSetting) in
      draft.placeName = try optionalText(value, localized("a name"))
    },
    "place.latitude": SettingRule(.personal, partOf: "place") {
      (draft, value) throws(InvalidSetting) in
      draft.latitude = try value.number(-90...90, localized("a number of degrees from -90 to 90"))
    },
    "place.longitude": SettingRule(.personal, partOf: "place") {
      (draft, value) throws(InvalidSetting) in
      draft.longitude = try value.number(
        -180...180, localized("a number of degrees from -180 to 180"))
    },
    "weather": SettingRule(.personal, partOf: "weather.provider", setWeatherProvider),
    "weather.provider": SettingRule(
      .personal, "open-meteo",
      localized("The weather provider: open-meteo, openweather, command or off."),
      setWeatherProvider),
    "weather.url": SettingRule(
      .personal, "",
      localized("The provider's address, if it is not the default, such as a server of yours.")
    ) { (draft, value) throws(InvalidSetting) in
      let expected = localized("an http or https address")
      guard value != .empty else { return draft.settings.weatherURL = nil }
      let text = try value.text(expected)
      guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
        url.host?.isEmpty == false
      else { throw InvalidSetting(expected: expected) }
      draft.settings.weatherURL = text
    },
    "weather.command": SettingRule(
      .personal, "",
      localized("Program and arguments for the provider command.")
    ) { (draft, value) throws(InvalidSetting) in
      draft.settings.weatherCommand = value == .empty ? [] : try value.command()
    },
    "unlock.password_command": SettingRule(
      .personal, "",
      localized("The command line that prints the password of a locked journal.")
    ) { (draft, value) throws(InvalidSetting) in
      draft.settings.passwordCommand = try optionalText(value, localized("a command line"))
    },
    "unlock.lock_when_idle": SettingRule(
      .personal, "0s",
      localized("The time without use after which a journal locks itself: 0s (never) to 1d.")
    ) { (draft, value) throws(InvalidSetting) in
      draft.settings.lockWhenIdle = try value.duration(0...86_400)
    },
    "openweather_key": SettingRule(
      .secret, "",
      localized("The key for openweather. It is never shown.")
    ) { (draft, value) throws(InvalidSetting) in
      draft.settings.openWeatherKey = try optionalText(value, localized("a key"))
    },
  ]

  private static func setWeatherProvider(
    _ draft: inout SettingsDraft, _ value: SettingValue
  ) throws(InvalidSetting) {
    draft.settings.weatherProvider = try value.choice(Settings.WeatherProvider.self)
  }

  private static func optionalText(_ value: SettingValue, _ expected: String) throws(InvalidSetting)
    -> String?
  {
    if value == .empty { return nil }
    let text = try value.text(expected)
    return text.isEmpty ? nil : text
  }

  /// The rule for the folder of a journal named in `diary -j`.
  static func journalRule(_ name: String) -> SettingRule? {
    guard name.allSatisfy({ $0.isLetter || $0.isNumber || "-_".contains($0) }) else { return nil }
    return SettingRule(.personal, partOf: "journals") { (draft, value) throws(InvalidSetting) in
      draft.settings.journals[name] = try optionalText(value, localized("a folder"))
    }
  }
}
