import DiaryCore
import DiaryKit
import Foundation
import Localization
import TestSupport
import Testing

@testable import WebPage

/// Texts that would act as markup or control characters in a document that does not escape them.
private let hostile = [
  "<script>alert(1)</script>", "</title></textarea></script><img src=x onerror=alert(1)>",
  "\" onfocus=\"alert(1)\" x=\"", "' autofocus '", "&lt;b&gt; &amp;#x27;", "a\u{202E}b\u{0}c\u{7}d",
  "]]>--><!--", "{{0}} {0} \\(x)", "javascript:alert(1)", "한글 𝄞 é\u{301}",
]

@Suite struct DocumentTests {
  private let assets = Assets()

  private func user(_ language: String = "en", isReadOnly: Bool = false) -> PageUser {
    PageUser(
      language: UserLanguage(accepting: language), units: .metric, isReadOnly: isReadOnly)
  }

  @Test func `the page of a journal that can be locked has no script that keeps drafts`() throws {
    for isEncrypted in [false, true] {
      let user = PageUser(
        language: UserLanguage(accepting: "en"), units: .metric, isReadOnly: false,
        isEncrypted: isEncrypted)
      let entry = WriteDocument(entry: nil, article: nil).html(for: user, assets)
      for document in [ListDocument(part: ListResponse(rows: [])).html(for: user, assets), entry] {
        #expect(document.contains("/a/drafts.") != isEncrypted)
        #expect(document.contains("/a/unkept.") == isEncrypted)
      }
      #expect(entry.contains("leaveText=This text is not saved. It will be lost.") == isEncrypted)
      #expect(entry.matches(of: /<textarea[^>]* autocomplete="off"/).count == 2)
    }
  }

