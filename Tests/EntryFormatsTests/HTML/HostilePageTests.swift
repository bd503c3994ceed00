import DiaryCore
import EntryFormats
import Foundation
import TestSupport
import Testing

/// Attacks that must not work on a page, whatever the entry contains.
@Suite struct HostilePageTests {
  /// The tags that Diary writes, with the permitted attributes of each.
  static let allowed: [String: Set<String>] = [
    "article": ["lang", "dir"], "header": [], "footer": [], "main": [], "h1": [], "h2": [],
    "h3": [], "h4": [], "h5": [], "h6": [], "p": ["class"], "time": ["datetime"],
    "span": ["class", "role", "aria-disabled", "aria-checked", "aria-label"],
    "svg": ["class", "viewBox", "aria-hidden"],
    "path": ["class", "d"], "blockquote": [], "ul": [], "ol": ["start", "class"],
    "li": ["class", "id"], "pre": ["class"], "code": [], "em": [], "strong": [], "del": [],
    "a": ["class", "href", "rel"], "img": ["alt", "src"], "sup": ["id"], "div": ["class"],
    "table": [], "thead": [], "tbody": [], "tr": [], "th": ["class"], "td": ["class"], "br": [],
    "hr": [], "html": ["lang"], "head": [], "body": [], "style": [], "title": [],
    "meta": ["charset", "http-equiv", "content", "name"], "!DOCTYPE": ["html"],
  ]

