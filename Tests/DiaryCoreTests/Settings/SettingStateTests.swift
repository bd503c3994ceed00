import DiaryCore
import Foundation
import TestSupport
import Testing

@Suite struct `Listing settings` {
  func source(
    shared: String? = nil, personal: String? = nil, environment: [String: String] = [:]
  ) -> SettingsSource {
    SettingsSource(
      shared: shared.map { Array($0.utf8) }, sharedName: ".diary/config.yml",
      personal: personal.map { Array($0.utf8) }, personalName: "~/.config/diary/config.yml",
      environment: environment)
  }

  @Test func `each setting has the value and origin of the highest precedence`() throws {
    let source = source(
      shared: "units: imperial\nlayout: \"{date}.md\"\nindex: none\n",
      personal: "units: metric\nweather: off\n"
        + "place: {name: Seoul, latitude: 37.57, longitude: 127}\n"
        + "journals: {work: ~/w, home: ~/h}\nopenweather_key: abc\n",
      environment: ["DIARY_LAYOUT": "{date}-{slug}.md", "DIARY_TITLES": "h1, name"])
    let states = Dictionary(uniqueKeysWithValues: source.all.map { ($0.key, $0) })
    func expect(_ key: String, _ value: String?, _ origin: SettingState.Origin) {
      #expect(states[key]?.value == value, "\(key)")
      #expect(states[key]?.origin == origin, "\(key)")
    }
    expect("units", "metric", .personal)
    expect("layout", "{date}-{slug}.md", .environment("DIARY_LAYOUT"))
    expect("titles", "h1,name", .environment("DIARY_TITLES"))
    expect("index.file", "none", .shared)
    expect("weather.provider", "off", .personal)
    expect("place", "Seoul (37.57,127.0)", .personal)
    expect("journals", "home: ~/h, work: ~/w", .personal)
    expect("openweather_key", nil, .personal)
    expect("template", "plain", .defaultValue)
    #expect(states.values.allSatisfy { $0.meaning.hasSuffix(".") })
  }

  @Test func `a bad value is not the origin of a setting`() {
    let source = source(shared: "units: kelvin\n", environment: ["DIARY_STAMP": "some"])
    for state in source.all { #expect(state.origin == .defaultValue, "\(state.key)") }
    #expect(source.problems.count == 2)
  }

  @Test func `each listed default gives the default settings`() throws {
    for state in source().all where !state.defaultValue.isEmpty {
      let value = try #require(try SettingsSource.value(of: state.defaultValue, for: state.key))
      var file = SettingsFile([])
      try file.set(state.key, value)
      var (settings, problems) = Settings.load(
        shared: nil, sharedName: "", personal: file.bytes, personalName: "", environment: [:])
      if state.key == "journal" {
        #expect(settings.journal == "~/diary")
        settings.journal = nil
      }
      #expect(settings == Settings() && problems == [], "\(state.key)")
    }
  }

  @Test(arguments: [
    ("titles", "h1, name", SettingValue.list(["h1", "name"])),
    ("entries.include", "[\"{a,b}/**\", c]", .list(["{a,b}/**", "c"])),
    ("editor", "code --wait", "code --wait"), ("autosave.sitting", "0s", "0s"),
    ("weather.command", "[sky, \"a b\"]", .list(["sky", "a b"])), ("journals.work", "~/w", "~/w"),
  ])
  func `a typed value is parsed`(_ key: String, _ text: String, _ value: SettingValue) throws {
    #expect(try SettingsSource.value(of: text, for: key) == value)
  }

  @Test(arguments: [
    ("units", "big", "units must be one of metric, imperial, not \"big\""),
    ("autosave.settle", "1h", "autosave.settle must be a time from 50ms to 1m"),
    ("titles", "h1,h9", "titles must be a list of header, h1, line and name"),
    ("journals", "~/w", "journals must be a mapping"),
  ])
  func `a bad value is refused with a reason`(_ key: String, _ text: String, _ reason: String) {
    let error = #expect(throws: SettingRefusal.self) {
      try SettingsSource.value(of: text, for: key)
    }
    #expect(error?.message.hasPrefix(reason) == true, "\(error?.message ?? "")")
  }

  @Test func `an unknown setting has no value`() throws {
    for key in ["unitz", "journals.a b", "journals.", "place.height", ""] {
      #expect(try SettingsSource.value(of: "x", for: key) == nil, "\(key)")
    }
  }

  @Test func `the tables of the document match the settings`() throws {
    let text = try String(
      contentsOf: Project.root.appending(path: "docs/settings.md"), encoding: .utf8)
    let parts = text.components(separatedBy: "## Personal only")
    try #require(parts.count == 2)
    var documented: [String] = []
    for (part, isPersonal) in [(parts[0], false), (parts[1], true)] {
      for match in part.matches(of: /\n\| `([^`]+)` \| ([^|]*) \| ([^\n]*) \|/) {
        documented.append(String(match.1))
        let state = try #require(source().all.first { $0.key == match.1 }, "\(match.1)")
        #expect(state.isPersonal == isPersonal, "\(match.1)")
        #expect(match.2 == (state.defaultValue.isEmpty ? "none" : "`\(state.defaultValue)`"))
        #expect(match.3.hasPrefix(state.meaning), "\(match.1)")
      }
    }
    #expect(documented == source().all.map(\.key))
  }
}
