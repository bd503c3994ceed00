import Testing

@testable import DiaryCore

struct FrontMatterWritingTests {
  private func set(
    _ file: String, _ key: String, _ value: FieldValue
  ) throws(FrontMatterError) -> String {
    var entry = EntryText(Array(file.utf8))
    try entry.set(key, value)
    return String(decoding: entry.bytes, as: UTF8.self)
  }

  private func removed(_ file: String, _ key: String) throws(FrontMatterError) -> String {
    var entry = EntryText(Array(file.utf8))
    try entry.remove(key)
    return String(decoding: entry.bytes, as: UTF8.self)
  }

  @Test(arguments: [
    ("title: old\ndate: x", "title: New\ndate: x"),
    ("TITLE:   old  # note\ndate: x", "TITLE:   New\ndate: x"),
    ("title: \"two\n  lines\"\n# stays\n\ndate: x", "title: New\n# stays\n\ndate: x"),
    ("title:\ndate: x", "title: New\ndate: x"),
    ("title: |\n  a\n  # text\n\n# stays\ndate: x", "title: New\n\n# stays\ndate: x"),
    ("title: one\ntitle: two", "title: New\ntitle: two"),
    ("title: [a,\nb]\ndate: x", "title: New\ndate: x"),
    ("title: 'a\n# not a comment'\ndate: x", "title: New\ndate: x"),
    ("a: 1\n# date\ndate: x\nb: 2", "a: 1\n# date\ntitle: New\ndate: x\nb: 2"),
    ("layout: post", "title: New\nlayout: post"),
  ])
  func `setting a key replaces only its own lines`(_ before: String, _ after: String) throws {
    let written = try set("---\n\(before)\n---\nBody\n", "title", .text("New"))
    #expect(written == "---\n\(after)\n---\nBody\n")
  }

  @Test(arguments: [
    ("title: t\nlayout: x", "title: t\nweather: Rain\nlayout: x"),
    (
      "title: t\n# title: other\n# free\ndate: d",
      "title: t\n# title: other\n# free\ndate: d\nweather: Rain"
    ),
    ("title: t\n# title: other\nx: y", "title: t\n# title: other\nweather: Rain\nx: y"),
    ("tags: [a]\nx: y", "weather: Rain\ntags: [a]\nx: y"),
    ("x: y\ncreated: d\ntags: [a]", "x: y\ncreated: d\nweather: Rain\ntags: [a]"),
    ("x: y", "weather: Rain\nx: y"),
    ("date: |+\n  keep\n\nx: y", "date: |+\n  keep\n\nweather: Rain\nx: y"),
  ])
  func `a new key is inserted in the standard order`(_ before: String, _ after: String) throws {
    let written = try set("---\n\(before)\n---\n", "weather", .text("Rain"))
    #expect(written == "---\n\(after)\n---\n")
  }

