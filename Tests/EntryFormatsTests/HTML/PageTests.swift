import Crypto
import DiaryCore
import EntryFormats
import Foundation
import Testing

@Suite struct PageTests {
  @Test(arguments: [
    ("a ==b c== d", "<p>a <mark>b c</mark> d</p>\n"),
    ("==**b** c==", "<p><mark><strong>b</strong> c</mark></p>\n"),
    ("a == b == c", "<p>a == b == c</p>\n"), ("x===y=== ==z", "<p>x===y=== ==z</p>\n"),
    ("==a *b== c*", "<p>==a <em>b== c</em></p>\n"),
    ("`==a==` ====", "<p><code>==a==</code> ====</p>\n"),
    ("==a\nb== ==c==", "<p><mark>a\nb</mark> <mark>c</mark></p>\n"),
    ("== a==b==", "<p>== a<mark>b</mark></p>\n"),
    ("> [!note]\n> a", "<blockquote>\n<p><strong>Note</strong><br>\na</p>\n</blockquote>\n"),
    (
      "> [!my-kind]+ A [b](https://x.org)",
      "<blockquote>\n<p><strong>A <a href=\"https://x.org\" "
        + "rel=\"noopener noreferrer\">b</a></strong></p>\n</blockquote>\n"
    ),
    ("> [! no]\n> a", "<blockquote>\n<p>[! no]\na</p>\n</blockquote>\n"),
    ("[!note] a", "<p>[!note] a</p>\n"),
  ])
  func `highlights and callouts`(_ body: String, _ html: String) throws {
    #expect(try article(body) == html)
  }

