import DiaryCore
import EntryFiles
import Foundation
import Glibc
import TestSupport
import Testing

@Suite struct TemplateTests {
  static let saturday: EntryDate = {
    guard let day = Day(year: 2026, month: 11, day: 21) else { fatalError("no such day") }
    return EntryDate(date: day, seconds: 75_840, offset: 32_400)
  }()

  private func render(
    _ text: String, title: String? = nil, weather: String? = nil, place: String? = nil,
    tags: [String] = [], date: EntryDate = saturday, dayStartsAt: Int = 0
  ) -> (text: String, line: Int?) {
    let rendered = Template(name: "t", text: text).render(
      TemplateValues(
        title: title, date: date, weather: weather, place: place, tags: tags,
        dayStartsAt: dayStartsAt))
    let line = rendered.cursor.map { place in rendered.bytes[..<place].count { $0 == 0x0A } + 1 }
    return (String(decoding: rendered.bytes, as: UTF8.self), line)
  }

  private let plain =
    "---\ntitle: {{title}}\ndate: {{date}}\nweather: {{weather}}\n---\n\n{{cursor}}\n"

  @Test func `fills the header and finds the position for text`() {
    let (text, line) = render(plain, title: "A walk", weather: "Rain, 7°C")
    #expect(
      text == "---\ntitle: A walk\ndate: 2026-11-21T21:04:00+09:00\nweather: Rain, 7°C\n---\n\n\n")
    #expect(line == 7)
  }

  @Test func `omits fields without a value`() {
    let (text, line) = render(plain)
    #expect(text == "---\ndate: 2026-11-21T21:04:00+09:00\n---\n\n\n")
    #expect(line == 5)
  }

  @Test(arguments: [
    "Day 3: the lake", "Fix #12 today", "\"quoted\"", "- a dash", "no", "---", "[x]", "{{date}}",
    "{{cursor}}", "a\\b", "여행 첫날", "'", "#tag",
  ])
  func `no title breaks the header`(_ title: String) {
    let (text, _) = render(plain, title: title)
    let entry = EntryText(bytes(text))
    #expect(entry.value("title") == .text(title))
    #expect(entry.value("date") == .text("2026-11-21T21:04:00+09:00"))
    #expect(entry.body == "\n\n")
  }

  @Test func `a title of several lines becomes one`() {
    #expect(EntryText(bytes(render(plain, title: " a\n b ").text)).value("title") == .text("a b"))
    #expect(EntryText(bytes(render(plain, title: " \n ").text)).value("title") == nil)
  }

  @Test func `combines the template's tags with the given ones`() {
    let text = "---\ndate: {{date}}\ntags: [travel, {{tags}}]\n---\n"
    #expect(EntryText(bytes(render(text).text)).value("tags") == .list(["travel"]))
    let given = render(text, tags: ["Seoul", "travel", "a, b"]).text
    #expect(EntryText(bytes(given)).value("tags") == .list(["travel", "Seoul", "a, b"]))
    let alone = "---\ntags: {{tags}}\n---\n"
    #expect(EntryText(bytes(render(alone, tags: ["x"]).text)).value("tags") == .list(["x"]))
    #expect(EntryText(bytes(render(alone).text)).value("tags") == nil)
    let fixed = "---\ntags: walk, river\n---\n"
    #expect(
      EntryText(bytes(render(fixed, tags: ["x"]).text)).value("tags")
        == .list(["walk", "river", "x"]))
  }

  @Test func `adds values for which the template has no placeholder`() {
    let (text, line) = render("Just words.\n{{cursor}}", title: "T", weather: "Fog", place: "Busan")
    let entry = EntryText(bytes(text))
    #expect(entry.value("title") == .text("T") && entry.value("weather") == .text("Fog"))
    #expect(entry.value("place") == .text("Busan"))
    #expect(entry.value("date") == .text("2026-11-21T21:04:00+09:00"))
    #expect(entry.body.hasSuffix("Just words.\n"))
    #expect(line == text.split(separator: "\n", omittingEmptySubsequences: false).count)
  }

  @Test func `a given title replaces the template's title but not its placeholder`() {
    let fixed = "---\ntitle: Gratitude\n---\n"
    #expect(EntryText(bytes(render(fixed).text)).value("title") == .text("Gratitude"))
    #expect(EntryText(bytes(render(fixed, title: "T").text)).value("title") == .text("T"))
    let heading = render("# {{title}}\n", title: "T").text
    #expect(EntryText(bytes(heading)).value("title") == nil)
    #expect(heading.hasSuffix("# T\n"))
  }

  @Test(arguments: [
    "---\ntitle: Standup {{date}}\n---\n", "---\nday: {{date}}\n---\n", "## {{date}} {{time}}\n",
    "---\ntitle: {{title}}\ntags: [work]\n---\n\n## Done\n",
    "---\ncreated: 2020-01-01\nlast: {{date}}\n---\n",
  ])
  func `the date is added if no field contains it`(_ text: String) {
    let entry = EntryText(bytes(render(text).text))
    #expect(entry.value("date") == .text("2026-11-21T21:04:00+09:00"), "\(text)")
  }

  @Test func `a value that is used only in the title is added as well`() {
    let text = "---\ntitle: At {{place}} {{tags}} {{weather}}\ndate: {{date}}\n---\n"
    let entry = EntryText(bytes(render(text, weather: "Rain", place: "Seoul", tags: ["a"]).text))
    #expect(entry.value("title") == .text("At Seoul #a Rain"))
    #expect(entry.value("place") == .text("Seoul") && entry.value("weather") == .text("Rain"))
    #expect(entry.value("tags") == .list(["a"]))
  }

  @Test func `the long form of the date is the diary's day`() {
    let text =
      "---\ntitle: Pages of {{date}}\ncreated: {{date}}\n---\n{{weekday}} {{ DATE }} {{time}} {{week}}"
    let late = EntryDate(date: Self.saturday.date, seconds: 3600, offset: 0)
    let entry = EntryText(bytes(render(text, date: late, dayStartsAt: 14_400).text))
    #expect(entry.value("title") == .text("Pages of 2026-11-20"))
    #expect(
      entry.value("created") == .text("2026-11-21T01:00:00Z")
        || entry.value("created") == .text("2026-11-21T01:00:00+00:00"))
    #expect(entry.value("date") == nil)
    #expect(entry.body == "Friday 2026-11-20 01:00 47")
  }

  @Test(arguments: [
    ("2026-01-01", "1"), ("2027-01-01", "53"), ("2024-12-30", "1"), ("2023-01-01", "52"),
  ])
  func `counts weeks as ISO 8601 does`(_ day: String, _ week: String) throws {
    let numbers = day.split(separator: "-").compactMap { Int($0) }
    let date = try #require(Day(year: numbers[0], month: numbers[1], day: numbers[2]))
    let (text, _) = render("{{week}}", date: EntryDate(date: date, seconds: nil, offset: 0))
    #expect(EntryText(bytes(text)).body.hasSuffix(week))
    #expect(EntryText(bytes(text)).value("date") == .text(day))
  }

  @Test func `leaves everything else unchanged`() {
    let text =
      "---\r\n# how I feel: {{mood}}\r\nmood: {{mood}}\r\nlist:\r\n  - a\r\ndate: {{date}}\r\n---\r\n{{x}} {{ {{}} {title}\r\n"
    #expect(
      render(text).text
        == text.replacingOccurrences(of: "{{date}}", with: "2026-11-21T21:04:00+09:00"))
  }

  @Test func `a header that cannot be parsed keeps its placeholders`() {
    let text = "+++\ntitle = \"{{title}}\"\n+++\n{{title}}\n"
    #expect(render(text, title: "T").text == "+++\ntitle = \"{{title}}\"\n+++\nT\n")
  }

  @Test func `is searched in the journal, the personal folder and the built-in ones`()
    throws
  {
    let sandbox = try TestFolder()
    let personal = try TestFolder()
    let builtIn = ["plain": "built-in", "travel": "built-in"]
    func text(_ name: String) throws -> String? {
      try Template.find(
        named: name, in: sandbox.folder, personal: personal.root, builtIn: builtIn)?.text
    }
    #expect(try text("plain") == "built-in")
    try personal.write("plain.md", "personal")
    try personal.write("mine.md", "personal")
    #expect(try text("plain") == "personal" && text("mine") == "personal")
    try sandbox.write(".diary/templates/plain.md", "journal")
    #expect(try text("plain") == "journal")
    for name in ["nothing", "../plain", "a/b", ".plain", "", "..", "plain.md"] {
      #expect(try text(name) == nil, "\(name)")
    }
    try personal.write(".hidden.md")
    try personal.write("notes.txt")
    #expect(
      Template.names(in: sandbox.folder, personal: personal.root, builtIn: builtIn)
        == ["mine", "plain", "travel"])
    #expect(
      try Template.find(
        named: "travel", in: sandbox.folder, personal: "/no/such/folder", builtIn: builtIn)?.text
        == "built-in")
  }

  @Test func `a template must not be a symbolic link out of the journal`() throws {
    let sandbox = try TestFolder()
    try sandbox.write(".diary/templates/x")
    symlink("/etc/passwd", sandbox.absolutePath(".diary/templates/plain.md"))
    #expect(throws: FileError(.read, ".diary/templates/plain.md", .link)) {
      try Template.find(named: "plain", in: sandbox.folder, personal: nil, builtIn: [:])
    }
  }
}

