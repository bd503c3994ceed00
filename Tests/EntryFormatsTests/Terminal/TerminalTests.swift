import DiaryCore
import EntryFormats
import Testing

@Suite struct TerminalTests {
  private func lines(_ body: String, width: Int = 40, isStyled: Bool = false) throws -> [String] {
    let lines = terminalLines(of: try sample(body), width: width, isStyled: isStyled)
    // Title and date precede the first empty line.
    return Array(lines.drop { !$0.isEmpty }.dropFirst())
  }

  @Test func `renders every kind of Markdown without colours`() throws {
    let shown = try lines(
      """
      ## Part

      Words *soft* **strong** ~~gone~~ `code` and a line that must be broken.

      > quoted
      > - in a list

      1. one

         more
      2. two
         - [x] done

      | name | count |
      |------|------:|
      | 배   |    12 |
      | boat |     3 |

          let x = 1

      See [here](https://example.org) <https://example.org/b> ![far](x.png).[^1]

      [^1]: Note.
      """)
    #expect(
      shown == [
        "Part", "----", "",
        "Words soft strong ~gone~ `code` and a", "line that must be broken.", "",
        "> quoted", ">", "> - in a list", "",
        "1. one", "", "   more", "", "2. two", "", "   - [x] done", "",
        "name │ count", "─────┼──────", "배   │    12", "boat │     3", "",
        "    let x = 1", "",
        "See here (https://example.org)", "https://example.org/b [far] (x.png).[1]", "",
        "[1] Note.",
      ])
  }

  @Test func `styles are escape sequences that end on their line`() throws {
    let shown = try lines("# Part\n\nA **strong *and soft*** word, `code`.", isStyled: true)
    #expect(
      shown == [
        "\u{1B}[1mPart\u{1B}[0m", "",
        "A \u{1B}[1mstrong \u{1B}[0m\u{1B}[1;3mand soft\u{1B}[0m word, \u{1B}[36mcode\u{1B}[0m.",
      ])
    let long = try lines(
      "**" + String(repeating: "long ", count: 30) + "end**", isStyled: true)
    #expect(long.count > 3)
    for line in long {
      #expect(line.hasPrefix("\u{1B}[1m") && line.hasSuffix("\u{1B}[0m"))
    }
  }

  @Test func `wide characters are measured and wrapped by their script`() throws {
    #expect(
      try lines("가나다라 마바사아 자차카타", width: 20) == ["가나다라 마바사아", "자차카타"])
    #expect(
      try lines("静かな夜でした。日本語、です。", width: 10) == ["静かな夜で", "した。日本", "語、です。"])
    #expect(try lines(String(repeating: "가", count: 12), width: 10) == ["가가가가가", "가가가가가", "가가"])
  }

  @Test func `no line is wider than the terminal`() throws {
    let body = """
      > > - 한국어와 English 가 섞인 아주 긴 줄입니다 antidisestablishmentarianism https://example.org/a/very/long/path

      | 장소 | 걸음 | what we did there |
      |---|---|---|
      | 망원 한강공원 | 3,120 | walked, ate, and watched the boats go by |

      ```
      \(String(repeating: "코드 code ", count: 20))
      ```
      """
    for width in 24...90 {
      let shown = try lines(body, width: width)
      #expect(shown.count >= 8)
      for line in shown {
        #expect(displayWidth(line) <= width, "\(width): \(line)")
      }
    }
  }

  @Test func `a table that is too wide is printed row by row`() throws {
    let names = (1...12).map { "n\($0)" }
    let table =
      "|" + names.joined(separator: "|") + "|\n" + String(repeating: "|-", count: 12) + "|\n|"
      + names.map { "value of " + $0 }.joined(separator: "|") + "|"
    let shown = try lines(table)
    #expect(shown == names.map { "\($0): value of \($0)" })
    let head = table.split(separator: "\n").prefix(2).joined(separator: "\n")
    #expect(try lines(head) == names)
  }

  @Test(
    arguments: HostilePageTests.attacks + [
      "\u{1B}[2J\u{1B}]52;c;eA==\u{7}", "`\u{1B}[31m`", "```\n\u{1B}[31m\r\n```",
    ])
  func `no escape sequence of the text is printed`(_ attack: String) throws {
    let entry = try sample(
      attack, title: "t" + attack, date: attack, place: "x" + attack, tags: [attack])
    let texts = terminalLines(of: entry, width: 40, isStyled: false) + [plainText(of: [entry])]
    for text in texts {
      #expect(terminalText(text) == text)
    }
    let styled = terminalLines(of: entry, width: 40, isStyled: true).joined(separator: "\n")
    let rest = styled.replacing(#/\u{1B}\[[0-9;]*m/#, with: "")
    #expect(terminalText(rest) == rest)
  }
}