  private func row(
    _ text: String, isStarred: Bool = false, isAlone: Bool = false, for user: PageUser
  ) throws -> EntryRow {
    let entry = EntrySummary(
      number: 1,
      path: try #require(
        EntryPath(bytes: Array("2026/<b>\"' %&#?\(text.prefix(3)).md".utf8).filter { $0 != 0 })),
      title: text, date: EntryDate(instant: 1_795_262_640, offset: 32_400),
      day: Day(year: 2026, month: 11, day: 21),
      weather: Weather(text: text, condition: .rain, celsius: 3), tags: [text], place: text,
      isStarred: isStarred, words: 1, preview: text + " " + text)
    let match = MatchLine(field: .body, text: "xx " + text, ranges: [0..<2])
    return EntryRow(entry, for: user, match: match, isAlone: isAlone)
  }

  private func documents(_ text: String, for user: PageUser) throws -> [String] {
    let row = try row(text, for: user)
    let alone = try self.row(text, isAlone: true, for: user)
    var filter = ListFilter(since: row.day.flatMap { Day(iso: $0) })
    filter.isStarred = true
    // An entry with control characters cannot be edited.
    let typed = text.filter { !"\u{0}\u{7}".contains($0) }
    let entry = PageEntry(
      row: row, version: "v", editableTitle: typed, titleFrom: "line", body: typed + "\n" + typed,
      words: text,
      readOnly: nil, heldBy: text)
    let version = HistoryDocument.Version(
      commit: "c0ffee", time: text, change: text, excerpt: [.removed(text), .added(text)],
      isDeletion: false)
    let changes = (WordDiff(from: "a", to: text), WordDiff(from: text, to: "b"))
    return [
      ListDocument(
        request: ListRequest(tag: text, filter: filter),
        part: ListResponse(rows: [row], previous: "1.2.60", next: "1.2.61"),
        addressedRow: row.href, sameDay: [alone, alone], asksForWeather: true
      ).html(for: user, assets),
      ListDocument(request: ListRequest(words: text), part: ListResponse(rows: []))
        .html(for: user, assets),
      ListDocument(
        request: ListRequest(words: text), part: ListResponse(rows: [alone], total: 1)
      ).html(for: user, assets),
      WriteDocument(entry: entry).html(for: user, assets),
      WriteDocument().html(for: user, assets),
      WriteDocument(entry: entry, article: "<article><p>x</p></article>\n").html(for: user, assets),
      HistoryDocument(row: row, versions: [version], isCutOff: true).html(for: user, assets),
      HistoryDocument(
        row: row,
        shown: .init(
          commit: text, time: text, title: text, article: "<article></article>", changes: nil,
          showsText: true)
      )
      .html(for: user, assets),
      HistoryDocument(
        row: row, isDeleted: true,
        shown: .init(
          commit: text, time: text, title: text, article: "<article></article>", changes: changes,
          showsText: false)
      )
      .html(for: user, assets),
      DeletedDocument(
        rows: [.init(row: row, time: text)], undo: .init(id: text, text: text, time: text)
      )
      .html(for: user, assets),
      MessageDocument(what: text, hint: text).html(for: user.language, assets),
    ]
  }

  @Test(arguments: hostile)
  func `text of an entry is never markup in any document`(_ text: String) async throws {
    let hostile = try documents(text, for: user())
    let usual = try await HTMLCheck.read(try documents("plain", for: user()))
    let findings = try await HTMLCheck.read(hostile)
    try #require(findings.count == hostile.count && usual.count == hostile.count)
    for ((document, found), known) in zip(zip(hostile, findings), usual) {
      let allowed = Set(known.names)
      #expect(found.errors == [], "\(document)")
      // A row without a preview may lack an element, but never has an additional one.
      #expect(Set(found.names).isSubset(of: allowed), "\(document)")
      #expect(Set(found.ids).count == found.ids.count)
      #expect(!document.contains("\u{202E}") || document.contains("<textarea"))
    }
  }

  @Test func `a text field contains the exact text`() async throws {
    for text in hostile + ["\n\nblank lines first", "\ttab\u{C}"] where !text.contains("\0") {
      let row = try row("title", for: user())
      let entry = PageEntry(
        row: row, version: "v", editableTitle: "", titleFrom: "name", body: "⟦" + text + "⟧",
        words: "1 word",
        readOnly: nil, heldBy: nil)
      let found = try await HTMLCheck.read(WriteDocument(entry: entry).html(for: user(), assets))
      #expect(found.text.contains("⟦" + text + "⟧"), "\(text)")
    }
  }

  @Test func `a browser restores no field to an earlier text`() throws {
    for document in try documents("x", for: user()) {
      for field in document.matches(of: /<(textarea|input)[^>]*>/) {
        #expect(field.output.0.contains(#"autocomplete="off""#), "\(field.output.0)")
      }
    }
  }

  @Test func `each document is in the language of its user`() async throws {
    let korean = user("ko-KR,ko;q=0.9")
    for document in try korean.language.perform({ try documents("x", for: korean) }) {
      #expect(document.contains("<html lang=\"ko\">"))
      #expect(document.contains("일기장") || document.contains("이력"))
      #expect(!document.contains("Search"))
    }
    let row = try row("x", for: korean)
    #expect(row.dateText == "2026년 11월 21일" && row.month == "2026년 11월")
    #expect(try self.row("x", for: user("en-US")).dateText == "November 21, 2026")
    #expect(try self.row("x", for: user("de")).dateText == "21. November 2026")
  }

  @Test func `only a starred entry has a star in the list and the reading view`() throws {
    for (language, words) in [("en", "starred"), ("ko-KR", "별표")] {
      let user = user(language)
      let rows = try [true, false].map { try row("x", isStarred: $0, for: user) }
      let mark = "<span class=\"star\" role=\"img\" aria-label=\"\(words)\">★</span>"
      try user.language.perform {
        let list = ListDocument(part: ListResponse(rows: rows)).html(for: user, assets)
        // The first row, and the template from which the script creates rows.
        #expect(list.components(separatedBy: mark).count == 3, "\(list)")
        let parts = list.components(separatedBy: "<li class=\"row\"")
        let second = try #require(parts.dropFirst(2).first)
        #expect(!second.contains("★"), "\(second)")
        for row in rows {
          let entry = PageEntry(
            row: row, version: "v", editableTitle: "x", titleFrom: "line", body: "",
            words: "1 word", readOnly: nil,
            heldBy: nil)
          let read = WriteDocument(entry: entry, article: "<p>x</p>").html(for: user, assets)
          #expect(read.contains(mark) == row.starred, "\(read)")
        }
      }
    }
  }

  @Test func `a read-only page shows no controls for writing`() async throws {
    for isReadOnly in [false, true] {
      let user = user(isReadOnly: isReadOnly)
      let row = try row("x", for: user)
      let list = ListDocument(part: ListResponse(rows: [row]), asksForWeather: true)
        .html(for: user, assets)
      for part in ["id=\"new\"", "class=\"delete\" type", "id=\"weather\"", "ask-weather"] {
        #expect(list.contains(part) != isReadOnly, "\(part)")
      }
      let entry = PageEntry(
        row: row, version: "v", editableTitle: "x", titleFrom: "line", body: "its text",
        words: "1 word",
        readOnly: nil, heldBy: nil)
      let read = WriteDocument(entry: entry, article: "<p>x</p>").html(for: user, assets)
      #expect(read.contains("id=\"edit\"") != isReadOnly)
      #expect(read.contains("data-chip") != isReadOnly)
      #expect(read.contains("<a class=\"chip\" href=\"/?tag=x\">#x</a>"))
      #expect(read.contains("its text") != isReadOnly)
      #expect(read.contains("data-reading"))
    }
  }

  @Test func `thirty rows with long Korean texts are a document of at most 25 kB`() throws {
    let korean = user("ko-KR")
    let text = String(repeating: "강가에서 산책하고 집에 왔다. ", count: 10)
    let rows = try (1...ListDocument.initialRowCount).map { number in
      let path = try #require(EntryPath("2026/11/2026-11-21-강가에서-산책-\(number).md"))
      return EntryRow(
        EntrySummary(
          number: number, path: path, title: "강가에서 산책",
          date: EntryDate(instant: 1_795_262_640, offset: 32_400),
          day: Day(year: 2026, month: 11, day: 21),
          weather: Weather(text: "Rain", condition: .rain, celsius: 3), tags: [], place: nil,
          words: 9, preview: text), for: korean)
    }
    let document = korean.language.perform {
      ListDocument(part: ListResponse(rows: rows, next: "20778.1795262640.61"))
        .html(for: korean, assets)
    }
    #expect(document.utf8.count <= 25_000, "\(document.utf8.count)")
  }

  @Test func `style and scripts stay within their size limits`() throws {
    let folder = Project.root.appending(path: "Sources/WebPage/Page")
    func size(_ name: String) throws -> Int {
      try Data(contentsOf: folder.appending(path: name)).count
    }
    let scripts = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
      $0.hasSuffix(".js")
    }
    #expect(scripts.contains("page.js"))
    for script in scripts { #expect(try size(script) <= 20_000, "\(script)") }
    for document in try documents("plain", for: user()) {
      // Modules, such as that of the chips, are loaded only when they are needed.
      let names = document.matches(of: #/(?:src|href)="/a/([a-z]+)\.[0-9a-f]+\.(js|css)"/#).map {
        String($0.1 + "." + $0.2)
      }
      #expect(names.contains("page.css"))
      for (kind, limit, wideLimit) in [(".js", 48_000, 64_000), (".css", 14_000, 20_000)] {
        // The style of exported entries has another purpose and no limit here.
        let loaded = names.filter { $0.hasSuffix(kind) && $0 != "entry.css" }
        #expect(try loaded.map(size).reduce(0, +) <= limit, "\(loaded)")
        // In a wide window, an entry also loads the list beside it.
        guard document.contains("data-panes") else { continue }
        let wide =
          loaded + ["panes.js", "swipe.js", "list.css", "panes.css"].filter { $0.hasSuffix(kind) }
        #expect(try wide.map(size).reduce(0, +) <= wideLimit, "\(wide)")
      }
    }
  }
}

