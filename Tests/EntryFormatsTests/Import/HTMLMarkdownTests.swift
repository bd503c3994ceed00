import Testing

@testable import EntryFormats

@Suite struct HTMLMarkdownTests {
  @Test func `text after each end of deeply nested elements has the depth of its parent`() throws {
    let depth = 3000
    let html =
      String(repeating: "<blockquote>", count: depth) + "deep"
      + (1...depth).map { "</blockquote>\($0)" }.joined()
    let lines = try markdown(html: html).split(separator: "\n").map(String.init)
    let marks = (0...depth).map { String(repeating: "> ", count: min(20, depth - $0)) }
    let words = ["deep"] + (1...depth).map { "\($0)" }
    #expect(lines == zip(marks, words).map { $0 + $1 })
  }

  @Test(arguments: [
    ("<dl><dt>Rome</dt><dd>Sunny</dd></dl>", "Rome\n\nSunny"),
    ("<details><summary>One</summary>Two</details>", "One\n\nTwo"),
    ("<ul><li>a<ul><li>b</li></ul>c</li></ul>d", "- a\n  - b\nc\n\nd"),
    ("<pre><div>one</div><div>two</div></pre>", "```\none\ntwo\n```"),
  ])
  func `the words of two elements are not joined`(_ html: String, _ text: String) throws {
    #expect(try markdown(html: html) == text)
  }

  @Test(arguments: [
    ("<i>rated *</i>", "*rated **"), ("<i><b>x</b></i>", "***x***"), ("a<b><i> </i></b>b", "a b"),
  ])
  func `only marks around no text are removed`(_ html: String, _ text: String) throws {
    #expect(try markdown(html: html) == text)
  }

  @Test func `a character that XML forbids does not end the text`() throws {
    let html = "<p title='a\u{FFFF}b'>one</p><p>t\u{FFFE}wo</p><p>three</p>"
    let text = try markdown(html: html)
    #expect(text.contains("one") && text.contains("wo") && text.contains("three"), "\(text)")
  }

  @Test(arguments: ["euc-kr", "iso-8859-1", "utf-8"])
  func `the declared encoding of decoded HTML is ignored`(_ encoding: String) throws {
    #expect(try markdown(html: "<meta charset=\"\(encoding)\"><p>두리 café</p>") == "두리 café")
  }

  @Test func `texts with a separate class keep their words apart`() throws {
    let page = try HTMLMarkdown.parse(
      """
      First.<div class="card"><p>Park</p>Seoul<br>Han <b class="title">A walk</b> river</div>Second.
      """
    ) { ["card", "title"].contains($0) }
    #expect(page.classTexts.map { oneLine($0.text) } == ["Park Seoul Han river", "A walk"])
    #expect(page.markdown == "First.\n\nSecond.")
  }
}
