import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import EntryFormats

@Suite struct DayOneImportTests {
  private func read(_ entry: String) throws -> ImportedEntry {
    let (format, batch) = try imported([
      "Journal.json": "{\"metadata\":{\"version\":\"1.0\"},\"entries\":[{\(entry)}]}"
    ])
    #expect(format == "dayone")
    return try #require(batch.entries.first)
  }

  @Test func `all data of a Day One entry is imported`() throws {
    let entry = try read(
      #"""
      "uuid":"AB1","text":"# First snow\n\nIt snowed\\. 1\\. \\(twice\\)\\!\n\n![](dayone-moment://P1)",
      "creationDate":"2025-01-01T00:05:00Z","timeZone":"America/New_York","starred":true,
      "tags":["family","winter walk"],
      "weather":{"conditionsDescription":"Mostly Sunny","temperatureCelsius":-3.4,"windBearing":330},
      "location":{"placeName":"Park","localityName":"서울","country":"대한민국","latitude":37.53,"longitude":126.93},
      "photos":[{"identifier":"P1","md5":"abc","type":"png","orderInEntry":0}]
      """#)
    #expect(entry.title == "First snow")
    #expect(entry.body == "It snowed. 1. (twice)!\n\n![](dayone-moment://P1)")
    #expect(entry.date?.description == "2024-12-31T19:05:00-05:00")
    #expect(entry.sourceID == "dayone/AB1")
    #expect(entry.tags == ["family", "winter walk"] && entry.isStarred)
    #expect(entry.weather?.text(in: .metric) == "Clear, -3.4°C")
    #expect(entry.weather?.text(in: .imperial) == "Clear, 25.9°F")
    #expect(entry.place == "Park, 서울, 대한민국")
    let fields = Dictionary(uniqueKeysWithValues: entry.fields.map { ($0.key, $0.value) })
    #expect(fields["coordinates"] == .text("37.53,126.93"))
    #expect(fields["weather_windBearing"] == .text("330"))
    #expect(fields["timezone"] == .text("America/New_York"))
    #expect(
      entry.attachments == [
        ImportedAttachment(
          names: ["photos/abc.png", "photos/abc.jpeg"], fileName: "abc.png",
          placeholder: "![](dayone-moment://P1)")
      ])
  }

  @Test(arguments: [
    (#"1\. at the start"#, #"1\. at the start"#), (#"in 2\. the middle"#, "in 2. the middle"),
    ("\\# no heading", "\\# no heading"), (#"a \* b \_ c"#, #"a \* b \_ c"#),
    (#"C:\\dir and \- dash"#, #"C:\dir and - dash"#), (#"\(x\) \[y\]"#, #"(x) \[y\]"#),
  ])
  func `an escape is removed if it changes nothing`(_ written: String, _ meant: String) {
    #expect(DayOneText.unescaped(written) == meant)
  }

  @Test func `unescaping restores an escaped text`() {
    var random = SeededGenerator()
    let signs = Array(#"\\\.()!-+*_[]#`1 a\#n가"#)
    for round in 0..<5000 {
      let text = String(
        (0..<Int.random(in: 0...12, using: &random)).map { _ in
          signs[Int.random(in: 0..<signs.count, using: &random)]
        })
      #expect(
        DayOneText.unescaped(DayOneText.escaped(text)) == text,
        "\(random), round \(round): \(text.debugDescription)")
    }
  }

  @Test func `an entry without text, tags and an id is imported`() throws {
    let entry = try read(#""creationDate":"1969-12-31T23:59:59Z""#)
    #expect(entry.title.isEmpty && entry.body.isEmpty)
    #expect(entry.sourceID == "dayone/1969-12-31T23:59:59Z")
  }

  @Test func `blanks between the parts of a rich text are kept`() throws {
    let entry = try read(
      #""creationDate":"2025-01-01T00:05:00Z","richText":"{\"contents\":[{\"text\":\"One\"},{\"text\":\" \"},{\"text\":\"two\"}]}""#
    )
    #expect(entry.body == "One two")
  }

  @Test func `a weather without words and temperature is kept in header fields`() throws {
    let entry = try read(
      #""creationDate":"2025-01-01T00:05:00Z","weather":{"windBearing":330}"#)
    #expect(entry.weather == nil)
    #expect(entry.fields == [ImportedField("weather_windBearing", .text("330"))])
  }

  @Test func `an invalid date is an error`() throws {
    let error = #expect(throws: ImportError.self) {
      try read(#""creationDate":"never","text":"x""#)
    }
    #expect(error?.description.contains("\"creationDate\" is never") == true)
  }

  @Test func `Core Data seconds and Unix seconds are distinguished`() throws {
    func date(_ seconds: String) throws -> String? {
      try imported([
        "a.json": "[{\"title\":\"t\",\"body\":\"b\",\"created_at\":\(seconds)}]"
      ]).batch.entries.first?.date?.description
    }
    #expect(try date("700000000.5") == "2023-03-09T05:26:40+09:00")
    #expect(try date("1678308400") == "2023-03-09T05:46:40+09:00")
    #expect(try date("1") == "1970-01-01T09:00:01+09:00")
  }

  @Test func `weather and place of a phone are imported`() throws {
    let read = try imported([
      "a.json": """
      [{"title":"t","body":"b","created_at":1700000000,"mood":4,
        "weather":{"condition":"light rain","temperature":50,"unit":"F"},
        "location":{"name":"Kyoto","latitude":35.01,"longitude":135.77},"tags":["a"]},
       {"title":"t","body":"b","created_at":1700000001,"weather":"Snow, -2°C","location":"Nara"}]
      """
    ]).batch.entries
    #expect(read.map { $0.weather?.text(in: .metric) } == ["Rain, 10°C", "Snow, -2°C"])
    #expect(read.map(\.place) == ["Kyoto", "Nara"])
    #expect(read[0].tags == ["a"])
    #expect(read[0].fields.map(\.key) == ["mood", "weather_condition", "coordinates"])
  }
}
