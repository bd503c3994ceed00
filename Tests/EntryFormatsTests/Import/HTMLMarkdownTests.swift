import DiaryCore
import TestSupport
import Testing

@testable import EntryFormats

/// HTML as Markdown that Diary shows with the same words and the same elements.
@Suite struct HTMLMarkdownTests {
  private func markdown(html: String) throws -> String { try HTMLMarkdown.parse(html).markdown }

  @Test func `text after each end of deeply nested elements has the depth of its parent`() throws {
    let depth = 3000
    let html =
      String(repeating: "<blockquote>", count: depth) + "deep"
      + (1...depth).map { "</blockquote>\($0)" }.joined()
    let lines = try markdown(html: html).split(separator: "\n").map(String.init)
      .filter { !$0.allSatisfy { "> ".contains($0) } }
    let marks = (0...depth).map { String(repeating: "> ", count: min(20, depth - $0)) }
    let words = ["deep"] + (1...depth).map { "\($0)" }
    #expect(lines == zip(marks, words).map { $0 + $1 })
  }

  @Test(arguments: [
    ("<dl><dt>Rome</dt><dd>Sunny</dd></dl>", "Rome\n\nSunny"),
    ("<details><summary>One</summary>Two</details>", "One\n\nTwo"),
    ("<ul><li>a<ul><li>b</li></ul>c</li></ul>d", "- a\n\n  - b\n\n  c\n\nd"),
    ("<pre><div>one</div><div>two</div></pre>", "```\none\ntwo\n```"),
  ])
  func `the words of two elements are not joined`(_ html: String, _ text: String) throws {
    #expect(try markdown(html: html) == text)
  }

  @Test(arguments: [
    ("<i>rated *</i>", "*rated \\**"), ("<i><b>x</b></i>", "***x***"), ("a<b><i> </i></b>b", "a b"),
  ])
  func `only marks around no text are removed`(_ html: String, _ text: String) throws {
    #expect(try markdown(html: html) == text)
  }

