import DiaryCore
import EntryIndex
import TestSupport
import Testing

struct SearchTests {
  let folder: TemporaryFolder
  let database: EntryIndexDatabase

  init() throws {
    folder = try TemporaryFolder()
    database = try makeIndex(
      [
        try entry(
          "1.md", "강가", date: "2026-01-01", body: "오늘은 비.\n  아침산책을 나갔다.  \n산책길이 젖었다.",
          tags: ["가족"]),
        try entry(
          "2.md", "Straßenfest", date: "2026-01-02", body: "Das Café an der Straße.\n12:30 Uhr."),
        try entry(
          "3.md", "A walk by the river", date: "2026-01-03",
          body: "We went along\nthe water, by the\nriver bank. sidewalk", tags: ["walk", "Family"]),
        try entry("4.md", "東京", date: "2026-01-04", body: "今日は東京で友達に会った。天気が良い。"),
        try entry(
          "5.md", "Walking", date: "2026-01-05", body: "boardwalk only", header: "mood: sunny"),
        try entry("6.md", "산책", date: "2026-01-06", body: "1) title: is text here"),
      ], in: folder)
  }

  func titles(_ text: String, _ filter: ListFilter = ListFilter()) throws -> [String] {
    try database.search(SearchQuery(parsing: text), filter).map(\.summary.title)
  }

  @Test func `any part of a word in any script is found`() throws {
    #expect(try titles("책") == ["산책", "강가"])
    #expect(try titles("友") == ["東京"])
    #expect(try titles("京で友") == ["東京"])
    #expect(try titles("iver") == ["A walk by the river"])
    #expect(try titles("사").isEmpty)
  }

  @Test func `case and diacritics are ignored`() throws {
    #expect(try titles("STRASSE") == ["Straßenfest"])
    #expect(try titles("straße") == ["Straßenfest"])
    #expect(try titles("cafe") == ["Straßenfest"])
    #expect(try titles("cafe\u{301}") == ["Straßenfest"])
    #expect(try titles("\u{1109}\u{1161}\u{11AB}책") == ["산책", "강가"])
  }

  @Test func `every word must occur`() throws {
    #expect(try titles("river family") == ["A walk by the river"])
    #expect(try titles("river 산책").isEmpty)
    #expect(try titles("").isEmpty)
    #expect(try titles("  \u{301} ").isEmpty)
  }

  @Test func `hits are ordered from the newest`() throws {
    #expect(try titles("walk") == ["Walking", "A walk by the river"])
    #expect(try titles("walk", ListFilter(isReversed: true)) == ["A walk by the river", "Walking"])
    #expect(try titles("walk", ListFilter(limit: 1, offset: 1)) == ["A walk by the river"])
  }

