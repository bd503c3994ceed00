import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import EntryFormats

/// Exports of programs for notes, with their dates, tags and files.
@Suite struct NoteImportTests {
  private static let id = "0123456789abcdef0123456789abcdef"

  @Test func `pages of Notion have their date and tags, and their tables are counted`() throws {
    let page = "Diary \(Self.id)/A walk \(Self.id)"
    let (format, batch) = try imported([
      page + ".md": """
      # A walk

      Created: March 1, 2025 9:04 PM
      Tags: river, long walk
      Mood: good

      First: the river.

      ![ice](A%20walk%20\(Self.id)/my%20ice.png) [other](Other%20\(Self.id).md)
      """,
      page + "/my ice.png": "x",
      "Diary \(Self.id)/Other \(Self.id).md": "# Other\n\nNote: no property\nof this text.\n",
      "Diary \(Self.id).csv": "Name,Tags\n", "Diary \(Self.id)_all.csv": "Name,Tags\n",
    ])
    #expect(format == "notion")
    #expect(batch.entries.map(\.title).sorted() == ["A walk", "Other"])
    let entry = try #require(batch.entries.first { $0.title == "A walk" })
    #expect(entry.date?.description == "2025-03-01T21:04:00+09:00")
    #expect(entry.tags == ["river", "long walk"])
    #expect(entry.fields == [ImportedField("mood", .text("good"))])
    #expect(entry.body.hasPrefix("First: the river.\n\n![ice](A%20walk"))
    #expect(entry.path == nil && entry.sourceID == "notion/" + Self.id)
    let picture = try #require(entry.attachments.first)
    #expect(picture.names == [page + "/my ice.png"] && entry.attachments.count == 1)
    #expect(picture.placeholder == "![ice](A%20walk%20\(Self.id)/my%20ice.png)")
    let other = try #require(batch.entries.first { $0.title == "Other" })
    #expect(other.date == nil && other.body == "Note: no property\nof this text.")
    #expect(batch.skipped.values.sorted() == [1, 2])
  }

  /// Imports a page of Notion.
  private func page(_ text: String) throws -> ImportedEntry {
    try #require(try imported(["A \(Self.id).md": "# A\n\n" + text]).batch.entries.first)
  }

  @Test(arguments: [
    ("Phone: 1234567890\nCreated: May 6, 2024", "2024-05-06", "phone=1234567890"),
    ("Due: May 6, 2024 or later, ask Bob first", nil, "due=May 6, 2024 or later, ask Bob first"),
    ("Order: 20240506", nil, "order=20240506"),
    (
      "Time: March 1, 2025 9:04 PM (GMT+9) → 10:00 PM", "2025-03-01T21:04:00+09:00",
      "time=March 1, 2025 9:04 PM (GMT+9) → 10:00 PM"
    ),
    ("Time: March 1, 2025 9:04 PM (GMT-5)", "2025-03-01T21:04:00-05:00", ""),
    (
      "Time: March 1, 2025 9:04 PM (EST)", "2025-03-01T21:04:00+09:00",
      "time=March 1, 2025 9:04 PM (EST)"
    ),
    ("Created: 2024/05/06\nDue: 2024/05/07", "2024-05-06", "due=2024/05/07"),
  ])
  func `a property of Notion is the date if it is a date, and else a field`(
    _ properties: String, _ date: String?, _ fields: String
  ) throws {
    let entry = try page(properties + "\n\nWords.\n")
    #expect(entry.date?.description == date)
    let shown = entry.fields.map { field in
      if case .text(let text) = field.value { field.key + "=" + text } else { field.key }
    }
    #expect(shown == (fields.isEmpty ? [] : [fields]))
    #expect(entry.body == "Words.")
    #expect(entry.headerLines.map(\.text) == properties.split(separator: "\n").map(String.init))
  }

  @Test func `a property of Notion without a value stays in the text`() throws {
    let questions = try page("Questions: \n\nWhy?\n")
    #expect(questions.body == "Questions:\n\nWhy?" && questions.fields.isEmpty)
    let sleep = try page("Mood: good\nSleep: \nCreated: May 6, 2024\n\nWords.\n")
    #expect(sleep.body == "Sleep:\n\nWords." && sleep.date?.description == "2024-05-06")
    #expect(sleep.fields == [ImportedField("mood", .text("good"))])
  }

