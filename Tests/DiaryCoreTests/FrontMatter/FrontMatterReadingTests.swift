import TestSupport
import Testing

@testable import DiaryCore

struct FrontMatterReadingTests {
  private func text(_ lines: String) -> EntryText { EntryText(Array(lines.utf8)) }

  private func value(_ line: String, key: String = "title") -> FieldValue? {
    text("---\n\(line)\nlast: 1\n---\nBody\n").value(key)
  }

  @Test(arguments: [
    "title: A walk\n# title: Another walk\n", "title: A walk\n# about: the lake\ntags: [a]\n",
    "place: Seoul\n\n# a note, 12: 30\n",
  ])
  func `a comment below a plain value gives no lint`(_ lines: String) {
    #expect(EntryText(Array("---\n\(lines)---\n".utf8)).lints.isEmpty)
  }

  @Test func `reads the documented example`() {
    let entry = text(
      """
      ---
      title: A walk by the river
      date: 2026-11-21T21:04:00+09:00
      weather: Rain, 7°C
      tags: [family, walk]
      ---

      Body, in Markdown.
      """)
    #expect(entry.headerKind == .yaml)
    #expect(entry.value("title") == .text("A walk by the river"))
    #expect(entry.value("DATE") == .text("2026-11-21T21:04:00+09:00"))
    #expect(entry.value("weather") == .text("Rain, 7°C"))
    #expect(entry.value("tags") == .list(["family", "walk"]))
    #expect(entry.body == "\nBody, in Markdown.")
    #expect(entry.fields.map(\.line) == [2, 3, 4, 5])
    #expect(entry.lints.isEmpty)
  }

  @Test(arguments: [
    ("title: Day 3: the lake", "Day 3: the lake"), ("title: Fix #12 today", "Fix #12 today"),
    ("title: 12:30", "12:30"), ("title: no", "no"), ("title: 1.10", "1.10"),
    ("title: *important* news", "*important* news"), ("title: @home", "@home"),
    ("title: [draft] A walk", "[draft] A walk"), ("title: \"Yes\" she said", "\"Yes\" she said"),
    ("title: > a quote", "> a quote"), ("title: {{ name }}", "{{ name }}"),
    ("title: two\n  lines: joined", "two lines: joined"),
    ("title: at\ncolumn zero", "at column zero"),
    ("title:\tafter a tab \t", "after a tab"), ("title: one\n# a comment\n  two", "one two"),
    ("title:\n  on the next line", "on the next line"), ("title: \"unclosed", "\"unclosed"),
    ("title: #one #two", "#one #two"), ("title: - dash", "- dash"), ("Title : x", "x"),
  ])
  func `a plain value is read literally`(_ line: String, _ expected: String) {
    #expect(value(line) == .text(expected))
    #expect(value(line, key: "last") == .text("1"))
  }

  @Test(arguments: [
    "title:", "title: ", "title: \"\"", "title: ''", "title: []", "title: {}", "title: ~",
    "title: null", "title: # later", "title: |", "title:\n\n", "title:\n  # only a comment",
  ])
  func `an empty value is no value`(_ line: String) {
    #expect(value(line) == nil)
    #expect(text("---\n\(line)\n---\n").field("title") != nil)
  }

  @Test(arguments: [
    "제목", "été", "_x", "a-b.c", "creation date", "one two three", "x1",
  ])
  func `letters of any script make a key`(_ key: String) {
    #expect(value("\(key): v", key: key) == .text("v"))
  }

  @Test(arguments: [
    "one two three four: v", "1st: v", "a:v", "- a: v", "'a': v", " a: v", "a/b: v", "-a: v", ": v",
  ])
  func `a line that is no key belongs to the field above`(_ line: String) {
    let entry = text("---\nfirst: x\n\(line)\n---\n")
    #expect(entry.fields.count == 1)
    #expect(entry.value("first") == .text("x \(line.drop { $0 == " " })"))
  }

  @Test(arguments: [
    "---\n\nSome text\n\n---\nMore\n", "---\nJust words\n---\n", "---\ntitle: never closed\n",
    "---\n\n---\n", "---\n\n# comment\n---\n", "--- \n- list\n---\n", "---", "+++\nwords\n+++\n",
    "+++\nopen = 1\n", "{\n\"a\": 1\n", "{\nwords\n}\n", "\n\n---\nwords\n",
    "{\"a\": 1} trailing\n",
  ])
  func `a file with an unreadable header keeps its text and gets no new header`(
    _ file: String
  ) throws {
    var entry = text(file)
    #expect(entry.headerKind == .unreadable)
    #expect(entry.body == file)
    #expect(entry.lints.contains { $0.code == "unreadable-header" })
    #expect(throws: FrontMatterError.unreadableHeader) { try entry.set("title", .text("x")) }
    #expect(entry.bytes == Array(file.utf8))
  }

