import TestSupport
import DiaryCore
import Foundation
import Testing

/// A written date and its meaning in Seoul.
struct WrittenDate: CustomTestStringConvertible, Sendable {
  let text: String
  let meaning: String?
  var testDescription: String { text }

  init(_ text: String, _ meaning: String?) {
    self.text = text
    self.meaning = meaning
  }
}

@Suite struct `Reading dates` {
  static let seoul = zone("Asia/Seoul")

  static let written: [WrittenDate] = [
    .init("2026-11-21T21:04:00+09:00", "2026-11-21T21:04:00+09:00"),
    .init("2026-11-21t21:04:00z", "2026-11-21T21:04:00+00:00"),
    .init("2026-11-21T21:04:05.999Z", "2026-11-21T21:04:05+00:00"),
    .init("2026-11-21T21:04:05,5-03:30", "2026-11-21T21:04:05-03:30"),
    .init("2026-11-21 21:04", "2026-11-21T21:04:00+09:00"),
    .init("2026-11-21 21:04:05", "2026-11-21T21:04:05+09:00"),
    .init("2026-11-21 9:04 -0500", "2026-11-21T09:04:00-05:00"),
    .init("2026-11-21 21:04 +9", "2026-11-21T21:04:00+09:00"),
    .init("2026-11-21 21:04 +09", "2026-11-21T21:04:00+09:00"),
    .init("2026-11-21 21:04-5", "2026-11-21T21:04:00-05:00"),
    .init("2026-11-21 21:04 UTC", "2026-11-21T21:04:00+00:00"),
    .init("2026-11-21 21:04 CST", "2026-11-21T21:04:00+09:00"),
    .init("2026/1/5", "2026-01-05"),
    .init("2026.11.21", "2026-11-21"),
    .init("2026. 11. 21. 21:04", "2026-11-21T21:04:00+09:00"),
    .init("2026-11-21", "2026-11-21"),
    .init("  2026-11-21\t", "2026-11-21"),
    .init("2026-11-21 # the day after 12:30", "2026-11-21"),
    .init("2026-11-21 Saturday", "2026-11-21"),
    .init("2026-11-21 (토)", "2026-11-21"),
    .init("2026-11-21 (Sat) 21:04", "2026-11-21T21:04:00+09:00"),
    .init("2026-11-21 토요일 21:04", "2026-11-21T21:04:00+09:00"),
    .init("2026-11-21 at the lake", "2026-11-21"),
    .init("2026-11-21, 9:04 pm", "2026-11-21T21:04:00+09:00"),
    .init("2026-11-21 12:04 AM", "2026-11-21T00:04:00+09:00"),
    .init("2026-11-21 21:04 with friends", "2026-11-21T21:04:00+09:00"),
    .init("2026-11-21 21:04 - home", "2026-11-21T21:04:00+09:00"),
    .init("2026-11-21 25:61", "2026-11-21"),
    .init("2026-11-21T24:00:00Z", "2026-11-22T00:00:00+00:00"),
    .init("2026-12-31T23:59:60Z", "2026-12-31T23:59:59+00:00"),
    .init("2026-11-21-0930", "2026-11-21"),
    .init("20261121", "2026-11-21"),
    .init("202611212104", "2026-11-21T21:04:00+09:00"),
    .init("20261121210405", "2026-11-21T21:04:05+09:00"),
    .init("20261121T210405Z", "2026-11-21T21:04:05+00:00"),
    .init("1795262640", "2026-11-21T21:04:00+09:00"),
    .init("1795262640999", "2026-11-21T21:04:00+09:00"),
    .init("999999999", "2001-09-09T10:46:39+09:00"),
    .init("Sat, 21 Nov 2026 21:04:00 +0900", "2026-11-21T21:04:00+09:00"),
    .init("21 Nov 2026 21:04 GMT", "2026-11-21T21:04:00+00:00"),
    .init("Sat, 21 Nov 98 21:04:00 EST (cold)", "1998-11-21T21:04:00-05:00"),
    .init("1 november 2026", "2026-11-01"),
    .init("0001-01-01", "0001-01-01"),
    .init("2024-02-29", "2024-02-29"),
    .init("2023-02-29", nil),
    .init("2026-13-01", nil),
    .init("2026-11-32", nil),
    .init("2026-11-211", nil),
    .init("2026-11", nil),
    .init("2026-11/21", nil),
    .init("20261321", nil),
    .init("202611219904", nil),
    .init("12:30", nil),
    .init("1234567", nil),
    .init("yesterday", nil),
    .init("Sat", nil),
    .init("21 Now 2026", nil),
    .init("", nil),
    .init("99999999999999999999999999", nil),
  ]