  @Test(arguments: [
    ("<p>a \u{301}b</p>", "a \u{301}b"), ("<p>a  \n \u{301}b</p>", "a \u{301}b"),
    ("<p>a\u{A0}\u{301}b</p>", "a\u{A0}\u{301}b"), ("<p> \u{301}</p>", "\u{301}"),
    ("<pre>a\n \u{301}</pre>", "```\na\n \u{301}\n```"),
    ("<img src=\"x.png\" alt=\"a \u{301}b\">", "![a \u{301}b](x.png)"),
  ])
  func `a combining mark after a blank stays`(_ html: String, _ text: String) throws {
    #expect(Array(try markdown(html: html).unicodeScalars) == Array(text.unicodeScalars))
    #expect(Array(" \u{301}\n".withoutBlankEdges.unicodeScalars) == [" ", "\u{301}"])
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
    #expect(
      page.classTexts.map { withSingleBlanks($0.text) } == ["Park Seoul Han river", "A walk"])
    #expect(page.markdown == "First.\n\nSecond.")
  }

  @Test(arguments: [
    ("<p># not a heading</p><p>#tag</p>", "\\# not a heading\n\n#tag"),
    ("<p>1. x</p><p>2) y</p><p>3.5</p>", "1\\. x\n\n2\\) y\n\n3.5"),
    ("<p>- x</p><p>+ y</p><p>-1</p>", "\\- x\n\n\\+ y\n\n-1"),
    ("<p>&gt; x</p>", "\\> x"), ("<p>a<br>---</p>", "a  \n\\---"),
    ("<p>&lt;div&gt; tag text, 1 &lt; 2</p>", "\\<div> tag text, 1 < 2"),
    ("<p>*x* 2 * 3 _y_ snake_case</p>", "\\*x\\* 2 * 3 \\_y\\_ snake_case"),
    ("<p>[a](b) `c` ~~d~~ ~5</p>", "\\[a](b) \\`c\\` \\~\\~d\\~\\~ ~5"),
    ("<p>&amp;amp; AT&amp;T C:\\dir \\*</p>", "\\&amp; AT&T C:\\dir \\\\\\*"),
    ("<p>https://x.org/_a_*b</p>", "https://x.org/_a_*b"),
    ("<p>No!<a href='u'>x</a></p>", "No\\![x](u)"),
    ("<h2>C #</h2>", "## C \\#"),
  ])
  func `text that looks like markup is escaped, and no other text`(
    _ html: String, _ text: String
  ) throws {
    #expect(try markdown(html: html) == text)
  }

  @Test(arguments: [
    (
      "<table><tr><td><p>a</p></td><td>b|c</td></tr><tr><td>1<p>2</p></td></tr></table>",
      "| a | b\\|c |\n| --- | --- |\n| 1<br>2 |  |"
    ),
    ("<table><tr><td colspan=2>a</td></tr></table>", "| a |  |\n| --- | --- |"),
    (
      "<table><tr><td>a<ul><li>b</li></ul></td><td><pre>c</pre></td></tr></table>",
      "a\n\n- b\n\n```\nc\n```"
    ),
    ("<ol start=9><li>a</li><li><p>b</p><p>c</p></li></ol>", "9. a\n\n10. b\n\n    c"),
    ("<ul><li>a</li></ul><ul><li>b</li></ul>", "- a\n\n+ b"),
    ("<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"),
    ("<ul><li><hr></li><li></li><li><pre>x</pre></li></ul>", "- ***\n\n-\n\n- ```\n  x\n  ```"),
    ("<li><ul><li><ul><li></li></ul></li></ul></li>", "+ - -"),
    ("<pre>a\n```\nb</pre>", "````\na\n```\nb\n````"),
    ("<pre><code class='language-swift'>let a</code></pre>", "```swift\nlet a\n```"),
    ("<p><code>a`b</code> <code>`</code></p>", "``a`b`` `` ` ``"),
    ("<p><a href='/a (b)|c'>x]</a></p>", "[x\\]](/a%20%28b%29%7Cc)"),
    ("<a href='u'><h3>T</h3></a>", "### [T](u)"),
    ("<div><b>a<div>b</div></b>c</div>", "**a**\n\n**b**\n\nc"),
    ("<p>a<b> b </b>c<i></i></p>", "a **b** c"), ("<b>a</b><b>b</b>", "**ab**"),
    ("<p><b>\"강조\"</b>는</p>", "**\"강조**\"는"), ("<p>a<b>!</b>b</p>", "a!b"),
    ("<p>a<br>b<br><br>c<br></p>", "a  \nb\n\nc"), ("<p>&nbsp;</p>a", "a"),
    ("<li><input type=checkbox checked> a</li>", "- [x] a"),
    ("<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"),
  ])
  func `the structure stays`(_ html: String, _ text: String) throws {
    #expect(try markdown(html: html) == text)
  }

  @Test func `code in a link does not define another link`() throws {
    let text = try markdown(html: #"<p><a href="u"><code>a \[^1]: </code></a>b</p>"#)
    let shown = MarkdownText(text).textWithoutMarks
    #expect(shown.filter { !$0.isWhitespace } == #"a\[^1]:b"#, "\(text)")
  }

  /// Random elements with texts that look like markup, compared with Diary's own reading of the
  /// Markdown.
  @Test func `any text and any nesting has the same words and elements in Markdown`() throws {
    var generator = SeededGenerator()
    for _ in 0..<3000 {
      var words: [String] = []
      let html = Self.blocks(3, &words, &generator)
      let page = try HTMLMarkdown.parse(html)
      let comparison = StructureComparison(source: page.structure, markdown: page.markdown)
      let shown = MarkdownText(page.markdown).textWithoutMarks.replacing("<br>", with: " ")
      func plain(_ text: String) -> String { text.filter { !$0.isWhitespace } }
      try #require(
        plain(shown) == plain(words.joined()) && comparison.markdown == comparison.source,
        "\(html)\n\(page.markdown)\n\(shown)\n\(words)\n\(page.structure)\n\(comparison.markdown)")
    }
  }

  private static let texts = [
    "word", "#", "# x", "1.", "1. x", "12)", "- x", "+", "*", "*x*", "**", "_", "_x_", "a_b", "`",
    "``x", "~~", "~~x~~", "<div>", "<!--", "</p>", "a < b", "|", "a|b", "|--|", "---", "===", "[",
    "[x](y)", "![x](y)", "[^1]:", "[x]: y", "&amp;", "&lt", "\\", "\\*", "> x", "!", "(x)", "말",
    "“말”", "é.", "x:", "$x$", "{x}", "```", "~~~", "a@b", "0", "\u{A0}x", "\"q\"",
  ]

  private static func inline(
    _ depth: Int, _ words: inout [String], _ generator: inout SeededGenerator
  ) -> String {
    var html = ""
    for _ in 0...Int.random(in: 0...2, using: &generator) {
      let inner = depth > 0 && Bool.random(using: &generator)
      let kind = Int.random(in: 0...7, using: &generator)
      guard inner, kind < 7 else {
        let text = texts.randomElement(using: &generator) ?? ""
        words.append(text)
        html += escapedHTML(text) + (Bool.random(using: &generator) ? " " : "")
        continue
      }
      if kind == 6 {
        html += "<br>"
        continue
      }
      let tag = ["b", "i", "s", "code", "span", "a href='u'"][kind]
      html += "<\(tag)>" + inline(depth - 1, &words, &generator) + "</\(tag.prefix { $0 != " " })>"
    }
    return html
  }

  private static func blocks(
    _ depth: Int, _ words: inout [String], _ generator: inout SeededGenerator
  ) -> String {
    var html = ""
    for _ in 0...Int.random(in: 0...2, using: &generator) {
      switch depth > 0 ? Int.random(in: 0...6, using: &generator) : 0 {
      case 1: html += "<h2>" + inline(2, &words, &generator) + "</h2>"
      case 2: html += "<blockquote>" + blocks(depth - 1, &words, &generator) + "</blockquote>"
      case 3:
        let tag = Bool.random(using: &generator) ? "ul" : "ol"
        html += "<\(tag)>"
        for _ in 0...Int.random(in: 0...2, using: &generator) {
          html += "<li>" + blocks(depth - 1, &words, &generator) + "</li>"
        }
        html += "</\(tag)>"
      case 4:
        html += "<table>"
        for _ in 0...1 {
          html += "<tr>"
          for _ in 0...Int.random(in: 0...2, using: &generator) {
            html += "<td>" + inline(1, &words, &generator) + "</td>"
          }
          html += "</tr>"
        }
        html += "</table>"
      case 5:
        let text = texts.randomElement(using: &generator) ?? ""
        words.append(text)
        html += "<pre>" + escapedHTML(text) + "</pre>"
      default: html += "<p>" + inline(3, &words, &generator) + "</p>"
      }
    }
    return html
  }
}