  @Test func `a key without a standard position is appended`() throws {
    #expect(
      try set("---\na: 1\n# end\n---\n", "mood", .text("x")) == "---\na: 1\nmood: x\n# end\n---\n")
    #expect(try set("---\n---\n", "mood", .text("x")) == "---\nmood: x\n---\n")
  }

  @Test(arguments: [
    ("Body\n", "---\ntitle: T\n---\n\nBody\n"), ("", "---\ntitle: T\n---\n"),
    ("\nBody", "---\ntitle: T\n---\n\nBody"), ("a\r\nb", "---\r\ntitle: T\r\n---\r\n\r\na\r\nb"),
    ("\u{FEFF}a", "\u{FEFF}---\ntitle: T\n---\n\na"),
    ("a\n---\nb\n", "---\ntitle: T\n---\n\na\n---\nb\n"),
  ])
  func `a header is created above a text without one`(_ before: String, _ after: String) throws {
    #expect(Array(try set(before, "title", .text("T")).utf8) == Array(after.utf8))
  }

  @Test func `the line endings of the header are used`() throws {
    let written = try set("---\r\ntitle: a\r\n---\r\nx\n", "date", .text("2026-11-21"))
    #expect(Array(written.utf8) == Array("---\r\ntitle: a\r\ndate: 2026-11-21\r\n---\r\nx\n".utf8))
  }

  @Test(arguments: [
    ("A walk", "A walk"), ("Day 3: the lake", "\"Day 3: the lake\""), ("Fix #12", "\"Fix #12\""),
    ("C#", "C#"), ("no", "\"no\""), ("1.10", "\"1.10\""), ("12:30", "\"12:30\""), ("-5°C", "-5°C"),
    ("- x", "\"- x\""), ("he said \"no\"", "he said \"no\""),
    ("\"no\", he said", "'\"no\", he said'"),
    ("it's", "it's"), ("'tis \"it\"", "'''tis \"it\"'"), ("two\nlines", "\"two\\nlines\""),
    ("C:\\dir", "C:\\dir"), ("오늘", "오늘"), ("🌧️ rain", "🌧️ rain"), (" x", "\" x\""), ("x ", "\"x \""),
    ("[x]", "\"[x]\""), ("null", "\"null\""), ("2026-11-21", "\"2026-11-21\""),
    ("e\u{7}", "\"e\\x07\""),
    ("a\u{2028}b", "\"a\\u2028b\""), ("http://x/#y", "http://x/#y"), ("7 days", "7 days"),
  ])
  func `text is quoted if necessary`(_ words: String, _ written: String) throws {
    #expect(
      try set("---\na: 1\n---\n", "title", .text(words)) == "---\ntitle: \(written)\na: 1\n---\n")
  }

  @Test func `a date is written without quotes`() throws {
    let date = "2026-11-21T21:04:00+09:00"
    #expect(try set("", "date", .text(date)) == "---\ndate: \(date)\n---\n")
  }

  @Test func `a list keeps its style`() throws {
    let tags = FieldValue.list(["a b", "no", "c: d", "#e"])
    #expect(
      try set("---\ntags:\n  - x\n  # old\n---\n", "tags", tags)
        == "---\ntags:\n  - a b\n  - \"no\"\n  - \"c: d\"\n  - \"#e\"\n  # old\n---\n")
    #expect(
      try set("---\ntags: x\n---\n", "tags", tags)
        == "---\ntags: [a b, \"no\", \"c: d\", \"#e\"]\n---\n")
    #expect(try set("---\ntags:\n- x\n---\n", "tags", .list([])) == "---\ntags: []\n---\n")
  }

  @Test(arguments: [
    ("tags: [a, 'b'] # mine", "a b new", "tags: [a, 'b', new] # mine"),
    ("tags:  [ a,b , ]", "a b new x:y", "tags:  [ a,b, new, \"x:y\" , ]"),
    ("tags: [] # mine", "new", "tags: [new] # mine"), ("tags: # mine", "new", "tags: [new] # mine"),
    ("tags: \"a, b\"  # mine", "a b new", "tags: [a, b, new]  # mine"),
    (
      "tags: [\n  a, # [why\n  it's # because\n]", "a it's new",
      "tags: [\n  a, # [why\n  it's, new # because\n]"
    ),
    (
      "tags: # mine\n  # first\n  -  a  # Kim\n  # second\n  - 'b' # Jun\n  # end\nx: y", "a b new",
      "tags: # mine\n  # first\n  -  a  # Kim\n  # second\n  - 'b' # Jun\n  - new\n  # end\nx: y"
    ),
    ("tags:\n- a\n-\n- ~\n- b", "a b new", "tags:\n- a\n-\n- ~\n- b\n- new"),
    ("tags:\n- a # Kim\n- b\n- c # Jun", "a c", "tags:\n- a # Kim\n- c # Jun"),
    ("tags: [a, b, c] # mine", "c new", "tags: [c, new] # mine"),
    ("tags: [a, 'b', c, d] # mine", "b", "tags: ['b'] # mine"),
    ("tags: [a, b] # mine", "new", "tags: [new] # mine"),
    ("tags:\n- a # Kim\n- b", "b", "tags:\n- b"),
  ])
  func `a list keeps its other items and all comments`(
    _ before: String, _ items: String, _ after: String
  ) throws {
    let tags = FieldValue.list(items.split(separator: " ").map(String.init))
    #expect(try set("---\n\(before)\n---\n", "tags", tags) == "---\n\(after)\n---\n")
  }

  @Test(arguments: [
    ("title: \"Old\"  # note", "title: \"New\"  # note"),
    ("title: # note", "title: \"New\" # note"),
    ("title: [a, # one\n  b] # note", "title: \"New\" # note"),
    ("title: | # note\n  a\n  b", "title: \"New\" # note"),
    ("title: # note\n  # more\n  a\n  b", "title: \"New\" # note\n  # more"),
    ("title:\n  # more\n  'a' # note", "title:\n  # more\n  \"New\" # note"),
    ("title: \"Old\" ", "title: New "), ("title: 'Old'", "title: New"),
  ])
  func `a text keeps the comments of its field`(_ before: String, _ after: String) throws {
    let written = try set("---\n\(before)\nx: y\n---\n", "title", .text("New"))
    #expect(written == "---\n\(after)\nx: y\n---\n")
    func crlf(_ text: String) -> String {
      "---\r\n" + text.split(separator: "\n").joined(separator: "\r\n") + "\r\n---\r\n"
    }
    #expect(try Array(set(crlf(before), "title", .text("New")).utf8) == Array(crlf(after).utf8))
  }

  @Test(arguments: [
    "{people: [kim], mood: fine}", "{mood: fine}", "\n  people: [kim]\n  mood: fine", "[[a], b]",
    "\n  - [a]\n  - b",
  ])
  func `a mapping or a nested list is not replaced`(_ value: String) {
    let file = "---\ntags: \(value)\n---\n"
    for new in [FieldValue.text("new"), .list(["new"])] {
      #expect(throws: FrontMatterError.compoundValue("tags")) { try set(file, "tags", new) }
    }
  }

  @Test func `a value that is not YAML is not replaced by a list`() throws {
    let file = "---\ntags: [a, b\n---\n"
    #expect(throws: FrontMatterError.compoundValue("tags")) { try set(file, "tags", .list(["c"])) }
    #expect(try set(file, "tags", .text("c")) == "---\ntags: c\n---\n")
  }

  @Test(arguments: [
    ":\n\t\nweather:\"a\" # comment\naliases:Rain", ": old\nstray words", ": 'old'\nstray",
    ": [a]\nstray", ": |\n  old\nstray", ":\n  - a\n-b", ": [a, b\nstray", ": \"a\nstray",
  ])
  func `a value with lines below it that are not YAML is neither replaced nor removed`(
    _ value: String
  ) {
    let file = "---\naliases\(value)\nkeywords:\n---\n"
    for new in [FieldValue.text("new"), .list(["new"])] {
      #expect(throws: FrontMatterError.compoundValue("aliases")) { try set(file, "aliases", new) }
    }
    #expect(throws: FrontMatterError.compoundValue("aliases")) { try removed(file, "aliases") }
  }

  @Test func `an empty text leaves an empty field`() throws {
    #expect(try set("---\nweather: x\n---\n", "weather", .text("")) == "---\nweather:\n---\n")
  }

  @Test(arguments: [
    ("title: a\nx: 1", "x: 1"), ("x: 1\ntitle: a\n# c\nTitle: b", "x: 1\n# c"),
    ("x: 1\ntitle:\n  - a\n\n  - b", "x: 1"),
  ])
  func `removing a key removes all of its fields and no comment`(
    _ before: String, _ after: String
  ) throws {
    #expect(try removed("---\n\(before)\n---\nBody", "title") == "---\n\(after)\n---\nBody")
  }

  @Test func `removing the last field leaves an empty header`() throws {
    #expect(try removed("---\n\ntitle: a\n---\nBody", "title") == "---\n---\nBody")
    #expect(try removed("Body", "title") == "Body")
  }

  @Test(arguments: ["", "a:b", "1a", "a b c d", "a\nb", " a", "a ", "-", "a  b", "k: v"])
  func `an unusable key is refused`(_ key: String) {
    #expect(throws: FrontMatterError.unusableKey(key)) { try set("x", key, .text("v")) }
  }

  @Test func `a field inside the quotes of another is not changed`() {
    let file = "---\ntext: \"runs on\ntitle: inside\"\n---\n"
    #expect(throws: FrontMatterError.wouldChangeOthers("title")) {
      try set(file, "title", .text("x"))
    }
  }

  @Test(
    arguments: [
      [0xFF, 0xFE, 0x61, 0x00], [0x61, 0xE9, 0x62], [0xC3, 0xA9, 0xC3, 0xA9, 0xFF], [0x61, 0x00],
    ] as [[UInt8]])
  func `a text that is not UTF-8 is never changed`(_ bytes: [UInt8]) {
    var entry = EntryText(bytes)
    #expect(throws: FrontMatterError.notUTF8) { try entry.set("title", .text("x")) }
    #expect(throws: FrontMatterError.notUTF8) { try entry.append(paragraph: "x") }
    #expect(entry.bytes == bytes)
    #expect(entry.lints.map(\.code) == ["not-utf8"])
  }

  @Test(arguments: [
    ("", "New.\n"), ("Old.\n", "Old.\n\nNew.\n"), ("Old.", "Old.\n\nNew."),
    ("Old.\n\n", "Old.\n\nNew.\n"),
    ("a\r\nb\r\n", "a\r\nb\r\n\r\nNew.\r\n"), ("---\na: 1\n---\n", "---\na: 1\n---\n\nNew.\n"),
    ("---\na: 1\n---\n\n", "---\na: 1\n---\n\nNew.\n"),
    ("---\na: 1\n---", "---\na: 1\n---\n\nNew.\n"),
    ("\u{FEFF}", "\u{FEFF}New.\n"), ("\n", "\nNew.\n"),
  ])
  func `a paragraph is appended after one blank line`(_ before: String, _ after: String) throws {
    let entry = try EntryText(Array(before.utf8)).appending(paragraph: "\nNew.\n\n")
    #expect(entry.bytes == Array(after.utf8))
    #expect(try entry.appending(paragraph: " \n") == entry)
  }

  @Test func `a paragraph gets the line endings of the text`() throws {
    let entry = try EntryText(Array("a\r\n".utf8)).appending(paragraph: "b\nc\r\nd")
    #expect(entry.bytes == Array("a\r\n\r\nb\r\nc\r\nd\r\n".utf8))
  }
}