@Suite struct MarkupTests {
  @Test func `literals are markup and values are text`() {
    let value = "<i a='\"&>"
    let inner: Markup = "<b>\(value)</b>"
    let whole: Markup = "<p\(attribute: "title", value)\(attribute: "x", nil)>\(inner)\(7)</p>"
    let text = "&lt;i a=&#39;&quot;&amp;&gt;"
    #expect(whole.html == "<p title=\"\(text)\"><b>\(text)</b>7</p>")
    let field: Markup = "\("a\u{7}")\(exactly: "a\u{7}<")"
    #expect(field.html == "a\\x07a\u{7}&lt;")
  }

  @Test func `an address leads to exactly its file`() throws {
    let names = ["a b/c%41.md", "ü/한글 & <x>\"'.md", "q?x=1#y+z.md", "e\u{301}.md", "𝄞.md"]
    for name in names {
      let path = try #require(EntryPath(name))
      let address = Substring(path.urlPath)
      #expect(EntryPath(urlPath: address) == path, "\(address)")
      #expect(!address.contains { " ?#&\"'<>".contains($0) })
    }
    let bytes = try #require(EntryPath(bytes: [0x61, 0xFF, 0x2F, 0x62]))
    #expect(EntryPath(urlPath: Substring(bytes.urlPath)) == bytes)
  }
}
