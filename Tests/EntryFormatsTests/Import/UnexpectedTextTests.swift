import DiaryCore
import Foundation
import Testing

@testable import EntryFormats

/// Texts and values in places where the programs do not usually write them. They must not get lost.
@Suite struct UnexpectedTextTests {
  @Test func `a linked Markdown file is only an entry, with either extension`() throws {
    let batch = try imported([
      "a.md": "[b](b.markdown) [c](c.md) ![](p.png)", "b.markdown": "Words.", "c.md": "More.",
      "p.png": "x",
    ]).batch
    #expect(batch.entries.map(\.path) == ["a.md", "b.markdown", "c.md"])
    #expect(batch.entries.flatMap(\.attachments).map(\.fileName) == ["p.png"])
  }

  @Test func `a linked file is found if its name contains signs of links`() throws {
    let names = ["photo (1).png", "b (2).png", "Anna's cat.jpg"]
    var files = Dictionary(uniqueKeysWithValues: names.map { ($0, "x") })
    files["a.md"] = "![](photo%20(1).png) ![](<b (2).png>) ![[Anna's cat.jpg|200]]\r\n"
    let entry = try #require(try imported(files).batch.entries.first)
    #expect(Set(entry.attachments.map(\.fileName)) == Set(names))
  }

  @Test func `a folder named logseq is imported if it is not Logseq's own`() throws {
    let batch = try imported(["a.md": "Words.", "logseq/tips.md": "More."]).batch
    #expect(batch.entries.map(\.path) == ["a.md", "logseq/tips.md"])
  }

  @Test func `tags and resources of many Joplin notes are found in linear time`() throws {
    func export(_ count: Int) -> MemoryFiles {
      var files: [String: String] = [:]
      for number in 1...count {
        files["n\(number).md"] =
          "Note\n\n![p](:/b\(number))\n\nid: a\(number)\ncreated_time: 2025-01-01\ntype_: 1"
        files["r\(number).md"] = "p.png\n\nid: b\(number)\nfile_extension: png\ntype_: 4"
        files["t\(number).md"] = "tag\(number)\n\nid: c\(number)\ntype_: 5"
        files["l\(number).md"] = "id: d\(number)\nnote_id: a\(number)\ntag_id: c\(number)\ntype_: 6"
      }
      return MemoryFiles(files)
    }
    let ratio = try growth(from: 200, of: export) { files in
      let read = try readJoplinRaw(files, ImportOptions(zone: seoul))
      #expect(read.entries.count == files.names.count / 4)
      #expect(read.entries.allSatisfy { $0.tags.count == 1 && $0.attachments.count == 1 })
    }
    #expect(ratio < 24)
  }