  @Test func `renders every kind of Markdown`() throws {
    let html = try article(
      """
      # Part

      Words *soft* **strong** ~~gone~~ `a<b` and  
      a break.

      > quoted

      3. three
      4. four

      - [x] done
      - [ ] open

      | a | b |
      |:-:|--:|
      | 1 | 2 |

      ```swift
      let x = 1 < 2
      ```

      ---

      See https://example.org, [here](https://example.org/?a=1&b=2 "t") and a note.[^n]

      [^n]: The note.
      """)
    #expect(
      html == """
        <h2>Part</h2>
        <p>Words <em>soft</em> <strong>strong</strong> <del>gone</del> <code>a&lt;b</code> and<br>
        a break.</p>
        <blockquote>
        <p>quoted</p>
        </blockquote>
        <ol start="3">
        <li>three
        </li>
        <li>four
        </li>
        </ol>
        <ul>
        <li class="task"><span class="box" role="checkbox" aria-disabled="true" aria-checked="true" aria-label="task"></span>done
        </li>
        <li class="task"><span class="box" role="checkbox" aria-disabled="true" aria-checked="false" aria-label="task"></span>open
        </li>
        </ul>
        <div class="wide"><table>
        <thead><tr><th class="centre">a</th><th class="right">b</th></tr></thead>
        <tbody>
        <tr><td class="centre">1</td><td class="right">2</td></tr>
        </tbody></table></div>
        <pre><code>let x = 1 &lt; 2
        </code></pre>
        <hr>
        <p>See <a class="bare" href="https://example.org" rel="noopener noreferrer">https://example.org</a>, \
        <a href="https://example.org/?a=1&amp;b=2" rel="noopener noreferrer">here</a> and a note.\
        <sup id="e1-r1"><a href="#e1-n1">1</a></sup></p>
        <ol class="notes">
        <li id="e1-n1"><p>The note.</p>
        <a class="back" href="#e1-r1">↩</a></li>
        </ol>

        """)
  }

  @Test func `shows title, date, weather, place and tags once`() throws {
    let entry = try sample(
      "# Title\n\nWords.", date: "21 November", place: "Seoul", weather: "Rain, 7°C",
      tags: ["family"])
    let html = htmlPage(of: [entry], language: "ko-KR") { _, _ in nil }
    #expect(html.hasPrefix("<!DOCTYPE html>\n<html lang=\"ko-KR\">\n"))
    #expect(html.contains("<title>Title</title>"))
    #expect(html.components(separatedBy: ">Title<").count == 3)
    #expect(html.contains("<time datetime=\"2026-11-21T21:04:00+09:00\">21 November</time>"))
    #expect(html.contains("<svg class=\"icon\" viewBox=\"0 0 24 24\" aria-hidden=\"true\">"))
    #expect(html.contains("</svg>Rain, 7°C</span>"))
    #expect(html.contains("<span class=\"place\">Seoul</span>"))
    #expect(html.contains("<footer><span>#family</span></footer>"))
  }

  @Test func `omits coordinates and a title that is the first line`() throws {
    let entry = try sample("Title\nand more", place: "37.57, 126.98")
    let html = htmlPage(of: [entry], language: nil) { _, _ in nil }
    #expect(!html.contains("37.57"))
    #expect(!html.contains("<h1>"))
    #expect(html.contains("<p>Title\nand more</p>"))
  }

  @Test func `several entries keep their order and have separate footnotes`() throws {
    let first = try sample("One.[^1]\n\n[^1]: Uno.", title: "First")
    let last = try sample("Two.[^1]\n\n[^1]: Due.", title: "Last")
    let html = htmlPage(of: [first, last], language: nil) { _, _ in nil }
    #expect(html.contains("<title>First – Last</title>"))
    #expect(html.components(separatedBy: "<article").count == 3)
    for id in ["e1-n1", "e2-n1", "e1-r1", "e2-r1"] {
      #expect(html.components(separatedBy: "id=\"\(id)\"").count == 2)
    }
  }

  @Test(arguments: [
    ("Two.\r\n\r\n[^b]: With CRLF.\r\n", ["[^b]: With CRLF."]),
    ("Two.\n\n[^a]: Words nobody refers to.", ["[^a]: Words nobody refers to."]),
    ("One.[^1]\n\n[^1]: First.\n\n[^1]: Second.", ["First.", "[^1]: Second."]),
    ("One.[^x]\n\n[^X]: Any case.", ["Any case."]),
    ("```\n[^1]: code\n```\n", ["[^1]: code"]), ("<pre>\n[^1]: x\n</pre>", ["[^1]: x"]),
    ("<pre>\n[^1]: x</pre>", ["[^1]: x"]), ("> ```\n> x\n[^n]: words", ["[^n]: words"]),
    ("> +```a``` b\n\n```\n[^1]:\n```\n", ["[^1]:"]), ("[^alone]: Word", ["[^alone]: Word"]),
  ])
  func `a footnote that nothing refers to is shown as text`(
    _ text: String, _ shown: [String]
  ) throws {
    let html = try article(text)
    for words in shown { #expect(html.contains(words), "\(html)") }
    #expect(!html.contains("\\["), "\(html)")
  }

  @Test func `embeds pictures of the journal and links pictures of the web`() throws {
    let html = try article(
      "![a \"b\"](p.png) ![far](https://example.org/x.png) ![](gone.png) ![not](notes.txt)",
      pictures: ["p.png": tinyPicture, "notes.txt": Array("words".utf8)])
    #expect(
      html == """
        <p><img alt="a &quot;b&quot;" src="data:image/png;base64,iVBORw0KGgoA"> \
        <a href="https://example.org/x.png" rel="noopener noreferrer">far</a> \
        <span class="missing">gone.png</span> <span class="missing">not</span></p>

        """)
  }

  @Test(
    arguments: [
      ([0xFF, 0xD8, 0xFF, 0xE0], "image/jpeg"), (Array("GIF89a".utf8), "image/gif"),
      (Array("RIFF____WEBPVP8 ".utf8), "image/webp"), (Array("____ftypavif".utf8), "image/avif"),
      (Array("____ftypheic".utf8), "image/heic"), (Array(" <svg xmlns".utf8), "image/svg+xml"),
      (Array("<!-- a drawing -->\n<SVG>".utf8), "image/svg+xml"),
      (Array("<html><svg>".utf8), nil), (Array("<!doctype html><svg>".utf8), nil),
      (Array("<div><svg></svg></div>".utf8), nil), (Array("____ftypmp42".utf8), nil), ([], nil),
    ] as [([UInt8], String?)])
  func `the type of a picture is detected from its bytes`(_ bytes: [UInt8], _ type: String?) {
    #expect(EmbeddedPicture(bytes).mediaType == type)
  }

  @Test func `every condition has an icon, by day and by night`() throws {
    var drawings: Set<String> = []
    for condition in Condition.allCases {
      for isNight in [false, true] {
        let entry = try sample("", weather: condition.rawValue, isNight: isNight)
        let html = htmlPage(of: [entry], language: nil) { _, _ in nil }
        let start = try #require(html.firstRange(of: "<svg")).lowerBound
        let end = try #require(html.firstRange(of: "</svg>")).upperBound
        drawings.insert(String(html[start..<end]))
      }
    }
    // Three conditions show the sun or the moon.
    #expect(drawings.count == Condition.allCases.count + 3)
  }

  @Test func `the policy allows only the style of the page`() throws {
    let html = try page("Words.")
    let start = try #require(html.firstRange(of: "<style>")).upperBound
    let end = try #require(html.firstRange(of: "</style>")).lowerBound
    let style = Array(html[start..<end].utf8)
    let digest = Data(SHA256.hash(data: style)).base64EncodedString()
    #expect(
      html.contains(
        "content=\"default-src 'none'; style-src 'sha256-\(digest)'; img-src data:; "
          + "base-uri 'none'; form-action 'none'\""))
    let words = String(decoding: style, as: UTF8.self)
    #expect(!words.contains("url(") && !words.contains("@import") && !words.contains("</"))
  }

  /// Regression: the library shares tables between its parsers, and links were missing when two
  /// texts were read at the same time.
  @Test func `pages created at the same time are equal`() async throws {
    let long = String(repeating: "word ", count: 60_000) + "~~gone~~ https://example.org"
    let alone = try article(long)
    #expect(alone.contains("<del>gone</del> <a "))
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<40 {
        group.addTask {
          number % 2 == 0 ? try article(long) == alone : try article("a") == "<p>a</p>\n"
        }
      }
      for try await isSame in group { #expect(isSame) }
    }
  }

  @Test func `a footnote's reference does not end its paragraph or its item`() throws {
    #expect(
      try article("- item[^1] rest\n- two\n\nA note[^1]\nhere.\n\n[^1]: foot\n").hasPrefix(
        """
        <ul>
        <li>item<sup id="e1-r1"><a href="#e1-n1">1</a></sup> rest
        </li>
        <li>two
        </li>
        </ul>
        <p>A note<sup><a href="#e1-n1">1</a></sup>
        here.</p>
        """))
  }

  @Test(arguments: [
    "[![x](https://example.org/a.png) y](https://example.org)",
    "[a note[^1]](https://example.org)\n\n[^1]: foot", "[![x](file.zip)](https://example.org)",
    "[![x](javascript:x)](https://example.org)",
  ])
  func `no link is within a link`(_ text: String) throws {
    var depth = 0
    for tag in tags(of: try article(text)) {
      if tag.hasPrefix("a ") { depth += 1 }
      if tag == "/a" { depth -= 1 }
      #expect(depth < 2, "\(tag)")
    }
  }

  @Test(arguments: ["| a | b |\n|---|---|\n| 1 | 2 |", "- a\n- b", "> x\n\n1. a"])
  func `a block at the deepest nesting has all of its tags or none`(_ block: String) throws {
    for depth in 90...103 {
      let lines = block.split(separator: "\n", omittingEmptySubsequences: false)
        .map { String(repeating: "> ", count: depth) + $0 }
      let html = try article(lines.joined(separator: "\n"))
      var open: [String] = []
      for tag in tags(of: html) where !tag.hasPrefix("!") {
        let name = String(tag.prefix { $0.isLetter || $0.isNumber || $0 == "/" })
        guard name.hasPrefix("/") else {
          // A cell needs a row, a row its table's part, and an item its list.
          let parents = [
            "td": ["tr"], "th": ["tr"], "tr": ["thead", "tbody"], "li": ["ul", "ol"],
          ]
          if let wanted = parents[name] { #expect(wanted.contains(open.last ?? ""), "\(depth)") }
          open.append(name)
          continue
        }
        #expect(open.popLast() == String(name.dropFirst()), "\(depth): \(html.suffix(300))")
      }
      #expect(open == [], "\(depth)")
    }
  }

  @Test func `a word of another language does not determine the language`() throws {
    #expect(try page("오늘은 おにぎり를 먹고 공원을 걸었다").contains("<article lang=\"ko\""))
    #expect(!(try page("We had おにぎり in the park, and walked home.").contains("<article lang")))
    #expect(!(try page("A・B, and 1・2.").contains("<article lang")))
    #expect(try page("夜にラーメンを食べた, yummy").contains("<article lang=\"ja\""))
  }

  @Test func `the script of the text determines the language`() throws {
    #expect(try page("바람이 차다.").contains("<article lang=\"ko\""))
    #expect(try page("静かな夜").contains("<article lang=\"ja\""))
    #expect(try page("A night").contains("<article dir=\"auto\""))
  }
}