  @Test func `a phrase is found across lines but not across fields`() throws {
    #expect(try titles("\"by the river\"") == ["A walk by the river"])
    #expect(try titles("\"along the water\"") == ["A walk by the river"])
    #expect(try titles("\"river We\"").isEmpty)
    #expect(try titles("\"along water\"").isEmpty)
    let hit = try #require(
      try database.search(SearchQuery(parsing: "\"the river bank\"")).first)
    #expect(highlightedText(hit.match) == "the water, by [the]")
  }

  @Test func `title and tag are the only prefixes`() throws {
    #expect(try titles("title:walk") == ["Walking", "A walk by the river"])
    #expect(try titles("title:\"by the\"") == ["A walk by the river"])
    #expect(try titles("tag:fam") == ["A walk by the river"])
    #expect(try titles("tag:#가족") == ["강가"])
    #expect(try titles("tag:river").isEmpty)
    #expect(try titles("12:30") == ["Straßenfest"])
    #expect(try titles("mood:") == ["Walking"])
    #expect(try titles("title:") == ["산책"])
    #expect(try titles("sunny") == ["Walking"])
  }

  @Test func `a word with # finds tags that begin with it, and the same text`() throws {
    #expect(try titles("#fam") == ["A walk by the river"])
    #expect(try titles("#family walk") == ["A walk by the river"])
    #expect(try titles("#가족") == ["강가"])
    // Not inside a tag, as `tag:` does, and not without the sign.
    #expect(try titles("tag:amily") == ["A walk by the river"])
    #expect(try titles("#amily").isEmpty && titles("#river").isEmpty)
    #expect(try titles("walk NOT #fam") == ["Walking"])
    #expect(try Set(titles("#fam OR #가족")) == ["A walk by the river", "강가"])
    let hit = try #require(try database.search(SearchQuery(parsing: "#fam")).first)
    #expect(highlightedText(hit.match) == "#walk [#Fam]ily")
  }

  @Test func `an argument that contains blanks is a phrase`() throws {
    #expect(SearchQuery(words: ["by the", "x"]) == .terms([.init("by the"), .init("x")]))
    #expect(
      SearchQuery(words: ["title:by the", "\"a b\" c"])
        == .terms([.init("by the", in: .title), .init("a b"), .init("c")]))
    #expect(SearchQuery(words: ["", " "]) == .terms([]))
    #expect(
      SearchQuery(parsing: "5\" TAG:#x \"open end")
        == .terms([
          .init("5\""), .init("x", in: .tag), .init("open end"),
        ]))
  }

  @Test func `OR separates alternatives and NOT excludes the next word`() throws {
    #expect(try Set(titles("東京 OR straße")) == ["東京", "Straßenfest"])
    #expect(try titles("walk NOT river") == ["Walking"])
    #expect(try titles("walk AND river") == ["A walk by the river"])
    #expect(try Set(titles("walk river OR 산책 NOT 비")) == ["A walk by the river", "산책"])
    #expect(try titles("walk NOT tag:family OR title:강가") == ["Walking", "강가"])
    #expect(try Set(titles("NOT walk")) == ["강가", "Straßenfest", "東京", "산책"])
    #expect(try titles("walk NOT \"river bank\"") == ["Walking"])
    #expect(try titles("walk or river").isEmpty && titles("walk \"OR\" river").isEmpty)
    let hits = try database.search(SearchQuery(parsing: "東京 OR NOT river"))
    // A hit for a query with only excluded words shows its title.
    #expect(hits.first?.match == MatchLine(field: .title, text: "산책", ranges: []))
  }

  @Test func `an operator without operands is a word`() throws {
    func terms(_ words: String...) -> SearchQuery { .terms(words.map { .init($0) }) }
    #expect(SearchQuery(words: ["OR"]) == terms("OR"))
    #expect(SearchQuery(words: ["soup", "OR"]) == terms("soup", "OR"))
    #expect(SearchQuery(words: ["OR", "soup"]) == terms("OR", "soup"))
    #expect(SearchQuery(words: ["soup", "NOT"]) == terms("soup", "NOT"))
    #expect(SearchQuery(words: ["a", "\"OR\"", "b"]) == terms("a", "OR", "b"))
    #expect(SearchQuery(words: ["a OR b"]) == terms("a OR b"))
    #expect(SearchQuery(parsing: "a AND b") == terms("a", "b"))
    #expect(
      SearchQuery(words: ["title:OR", "b"]) == .terms([.init("OR", in: .title), .init("b")]))
    #expect(
      SearchQuery(words: ["a", "OR", "NOT", "b"])
        == .anyOf([.init([.init("a")]), .init(excluded: [.init("b")])]))
    #expect(
      SearchQuery(words: ["NOT", "a", "b", "OR", "c", "NOT", "d"])
        == .anyOf([
          .init([.init("b")], excluded: [.init("a")]), .init([.init("c")], excluded: [.init("d")]),
        ]))
  }

  @Test(arguments: 1...6)
  func `any query finds the same as a scan of each text`(part: Int) throws {
    var random = SeededGenerator(part: part)
    let vocabulary = ["soup", "rain", "kim", "or", "not", "강", "river"]
    func pick(_ most: Int) -> [String] {
      (0..<Int.random(in: 0...most, using: &random)).map { _ in
        vocabulary[Int.random(in: 0..<vocabulary.count, using: &random)]
      }
    }
    let bodies = (0..<40).map { _ in pick(4).joined(separator: " ") }
    let folder = try TemporaryFolder()
    let catalog = try makeIndex(
      try bodies.enumerated().map { try entry("\($0).md", "#", date: "2026-01-01", body: $1) },
      in: folder)
    for _ in 0..<60 {
      // The alternatives of a complete query: each has a word or an excluded one.
      let sides = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        var side = pick(2).map { (word: $0, isExcluded: Bool.random(using: &random)) }
        if side.isEmpty { side = [(word: "soup", isExcluded: false)] }
        return side
      }
      let typed = sides.map { side in
        side.map { ($0.isExcluded ? "NOT " : "") + $0.word }.joined(separator: " ")
      }.joined(separator: " OR ")
      let wanted = bodies.indices.filter { index in
        sides.contains { side in
          side.allSatisfy { bodies[index].contains($0.word) != $0.isExcluded }
        }
      }
      for query in [
        SearchQuery(parsing: typed),
        SearchQuery(words: typed.split(separator: " ").map(String.init)),
      ] {
        let found = try catalog.search(query).map(\.summary.path.text)
        #expect(Set(found) == Set(wanted.map { "\($0).md" }), "\(random): \(typed)")
        let newest = try catalog.searchNewest(query, ListFilter()).map(\.summary.path.text)
        #expect(Set(newest) == Set(found), "\(random): \(typed)")
      }
    }
  }

  @Test func `the filters and numbers of the list also apply to a search`() throws {
    let day = try #require(Day(year: 2026, month: 1, day: 3))
    let hits = try database.search(SearchQuery(parsing: "산책"), ListFilter(until: day))
    #expect(hits.map(\.summary.title) == ["강가"])
    #expect(hits.map(\.summary.number) == [6])
    #expect(try titles("walk", ListFilter(tags: ["family"])) == ["A walk by the river"])
  }

  @Test func `the best matching line is shown with its highlights`() throws {
    func shown(_ text: String) throws -> String {
      let hits = try database.search(SearchQuery(parsing: text))
      return highlightedText(try #require(hits.last?.match))
    }
    #expect(try shown("산책") == "아침[산책]을 나갔다.")
    #expect(try shown("아침 산책") == "[아침산책]을 나갔다.")
    #expect(try shown("strass") == "Das Café an der [Straß]e.")
    #expect(try shown("CAFE der") == "Das [Café] an [der] Straße.")
    #expect(try shown("tag:fam") == "#walk #[Fam]ily")
    #expect(try shown("sunny") == "mood: [sunny]")
    let titled = try #require(try database.search(SearchQuery(parsing: "title:강")).first)
    #expect(highlightedText(titled.match) == "[강]가")
  }

  @Test func `a regular expression matches lines and ignores case`() throws {
    let hits = try database.search(.pattern(#"^the \w+"#))
    #expect(hits.map { highlightedText($0.match) } == ["[the water], by the"])
    #expect(try database.search(.pattern("산책.$")).map(\.summary.number) == [])
    #expect(
      try database.search(.pattern("[东東]京")).map { highlightedText($0.match) } == [
        "今日は[東京]で友達に会った。天気が良い。"
      ])
    #expect(try database.search(.pattern("(?-i)WALK")).isEmpty)
    #expect(try database.search(.pattern("mood: .*y")).map(\.summary.title) == ["Walking"])
    #expect(try database.search(.pattern("x*")).count == 6)
    #expect(throws: IndexError.self) { try database.search(.pattern("(")) }
  }
}

/// A matching line with its highlights in brackets.
func highlightedText(_ line: MatchLine) -> String {
  var bytes = Array(line.text.utf8)
  for range in line.ranges.reversed() {
    bytes.insert(UInt8(ascii: "]"), at: range.upperBound)
    bytes.insert(UInt8(ascii: "["), at: range.lowerBound)
  }
  return String(decoding: bytes, as: UTF8.self)
}