  @Test func `the targets of Org links are not changed`() {
    #expect(
      markdown(org: "[[file:/home/me/][home]] [[file:my =x= y.png][z *b* c]] /soft/")
        == "[home](/home/me/) [z **b** c](my =x= y.png) *soft*")
  }

  @Test func `headings and drawers of Org that org-journal does not write are kept`() throws {
    let entries = try imported([
      "20250101.org": """
      * Ideas
      A boat.
      * 10:30 Walked
      * Wednesday
      ** 09:00 Snow
      :PROPERTIES:
      :ID: x
      Words.
      :LOGBOOK:
      - Note taken
      :END:
      ** :tag:

      """
    ]).batch.entries
    #expect(entries.map(\.title) == ["Ideas", "Walked", "Snow", ""])
    #expect(
      entries.map(\.body) == ["A boat.", "", "Words.\n:LOGBOOK:\n- Note taken\n:END:", ""])
    #expect(entries.map(\.date?.clock) == [nil, "10:30", "09:00", nil])
    #expect(entries.last?.tags == ["tag"])
  }

  @Test func `words after a date are the title`() throws {
    let text = "2025-01-01 Rome\nWords\n2025-01-02 Thursday 21:04\nMore\n"
    #expect(try imported(["d.txt": text]).batch.entries.map(\.title) == ["Rome", ""])
    let named = try imported(["2025-03-01 Trip to Rome.txt": "Words.\n"]).batch
    #expect(named.entries.map(\.title) == ["Trip to Rome"])
    let second = try imported(["2025-03-01-2.txt": "Words.\n"]).batch
    #expect(second.entries.map(\.title) == [""])
  }

  @Test func `dated text is read from files with either extension of Markdown`() throws {
    let (format, batch) = try imported([
      "a.md": "# 2025-01-01\n\nOne", "b.markdown": "# 2025-01-02\n\nTwo",
    ])
    #expect(format == "text")
    #expect(batch.entries.map(\.body) == ["One", "Two"])
  }

  private func phone(_ members: String...) throws -> [ImportedEntry] {
    let items = members.enumerated().map {
      #"{"title":"t","body":"b","created_at":170000000\#($0),\#($1)}"#
    }
    return try imported(["a.json": "[" + items.joined(separator: ",") + "]"]).batch.entries
  }

  @Test func `the words of a phone's weather are stored once, and all of them`() throws {
    let entries = try phone(
      #""weather":{"description":"Snow","temp":1}"#,
      #""weather":{"summary":"light rain","temp":"3°C"}"#,
      #""weather":"light rain, 3°C in the morning""#, #""weather":"light rain 3°C""#,
      #""weather":"7°C""#)
    #expect(
      entries.map { $0.weather?.text(in: .metric) } == [
        "Snow, 1°C", "Rain", "light rain, 3°C in the morning", "Rain, 3°C", "7°C",
      ])
    #expect(
      entries.map(\.fields) == [
        [],
        [
          ImportedField("weather_summary", .text("light rain")),
          ImportedField("weather_temp", .text("3°C")),
        ], [], [ImportedField("weather", .text("light rain 3°C"))], [],
      ])
  }

  @Test func `tags, stars and places of a phone in another form are kept`() throws {
    let entries = try phone(
      #""tags":["a",2,{"name":"b"}],"is_favorite":1"#,
      #""place":"Kyoto","location":{"lat":35,"lon":135}"#, #""location":{"lat":"35"}"#)
    #expect(entries[0].tags == ["a", "2"] && entries[0].isStarred)
    #expect(entries[0].fields == [ImportedField("tags_name", .text("b"))])
    #expect(entries[1].place == "Kyoto")
    #expect(entries[1].fields.map(\.key) == ["location_lat", "location_lon"])
    #expect(entries[2].fields == [ImportedField("location_lat", .text("35"))])
  }

  @Test func `the other data of Journey's weather and Diarium's place are header fields`() throws {
    let journey = try imported([
      "1.json":
        #"{"date_journal":1735689900000,"text":"x","weather":{"id":-1,"degree_c":3,"description":"light rain","place":"Park"}}"#
    ]).batch
    #expect(
      journey.entries.first?.fields == [
        ImportedField("weather_description", .text("light rain")),
        ImportedField("weather_place", .text("Park")),
      ])
    let diarium = try imported([
      "d.json":
        #"[{"date":"2010-10-26","heading":"H","html":"<p>x</p>","location":{"name":"Park"}}]"#
    ]).batch
    #expect(diarium.entries.first?.fields == [ImportedField("location_name", .text("Park"))])
    let plain = try imported([
      "d.json": #"[{"date":"2010-10-26","heading":"H","text":"Met <Anna> & Ben."}]"#
    ]).batch
    #expect(plain.entries.first?.body == "Met <Anna> & Ben.")
  }

  @Test func `a second title of Apple's Journal is a header field`() throws {
    let entry = try imported([
      "Entries/2024-11-03.html": """
      <body><div class="pageHeader">Sunday</div><div class="title">One</div>
      <div class="title">Two</div><p>Words.</p></body>
      """
    ]).batch.entries.first
    #expect(entry?.title == "One" && entry?.body == "Words.")
    #expect(entry?.fields == [ImportedField("title", .text("Two"))])
  }

  @Test func `texts and lists in a RedNotebook month that it does not write are kept`() throws {
    let batch = try imported([
      "2025-02.txt":
        "1: only words\n2:\n  Ideas: [a boat, a kite]\n  Films: Stalker\n  Rain: null\n3: null\n4: ~\n"
    ]).batch
    #expect(batch.entries.map(\.body) == ["only words", ""])
    #expect(
      batch.entries[1].fields == [
        ImportedField("Ideas", .list(["a boat", "a kite"])),
        ImportedField("Films", .list(["Stalker"])),
      ])
    #expect(batch.entries[1].tags == ["Rain"])
  }

  @Test func `an Org file with CRLF becomes Markdown`() throws {
    let entries = try readOrgJournal(
      Array("* 2025-01-01\r\n** 10:00 A\r\n- /one/\r\n- two\r\n".utf8), file: "20250101.org",
      ImportOptions(zone: .gmt))
    #expect(entries.map(\.title) == ["A"] && entries.map(\.body) == ["- *one*\n- two"])
  }

  @Test func `encrypted notes of Joplin are counted as skipped`() throws {
    let batch = try imported([
      "a.md": "id: a\ncreated_time: 2025-01-01\nencryption_applied: 1\ntype_: 1",
      "b.md": "Note\n\nWords\n\nid: b\ncreated_time: 2025-01-01\ntype_: 1",
    ]).batch
    #expect(batch.entries.map(\.title) == ["Note"])
    #expect(batch.skipped.values.reduce(0, +) == 1)
  }

  @Test(arguments: [
    #"{"diary":1,"entries":[{"path":"a.md","header":"","body":"x","bytes":"***"}]}"#,
    #"{"diary":1,"entries":[{"path":"a.md","body":"x","bytes":7}]}"#,
    #"{"diary":1,"entries":[{"path":"a.md","body":"x","attachments":[{"path":"p.png","data":"*"}]}]}"#,
    #"{"diary":1,"entries":[{"path":"a.md","body":"x","attachments":[{"data":"YQ=="}]}]}"#,
  ])
  func `damaged bytes in Diary's own JSON are an error`(_ text: String) {
    #expect(throws: ImportError.self) { try imported(["a.json": text]) }
  }

  @Test(arguments: [
    ("a training day", nil), ("a thousand things", nil), ("brainstorm", nil),
    ("Rainy", Condition.rain),
    ("Light rain", .rain), ("FreezingRain", .rain), ("ScatteredThunderstorms", .thunderstorm),
    ("partly-cloudy-night", .clouds), ("Mostly Sunny", .clear), ("light_snow", .snow),
    ("Thunderstorm with light rain", .thunderstorm), ("overcast clouds", .clouds),
  ])
  func `weather is a condition only if a whole word names it`(
    _ text: String, _ condition: Condition?
  ) {
    #expect(Condition(foreign: text) == condition)
  }

  @Test func `only the numbers that mean nothing in Journey are left out`() throws {
    let fields = try imported([
      "1.json":
        #"{"id":"1","date_journal":1735689900000,"text":"x","mood":0,"sentiment":0,"steps":0,"left":-1,"note":"0","weather":{"id":-1,"description":"Snow"}}"#
    ]).batch.entries.first?.fields
    #expect(fields?.map(\.key) == ["steps", "left", "note"])
  }

  @Test func `nested lists of a category of RedNotebook keep all their words`() throws {
    let entry = try #require(
      try imported([
        "2025-01.txt": "1:\n  text: a\n  Cat: [[alpha, beta], gamma]\n  Dog: [[delta]]\n"
      ]).batch.entries.first)
    #expect(
      entry.fields == [
        ImportedField("Cat", .list(["alpha", "beta", "gamma"])),
        ImportedField("Dog", .list(["delta"])),
      ])
  }

  @Test func `aliases of a month of RedNotebook cannot fill the memory`() {
    var text = "1:\n  text: a\n  C0: &c0 [x, x, x, x, x, x, x, x, x, x]\n"
    for level in 1...20 {
      let items = Array(repeating: "*c\(level - 1)", count: 10).joined(separator: ", ")
      text += "  C\(level): &c\(level) [\(items)]\n"
    }
    #expect(throws: ImportError.self) { try imported(["2025-01.txt": text]) }
  }

  @Test func `HTML that loses an element is compared with its source`() throws {
    let entry = try #require(
      try imported([
        "1.json":
          #"{"id":"1","date_journal":1735689900000,"type":"html","text":"<h1>1. A *title*</h1><p>x <img src='data:image/png;base64,AA=='></p><ul><li>a</li></ul>"}"#
      ]).batch.entries.first)
    #expect(entry.title == "1. A *title*" && entry.body == "x\n\n- a")
    let structure = try #require(entry.structure)
    #expect(
      structure.source.text(besides: structure.markdown)
        == "1 heading, 1 list item, 1 picture in the text")
    #expect(
      structure.markdown.text(besides: structure.source, onlyDifferent: true)
        == "0 pictures in the text")
  }
}
