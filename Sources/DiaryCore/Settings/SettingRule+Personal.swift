import Foundation
import Localization

extension SettingRule {
  /// What belongs to one person and one device.
  static let personal: [String: SettingRule] = [
    "journal": SettingRule(.personal) { (draft, value) throws(InvalidSetting) in
      draft.settings.journal = try word(value, "a folder")
    },
    "editor": SettingRule(.personal) { (draft, value) throws(InvalidSetting) in
      if case .list = value {
        draft.settings.editor = try value.command().joined(separator: " ")
      } else {
        draft.settings.editor = try word(value, localized("a program"))
      }
    },
    "place": SettingRule(.personal) { (draft, value) throws(InvalidSetting) in
      let wanted = localized(
        "a mapping of name, latitude and longitude; `diary weather on` writes it")
      let text = value == .empty ? "none" : try value.text(wanted)
      guard text == "none" || text == "off" else { throw InvalidSetting(wanted: wanted) }
      draft.latitude = nil
      draft.longitude = nil
    },
    "place.name": SettingRule(.personal) { (draft, value) throws(InvalidSetting) in
      draft.placeName = try word(value, localized("a name"))
    },
    "place.latitude": SettingRule(.personal) { (draft, value) throws(InvalidSetting) in
      draft.latitude = try value.number(-90...90, localized("a number of degrees from -90 to 90"))
    },
    "place.longitude": SettingRule(.personal) { (draft, value) throws(InvalidSetting) in
      draft.longitude = try value.number(
        -180...180, localized("a number of degrees from -180 to 180"))
    },
    "weather": SettingRule(.personal) { (draft, value) throws(InvalidSetting) in
      draft.settings.weatherProvider = try value.choice(Settings.WeatherProvider.self)
    },
    "weather.provider": SettingRule(.personal) { (draft, value) throws(InvalidSetting) in
      draft.settings.weatherProvider = try value.choice(Settings.WeatherProvider.self)
    },
    "weather.url": SettingRule(.personal) { (draft, value) throws(InvalidSetting) in
      let wanted = localized("an http or https address")
      guard value != .empty else { return draft.settings.weatherURL = nil }
      let text = try value.text(wanted)
      guard let url = URL(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
        url.host?.isEmpty == false
      else { throw InvalidSetting(wanted: wanted) }
      draft.settings.weatherURL = text
    },
    "weather.command": SettingRule(.personal) { (draft, value) throws(InvalidSetting) in
      draft.settings.weatherCommand = value == .empty ? [] : try value.command()
    },
    "openweather_key": SettingRule(.secret) { (draft, value) throws(InvalidSetting) in
      draft.settings.openWeatherKey = try word(value, "a key")
    },
  ]

  private static func word(_ value: SettingValue, _ wanted: String) throws(InvalidSetting)
    -> String?
  {
    if value == .empty { return nil }
    let text = try value.text(wanted)
    return text.isEmpty ? nil : text
  }
}
