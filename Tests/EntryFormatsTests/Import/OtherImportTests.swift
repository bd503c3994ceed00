import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import EntryFormats

/// One entry of each other format, with the peculiarities of the program that writes it.
@Suite struct OtherImportTests {
  @Test func `a RedNotebook month is read with categories and markup`() throws {
    let (format, batch) = try imported([
      "data/2025-01.txt": #"""
      1:
        Tags:
          winter: null
        family:
          Anna: null
          Ben came by: null
        text: "**bold** //italic// --gone-- ``mono`` http://x.org/a//b\n[\"\"file:///home/me/a b\"\".jpg?400]\n=== Day ===\n+ one\n|| a | b |\n| 1 | 2 |"
      2: {text: ''}
      """#, "data/notes.txt": "no month",
    ])
    #expect(format == "rednotebook")
    let entry = try #require(batch.entries.first)
    #expect(batch.entries.count == 1)
    #expect(
      entry.body == """
        **bold** *italic* ~~gone~~ `mono` http://x.org/a//b
        ![](/home/me/a%20b.jpg)
        ### Day
        1. one
        | a | b |
        | --- | --- |
        | 1 | 2 |
        """)
    #expect(entry.date?.description == "2025-01-01")
    #expect(entry.tags == ["winter"])
    #expect(entry.fields == [ImportedField("family", .list(["Anna", "Ben came by"]))])
    #expect(entry.attachments.map(\.fileName) == ["a b.jpg"])
    #expect(entry.sourceID == "rednotebook/2025-01-01")
  }

  /// `Tests/Foreign/make-rednotebook.py` wrote the file with RedNotebook 2.29's own modules.
  @Test func `a file written by RedNotebook itself is read`() throws {
    let folder = Project.root.appendingPathComponent("Tests/Foreign/rednotebook")
    var files: [String: String] = [:]
    for name in ["2024-02.txt", "2024-12.txt", "2025-01.txt"] {
      files[name] = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }
    let (format, batch) = try imported(files)
    #expect(format == "rednotebook")
    #expect(
      batch.entries.map { $0.date?.description } == [
        "2024-02-29", "2024-12-31", "2025-01-01", "2025-01-02",
      ])
    #expect(batch.entries[0].fields == [ImportedField("Movies", .list(["Stalker"]))])
    #expect(batch.entries[1].body == "  leading blanks\nИтог года\n\n```\ncode **stays**\n```\n")
    #expect(
      batch.entries[2].body == """
        **Bold**, *italic*, _underlined_, ~~gone~~ and `mono`.

        ### Morning

        - one
        - two
          - inner

        1. first
        1. second

        See [the lake](https://example.org/a//b) and http://example.org/x--y.
        ![](/home/me/Pictures/ice.jpg)
        #winter and #눈
        """)
    #expect(batch.entries[2].tags == ["family", "two words"])
    #expect(
      batch.entries[2].fields == [ImportedField("Ideas", .list(["build a boat", "learn 한글"]))])
    #expect(
      batch.entries[3].body == """
        오늘은 한강을 걸었다. 🎉

        | day | snow |
        | --- | --- |
        | Monday | 2 cm |
        | Tuesday | none |

        ---
        Yes: "quoted" 'text' \\ end
        """)
    #expect(batch.skipped.values.reduce(0, +) == 1)
  }

  @Test func `an invalid day in a RedNotebook month is an error`() throws {
    let error = #expect(throws: ImportError.self) {
      try imported(["2025-02.txt": "1:\n  text: a\n31:\n  text: b\n"])
    }
    #expect(error?.reason == "31 is not a day of 2025-02")
  }

  @Test func `a page of Apple Journal is read`() throws {
    let (format, batch) = try imported([
      "Entries/2024-11-03_Walk.html": """
      <html><head><style>p{}</style></head><body><div class="pageHeader">Sunday</div>
      <div class="title">A <b>walk</b></div><img src="../Resources/P%201.heic">
      <p class="p2">First &amp; <i>last </i>one</p><ul><li>a<ul><li>b</li></ul></li></ul>
      <div class="gridItemOverlayHeader">Park</div></body></html>
      """, "Resources/P 1.heic": "x",
    ])
    #expect(format == "applejournal")
    let entry = try #require(batch.entries.first)
    #expect(entry.title == "A walk")
    #expect(entry.body == "![](../Resources/P%201.heic)\n\nFirst & *last* one\n\n- a\n  - b")
    #expect(entry.date?.description == "2024-11-03")
    #expect(entry.attachments.first?.names.first == "../Resources/P 1.heic")
    #expect(entry.attachments.first?.placeholder == "![](../Resources/P%201.heic)")
    #expect(entry.fields == [ImportedField("gridItemOverlayHeader", .text("Park"))])
  }

  @Test(arguments: ["b", "i", "s", "code", "a href=\"https://example.org\"", "div"])
  func `a title in any element of Apple's Journal leaves the text after it`(_ element: String)
    throws
  {
    let end = element.prefix { $0 != " " }
    let (_, batch) = try imported([
      "Entries/2024-11-03_Walk.html": """
      <html><body><div class="pageHeader">Sunday</div>
      <\(element) class="title">A walk</\(end)><p class="p2">First.</p></body></html>
      """
    ])
    #expect(batch.entries.first?.title == "A walk")
    #expect(batch.entries.first?.body == "First.")
  }

  @Test func `exports of Journey, Diarium and tui-journal are read`() throws {
    let journey = try imported([
      "1-a.json":
        #"{"id":"1-a","date_journal":1735689900000,"text":"<p>It <b>snowed</b></p>","type":"html","timezone":"America/New_York","weather":{"degree_c":1.7976931348623157e+308,"description":"Snow"},"lat":1.7976931348623157e+308,"lon":2,"label":"Park","photos":["1-a-b.jpg"],"tags":["t"],"favourite":true,"mood":4,"sentiment":0}"#
    ])
    #expect(journey.format == "journey")
    let first = try #require(journey.batch.entries.first)
    #expect(first.body == "It **snowed**")
    #expect(first.date?.description == "2024-12-31T19:05:00-05:00")
    #expect(first.weather?.text(in: .metric) == "Snow" && first.place == "Park")
    #expect(first.isStarred && first.attachments.map(\.fileName) == ["1-a-b.jpg"])
    #expect(first.fields.map(\.key) == ["timezone", "mood"])

    let diarium = try imported([
      "d.json":
        #"[{"date":"2010-10-26T15:47:53.48828","heading":"H","html":"<p>Hello</p>","rating":4,"location":[40.1,-82.5]}]"#,
      "media/2010-10-26_154753/p.jpg": "x", "media/2010-10-27/q.jpg": "x",
    ])
    #expect(diarium.format == "diarium")
    let second = try #require(diarium.batch.entries.first)
    #expect(second.title == "H" && second.body == "Hello" && second.place == "40.1,-82.5")
    #expect(second.date?.description == "2010-10-26T15:47:53+09:00")
    #expect(second.attachments.map(\.fileName) == ["p.jpg"])

    let tui = try imported([
      "e.json":
        #"{"version":100,"entries":[{"date":"2023-12-18T17:21:00Z","title":"T","content":"C","tags":["a"],"priority":1}]}"#
    ])
    #expect(tui.format == "tui-journal")
    #expect(tui.batch.entries.first?.date?.description == "2023-12-19T02:21:00+09:00")
    #expect(tui.batch.entries.first?.fields == [ImportedField("priority", .text("1"))])
  }

  @Test func `org-journal files by day and by year are read`() throws {
    let daily = try imported([
      "20250101.org":
        "* Wednesday\n** 09:00 First *snow* :family:\nSome =code= [[https://x.org][a link]].\n- [X] done\n"
    ])
    #expect(daily.format == "org-journal")
    let entry = try #require(daily.batch.entries.first)
    #expect(entry.title == "First **snow**" && entry.tags == ["family"])
    #expect(entry.body == "Some `code` [a link](https://x.org).\n- [x] done")
    #expect(entry.date?.description == "2025-01-01T09:00:00+09:00")
    let yearly = try imported([
      "2024":
        "* Monday\n:PROPERTIES:\n:CREATED: 20240101\n:END:\n** 10:30 One\n* Tuesday\n:PROPERTIES:\n:CREATED: 20240102\n:END:\nLoose.\n"
    ])
    #expect(yearly.format == "org-journal")
    #expect(
      yearly.batch.entries.map { $0.date?.description } == [
        "2024-01-01T10:30:00+09:00", "2024-01-02",
      ])
  }

  @Test func `a raw export of Joplin is read`() throws {
    let id = String(repeating: "1", count: 32)
    let (format, batch) = try imported([
      "n.md":
        "My note\n\nSee ![p](:/\(id))\n\nid: n\nparent_id: f\ncreated_time: 2025-01-01T00:05:00.000Z\nlatitude: 37.53\nlongitude: 126.93\ntype_: 1",
      "f.md": "Diary\n\nid: f\ntype_: 2", "t.md": "winter\n\nid: t\ntype_: 5",
      "l.md": "id: l\nnote_id: n\ntag_id: t\ntype_: 6",
      "r.md": "snow.png\n\nid: \(id)\nfile_extension: png\ntype_: 4", "resources/\(id).png": "x",
    ])
    #expect(format == "joplin-raw")
    let entry = try #require(batch.entries.first)
    #expect(batch.entries.count == 1)
    #expect(entry.title == "My note" && entry.body == "See ![p](:/\(id))")
    #expect(entry.tags == ["winter"] && entry.place == "37.53,126.93")
    #expect(entry.fields == [ImportedField("notebook", .text("Diary"))])
    #expect(
      entry.attachments == [
        ImportedAttachment(
          names: ["resources/\(id).png", "resources/\(id)", "\(id).png"], fileName: "snow.png",
          placeholder: "![p](:/\(id))")
      ])
    #expect(entry.date?.description == "2025-01-01T09:05:00+09:00" && entry.sourceID == "joplin/n")
  }

  @Test func `a folder of Markdown keeps every byte and finds its attachments`() throws {
    let text = "---\ncreated: 2025-01-01T09:05\n---\n![[snow.png|200]] [m](../A%20b/m.mp3)\r\n"
    let (format, batch) = try imported([
      ".obsidian/app.json": "{}", "Daily/2025-01-01.md": text, "Files/snow.png": "x",
      "A b/m.mp3": "y", "Templates/t.md": "{{date}}", "Files/unused.png": "z",
    ])
    #expect(format == "obsidian")
    let entry = try #require(batch.entries.first)
    #expect(batch.entries.count == 1 && batch.skipped == ["templates": 1])
    #expect(entry.bytes == Array(text.utf8) && entry.path == "Daily/2025-01-01.md")
    #expect(Set(entry.attachments.map(\.fileName)) == ["Files/snow.png", "A b/m.mp3"])
    #expect(
      try imported(["logseq/config.edn": "{}", "journals/2025_01_01.md": "- a"]).format == "logseq")
    #expect(try imported(["a.md": "Words.", "b/c.md": "More."]).format == "markdown")
  }

  @Test func `plain text is split at lines that are dates`() throws {
    let (format, batch) = try imported([
      "d.txt":
        "2025-01-01\nHello\n2025 was fine, and 12:30 too.\n\n2025-01-02 Thursday 21:04\n\nBye\n"
    ])
    #expect(format == "text")
    #expect(batch.entries.map(\.body) == ["Hello\n2025 was fine, and 12:30 too.", "Bye"])
    #expect(batch.entries.first?.date?.description == "2025-01-01")
    let named = try imported(["2025-03-01.txt": "Words of a day.\n"])
    #expect(named.batch.entries.first?.date?.description == "2025-03-01")
    let error = #expect(throws: ImportError.self) {
      try ImportFormat.datedText.entries(
        of: MemoryFiles(["d.txt": "Words\n2025-01-01\nx"]), ImportOptions(zone: seoul))
    }
    #expect(error?.line == 1)
  }

  @Test func `JSON of Diary is read, whole and by lines`() throws {
    let object =
      #"{"body":"B\n","diary":1,"header":"---\ndate: 2025-01-01\n---\n","path":"2025/a.md","attachments":[{"path":"2025/p.png","size":1,"data":"YQ=="}]}"#
    for (name, text) in [
      ("a.json", "{\"diary\":1,\"entries\":[\n\(object)\n]}"),
      ("line.json", "{\"diary\":1,\"entries\":[\(object)]}\n"),
      ("pretty.json", "{\n  \"diary\": 1,\n  \"entries\": [\n\(object)\n]}"),
      ("a.jsonl", object + "\n" + object + "\n"),
      (
        "field.jsonl",
        object.replacing("\"diary\":1,", with: "\"diary\":1,\"fields\":{\"entries\":\"3\"},")
      ),
    ] {
      let (format, batch) = try imported([name: text])
      #expect(format == "diary", "\(name)")
      let entry = try #require(batch.entries.first)
      #expect(entry.bytes == Array("---\ndate: 2025-01-01\n---\nB\n".utf8))
      #expect(entry.path == "2025/a.md" && entry.attachments.first?.data == [0x61])
    }
  }
}
