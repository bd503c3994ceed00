import DiaryCore
import EntryFormats
import Foundation
import Testing

@Suite struct CopyTests {
  @Test func `clean Markdown keeps the body unchanged`() throws {
    let body = "\n  *Odd*   spacing,\r\nkept.\n\n\tcode\n\n<!-- note -->\n\n"
    let entry = try sample(
      body, title: "A *star* & [b]", date: "21. November 2026", place: "Seoul",
      weather: "Rain, 7°C", tags: ["family", "a_b"])
    #expect(
      cleanMarkdown(of: [entry])
        == "# A \\*star\\* \\& \\[b\\]\n\n21\\. November 2026 · Rain, 7°C · Seoul\n\n"
        + "  *Odd*   spacing,\r\nkept.\n\n\tcode\n\n<!-- note -->\n\n#family #a\\_b\n")
  }

  @Test func `a heading that is the title is not repeated`() throws {
    let entry = try sample("# Title\n\nWords.")
    #expect(cleanMarkdown(of: [entry]) == "21 November 2026\n\n# Title\n\nWords.\n")
    #expect(plainText(of: [entry]) == "Title\n=====\n21 November 2026\n\nWords.\n")
  }

  @Test(arguments: [
    ("# 24. Dezember\n\nSchnee.", "24. Dezember"), ("3. Oktober\n\nFeiertag.", "3. Oktober"),
    ("2025. 10. 09. 맑음\n\n산책.", "2025. 10. 09. 맑음"), ("- Milk\n- Bread", "Milk"),
  ])
  func `a date or an item that is the title is not repeated`(_ body: String, _ title: String) throws
  {
    let entry = try sample(body, title: title)
    let last = try #require(title.split(separator: " ").last)
    for text in [cleanMarkdown(of: [entry]), plainText(of: [entry])] {
      #expect(text.components(separatedBy: last).count == 2, "\(text)")
    }
  }

  @Test(arguments: ["```\ncode", "~~~~~\ncode\n~~~", "<!-- left open", "<script>\nx", "> ```\n> a"])
  func `an unclosed block does not swallow the next entry`(_ body: String) throws {
    let page = cleanMarkdown(of: [try sample(body), try sample("Next.", title: "Second")])
    let lines = terminalLines(of: try sample(page, title: "All"), width: 60, isStyled: false)
    #expect(lines.contains("Second") && lines.contains("Next."), "\(lines)")
  }

  @Test func `plain text has text, dates and meaningful markers`() throws {
    let first = try sample(
      "Words **strong**, [here](https://example.org).\n\n- [ ] open\n\n> quoted", title: "First",
      weather: "Rain, 7°C", tags: ["family"])
    let last = try sample("한국어", title: "둘째", date: nil)
    #expect(
      plainText(of: [first, last]) == """
        First
        =====
        21 November 2026 · Rain, 7°C

        Words strong, here (https://example.org).

        - [ ] open

        > quoted

        #family


        ------------------------


        둘째
        ====

        한국어

        """)
  }

  @Test func `JSON has the public form and the body`() throws {
    let entry = try sample("Words \"quoted\"\n", weather: "Rain, 7°C", tags: ["family"])
    let text = String(decoding: try entriesJSON([entry]), as: UTF8.self)
    #expect(
      text == """
        [{"body":"Words \\"quoted\\"\\n","date":"2026-11-21T21:04:00+09:00","day":"2026-11-21",\
        "number":1,"path":"2026/11/2026-11-21-title.md","preview":"…","starred":false,"tags":["family"],"title":"Title",\
        "weather":{"condition":"Rain","temperature":7,"text":"Rain, 7°C"},"words":1}]

        """)
  }
}