  @Test(arguments: written) func `a written date is read with its meaning`(_ date: WrittenDate) {
    let read = EntryDate(reading: date.text, zone: Self.seoul)
    #expect(read?.description == date.meaning)
  }

  @Test func `a skipped hour moves forward`() throws {
    let date = try #require(
      EntryDate(reading: "2026-03-29 02:30", zone: zone("Europe/Berlin")))
    #expect(date.description == "2026-03-29T03:30:00+02:00")
  }

  @Test func `a repeated hour is its first occurrence`() throws {
    let date = try #require(
      EntryDate(reading: "2026-10-25 02:30", zone: zone("Europe/Berlin")))
    #expect(date.description == "2026-10-25T02:30:00+02:00")
  }

  @Test func `a date without a time is kept where midnight does not exist`() throws {
    let santiago = zone("America/Santiago")
    let date = try #require(EntryDate(reading: "2024-09-08", zone: santiago))
    #expect(date.description == "2024-09-08")
    #expect(date.instant == 1_725_768_000)
    let samoa = try #require(EntryDate(reading: "2011-12-30", zone: zone("Pacific/Apia")))
    #expect(samoa.date == Day(year: 2011, month: 12, day: 30))
  }

  @Test func `a date without a time has the offset of the start of its day`() throws {
    let date = try #require(EntryDate(reading: "2026-03-29", zone: zone("Europe/Berlin")))
    #expect(date.offset == 3600)
    #expect(EntryDate(reading: "2026-03-29 +05:30", zone: Self.seoul)?.offset == 19_800)
  }

  @Test func `a printed date is read back`() throws {
    var random = SeededGenerator()
    for _ in 0..<2000 {
      let instant = Int.random(in: -30_000_000_000...30_000_000_000, using: &random)
      let offset = Int.random(in: -56...56, using: &random) * 900
      let date = try #require(EntryDate(instant: instant, offset: offset))
      let read = EntryDate(reading: date.description, zone: Self.seoul)
      #expect(read == date, "\(random)")
    }
  }

  @Test func `a wall clock time and its instant give the same date`() throws {
    var random = SeededGenerator()
    let zones = ["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Asia/Seoul"].map(zone)
    for _ in 0..<2000 {
      let zone = try #require(zones.randomElement(using: &random))
      let day = try #require(Day(ordinal: Int.random(in: -20_000...40_000, using: &random)))
      let seconds = Int.random(in: 0..<86_400, using: &random)
      let date = EntryDate(wallClock: day, seconds: seconds, zone: zone)
      let shown = EntryDate(instant: date.instant, zone: zone)
      #expect(shown == date, "\(random), \(zone.identifier) \(day) \(seconds)")
    }
  }

  @Test(arguments: [
    ("2025-01-01 Rome", "Rome"), ("2025-01-01-trip-to-rome", "trip-to-rome"),
    ("2025-01-02 9:04 AM UTC: Rome", "Rome"), ("20250102 일기", "일기"),
    ("2025-01-02 Thursday 21:04", ""), ("2025-01-02 (목요일)", ""), ("2025-01-02 Thu.", ""),
    ("2025-01-02 Thursday in Rome", "Thursday in Rome"), ("Rome", ""), ("", ""),
    ("2025-01-02 Thu>", ""), ("2025-01-02 Thu] Rome", "Rome"), ("2025-01-02] Rome", "Rome"),
  ])
  func `the words after a date are found`(_ text: String, _ words: String) {
    #expect(EntryDate.words(afterDateIn: text) == words)
  }

  @Test func `arbitrary text does not crash the reader`() {
    var random = SeededGenerator()
    let alphabet = Array("0123456789-/.:T Z+,aNovSat토(\u{0}é".unicodeScalars)
    for _ in 0..<5000 {
      var view = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...24, using: &random) {
        view.append(alphabet[Int.random(in: 0..<alphabet.count, using: &random)])
      }
      if let date = EntryDate(reading: String(view), zone: Self.seoul) {
        #expect((0..<86_400).contains(date.seconds ?? 0), "\(random)")
      }
    }
  }
}

func zone(_ name: String) -> TimeZone {
  guard let zone = TimeZone(identifier: name) else { fatalError("no zone \(name)") }
  return zone
}
