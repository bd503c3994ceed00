import TestSupport
import DiaryCore
import Testing

@Suite struct `Changing one setting in a file` {
  static let place = SettingValue.mapping([
    .init("name", "Seoul"), .init("latitude", "37.57"), .init("longitude", "126.98"),
  ])
  static let placeLine = "place: {name: Seoul, latitude: 37.57, longitude: 126.98}"

  func set(_ text: String, _ key: String, _ value: SettingValue?) throws -> String {
    var file = SettingsFile(Array(text.utf8))
    if let value { try file.set(key, value) } else { try file.remove(key) }
    return String(decoding: file.bytes, as: UTF8.self)
  }

  @Test(arguments: [
    ("", "\(placeLine)\n"),
    ("editor: vim\n", "editor: vim\n\(placeLine)\n"),
    ("editor: vim", "editor: vim\n\(placeLine)\n"),
    ("# mine\r\neditor:  vim # good\r\n", "# mine\r\neditor:  vim # good\r\n\(placeLine)\r\n"),
    ("editor: vim #\r", "editor: vim #\r\n\(placeLine)\r\n"),
    (
      "place:\n  name: X\n  latitude: 1\n\n# after\neditor: vim\n",
      "\(placeLine)\n\n# after\neditor: vim\n"
    ),
    (
      "a: 1\nplace: {name: X,\n latitude: 1,\n longitude: 2\n}\nb: 2\n",
      "a: 1\n\(placeLine)\nb: 2\n"
    ),
    ("place: null", "\(placeLine)"),
    ("\u{FEFF}# x\nplace: none\n", "\u{FEFF}# x\n\(placeLine)\n"),
    ("\"place\": none\nstamp: all\n", "\(placeLine)\nstamp: all\n"),
    ("places: 3\n", "places: 3\n\(placeLine)\n"),
    ("---\nstamp: all\n", "---\nstamp: all\n\(placeLine)\n"),
  ])
  func `one setting is written, and all other bytes stay`(_ before: String, _ after: String)
    throws
  {
    #expect(try set(before, "place", Self.place) == after)
  }

  @Test(arguments: [
    ("", "weather: {provider: openweather}\n"),
    (
      "weather:\n  # which\n  provider: open-meteo\n  url: null\n",
      "weather:\n  # which\n  provider: openweather\n  url: null\n"
    ),
    (
      "weather:\n    url: x\nstamp: all\n",
      "weather:\n    url: x\n    provider: openweather\nstamp: all\n"
    ),
    (
      "weather: {provider: off, command: sky}\nstamp: all\n",
      "weather: {provider: openweather, command: sky}\nstamp: all\n"
    ),
    ("weather: off\n", "weather: {provider: openweather}\n"),
  ])
  func `one setting inside a mapping is written`(_ before: String, _ after: String) throws {
    #expect(try set(before, "weather.provider", .text("openweather")) == after)
  }

  @Test(arguments: [
    ("place: {name: X}\nstamp: all\n", "stamp: all\n"), ("stamp: all\n", "stamp: all\n"),
    ("stamp: all\nplace:\n  name: X\n# end\n", "stamp: all\n# end\n"), ("", ""),
  ])
  func `a setting is removed`(_ before: String, _ after: String) throws {
    #expect(try set(before, "place", nil) == after)
  }

  @Test func `other values of a mapping are kept`() throws {
    let before = "weather: {new: [notify, \"a: b\"], deep: {x: [1, {k: ~}]}}\n"
    let after = "weather: {new: [notify, \"a: b\"], deep: {x: [1, {k: null}]}, url: vim}\n"
    let written = try set(before, "weather.url", .text("vim"))
    #expect(written == after)
    let block = "weather:\n  new: [notify]\n  # last\n"
    #expect(
      try set(block, "weather.url", .text("vim")) == block + "  url: vim\n")
  }

  @Test func `a file that is not YAML is refused with its line`() throws {
    let error = try #require(throws: SettingsFileError.self) {
      try set("a: 1\nb: [\n", "place", Self.place)
    }
    #expect(error.line != nil)
  }

  @Test(arguments: [
    "{editor: vim}\n", "editor: vim\n...\n", "? place\n: none\n",
    "text: |\n  place: none\n  more\nplace : none\n",
  ])
  func `a file that cannot be edited by lines is refused`(_ text: String) {
    #expect(throws: SettingsFileError.self) { try set(text, "place", Self.place) }
  }

  @Test func `a value that was set is read back, and comments stay`() throws {
    var random = SeededGenerator()
    let keys = ["editor", "journal", "stamp", "weather.url", "journals.new", "place.name"]
    let alphabet = Array("ab :#-{}[],'\"\\é서\n\t\u{7}\u{2028}🙂|>&*!%@`~0".unicodeScalars)
    var file = SettingsFile(Array("# mine\neditor: vim\n\njournals:\n  old: [a]\n  b: c\n".utf8))
    var expected = ["editor": "vim"]
    for _ in 0..<300 {
      let key = try #require(keys.randomElement(using: &random))
      var view = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        view.append(alphabet[Int.random(in: 0..<alphabet.count, using: &random)])
      }
      let text = String(view)
      do {
        try file.set(key, .text(text))
        expected[key] = text
      } catch {
        Issue.record("\(random): \(key) = \(text.debugDescription): \(error)")
        return
      }
      let (settings, _) = Settings.load(
        shared: nil, sharedName: "", personal: file.bytes, personalName: "", environment: [:])
      if let editor = expected["editor"], !editor.isEmpty {
        #expect(settings.editor == editor, "\(random)")
      }
      if let journal = expected["journal"], !journal.isEmpty {
        #expect(settings.journal == journal, "\(random)")
      }
    }
    #expect(String(decoding: file.bytes, as: UTF8.self).hasPrefix("# mine\neditor: "))
  }
}
