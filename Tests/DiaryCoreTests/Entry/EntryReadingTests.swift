import TestSupport
import Foundation
import Testing

@testable import DiaryCore

struct EntryReadingTests {
  private func entry(
    _ file: String, at path: String = "2026/11/2026-11-21-some-name.md",
    change: (inout Settings) -> Void = { _ in }
  ) throws -> Entry {
    var settings = Settings()
    change(&settings)
    let zone = try #require(TimeZone(identifier: "Asia/Seoul"))
    return Entry(
      path: try #require(EntryPath(path)), text: EntryText(Array(file.utf8)), settings: settings,
      zone: zone)
  }

  @Test func `reads the documented example`() throws {
    let entry = try entry(
      """
      ---
      title: A walk by the river
      date: 2026-11-21T21:04:00+09:00
      weather: Rain, 7°C
      tags: [family, walk]
      place: Seoul
      ---

      Body, in **Markdown**, #outside.
      """)
    #expect(entry.title == "A walk by the river")
    #expect(entry.date?.description == "2026-11-21T21:04:00+09:00")
    #expect(entry.day?.description == "2026-11-21")
    #expect(entry.weather == Weather(text: "Rain, 7°C", condition: .rain, celsius: 7))
    #expect(entry.tags == ["family", "walk", "outside"])
    #expect(entry.place == "Seoul")
    #expect(entry.words == 4)
    #expect(entry.preview == "Body, in Markdown, #outside.")
    #expect(entry.header.hasPrefix("title: A walk"))
    #expect(entry.lints.isEmpty)
  }

  @Test(arguments: [
    ("# A *big* day #\n\nText", "A big day"), ("\n\nBig day\n===\nText", "Big day"),
    ("Text first\n# Later", "Text first"), ("***\n\n- [x] [done](http://x)\n", "done"),
    ("🌧️\n\n> quoted words\n", "quoted words"), ("```\ncode\n```\n", "code"),
    ("<!-- note\nmore -->\n# Head\n", "Head"), ("", "some name"),
    ("![](a.jpg)\n![[b.png]]\n", "some name"),
    ("---\ntitle: \"\"\n---\n# H\n", "H"), ("---\ntitle: [a, b]\n---\n", "a, b"),
    ("---\ntitle: |\n  two\n  lines\n---\n", "two lines"), ("## Second rank\n", "Second rank"),
    ("# a\ttab  twice\n", "a tab twice"), ("<!-- hidden -->\na\ttab\n", "a tab"),
  ])
  func `a title comes from the first source that has one`(_ file: String, _ title: String) throws {
    #expect(try entry(file).title == title)
  }

  @Test(arguments: [
    ("2026-11-21.md", "First line"), ("notes/2026-11-21-2104.md", "First line"),
    ("2026-11-21 A walk-way.md", "A walk-way"), ("2026-11-21-a-walk.md", "a walk"),
    ("2020-12-2-a-walk.md", "a walk"), ("2020-12-walk.md", "2020 12 walk"),
    ("My day.md", "My day"),
  ])
  func `a name that is only a date never precedes a line`(_ path: String, _ title: String) throws {
    let entry = try entry("First line\nmore", at: path) {
      $0.titles = [.header, .h1, .name, .line]
    }
    #expect(entry.title == title)
  }

  @Test func `a name that is only a date is the last resort for a title`() throws {
    #expect(try entry("", at: "2026-11-21.md").title == "2026-11-21")
  }

  @Test(arguments: [
    ("created: 2026-01-01\ndate: 2026-01-02", "2026-01-02"),
    ("timestamp: 2026-01-01\nCreation Date: 2026-01-03", "2026-01-03"),
    ("date: soon\ncreated_at: 2026-01-04", "2026-01-04"),
    ("date: 2026-01-05 # noted", "2026-01-05"),
    ("x: y", "2026-11-21"), ("date:", "2026-11-21"),
  ])
  func `a date comes from its key, an alias, or the name`(_ header: String, _ day: String) throws {
    #expect(try entry("---\n\(header)\n---\n").day?.description == day)
  }