/// The built-in templates, as files of the project.
@Suite struct BuiltInTemplateTests {
  static let folder = Project.root.appendingPathComponent("templates")
  static let names = [
    "plain", "morning-pages", "gratitude", "travel", "weekly-review", "morning-pages.ko",
    "gratitude.ko", "travel.ko", "weekly-review.ko",
  ]

  private func text(_ name: String) throws -> String {
    try String(contentsOf: Self.folder.appendingPathComponent(name + ".md"), encoding: .utf8)
  }

  @Test(arguments: names)
  func `renders without a remainder of the template`(_ name: String) throws {
    let template = Template(name: name, text: try text(name))
    let bare = template.render(TemplateValues(date: TemplateTests.saturday))
    let full = template.render(
      TemplateValues(
        title: "T: t", date: TemplateTests.saturday, weather: "Rain, 7°C", place: "서울",
        tags: ["one"]))
    for rendered in [bare, full] {
      let words = String(decoding: rendered.bytes, as: UTF8.self)
      #expect(!words.contains("{{") && rendered.cursor != nil)
      let entry = EntryText(rendered.bytes)
      #expect(entry.headerKind == .yaml)
      #expect(entry.fields.allSatisfy { entry.value($0.key) != nil })
    }
    let entry = EntryText(full.bytes)
    #expect(entry.value("title") == .text("T: t") && entry.value("weather") == .text("Rain, 7°C"))
    #expect(entry.value("place") == .text("서울"))
    guard case .list(let tags) = entry.value("tags") else {
      Issue.record("no tags")
      return
    }
    #expect(tags.last == "one")
    let blank = EntryText(bare.bytes)
    #expect((blank.value("title") == nil) == (name == "plain"))
    #expect(blank.value("place") == nil && blank.value("weather") == nil)
  }

  @Test(arguments: names)
  func `is well formatted`(_ name: String) throws {
    let lines = try text(name).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.last == "" && lines.dropLast().last != "")
    for line in lines { #expect(line.last != " " && line.count <= 100) }
  }
}