  @Test(arguments: [
    "", "\n", "words\n", "----\n", "-- -\n", "# ---\n", "{{< figure >}}\n", "{: .x}\n",
  ])
  func `a text without a fence has no header`(_ file: String) {
    #expect(text(file).headerKind == .none)
    #expect(text(file).body == file)
  }

  @Test
  func `an empty or comment block is a header unless a blank line follows`() {
    #expect(text("---\n---\nBody\n").body == "Body\n")
    #expect(text("---\n# comment\n\n...\nBody\n").body == "Body\n")
    #expect(text("---\n---\n").headerKind == .yaml)
  }

  @Test func `byte order marks, line endings and trailing spaces of editors are accepted`() {
    let entry = text("\u{FEFF}---  \r\ntitle: x \t\r\ntags:\r\n- a\r\n- b\r\n--- \r\nBody\r\n")
    #expect(entry.value("title") == .text("x"))
    #expect(entry.value("tags") == .list(["a", "b"]))
    #expect(entry.body == "Body\r\n")
    #expect(entry.lints.isEmpty)
    #expect(text("---\ntitle: x\n---").value("title") == .text("x"))
  }

  @Test func `blank lines before the header are a lint`() {
    let entry = text("\n \n---\ntitle: x\n---\nBody")
    #expect(entry.value("title") == .text("x"))
    #expect(entry.lints.map(\.code) == ["blank-before-header"])
    #expect(entry.fields.first?.line == 4)
  }

  @Test func `the first field of a duplicate key is used`() {
    let entry = text("---\ntitle: one\nTITLE: two\n---\n")
    #expect(entry.value("Title") == .text("one"))
    #expect(
      entry.lints == [
        Diagnostic(
          code: "duplicate-key", line: 3, message: "\"TITLE\" is given twice; the first one is used"
        )
      ])
  }

  @Test func `one bad field does not affect the others`() {
    let entry = text("---\ntags: [a, b\ntitle: \"x\ndate: 2026-11-21\nweather: |\nbad block\n---\n")
    #expect(entry.value("tags") == .text("[a, b"))
    #expect(entry.value("date") == .text("2026-11-21"))
    #expect(
      entry.lints.map(\.code) == ["unreadable-value", "unreadable-value", "unreadable-value"])
    #expect(entry.lints.map(\.line) == [2, 3, 5])
  }

  @Test(arguments: ["Day 3: the lake", "Fix #12", "a:", "*x", "- x", "#tag", "one\nstray"])
  func `a value that a strict parser rejects or changes is a lint`(_ words: String) {
    #expect(text("---\ntitle: \(words)\n---\n").lints.map(\.code) == ["unquoted-value"])
  }

  @Test func `a mapping is read with its scalar values`() {
    let pairs = [("condition", "Rain"), ("temperature", "7.2")]
    #expect(
      value("weather: {condition: Rain, temperature: 7.2}", key: "weather") == .mapping(pairs))
    #expect(
      value("weather:\n  condition: Rain\n  temperature: 7.2", key: "weather") == .mapping(pairs))
  }

  /// Values that a slow reader takes long for: the largest number of their parts, and the text.
  private static let hostileValues: [String: (count: Int, text: @Sendable (Int) -> String)] = [
    "open lists": (30_000, { String(repeating: "[", count: $0) }),
    "open mappings": (20_000, { String(repeating: "{a: ", count: $0) }),
    "dashes": (30_000, { String(repeating: "- ", count: $0) }),
    "question marks": (100_000, { String(repeating: "? ", count: $0) }),
    "backslashes": (30_000, { "\"" + String(repeating: "\\", count: $0 + 1) }),
    "a list": (30_000, { "[" + String(repeating: "a, ", count: $0) + "]" }),
    "an open list": (20_000, { "[\"" + String(repeating: "a\", \"", count: $0) }),
    "indented keys": (
      3_000,
      { "\n" + (0..<$0).map { String(repeating: " ", count: $0 % 400 + 1) + "a:\n" }.joined() }
    ),
    "keys": (5_000, { "a" + (0..<$0).map { "\nk\($0): v" }.joined() }),
  ]

  @Test(arguments: hostileValues.keys.sorted())
  func `a hostile value is read in reasonable time`(_ name: String) throws {
    let (count, value) = try #require(Self.hostileValues[name])
    #expect(try growsLinearly(to: count) { expectWeather(beside: value($0)) })
  }

  @Test(arguments: ["&a [*a, *a]", "*none"])
  func `a value with an alias does not affect the others`(_ value: String) {
    expectWeather(beside: value)
  }

  /// Expects that the weather can be set in a header with this value.
  private func expectWeather(beside value: String) {
    var entry = text("---\ntitle: x\nevil: \(value)\n---\n")
    #expect(entry.value("evil") != nil)
    #expect(entry.value("title") == .text("x"))
    _ = entry.lints
    try? entry.set("weather", .text("Rain"))
    #expect(entry.value("weather") == .text("Rain"))
  }
}
