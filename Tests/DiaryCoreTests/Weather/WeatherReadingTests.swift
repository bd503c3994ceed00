import DiaryCore
import Testing

@Suite struct `Weather in an entry` {
  @Test(
    arguments: [
      ("Rain, 7°C", Condition.rain, 7.0), ("rain, 7 °C", .rain, 7), ("RAIN", .rain, nil),
      ("7°C", nil, 7), ("-5°C", nil, -5), ("Snow, \u{2212}5°C", .snow, -5),
      ("Clear, 7.2℃", .clear, 7.2),
      ("Clear, 7,2 °C", .clear, 7.2), ("Clouds 50°F", .clouds, 10), ("Fog, 14F", .fog, -10),
      ("Mist (3°C)", .mist, 3), ("7°C, Haze", .haze, 7),
      ("light rain, 12°C", nil, 12), ("맑음, 21°C", nil, 21), ("sunny", nil, nil), ("none", nil, nil),
      ("7", nil, nil), ("Rain 7 days", nil, nil), ("7 Cats", nil, nil),
      ("99999999999999°C", nil, nil),
    ] as [(String, Condition?, Double?)])
  func `condition and temperature are read, and the text is kept`(
    _ text: String, _ condition: Condition?, _ celsius: Double?
  ) throws {
    let weather = try #require(Weather(reading: " \(text)\n"))
    #expect(weather.text == text)
    #expect(weather.condition == condition)
    if let celsius, let read = weather.celsius {
      #expect(abs(read - celsius) < 0.001)
    } else {
      #expect(weather.celsius == celsius)
    }
  }

  @Test func `a blank text is no weather`() {
    #expect(Weather(reading: "") == nil)
    #expect(Weather(reading: " \t\r\n") == nil)
    #expect(Weather(mapping: []) == nil)
    #expect(Weather(mapping: [("icon", "10d")]) == nil)
  }

  @Test func `a mapping is read and shown as a stamp`() {
    let weather = Weather(mapping: [("condition", "Rain"), ("temperature", "7.2")])
    #expect(weather == Weather(text: "Rain, 7°C", condition: .rain, celsius: 7.2))
    let american = Weather(mapping: [("Temp", "50"), ("Units", "imperial"), ("text", "breezy")])
    #expect(american == Weather(text: "breezy, 10°C", condition: nil, celsius: 10))
    #expect(Weather(mapping: [("temperature", "cold")])?.text == "cold")
  }

  @Test func `every stamp is read back, and other texts are not stamps`() {
    for condition in Condition.allCases {
      for degrees in -60...60 {
        for units in Units.allCases {
          let text = Weather.stamp(condition: condition, celsius: Double(degrees), units: units)
          let read = Weather(reading: text)
          #expect(read?.condition == condition)
          #expect(read?.isStamp == true)
          #expect(read?.displayText(in: .metric) == "\(condition.rawValue), \(degrees)°C")
        }
      }
    }
    for words in ["rain, 7°C", "Rain, 7.2°C", "Rain", "7°C", "Rain 7°C", "Rain, 7°C!", "none"] {
      #expect(Weather(reading: words)?.isStamp == false, "\(words)")
    }
  }

  @Test func `a stamp omits unknown values`() {
    #expect(Weather.stamp(condition: .rain, celsius: nil, units: .metric) == "Rain")
    #expect(Weather.stamp(condition: nil, celsius: -0.4, units: .metric) == "0°C")
    #expect(Weather.stamp(condition: nil, celsius: 10, units: .imperial) == "50°F")
    #expect(Weather.stamp(condition: nil, celsius: nil, units: .metric) == "")
  }

  @Test func `weather text by the user is never converted`() {
    #expect(Weather(reading: "cold, about 7°C")?.displayText(in: .imperial) == "cold, about 7°C")
    #expect(Weather(reading: "Rain, 7°C")?.displayText(in: .imperial) == "Rain, 45°F")
  }

  @Test func `icons distinguish day and night`() {
    #expect(Weather(reading: "Clear")?.icon(isNight: false) == "☀️")
    #expect(Weather(reading: "Clear")?.icon(isNight: true) == "🌙")
    #expect(Weather(reading: "sunny")?.icon(isNight: true) == "")
    for condition in Condition.allCases { #expect(!condition.icon(isNight: false).isEmpty) }
  }

  @Test func `the value none opts out of the stamp`() {
    #expect(Weather(reading: "None")?.isOptOut == true)
    #expect(Weather(reading: "Rain")?.isOptOut == false)
  }

  @Test func `night depends on the sun if the place is known, else on the clock`() throws {
    func date(_ text: String) throws -> EntryDate {
      try #require(EntryDate(reading: text, zone: zone("UTC")))
    }
    let seoul = Place(name: "Seoul", latitude: 37.57, longitude: 126.98)
    #expect(Weather.isNight(try date("2026-11-21T21:04:00+09:00"), at: seoul))
    #expect(!Weather.isNight(try date("2026-11-21T12:00:00+09:00"), at: seoul))
    // Sunset was at 17:17 and sunrise at 7:19 on that day.
    #expect(!Weather.isNight(try date("2026-11-21T17:10:00+09:00"), at: seoul))
    #expect(Weather.isNight(try date("2026-11-21T17:25:00+09:00"), at: seoul))
    #expect(Weather.isNight(try date("2026-11-21T07:10:00+09:00"), at: seoul))
    #expect(!Weather.isNight(try date("2026-11-21T07:30:00+09:00"), at: seoul))
    let tromso = Place(name: nil, latitude: 69.65, longitude: 18.96)
    #expect(!Weather.isNight(try date("2026-06-21T01:00:00+02:00"), at: tromso))
    #expect(Weather.isNight(try date("2026-12-21T12:00:00+01:00"), at: tromso))
    #expect(Weather.isNight(try date("2026-11-21 05:59"), at: nil))
    #expect(!Weather.isNight(try date("2026-11-21 19:59"), at: nil))
    #expect(!Weather.isNight(try date("2026-11-21"), at: seoul))
  }
}