  @Test(arguments: [
    ("published: 2026-01-01", "2026-01-01"), ("created-at: 2026-01-02", "2026-01-02"),
    ("pubDate: 2026-01-03", "2026-01-03"), ("pubDatetime: 2026-01-04T09:00:00Z", "2026-01-04"),
    ("publishDate: 2026-01-05", "2026-01-05"), ("createdAt: 2026-01-06", "2026-01-06"),
    ("date_created: 2026-01-07", "2026-01-07"), ("creation_date: 2026-01-08", "2026-01-08"),
    ("datetime: 2026-01-09 10:00", "2026-01-09"), ("day: 2026-01-10", "2026-01-10"),
    ("published: 2026-01-11\ncreatedAt: 2026-01-12", "2026-01-12"),
    ("day: 2026-01-13\ncreated: 2026-01-14", "2026-01-14"),
    ("published: false", nil), ("day: Monday", nil), ("updated: 2026-01-15", nil),
    ("date: \"[[2026-01-16]]\"", "2026-01-16"), ("date: 06.05.2026", "2026-05-06"),
    ("date: 6. 5. 2026 21:04", "2026-05-06"), ("date: May 6, 2026", "2026-05-06"),
    ("date: Wednesday, May 6th, 2026", "2026-05-06"), ("date: 6. Mai 2026", "2026-05-06"),
    ("date: 1. März 2026", "2026-03-01"), ("date: 2026년 5월 6일", "2026-05-06"),
    ("date: 2026. 5. 6.", "2026-05-06"), ("date: 5/16/2026", "2026-05-16"),
    ("date: 16/5/2026", "2026-05-16"), ("date: 5/6/2026", nil), ("date: 31.2.2026", nil),
    ("date: 1.2", nil), ("date: May 2026", nil), ("date: maybe 6, 2026", nil),
  ])
  func `a date is read under usual keys and in usual forms`(
    _ header: String, _ day: String?
  ) throws {
    let entry = try entry("---\n\(header)\n---\n", at: "idea.md")
    #expect(entry.day?.description == day)
    // Only a value of `date` or an old alias is named, and a foreign key is never.
    #expect(
      entry.lints.contains { $0.code == "unreadable-date" }
        == (header.hasPrefix("date:") && day == nil))
  }

  @Test func `another program's key never replaces the day of the name`() throws {
    #expect(
      try entry("---\npublished: 2020-01-01\nday: 2020-01-02\n---\n").day?.description
        == "2026-11-21")
    #expect(try entry("Date: 2020-01-01\n\nText.").day?.description == "2026-11-21")
  }

  @Test(arguments: [
    ("Title: Week\nDate: 2020-12-02 10:00\n\nText.", "2020-12-02"),
    ("date:: 2020-12-02\n- a", "2020-12-02"),
    ("Date: May 6, 2020\n\nText.", "2020-05-06"), ("Date: 2020-12-02\nof a letter.", nil),
    ("Text.\nDate: 2020-12-02\n\n", nil), ("date:: [[May 6th, 2020]]\n- a", "2020-05-06"),
    ("Date: Wed, 06.05.2020, 9:04 pm +9\n\nText.", "2020-05-06"),
    ("Date: 2020-12-02 (Wed)\n\nText.", "2020-12-02"),
    ("Date: 12.05.2024 was when I met Ann\n\nText.", nil),
    ("Date: 2024-05-12 or later\n\nText.", nil), ("date:: [[2024-05-12]] or later\n", nil),
  ])
  func `a property at the top of a text is its date`(_ text: String, _ day: String?) throws {
    #expect(try entry(text, at: "idea.md").day?.description == day)
  }

  @Test func `an entry without any date is undated`() throws {
    let entry = try entry("---\ndate: soon\n---\n", at: "idea.md")
    #expect(entry.date == nil && entry.day == nil)
    #expect(entry.lints.map(\.code) == ["unreadable-date", "undated"])
  }

  @Test func `the small hours can belong to the day before`() throws {
    let small = try entry("---\ndate: 2026-11-21 03:59\n---\n") { $0.dayStartsAt = 4 * 3600 }
    #expect(small.day?.description == "2026-11-20")
    let whole = try entry("---\ndate: 2026-11-21\n---\n") { $0.dayStartsAt = 4 * 3600 }
    #expect(whole.day?.description == "2026-11-21")
  }

  @Test(arguments: [
    ("tags: a, b c", ["a", "b c"]), ("tags: \"#one #two\"", ["one", "two"]),
    ("tags: #one #two", ["one", "two"]),
    ("tags: [a, A, b]\nkeywords: b c\ncategories:\n  - d e", ["a", "b", "c", "d e"]),
    ("tags: [#x, #y]", ["x", "y"]), ("tags:\n  - #x\n  - y", ["x", "y"]),
    ("keywords: z\ntags: y", ["y", "z"]),
  ])
  func `tags of all keys are combined, each once`(_ header: String, _ tags: [String]) throws {
    #expect(try entry("---\n\(header)\n---\nBody").tags == tags)
  }

  @Test(arguments: [
    ("#one, #two/three #four-", ["one", "two/three", "four"]), ("#오늘 、#산책。", ["오늘", "산책"]),
    ("# no #1 a#b http://x/#c [x](#d) [[#e]] \\#f ##g &#x27;", []),
    ("(#in) **#bold**", ["in", "bold"]),
    ("`#no` ``#no ` #no`` `#yes", []), ("```\n#no\n```\n#yes", ["yes"]), ("~~~\n#no", []),
    ("text\n\n    #no\n\ntext", []), ("- a\n\n    #deep", ["deep"]), ("para\n    #yes", ["yes"]),
    ("<!-- #no -->\n#yes", ["yes"]), ("- a\n\n      ```\n      #no\n      ```\n", []),
  ])
  func `headings, links and code of the body are no tags`(_ body: String, _ tags: [String]) throws {
    #expect(try entry(body).tags == tags)
  }

  @Test(arguments: [
    ("@anna, (@bob) and [@carl] @d/e. #x", ["anna", "bob", "carl", "d/e", "x"]),
    ("me@example.org @me@example.org https://x.org/@me x/@me ,@no `@no` @1", []),
    ("<@no> “@no” 「@민수」 @민수", ["민수"]),
  ])
  func `an at sign marks a tag if the journal says so`(_ body: String, _ tags: [String]) throws {
    #expect(try entry(body) { $0.tagMarks = .both }.tags == tags)
    #expect(try entry(body) { $0.tagMarks = .at }.tags == tags.filter { $0 != "x" })
  }

  @Test func `a title in the header can have tags`() throws {
    #expect(
      try entry("---\ntitle: \"Supper with #Mina\"\ntags: [food]\n---\n#x #mina").tags
        == ["food", "Mina", "x"])
  }

  @Test(arguments: [
    (
      "---\ntags: [work, \"#Work/x\", home]  # mine\n---\n#work, `#work` #worker #WORK/a\n",
      "---\ntags: [job, \"#job/x\", home]  # mine\n---\n#job, `#work` #worker #job/a\n"
    ),
    ("---\ntags: [Job, work]\n---\n", "---\ntags: [Job]\n---\n"),
    ("---\ntags: a work,b\nkeywords: work x\n---\n", "---\ntags: a work,b\nkeywords: job x\n---\n"),
    (
      "---\ntitle: \"A #work day\"\n---\n\r\n#work\r\n",
      "---\ntitle: \"A #job day\"\n---\n\r\n#job\r\n"
    ),
    (
      "---\ntags:\n  # my work\n  - \"Work\"   # work of mine\n  - work/deep\n  - 'plays'\n"
        + "  # between\n  - workshop\nkeywords: [ 'work', \"b c\",   other ] # flow work\n---\n",
      "---\ntags:\n  # my work\n  - \"job\"   # work of mine\n  - job/deep\n  - 'plays'\n"
        + "  # between\n  - workshop\nkeywords: [ 'job', \"b c\",   other ] # flow work\n---\n"
    ),
    ("---\ntags: work #comment\n---\n", "---\ntags: job #comment\n---\n"),
    ("---\ntitle: Meeting #work today\n---\n", "---\ntitle: Meeting #job today\n---\n"),
    ("---\ncategories: work , play\n---\n", "---\ncategories: job , play\n---\n"),
    (
      "---\ntags: [work,\n  play]\n---\n#work/a//b\n", "---\ntags: [job,\n  play]\n---\n#job/a//b\n"
    ),
    ("---\ntags:\n  - >-\n    work\n---\n", "---\ntags:\n  - >-\n    job\n---\n"),
    ("@work #other", "@job #other"), ("#other and work", "#other and work"),
  ])
  func `a tag is renamed with those below it, and nothing else changes`(
    _ before: String, _ after: String
  ) throws {
    var text = EntryText(Array(before.utf8))
    try text.renameTag("work", to: "job", marked: .both)
    #expect(String(decoding: text.bytes, as: UTF8.self) == after)
    var escaped = EntryText(Array("---\ntags: [\"w\\u006frk\"]\n---\n".utf8))
    #expect(throws: FrontMatterError.compoundValue("tags")) {
      try escaped.renameTag("work", to: "job", marked: .hash)
    }
    var damaged = EntryText(Array("#work \u{0}".utf8))
    #expect(throws: FrontMatterError.notUTF8) {
      try damaged.renameTag("work", to: "job", marked: .hash)
    }
  }

  @Test(arguments: [
    ("%%a%% One %%b%% two", "One two", "One  two"), ("%%\nlong\n%%\nOne", "One", "\nOne"),
    ("50% of `%%` or %%", "50% of %% or %%", "50% of `%%` or %%"),
    ("a %% don`t say %% I`ll go", "a I`ll go", "a  I`ll go"),
    (
      "a\n%%\n```\nno\n%%\n`b` %%no%%\n```\n%%c%%\n```\n%%no%%", "a", "a\n\n`b` \n```\n%%c%%\n```\n"
    ),
    ("One\nwords%% %%x%%y", "One", "One\nwordsx%%y"),
  ])
  func `comments of Obsidian are neither title nor text for readers`(
    _ body: String, _ title: String, _ text: String
  ) throws {
    #expect(try entry(body) { $0.isVault = true }.title == title)
    #expect(try entry("# Was 50%% full, now 100%% done").title == "Was 50%% full, now 100%% done")
    #expect(try entry("%%#no%% #yes") { $0.isVault = true }.tags == ["yes"])
    #expect(withoutVaultComments(body).trimmingCharacters(in: .whitespaces) == text)
  }

  @Test(arguments: [
    ("<span style=\"background-color: #ecf1e8\">#added</span>", ["added"]),
    ("<div\n  class=x\n  style='color: #fff9e4; #aaa'>\n#cafe", ["cafe"]),
    ("a < b #one and <3 #two, <b #three", ["one", "two", "three"]),
    ("Text\n{:style=\"color: #fff9e4\"}\n{: #anchor .c}\n#decade", ["decade"]),
    ("# Title {.c #id}\n[x]{style=\"color: #fff\"} {{ \"x\" | y: #abc }} {% z #abc %} {#id}", []),
    ("{a remark #kept}", ["kept"]), ("[x]: #anchor\n[y]: <a b> 'see #no'\n#yes", ["yes"]),
    ("[^1]: a note with #yes", ["yes"]), ("[x](a #b) [y]( #no \"t #no\") (#yes)", ["yes"]),
    ("[[Note #no]] ![[p.png #no]] [[unclosed #yes", ["yes"]),
    ("https://x.org/a,#no https://x.org/b;#no 그곳 https://x.org/c、#yes", ["yes"]),
    ("<style>\np { color: #abc; }\n\n.a, #b { color: #def; }\n</style>\n#yes", ["yes"]),
    ("<pre>\nx #no\n</pre> #yes", ["yes"]), ("at 5:#no, well: #yes", ["yes"]),
  ])
  func `colours, anchors and HTML contents are not tags`(_ body: String, _ tags: [String])
    throws
  {
    #expect(try entry(body).tags == tags)
  }

  @Test(arguments: [
    ("# 24. Dezember", "24. Dezember"), ("# 1. Advent\n\nKerze", "1. Advent"),
    ("3. Oktober", "3. Oktober"), ("# 2025. 10. 05. 일요일", "2025. 10. 05. 일요일"),
    ("2025. 10. 09. 맑음", "2025. 10. 09. 맑음"), ("# 2) zwei", "2) zwei"),
    ("10.12.2025 Besuch", "10.12.2025 Besuch"), ("24.12.\n======", "24.12."),
    ("> 3. května", "3. května"), ("- [x] 3. Oktober", "3. Oktober"), ("# - 5 Grad", "- 5 Grad"),
    ("- Milk", "Milk"), ("* [ ] Milk", "Milk"),
  ])
  func `a number at the start of a title is kept`(_ body: String, _ title: String) throws {
    #expect(try entry(body, at: "x.md").title == title)
  }

  @Test(arguments: [
    ("weather: Rain, 7°C", "Rain, 7°C"),
    ("weather: {condition: Rain, temperature: 7}", "Rain, 7°C"),
    ("weather: a bit grey", "a bit grey"), ("weather: \"Snow\"", "Snow"),
  ])
  func `weather is read in every form`(_ header: String, _ words: String) throws {
    #expect(try entry("---\n\(header)\n---\n").weather?.text == words)
    #expect(try entry("---\nweather:\n---\n").weather == nil)
  }

  @Test(arguments: [
    ("- [ ] a task", "a task"), ("1. one", "1. one"), ("> > quote", "quote"), ("`a*b*`", "a*b*"),
    ("**b** _i_ ~~s~~ ==m== `c`", "b i s m c"), ("snake_case 2 * 3 * 4", "snake_case 2 * 3 * 4"),
    ("[a](b) [c][d] [[e|f]] [[g]] ![h](i)", "a c f g h"),
    ("a[^1] <b>c</b> <http://d>", "a c http://d"),
    ("\\*not\\*", "*not*"), ("#tag", "#tag"), ("[draft]", "[draft]"), ("1 < 2 > 0", "1 < 2 > 0"),
    ("**강조**는", "강조는"), ("---", ""), ("# ", ""), ("-5도", "-5도"), ("[a [b](c) d](e)", "a b d"),
    ("[unclosed (x", "[unclosed (x"),
  ])
  func `markup is removed from a line`(_ line: String, _ words: String) {
    #expect(textWithoutMarkup(line) == words)
  }

  @Test func `a preview is short, on one line, and does not repeat the heading`() throws {
    let words = String(repeating: "word ", count: 100)
    #expect(try entry("# Title\n\n- a\n- b\n").preview == "a b")
    #expect(try entry(words).preview.count == 199)
    #expect(try entry(String(repeating: "日", count: 500)).preview.count == 200)
    #expect(try entry("").preview == "")
  }

  @Test(arguments: 1...2)
  func `arbitrary bytes can be read as an entry`(part: Int) throws {
    var dice = SeededGenerator(part: part)
    let path = try #require(EntryPath("a/b.md"))
    let zone = TimeZone.gmt
    for round in 0..<800 {
      let text = EntryText(dice.sample(round))
      let entry = Entry(path: path, text: text, settings: Settings(), zone: zone)
      let note: Comment = "\(dice), round \(round)"
      #expect(!entry.title.isEmpty && entry.preview.count <= 200, note)
      #expect(!entry.title.utf8.contains(0x0A) && !entry.preview.utf8.contains(0x0A), note)
    }
  }

  @Test(arguments: [
    "[", "![", "<", "*a ", "`a``", "[[", "(", "\\", "#", "- ", "> ", "<!--", "_( ", "](", "{:",
    "<a b='",
    "<a b ", "[a]:", "#a ", "<pre>", "a://", "[[#a",
  ])
  func `a hostile body is read in reasonable time`(_ sign: String) throws {
    for end in ["", "\n"] {
      // The tags are read only if there is a `#`.
      let isFast = try growsLinearly(to: 20_000) {
        _ = try entry(String(repeating: sign + end, count: $0) + "\n#tag\n")
      }
      #expect(isFast, "each with \(end.debugDescription)")
    }
  }
}
