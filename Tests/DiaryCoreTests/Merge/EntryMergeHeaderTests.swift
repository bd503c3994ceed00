import DiaryCore
import Testing

struct EntryMergeHeaderTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let base: String?
    let a: String
    let b: String
    let result: String
    var keptBoth = false
    var testDescription: String { name }
  }

  /// Header lines without the fences.
  static let lines: [Case] = [
    Case(
      name: "different keys", base: "title: A\nplace: X\n", a: "title: B\nplace: X\n",
      b: "title: A\nplace: Y\n", result: "title: B\nplace: Y\n"),
    Case(
      name: "one key, two values", base: "title: A\n", a: "title: A walk\n",
      b: "title: A long walk\n",
      result: "title: A long walk\n# title: A walk\n", keptBoth: true),
    Case(
      name: "equally long", base: "title: A\n", a: "title: Y\n", b: "title: X\n",
      result: "title: X\n# title: Y\n", keptBoth: true),
    Case(
      name: "a comment that a side made the value again", base: "title: A\n# title: Long walk\n",
      a: "title: Long walk\n# title: B\n", b: "title: A longer walk\n# title: Long walk\n",
      result: "title: A longer walk\n# title: Long walk\n# title: B\n", keptBoth: true),
    Case(
      name: "a value of several lines", base: "note: A\n", a: "note: |\n  a\n  b\nx: 1\n",
      b: "note: a much longer one\n",
      result: "note: a much longer one\n# note: |\n#   a\n#   b\nx: 1\n", keptBoth: true),
    Case(
      name: "the same value otherwise quoted", base: "title: A\n", a: "title: \"B\"\n",
      b: "title: B\n", result: "title: \"B\"\n"),
    Case(
      name: "keys come", base: "title: A\n", a: "title: A\nmood: good\n",
      b: "title: A\nplace: Home\n", result: "title: A\nmood: good\nplace: Home\n"),
    Case(
      name: "a key goes", base: "title: A\nmood: good\nplace: X\n", a: "title: A\nplace: X\n",
      b: "title: A\nmood: good\nplace: Y\n", result: "title: A\nplace: Y\n"),
    Case(
      name: "a key goes and is changed", base: "title: A\nmood: good\nplace: X\n",
      a: "title: A\nplace: X\n", b: "title: A\nmood: bad\nplace: X\n",
      result: "title: A\nmood: bad\nplace: X\n"),
    Case(
      name: "comments of both", base: "title: A\nplace: X\n", a: "# mine\ntitle: A\nplace: X\n",
      b: "title: A\n# theirs\nplace: Y\n", result: "# mine\ntitle: A\n# theirs\nplace: Y\n"),
    Case(
      name: "a key moves and is changed", base: "title: A\ndate: 2026-11-21\nplace: X\n",
      a: "date: 2026-11-21\nplace: X\ntitle: A\n", b: "title: B\ndate: 2026-11-21\nplace: X\n",
      result: "date: 2026-11-21\nplace: X\ntitle: B\n"),
    Case(
      name: "spelling of a key", base: "Title: A\n", a: "title: A\n", b: "Title: A\nx: 1\n",
      result: "title: A\nx: 1\n"),
    Case(
      name: "blanks at the end", base: "title: A  \nx: 1\n", a: "title: A\nx: 1\n",
      b: "title: B  \nx: 1\n", result: "title: B  \nx: 1\n"),
    Case(
      name: "an emptied value", base: "mood: good\nx: 1\n", a: "mood:\nx: 1\n",
      b: "mood: bad\nx: 1\n",
      result: "mood: bad\nx: 1\n"),
    Case(
      name: "a key given twice", base: "a: 1\na: 2\n", a: "a: 1\na: 3\n", b: "a: 0\na: 2\n",
      result: "a: 0\na: 3\n"),
  ]

  static let tags: [Case] = [
    Case(
      name: "flow", base: "tags: [a, b]\n", a: "tags: [a, b, c]\n", b: "tags: [b, dd]\n",
      result: "tags: [b, c, dd]\n"),
    Case(
      name: "list", base: "tags:\n  - a\n", a: "tags:\n  - a\n  - long\n",
      b: "tags:\n  - a\n  - c\n",
      result: "tags:\n  - a\n  - long\n  - c\n"),
    Case(
      name: "words", base: "tags: a b\n", a: "tags: a b cc\n", b: "tags: b\n",
      result: "tags: b cc\n"),
    Case(
      name: "words with commas", base: "tags: a, b\n", a: "tags: a, b, new one\n", b: "tags: b\n",
      result: "tags: b, new one\n"),
    Case(
      name: "spelled otherwise", base: "tags: []\n", a: "tags: [Walk, x]\n", b: "tags: [walk]\n",
      result: "tags: [Walk, x]\n"),
    Case(
      name: "all taken away", base: "tags: [a, b]\n", a: "tags: [a]\n", b: "tags: [b]\n",
      result: "tags: []\n"),
  ]

  static let weather: [Case] = [
    Case(
      name: "words beat a stamp", base: "x: 1\n", a: "x: 1\nweather: Rain, 7°C\n",
      b: "x: 1\nweather: mild\n", result: "x: 1\nweather: mild\n"),
    Case(
      name: "none beats a stamp", base: "x: 1\n", a: "x: 1\nweather: none\n",
      b: "x: 1\nweather: Thunderstorm, 7°C\n", result: "x: 1\nweather: none\n"),
    Case(
      name: "two stamps", base: "x: 1\n", a: "x: 1\nweather: Rain, 7°C\n",
      b: "x: 1\nweather: Clouds, 8°C\n", result: "x: 1\nweather: Clouds, 8°C\n"),
    Case(
      name: "two persons", base: "x: 1\n", a: "x: 1\nweather: mild\n",
      b: "x: 1\nweather: warm rain\n",
      result: "x: 1\nweather: warm rain\n# weather: mild\n", keptBoth: true),
    Case(
      name: "a stamp against nothing new", base: "weather: mild\nx: 1\n",
      a: "weather: Rain, 7°C\nx: 1\n", b: "weather: mild\nx: 2\n",
      result: "weather: Rain, 7°C\nx: 2\n"),
  ]

  @Test(arguments: lines + tags + weather)
  func `headers are merged key by key`(_ sample: Case) {
    func entry(_ lines: String) -> String { "---\n\(lines)---\n\nBody.\n" }
    let merge = EntryMergeBodyTests.merged(
      sample.base.map(entry), entry(sample.a), entry(sample.b))
    #expect(merge.text == entry(sample.result))
    #expect(merge.keptBoth == sample.keptBoth)
  }

  static let whole: [Case] = [
    Case(
      name: "a header on one side", base: "One.\n", a: "---\ntitle: A\n---\n\nOne.\n",
      b: "One. Two.\n", result: "---\ntitle: A\n---\n\nOne. Two.\n"),
    Case(
      name: "a header on both, without an ancestor", base: nil,
      a: "---\ntitle: A\ntags: [a]\n---\n\nMine.\n",
      b: "---\ntitle: A\ntags: [b]\n---\n\nTheirs.\n",
      result: "---\ntitle: A\ntags: [a, b]\n---\n\nMine.\n\nTheirs.\n"),
    Case(
      name: "a header that went", base: "---\ntitle: A\nx: 1\n---\nOne.\n", a: "One.\n",
      b: "---\ntitle: A\nx: 2\n---\nOne. Two.\n", result: "---\nx: 2\n---\nOne. Two.\n"),
    Case(
      name: "TOML that one changed", base: "+++\na = 1\n+++\nOne.\n", a: "+++\na = 2\n+++\nOne.\n",
      b: "+++\na = 1\n+++\nTwo.\n", result: "+++\na = 2\n+++\nTwo.\n"),
    Case(
      name: "TOML that both changed", base: "+++\na = 1\n+++\nOne.\n",
      a: "+++\na = 22\n+++\nOne.\n",
      b: "+++\na = 3\n+++\nTwo.\n",
      result: "+++\na = 22\n+++\nTwo.\n\n```toml\n+++\na = 3\n+++\n```\n", keptBoth: true),
    Case(
      name: "JSON and YAML", base: "One.\n", a: "{\"title\": \"A\"}\n\nOne.\n",
      b: "---\ntitle: A\n---\n\nOne.\n",
      result: "---\ntitle: A\n---\n\nOne.\n\n```json\n{\"title\": \"A\"}\n```\n", keptBoth: true),
    Case(
      name: "a header that cannot be read is text", base: "---\n\none two three\n",
      a: "---\n\n1 two three\n", b: "---\n\none two 3\n",
      result: "---\n\n1 two three\n\none two 3\n",
      keptBoth: true),
  ]

  @Test(arguments: whole)
  func `entries are merged with their headers`(_ sample: Case) {
    let merge = EntryMergeBodyTests.merged(sample.base, sample.a, sample.b)
    #expect(merge.text == sample.result)
    #expect(merge.keptBoth == sample.keptBoth)
  }
}
