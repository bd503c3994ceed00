import HostileInput
import TestSupport
import Testing

@testable import DiaryCore

struct EditableTextTests {
  private func page(
    _ file: String, at path: String = "2026/2026-11-21.md", titles: [Settings.TitleSource]? = nil
  ) throws -> EditableText {
    var settings = Settings()
    if let titles { settings.titles = titles }
    return try EditableText(
      EntryText(Array(file.utf8)), path: try #require(EntryPath(path)), settings: settings)
  }

  private func written(_ file: String, _ title: String?, _ body: String?) throws -> String {
    let page = try page(file)
    return String(
      decoding: page.bytes(title: title ?? page.title, body: body ?? page.body), as: UTF8.self)
  }

  @Test(arguments: [
    ("---\ntitle: A walk\n---\n\nText\n", "header", "A walk", "Text"),
    ("---\ntitle: |\n  two\n  lines\n---\nText", "header", "two lines", "Text"),
    ("# A *walk* #\n\n\nText\nmore\n", "heading", "A *walk*", "Text\nmore"),
    ("---\ndate: 2026-11-21\n---\n\nA walk\n===\n\nText\n\n", "heading", "A walk", "Text\n"),
    ("---\ndate: 2026-11-21\n---\n\nA **walk**\nText\n", "line", "A **walk**", "Text"),
    ("\u{FEFF}A walk\r\n\r\nText\r\nmore\r\n", "line", "A walk", "Text\nmore"),
    ("title:: A walk\n\nText\n", "name", "A walk", "title:: A walk\n\nText"),
    ("***\nText\n", "name", "", "***\nText"), ("<!-- a -->\n# B\n", "name", "", "<!-- a -->\n# B"),
    ("", "name", "", ""), ("---\ndate: 2026-11-21\n---\n\n\n", "name", "", ""),
  ])
  func `a title is read from its location, and the remainder is the body`(
    _ file: String, _ place: String, _ title: String, _ body: String
  ) throws {
    let page = try page(file)
    #expect(page.titleLocation.rawValue == place)
    #expect(page.title == title)
    #expect(page.body == body)
    #expect(page.bytes(title: page.title, body: page.body) == page.text.bytes)
  }

  @Test func `a name with more than a date is the title if there is no other`() throws {
    let page = try page("Text\n", at: "2026/2026-11-21-a-walk.md", titles: [.header, .name])
    #expect(page.title == "a walk" && page.titleLocation == .name && page.body == "Text")
    let titled = page.bytes(title: "A walk", body: page.body)
    #expect(String(decoding: titled, as: UTF8.self) == "---\ntitle: A walk\n---\n\nText\n")
    #expect(page.bytes(title: "", body: page.body) == page.text.bytes)
  }

  @Test(arguments: [
    ("---\ntitle: A # x\ndate: x\n---\n\nText\n", "B", "---\ntitle: B\ndate: x\n---\n\nText\n"),
    ("---\ntitle: A\n---\n\nText\n", " two\nlines ", "---\ntitle: two lines\n---\n\nText\n"),
    ("---\ntitle: A\ndate: x\n---\n\nText\n", "", "---\ndate: x\n---\n\nText\n"),
    ("## C\n# A #\nText", "B", "B\n# A #\nText"), ("\n# A #\nText", "B", "\n# B #\nText"),
    ("A\r\n=\r\n\r\nText\r\n", "B", "B\r\n=\r\n\r\nText\r\n"), ("# A\n\nText\n", "", "Text\n"),
    ("A\n\nText\n", "B: c", "B: c\n\nText\n"), ("A\n\nText\n", "- b", "- b\n\nText\n"),
    ("A\n\nText\n", "---", "---\ntitle: \"---\"\n---\n\nText\n"),
    ("title:: A\n\nText\n", "B", "---\ntitle: B\n---\n\ntitle:: A\n\nText\n"),
    ("***\nText\n", "B", "---\ntitle: B\n---\n\n***\nText\n"),
    ("---\ndate: x\n---\n", "B", "---\ntitle: B\ndate: x\n---\n"),
  ])
  func `a title is written back to its location`(
    _ file: String, _ title: String, _ result: String
  ) throws {
    #expect(try written(file, title, nil) == result)
  }

  @Test(arguments: [
    ("---\ntitle: A\n---\n\nText\n", "Text\nmore", "---\ntitle: A\n---\n\nText\nmore\n"),
    ("---\ntitle: A\n---\n", "Text", "---\ntitle: A\n---\n\nText\n"),
    ("---\ntitle: A\n---", "Text", "---\ntitle: A\n---\n\nText\n"),
    ("---\ntitle: A\n---\n\n\n", "Text", "---\ntitle: A\n---\n\nText\n"),
    ("---\ntitle: A\n---\n\nText\n", "", "---\ntitle: A\n---\n\n\n"),
    ("# A\nText", "Text, and\nmore", "# A\nText, and\nmore"), ("# A", "Text", "# A\n\nText\n"),
    ("A\n\nText", "Text\n", "A\n\nText\n\n"), ("", "Text", "Text\n"), ("", " \t", ""),
    (
      "A\r\n\r\none\r\ntwo\nthree\rfour", "one\nnew\nthree\nfour",
      "A\r\n\r\none\r\nnew\nthree\rfour"
    ),
    ("A\n\none\ntwo\r\nthree", "one\n2\nthree", "A\n\none\n2\r\nthree"),
    ("***\n", "---\na: b\n---\nc", " ---\na: b\n---\nc\n"),
    ("# A\n\nText\n", "\n  \n  Text", "# A\n\n  Text\n"),
  ])
  func `a body is written below the title, with unchanged lines intact`(
    _ file: String, _ body: String, _ result: String
  ) throws {
    #expect(try written(file, nil, body) == result)
  }

  @Test func `a title that the page did not show is kept`() throws {
    // The first save had only a body. Its first line is now the title; the page does not show it.
    let file = "---\ndate: 2026-11-21\n---\n\nHello\nworld\n"
    #expect(try page(file).title == "Hello")
    #expect(
      try written(file, "", "Hello\nworld!") == "---\ndate: 2026-11-21\n---\n\nHello\nworld!\n")
    #expect(
      try written(file, "A walk", "Hello\nworld!")
        == "---\ntitle: A walk\ndate: 2026-11-21\n---\n\nHello\nworld!\n")
  }

  @Test func `a text that cannot be edited gives the reason`() throws {
    let large = String(repeating: "a", count: EditableText.maxSize + 1)
    let refused: [([UInt8], EditableText.ReadOnlyReason)] = [
      (Array("+++\na = 1\n+++\n".utf8), .foreignHeader),
      (Array("---\na\n".utf8), .unreadableHeader),
      ([0x61, 0xE9, 0x62], .encoding), ([0xC3, 0xA9, 0xFF, 0xC3, 0xA9], .damaged),
      (Array("a\0".utf8), .damaged), (Array(large.utf8), .tooLarge),
    ]
    let path = try #require(EntryPath("a.md"))
    for (bytes, reason) in refused {
      #expect(throws: reason) {
        _ = try EditableText(EntryText(bytes), path: path, settings: Settings())
      }
      #expect(!reason.description.isEmpty)
    }
  }

  @Test(arguments: 1...3)
  func `bytes of random entries that were not edited are kept`(part: Int) {
    var dice = SeededGenerator(part: part)
    for round in 0..<SeededGenerator.rounds(400) {
      let file = dice.sample(round)
      let body = dice.roll(2) == 0 ? dice.entry() : edited(file, &dice)
      let input = file + [0x1F] + Array(dice.specialText().utf8) + [0x1F] + body
      let complaint = HostileTarget.pagetext.complaint(about: input)
      #expect(
        complaint == nil,
        "\(dice), round \(round): \(String(decoding: input, as: UTF8.self).debugDescription)")
    }
  }

  @Test func `a body that begins with a line like the title's keeps it`() throws {
    let body = "aliases:\n  - a\r\n---\r\n"
    let text = EntryText(Array(("\r\naliases:\r\n" + body).utf8))
    let path = try #require(EntryPath("a.md"))
    let page = try EditableText(text, path: path, settings: Settings())
    #expect(page.titleLocation == .line)
    let titled = page.bytes(title: "A walk", body: page.body)
    #expect(String(decoding: titled, as: UTF8.self) == "\r\nA walk\r\n" + body)
  }

  @Test func `a title that goes into the header leaves every line end of the body`() throws {
    // The title's line has a CR; its first part is equal to the body's first line.
    let titled = try written("a\rb\na\nc\n", "***", nil)
    #expect(titled == "---\ntitle: \"***\"\n---\n\na\nc\n")
    #expect(try written("a\rb\na\nc\n", "", nil) == "a\nc\n")
  }

  /// The entry's body with an inserted word.
  private func edited(_ file: [UInt8], _ dice: inout SeededGenerator) -> [UInt8] {
    var body = Array(EntryText(file).body.utf8)
    body.insert(
      contentsOf: dice.one(["x", "\n", " word ", "\r\n- a"]).utf8, at: dice.roll(body.count + 1))
    return body
  }
}
