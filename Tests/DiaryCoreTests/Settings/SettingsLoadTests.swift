import TestSupport
import DiaryCore
import Testing

@Suite struct `Loading settings` {
  func load(
    shared: String? = nil, personal: String? = nil, environment: [String: String] = [:]
  ) -> (Settings, [SettingsProblem]) {
    Settings.load(
      shared: shared.map { Array($0.utf8) }, sharedName: ".diary/config.yml",
      personal: personal.map { Array($0.utf8) }, personalName: "~/.config/diary/config.yml",
      environment: environment)
  }

  @Test func `empty files give the default settings`() {
    for text in [nil, "", "# nothing\n", "\u{FEFF}", "---\n", "null\n"] {
      let (settings, problems) = load(shared: text, personal: text)
      #expect(settings == Settings())
      #expect(problems == [])
    }
  }

  @Test func `the documented settings are read`() {
    let shared = """
      time_zone: Asia/Seoul
      entries: {include: ["journal/**"], exclude: [templates]}
      titles: [h1, name]
      day_starts_at: "04:00"
      layout: "{year}/{date}-{slug}.md"
      template: daily
      index: {file: LIST.md, commit: true}
      autosave: {settle: 500ms, longest: 1m, sitting: 0s}
      units: imperial
      sync: {remote: backup, push_after: 2m, fetch_every: 1h}
      """
    let personal = """
      journal: ~/diary
      place: {name: Seoul, latitude: 37.5665, longitude: 126.978}
      weather: {provider: openweather, url: "http://127.0.0.1:8080/x", command: [sky, "a b"]}
      openweather_key: 0123456789abcdef
      autosave: {files: entries}
      stamp: new
      editor: code --wait
      """
    let (settings, problems) = load(shared: shared, personal: personal)
    var expected = Settings()
    expected.timeZone = "Asia/Seoul"
    expected.include = ["journal/**"]
    expected.exclude = ["templates"]
    expected.titles = [.h1, .name]
    expected.dayStartsAt = 14_400
    expected.layout = "{year}/{date}-{slug}.md"
    expected.template = "daily"
    expected.indexFile = EntryPath("LIST.md")
    expected.indexIsCommitted = true
    (expected.settle, expected.longest, expected.sitting) = (0.5, 60, 0)
    expected.units = .imperial
    (expected.syncRemote, expected.pushAfter, expected.fetchEvery) = ("backup", 120, 3600)
    expected.journal = "~/diary"
    expected.place = Place(name: "Seoul", latitude: 37.57, longitude: 126.98)
    expected.weatherProvider = .openWeather
    expected.weatherURL = "http://127.0.0.1:8080/x"
    expected.openWeatherKey = "0123456789abcdef"
    expected.savedFiles = .entries
    expected.stampedFiles = .new
    expected.weatherCommand = ["sky", "a b"]
    expected.editor = "code --wait"
    #expect(problems == [])
    #expect(settings == expected)
  }

  @Test
  func `the user file overrides single keys, and the environment overrides both`() {
    let (settings, problems) = load(
      shared: "autosave: {settle: 1s, longest: 20s, sitting: 1m}\nunits: imperial\n",
      personal: "autosave:\n  longest: 40s\n  sitting: 2m\nunits: metric\n",
      environment: [
        "DIARY_AUTOSAVE__SITTING": "3m", "DIARY_DAY_STARTS_AT": "04:00", "DIARY_JOURNAL": "/x",
        "DIARY_TITLES": "line, name", "DIARY_EDITOR": "", "PATH": "/bin", "DIARY_NO_SUCH": "1",
        "DIARY_OPENWEATHER_KEY": "k", "DIARY_PLACE__LATITUDE": "1", "DIARY_PLACE__LONGITUDE": "2",
        "DIARY_WEATHER__COMMAND": "sky now",
      ])
    #expect(problems == [])
    #expect(settings.settle == 1)
    #expect(settings.longest == 40)
    #expect(settings.sitting == 180)
    #expect(settings.units == .metric)
    #expect(settings.dayStartsAt == 14_400)
    #expect(settings.titles == [.line, .name])
    #expect(settings.openWeatherKey == "k")
    #expect(settings.journal == nil)
    #expect(settings.place == Place(name: nil, latitude: 1, longitude: 2))
    #expect(settings.weatherCommand == ["sky", "now"])
  }

  @Test(arguments: [
    "editor: evil", "journal: /x", "stamp: all", "weather: command",
    "weather: {command: [evil]}", "weather: {url: \"https://evil.example\"}", "weather: off",
    "place: {latitude: 1, longitude: 2}", "place: none", "autosave: {files: all}",
    "openweather_key: hunter2", "\"editor\": evil",
  ])
  func `a shared file cannot run commands or send data`(_ text: String) {
    let (settings, problems) = load(shared: "units: imperial\n" + text + "\n")
    var expected = Settings()
    expected.units = .imperial
    #expect(settings == expected)
    #expect(!problems.isEmpty)
    for problem in problems {
      #expect(problem.source == ".diary/config.yml")
      #expect(problem.line == 2)
      #expect(problem.message.contains("~/.config/diary/config.yml"), "\(problem.message)")
      #expect(!problem.message.contains("hunter2"))
    }
  }

  @Test func `a secret with an unknown name is reported`() {
    let (_, problems) = load(shared: "github_token: hunter2\n")
    #expect(problems.map(\.message).joined().contains("is a secret"))
    #expect(!problems.map(\.message).joined().contains("hunter2"))
  }