  /// Checks the page as a browser reads it: only known tags and attributes, only harmless targets.
  private func expectHarmless(
    _ html: String, _ place: SourceLocation = #_sourceLocation
  ) throws {
    for tag in tags(of: html) {
      let bare = tag.hasPrefix("/") ? String(tag.dropFirst()) : tag
      let name = String(bare.prefix { !$0.isWhitespace })
      guard let attributes = Self.allowed[name] else {
        Issue.record("<\(tag)>", sourceLocation: place)
        continue
      }
      // Values contain no quotes, so the text outside quotes consists of names only.
      let parts = bare.dropFirst(name.count).split(
        separator: "\"", omittingEmptySubsequences: false)
      for (index, part) in parts.enumerated() {
        if index % 2 == 0 {
          let word = part.filter { !$0.isWhitespace && $0 != "=" }
          #expect(word.isEmpty || attributes.contains(word), "<\(tag)>", sourceLocation: place)
        } else if parts[index - 1].hasSuffix("href=") {
          let isGood = ["http://", "https://", "mailto:", "#e"].contains {
            part.lowercased().hasPrefix($0)
          }
          #expect(isGood, "<\(tag)>", sourceLocation: place)
        } else if parts[index - 1].hasSuffix("src=") {
          #expect(part.hasPrefix("data:image/"), sourceLocation: place)
        }
      }
    }
    #expect(
      !html.unicodeScalars.contains {
        ($0.value < 0x20 && $0 != "\n" && $0 != "\t") || (0x7F...0x9F).contains($0.value)
          || (0x202A...0x202E).contains($0.value) || (0x2066...0x2069).contains($0.value)
      }, sourceLocation: place)
  }

  static let attacks = [
    "<script>alert(1)</script>", "<ScRiPt src=//evil.example/x.js></sCrIpT>", "<script",
    "<img src=x onerror=alert(1)>", "text <img src=x onerror=alert(1)> text",
    "<svg onload=alert(1)><script>alert(1)</script></svg>",
    "<math><style><img src=x></style></math>",
    "<style>*{background:url(//evil.example)}</style>", "<p style=\"position:fixed\">over</p>",
    "</style><script>alert(1)</script>", "</article></main><script>alert(1)</script>",
    "<iframe src=\"https://evil.example\"></iframe>", "<base href=\"https://evil.example/\">",
    "<meta http-equiv=refresh content=\"0;url=https://evil.example\">",
    "<form action=//evil.example>",
    "[x](javascript:alert(1))", "[x](JaVaScRiPt:alert(1))", "[x](java\tscript:alert(1))",
    "[x](&#106;avascript:alert(1))", "[x](java&#10;script:alert(1))",
    "[x](&#1;javascript:alert(1))",
    "[x](<javascript:alert(1)>)", "[x]( javascript:alert(1))", "[x](vbscript:msgbox(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)", "[x](file:///etc/passwd)", "[x](//evil.example)",
    "<javascript:alert(1)>", "![x](javascript:alert(1))",
    "![x](data:image/svg+xml,<svg onload=alert(1)>)",
    "[x](https://example.org/\"onmouseover=\"alert(1))", "![\" onerror=\"alert(1)](p.png)",
    "[x](https://example.org/'><script>alert(1)</script>)",
    "[a](https://a.example \"\\\" onclick=x\")",
    "```\"><script>\n</code></pre><script>alert(1)</script>\n```", "``</code><script>``",
    "| <script>alert(1)</script> | a |\n|---|---|\n| <img src=x onerror=1> | \"x\" |",
    "a[^<script>]\n\n[^<script>]: <script>alert(1)</script>",
    "- [x] <input onfocus=alert(1) autofocus>",
    "&lt;script&gt;alert(1)&lt;/script&gt;", "&#60;script&#62;", "\u{1B}]0;title\u{7} \u{9B}31m",
    "safe\u{202E}gnp.exe\u{2066}x\u{2069}", "nul\0here", "<!-- --><script>alert(1)</script>",
    "<![CDATA[<script>]]>",
    "<?php echo 1 ?>", "<!-- unclosed <script>", "<div\nonclick=alert(1)\n>x</div>",
    "\u{FEFF}<script>",
    "http://example.org/<script>", "www.example.org/\"onclick=\"x", "a@example.org\"><b>",
    "[x]: javascript:alert(1)\n\n[x]",
  ]

  @Test(arguments: attacks)
  func `an attack in the body stays text`(_ attack: String) throws {
    try expectHarmless(try page(attack, pictures: ["p.png": tinyPicture]))
    try expectHarmless(try page("> - words\n>   " + attack + "\n\nafter"))
  }

  @Test(arguments: attacks)
  func `an attack in title, place, tags and weather stays text`(_ attack: String) throws {
    let entry = try sample(
      "Words.", title: attack, date: attack, place: "x" + attack, weather: "x" + attack,
      tags: [attack])
    try expectHarmless(htmlPage(of: [entry], language: "\"><script>") { _, _ in nil })
  }

  @Test func `harmless content is kept`() throws {
    #expect(
      try article("<script>alert(1)</script>")
        == "<pre class=\"raw\">&lt;script&gt;alert(1)&lt;/script&gt;\n</pre>\n")
    #expect(try article("a <b onclick=x>c</b>") == "<p>a &lt;b onclick=x&gt;c&lt;/b&gt;</p>\n")
    #expect(try article("[x](javascript:alert(1))") == "<p>x</p>\n")
    #expect(try article("a\u{202E}b\u{1B}[31m") == "<p>a\\u202Eb\\x1B[31m</p>\n")
    #expect(try article("a <!-- mine --> b\n\n<!-- mine too -->") == "<p>a  b</p>\n")
    #expect(try article("one<br>two<BR />three") == "<p>one<br>\ntwo<br>\nthree</p>\n")
  }

  @Test func `random markup stays text`() throws {
    let parts =
      Self.attacks.flatMap { $0.split(separator: " ").map(String.init) }
      + [
        "\n", "\n\n", "> ", "- ", "1. ", "    ", "`", "```\n", "|", "\n|---|\n", "*", "**", "[",
        "](", ")", "![", "<", ">", "&", "\\", "[^1]", "[^1]: ",
      ]
    var dice = SeededGenerator()
    for _ in 0..<400 {
      let text = (0..<40).compactMap { _ in parts.randomElement(using: &dice) }.joined()
      try expectHarmless(try page(text, pictures: ["p.png": tinyPicture]))
      _ = terminalLines(of: try sample(text), width: 40, isStyled: true)
    }
  }

  @Test(arguments: [
    String(repeating: "> ", count: 10_000) + "deep",
    String(repeating: "- ", count: 10_000) + "deep",
    String(repeating: "*a ", count: 10_000),
    String(repeating: "[", count: 10_000) + "a" + String(repeating: "](b)", count: 10_000),
    String(repeating: "![", count: 10_000), String(repeating: "<b>", count: 10_000) + "deep",
    String(repeating: "**a *b ", count: 5_000) + String(repeating: "c* d**", count: 5_000),
    String(repeating: "~~", count: 10_000), String(repeating: "`a``b", count: 3_000),
    "|" + String(repeating: "a|", count: 1_000) + "\n|" + String(repeating: "-|", count: 1_000)
      + "\n" + String(repeating: "|b|c|\n", count: 100),
    "|a|b|\n|-|-|\n"
      + String(repeating: "|한국어 words|" + String(repeating: "x", count: 200) + "|\n", count: 1_000),
    String(repeating: "a[^1]", count: 3_000) + "\n\n[^1]: note",
    String(repeating: "x", count: 300_000),
  ])
  func `deep and large texts are rendered in reasonable time`(_ text: String) throws {
    let clock = ContinuousClock()
    let took = try clock.measure {
      let html = try page(text)
      #expect(html.hasSuffix("</main>\n</body>\n</html>\n"))
      let entry = try sample(text)
      for line in terminalLines(of: entry, width: 60, isStyled: false) {
        #expect(displayWidth(line) <= 80)
      }
      #expect(!plainText(of: [entry]).isEmpty)
      #expect(!cleanMarkdown(of: [entry]).isEmpty)
    }
    // Generous for a debug build on a busy machine. Quadratic time would take minutes.
    #expect(took < .seconds(30), "\(text.prefix(20))…: \(took)")
  }
}
