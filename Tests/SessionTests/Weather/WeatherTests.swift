import Foundation
import TestSupport
import Testing
import WeatherStandIn

/// The weather with the built programs and a fake provider on loopback.
@Suite(.serialized) struct WeatherTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    home.setAutosave(settle: "200ms", sitting: "2s")
    try await home.diary("init", "j")
  }

  @Test func `no request is sent before the user has given a place`() async throws {
    try await withFakeProvider { (standIn: FakeProvider) async throws -> Void in
      let made = try await home.diary("new", "Quiet", "--message", "x", in: "j")
      #expect(made.status == 0 && made.errors.contains("diary weather on"), "\(made.errors)")
      #expect(standIn.requests.isEmpty)
      let now = try await home.diary("weather", in: "j")
      #expect(now.status == 1 && now.errors.contains("the weather is off"))
    }
  }

  @Test func `a missing weather program is named, and the entry is saved`() async throws {
    try await home.diary("config", "weather.command", "no-such-sky", in: "j")
    try await home.diary("config", "weather.provider", "command", in: "j")
    try await home.diary("weather", "on", "37.57,126.98", in: "j")
    let made = try await home.diary("new", "Wet", "--message", "x", in: "j")
    #expect(made.status == 0 && made.errors.contains("cannot run no-such-sky: "), "\(made)")
    #expect(made.errors.contains("executed; Diary will add it later"), "\(made)")
  }

  @Test func `a new entry gets its weather, with the place rounded`() async throws {
    try await withFakeProvider { (standIn: FakeProvider) async throws -> Void in
      let on = try await home.diary("weather", "on", "37.566535,126.9779692", in: "j")
      #expect(on.status == 0 && on.output.contains("(37.57, 126.98)"), "\(on)")
      standIn.sky = FakeProvider.Observation(
        wmo: 61, celsius: 7.2, isDay: true, id: 500, main: "Rain")
      let made = try await home.diary("new", "Wet", "--message", "x", in: "j")
      #expect(try text(made).contains("weather: Rain, 7°C\n"), "\(made)")
      let asked = try #require(standIn.requests.first)
      #expect(asked.query["latitude"] == "37.57" && asked.query["longitude"] == "126.98")
      #expect(!asked.rawQuery.contains("566"))
      let off = try await home.diary("weather", "off", in: "j")
      #expect(off.status == 0)
      let count = standIn.requests.count
      try await home.diary("new", "Dry", "--message", "x", in: "j")
      #expect(standIn.requests.count == count)
    }
  }

  @Test func `while the provider fails, an entry is saved and stamped later`() async throws {
    try await withFakeProvider { (standIn: FakeProvider) async throws -> Void in
      try await home.diary("weather", "on", "37.57,126.98", in: "j")
      standIn.behaviour = .failing(503)
      let made = try await home.diary("new", "Later", "--message", "words", in: "j")
      #expect(made.status == 0, "\(made.errors)")
      #expect(try !text(made).contains("weather:"))
      #expect(try await home.git("status", "--porcelain", in: "j") == "")
      let status = try await home.diary("status", "--json", in: "j")
      #expect(status.output.contains("\"owed\":[\"2026/"), "\(status.output)")
      standIn.behaviour = .answering
      // Ends the backoff that this device has stored.
      try FileManager.default.removeItem(
        atPath: home.homePath + "/j/.git/diary/weather-trouble.json")
      let saved = try await home.diary("save", in: "j")
      #expect(saved.status == 0, "\(saved.errors)")
      #expect(try text(made).contains("weather: Rain, 7°C\n"))
      #expect(try await home.git("status", "--porcelain", in: "j") == "")
      #expect(try await home.diary("status", "--json", in: "j").output.contains("\"owed\":[]"))
    }
  }

  @Test func `an unresponsive provider delays a new entry by at most one second`() async throws {
    try await withFakeProvider { (standIn: FakeProvider) async throws -> Void in
      try await home.diary("weather", "on", "37.57,126.98", in: "j")
      standIn.behaviour = .hanging
      let clock = ContinuousClock()
      let took = try await clock.measure {
        let made = try await home.diary("new", "Patience", "--message", "words", in: "j")
        #expect(made.status == 0, "\(made.errors)")
      }
      #expect(took < .seconds(4), "took \(took)")
    }
  }

  @Test func `the watcher stamps an entry that was created in an editor`() async throws {
    try await withFakeProvider { (standIn: FakeProvider) async throws -> Void in
      try await home.diary("weather", "on", "37.57,126.98", in: "j")
      let home = home
      try await home.withWatcher(mustEnd: false) { watcher in
        try home.write("Just words.\n", to: "j/today.md")
        #expect(
          await watcher.prints("added the weather to today.md: Rain, 7°C"), "\(watcher.output)")
        #expect(await watcher.prints("committed"), "\(watcher.output)")
      }
      let text = try home.read("j/today.md")
      #expect(
        text.hasPrefix("---\ndate: ")
          && text.hasSuffix("\nweather: Rain, 7°C\n---\n\nJust words.\n"), "\(text)")
    }
  }

  @Test func `an entry that a command renames while its weather is fetched gets it`()
    async throws
  {
    try await withFakeProvider { (standIn: FakeProvider) async throws -> Void in
      try await home.diary("weather", "on", "37.57,126.98", in: "j")
      standIn.behaviour = .slow(2)
      let home = home
      try await home.withWatcher(mustEnd: false) { watcher in
        let before = standIn.requests.count
        try home.write("# Today\n\nJust words.\n", to: "j/today.md")
        #expect(await Sandbox.holds { standIn.requests.count > before }, "\(watcher.output)")
        let renamed = try await home.diary("rename", "today.md", "A walk", in: "j")
        #expect(renamed.status == 0, "\(renamed)")
        #expect(await watcher.prints("added the weather to"), "\(watcher.output)")
      }
      let name = try #require(home.files(in: "j").first { $0.contains("a-walk") })
      #expect(try home.read("j/" + name).contains("\nweather: Rain, 7°C\n"))
    }
  }

  @Test func `a key is never shown, logged or committed`() async throws {
    try await withFakeProvider { (standIn: FakeProvider) async throws -> Void in
      home.set("DIARY_WEATHER__PROVIDER", "openweather")
      home.set("DIARY_OPENWEATHER_KEY", "s3cr3t-k3y")
      standIn.acceptedKey = "another"
      try await home.diary("weather", "on", "37.57,126.98", in: "j")
      let now = try await home.diary("weather", "now", "-v", in: "j")
      #expect(now.status == 1 && now.errors.contains("openweather_key"), "\(now.errors)")
      let made = try await home.diary("new", "Secret", "--message", "x", "-v", in: "j")
      let status = try await home.diary("status", in: "j")
      for text in [now.output, now.errors, made.output, made.errors, status.output, status.errors] {
        #expect(!text.contains("s3cr3t"))
      }
      let found = try await home.run("grep", ["-rl", "s3cr3t", "."])
      #expect(found.output == "", "the key lies in \(found.output)")
    }
  }

  @Test func `a hook that ends without reading its request does no harm`() async throws {
    home.set("DIARY_WEATHER__PROVIDER", "command")
    let hook = try home.script("deaf", "exec <&-; exit 3\n")
    try home.write(
      "weather: {provider: command, command: [\(hook)]}\n", to: ".config/diary/config.yml")
    try await home.diary("weather", "on", "37.57,126.98", in: "j")
    for number in 1...5 {
      let made = try await home.diary("new", "Deaf \(number)", "--message", "words", in: "j")
      #expect(made.status == 0, "\(made)")
    }
  }

  @Test func `stamp and fill request the weather at the entry's own time`() async throws {
    try await withFakeProvider { (standIn: FakeProvider) async throws -> Void in
      try await home.diary("weather", "on", "37.57,126.98", in: "j")
      for day in ["2015-03-02", "2015-03-09", "2016-07-01"] {
        try await home.diary("new", "Old", "--message", "x", "--date", day, in: "j")
      }
      let before = standIn.requests.count
      let none = try await home.diary("weather", "fill", "--yes", in: "j")
      #expect(none.output == "" && standIn.requests.count == before, "\(none)")
      standIn.skyAt = { _ in
        FakeProvider.Observation(wmo: 71, celsius: -3, isDay: true, id: 600, main: "Snow")
      }
      let one = try await home.diary("weather", "stamp", "2015-03-02", in: "j")
      #expect(one.output.contains("Snow, -3°C"), "\(one)")
      let filled = try await home.diary(
        "weather", "fill", "--yes", "--place", "37.57,126.98", in: "j")
      #expect(filled.output == "Updated 2 of 2 entries.\n", "\(filled)")
      #expect(try await home.git("log", "-1", "--format=%s", in: "j") == "Edit 2 entries\n")
      #expect(standIn.requests.dropFirst(before).allSatisfy { $0.path.hasSuffix("/archive") })
      // The requests cover whole months, so they do not reveal the days with entries.
      #expect(standIn.requests.last?.query["start_date"]?.hasSuffix("-01") == true)
      #expect(try await home.git("status", "--porcelain", in: "j") == "")
    }
  }

  @Test func `weather that is off is not pending, and unfilled entries are reported`() async throws
  {
    try await withFakeProvider { (standIn: FakeProvider) async throws -> Void in
      try await home.diary("weather", "on", "37.57,126.98", in: "j")
      standIn.behaviour = .failing(503)
      try await home.diary("new", "Later", "-m", "x", in: "j")
      #expect(try await home.diary("status", in: "j").output.contains("needs weather"))
      try await home.diary("weather", "off", in: "j")
      let status = try await home.diary("status", in: "j")
      #expect(!status.output.contains("needs weather"), "\(status)")
      #expect(status.output.contains("weather        off (no place)\n"), "\(status)")
      #expect(try await home.diary("status", "--json", in: "j").output.contains("\"owed\":[]"))

      let fill = try await home.diary("weather", "fill", "--yes", in: "j")
      #expect(fill.errors.contains("1 entry has no weather and was skipped"), "\(fill)")
      #expect(!fill.errors.contains("No entry is missing"), "\(fill)")
      standIn.behaviour = .answering
      let filled = try await home.diary(
        "weather", "fill", "--place", "37.57,126.98", "--yes", in: "j")
      #expect(filled.status == 0, "\(filled)")
      let undo = try await home.diary("undo", in: "j")
      #expect(undo.errors.contains(": Add weather to 1 entry\n"), "\(undo)")
    }
  }

  private func withFakeProvider(_ body: (FakeProvider) async throws -> Void) async throws {
    let standIn = try await FakeProvider.start()
    home.set("DIARY_WEATHER__URL", standIn.url)
    do { try await body(standIn) } catch {
      await standIn.stop()
      throw error
    }
    await standIn.stop()
  }

  private func text(_ made: Sandbox.ProgramResult) throws -> String {
    try home.read(String(made.output.dropLast().dropFirst(home.homePath.count + 1)))
  }
}