  @Test(arguments: [
    "time_zone: Mars/Olympus", "entries: {include: [\"\"]}", "titles: [h1, h2]", "titles: []",
    "day_starts_at: \"13:00\"", "day_starts_at: noon", "day_starts_at: \"04:00:00x\"",
    "layout: ../x/{slug}.md", "layout: /{slug}.md", "layout: \"{slug}.txt\"", "layout: one.md",
    "layout: \"{nope}.md\"", "layout: \".x/{slug}.md\"", "template: ../x", "template: a/b",
    "template: .x", "index: {file: ../LIST.md}", "index: {file: .git/x.md}", "index: {file: a.txt}",
    "index: {commit: perhaps}", "autosave: {settle: 0s}", "autosave: {settle: 2 minutes}",
    "autosave: {settle: 61s}", "autosave: {settle: -2s}", "autosave: {settle: nan}",
    "autosave: {longest: 11m}", "autosave: {sitting: 25h}", "units: kelvin", "units: [metric]",
    "sync: {remote: \"https://evil.example/x\"}", "sync: {remote: --upload-pack=x}",
    "sync: {remote: ..}", "sync: {fetch_every: 1s}", "hooks: {new: [evil]}", "autosave: 5",
    "no_such_setting: 1",
    "autosave: {setle: 2s}", "sync: yes",
  ])
  func `a bad value gives the default and a problem with its line`(_ text: String) {
    let (settings, problems) = load(shared: "\n" + text + "\n")
    #expect(settings == Settings())
    #expect(problems.count == 1)
    #expect(problems.first?.line == 2)
  }

  @Test(arguments: [
    "place: Seoul", "place: {latitude: 91, longitude: 0}", "place: {latitude: 37.5}",
    "place: {name: Seoul}", "weather: {provider: crystal-ball}", "weather: {url: \"ftp://x\"}",
    "weather: {url: nonsense}", "stamp: some", "autosave: {files: none}", "hooks: {new: [x]}",
  ])
  func `a bad user value is reported and ignored`(_ text: String) {
    let (settings, problems) = load(personal: text)
    #expect(settings == Settings())
    #expect(!problems.isEmpty)
  }

  @Test func `a bad user value does not override the shared one`() {
    let (settings, problems) = load(shared: "units: imperial", personal: "units: kelvin")
    #expect(settings.units == .imperial)
    #expect(problems.count == 1)
  }

  @Test func `longest is never shorter than settle`() {
    let (settings, problems) = load(shared: "autosave: {settle: 40s, longest: 10s}")
    #expect(settings.longest == 40)
    #expect(problems.count == 1)
  }

  @Test func `a command provider without a command turns the weather off`() {
    let (settings, problems) = load(personal: "weather: {provider: command}")
    #expect(settings.weatherProvider == .off)
    #expect(problems.count == 1)
    #expect(
      load(personal: "weather: {provider: command, command: [sky]}").0.weatherCommand == ["sky"])
    #expect(load(personal: "weather: off").0.weatherProvider == .off)
  }

  @Test func `the weather's program as a hook is ignored, and its setting is named`() {
    for text in ["weather: command\nhooks: {weather: sky}", "hooks:\n  weather: [sky, now]"] {
      let (settings, problems) = load(personal: text)
      #expect(settings.weatherCommand.isEmpty)
      #expect(problems.contains { $0.message.contains("use weather.command") }, "\(problems)")
    }
  }

  @Test func `the value none removes list file and place`() {
    for text in ["index: {file: none}", "index: {file: null}", "index: none"] {
      let (settings, problems) = load(shared: text)
      #expect(settings.indexFile == nil)
      #expect(problems == [])
    }
    #expect(load(personal: "place: null").1 == [])
  }

  @Test(arguments: [
    ("a: [", 2), ("units: imperial\nunits: metric\n", 1), ("- a\n- b\n", 1), ("just words", 1),
    ("a: b\n---\nc: d\n", 2), ("<<<<<<< HEAD\nunits: metric\n=======\n", 2),
    ("\tx: 1", 1), ("a: *b", 1),
  ])
  func `a malformed file is reported, and the defaults apply`(_ text: String, _ line: Int) {
    let (settings, problems) = load(shared: text)
    #expect(settings == Settings())
    #expect(problems.count == 1)
    #expect(problems.first?.line == line)
  }

  @Test func `arbitrary, large or deep files do not crash the reader`() {
    let deep = String(repeating: "[", count: 60_000)
    #expect(load(shared: deep).1.count == 1)
    #expect(load(shared: String(repeating: "a", count: 70_000)).1.count == 1)
    let (settings, problems) = Settings.load(
      shared: [0xFF, 0xFE, 0x00], sharedName: "x", personal: nil, personalName: "y",
      environment: [:])
    #expect(settings == Settings())
    #expect(problems.count == 1)
    var random = SeededGenerator()
    let pieces = [
      "autosave", ":", " ", "\n", "{", "}", "[", "]", "-", "\"", "'", "#", "2s", "&a", "*a", "|",
    ]
    for _ in 0..<2000 {
      let text = (0..<Int.random(in: 0...20, using: &random)).map { _ in
        pieces.randomElement(using: &random) ?? ""
      }.joined()
      let (settings, _) = load(shared: text, personal: text)
      #expect(settings.longest >= settings.settle, "\(random)")
    }
  }

  @Test func `settings written by init are read back`() {
    var settings = Settings()
    settings.timeZone = "Asia/Seoul"
    settings.include = ["일기/**", "a, b: {c}"]
    settings.exclude = ["x # y"]
    settings.titles = [.header, .h1, .name, .line]
    settings.indexFile = nil
    settings.layout = "{date}.md"
    let (read, problems) = Settings.load(
      shared: Settings.sharedText(settings), sharedName: "x", personal: nil, personalName: "y",
      environment: [:])
    #expect(problems == [])
    #expect(read == settings)
  }
}