  @Test func `a vault with names of Notion stays a vault`() throws {
    #expect(
      try imported([".obsidian/app.json": "{}", "A \(Self.id).md": "# A\n"]).format == "obsidian")
    #expect(
      try imported(["A \(Self.id).md": "# A\n", "b.md": "B", "c.md": "C"]).format == "markdown")
  }

  @Test func `bundles of Bear have their date, star and pictures`() throws {
    let (format, batch) = try imported([
      "Walk.textbundle/text.markdown":
        "# A walk\n\n#river ![](assets/my%20ice.png)\n\n# 2025-01-01 10:00 Later\n",
      "Walk.textbundle/info.json":
        #"{"version":2,"net.shinyfrog.bear":{"creationDate":"2025-01-01T03:00:00Z","pinned":1,"uniqueIdentifier":"B-1","trashed":0}}"#,
      "Walk.textbundle/assets/my ice.png": "x",
      "Gone.textbundle/text.md": "Gone.",
      "Gone.textbundle/info.json": #"{"net.shinyfrog.bear":{"trashed":1}}"#,
      "Plain.textbundle/text.txt": "Words.", "Plain.textbundle/info.json": #"{"version":2}"#,
    ])
    #expect(format == "textbundle")
    let bear = try #require(batch.entries.first { $0.title == "A walk" })
    #expect(bear.date?.description == "2025-01-01T12:00:00+09:00" && bear.isStarred)
    #expect(bear.sourceID == "textbundle/B-1" && bear.path == nil)
    #expect(bear.attachments.map(\.placeholder) == ["![](assets/my%20ice.png)"])
    let plain = try #require(batch.entries.first { $0.title == "Plain" })
    #expect(plain.date == nil && plain.body == "Words." && batch.entries.count == 2)
    #expect(batch.skipped == ["notes in the trash": 1])
    #expect(try imported(["text.md": "One.", "info.json": "{}"]).format == "textbundle")
  }

  @Test func `notes of org-roam have their title, tags and time`() throws {
    let (format, batch) = try imported([
      "20250301210400-a_walk.org": """
      :PROPERTIES:
      :ID:       9f3c
      :ROAM_ALIASES: stroll
      :END:
      #+title: A walk
      #+filetags: :river:long:

      Some /words/.
      * Later
      More.
      """,
      "daily/2025-03-02.org":
        ":PROPERTIES:\n:ID: d1\n:END:\n#+TITLE: 2025-03-02\n* 10:30 Tea\nWith milk.\n",
      "idea.org": "#+title: Idea\nNo date.\n",
    ])
    #expect(format == "org-roam")
    #expect(batch.entries.map(\.title) == ["A walk", "", "Idea"])
    let walk = batch.entries[0]
    #expect(walk.date?.description == "2025-03-01T21:04:00+09:00")
    #expect(walk.tags == ["river", "long"] && walk.sourceID == "org-roam/9f3c")
    #expect(walk.body == "Some *words*.\n# Later\nMore.")
    #expect(walk.fields == [ImportedField("roam_aliases", .text("stroll"))])
    #expect(batch.entries[1].date?.description == "2025-03-02")
    #expect(batch.entries[1].body == "# 10:30 Tea\nWith milk." && batch.entries[2].date == nil)
  }

  @Test(arguments: [
    (":PROPERTIES:\n:ID: a\nWords.\nMore.\n", ":PROPERTIES:\n:ID: a\nWords.\nMore."),
    (":PROPERTIES:\n:ID: a\n:MOOD: good\n", ":PROPERTIES:\n:ID: a\n:MOOD: good"),
    (":PROPERTIES:\n:ID: a\nWords.\n:END:\n", ":PROPERTIES:\n:ID: a\nWords.\n:END:"),
    (":END:\nWords.\n", ":END:\nWords."), ("#+call some words\n", "#+call some words"),
  ])
  func `what is no drawer and no keyword of org-roam is text`(
    _ text: String, _ body: String
  ) throws {
    let entry = try #require(
      try imported([
        "a.org": ":PROPERTIES:\n:ID: x\n:END:\n#+title: A\n" + text
      ]).batch.entries.first)
    #expect(entry.title == "A" && entry.sourceID == "org-roam/x" && entry.fields.isEmpty)
    #expect(entry.body == body)
  }

  @Test func `equal keys of org-roam are joined, and words beside a date stay`() throws {
    let text = """
      :properties:
      :ID: x
      :ROAM_REFS: one
      :ROAM_REFS: two
      :end:
      #+title: A
      #+date: [2025-03-01 Sat] or later
      Words.
      """
    let (format, batch) = try imported(["a.org": text])
    let entry = try #require(batch.entries.first)
    #expect(format == "org-roam" && entry.date?.description == "2025-03-01")
    #expect(entry.body == "Words.")
    #expect(
      entry.fields == [
        ImportedField("roam_refs", .text("one two")),
        ImportedField("date", .text("[2025-03-01 Sat] or later")),
      ])
  }

  @Test func `org-journal with a title for all its files is not org-roam`() throws {
    let text = "#+TITLE: Daily Journal\n* Wednesday\n** 09:00 Snow\nWords.\n"
    #expect(try imported(["20250101.org": text]).format == "org-journal")
  }

  @Test func `drawings of Excalidraw are counted and not imported`() throws {
    let batch = try imported([
      ".obsidian/app.json": "{}", "a.md": "Words.", "Boat.excalidraw.md": "data",
      "Sea.md": "---\nexcalidraw-plugin: parsed\n---\ndata",
    ]).batch
    #expect(batch.entries.map(\.path) == ["a.md"])
    #expect(batch.skipped == ["drawings of Excalidraw": 2])
  }

  @Test(arguments: [
    ("a.enex", "<?xml version=\"1.0\"?>\n<en-export export-date=\"x\">", "Evernote"),
    ("a.xml", "<rss xmlns:wp=\"http://wordpress.org/export/1.2/\">", "WordPress"),
    ("Keep/a.json", "{\"textContent\":\"x\",\"userEditedTimestampUsec\":1}", "Google Keep"),
    ("a.txt", "{\"version\":\"004\",\"items\":[{\"content_type\":\"Note\"}]}", "Standard Notes"),
    ("Home.txt", "Content-Type: text/x-zim-wiki\nWiki-Format: zim 0.6\n", "Zim"),
    ("a.csv", "full_date,date,weekday,time,mood,activities,note_title,note\n", "Daylio"),
    ("diaro.csv", "date,title,text,folder,tags\n", "Diaro"), ("notes.zip", "PK", "zip"),
    ("NoteStore.sqlite", "SQLite format 3", "Apple Notes"), ("a.ics", "BEGIN:VCALENDAR\n", "ICS"),
    ("word/document.xml", "<x/>", "document"), ("b.csv", "a,b\n", "CSV"),
    (
      "out.md", "# 2025\n\n## January\n\n### 2025-01-01 09:00 Snow\n\nCold.\n", "jrnl (Markdown)"
    ),
    ("d/2025-01-01_snow.md", "# 2025-01-01 09:00 Snow\n\nCold.\n", "jrnl (Markdown)"),
    (
      "d/2025-01-01_snow.md",
      "---\ntitle: Snow\ndate: 2025-01-01 09:00\nstarred: True\ntags: \nbody: |\t\t\n\tCold.\n...",
      "jrnl (YAML)"
    ),
  ])
  func `an export that Diary does not read is named, with a way`(
    _ name: String, _ text: String, _ title: String
  ) throws {
    let files = MemoryFiles([name: text], isArchive: name.hasSuffix(".zip"))
    #expect(ImportFormat.detect(in: files) == nil)
    let unread = try #require(UnsupportedSource.detect(in: files))
    #expect(unread.title.contains(title) && !unread.way.isEmpty, "\(unread)")
  }

  @Test func `Markdown with headings of dates is no export of jrnl`() throws {
    for (name, text) in [
      ("a.md", "# 2025-01-01 09:00 Snow\nCold.\n"), ("2025-01-01_snow.md", "# Snow\n"),
      ("a.md", "# 2025\n\n## January\n\nCold.\n"),
    ] {
      #expect(try imported([name: text]).format != nil, "\(text)")
    }
    let vault = [
      ".obsidian/app.json": "{}", "2025-01-01_snow.md": "# 2025-01-01 09:00 Snow\n\nCold.\n",
      "boat.md": "Words.\n",
    ]
    #expect(try imported(vault).format == "obsidian")
  }

  @Test func `other files have no known program`() {
    for (name, text) in [
      ("a.txt", "Words."), ("a.json", "{}"), ("a.png", "PNG"), ("a.xml", "<a/>"),
      ("photos.zip", "PK"),
    ] {
      #expect(UnsupportedSource.detect(in: MemoryFiles([name: text])) == nil, "\(name)")
    }
  }

  @Test func `text with dates in words is read`() throws {
    for line in ["2025년 3월 1일", "1. März 2025", "March 1, 2025", "01.03.2025", "# March 1, 2025"] {
      let (format, batch) = try imported(["d.txt": "\(line)\nIt snowed.\n\nMarch was cold.\n"])
      #expect(format == "text", "\(line)")
      #expect(batch.entries.map { $0.date?.description } == ["2025-03-01"], "\(line)")
      #expect(batch.entries.first?.body == "It snowed.\n\nMarch was cold.")
    }
  }
}
