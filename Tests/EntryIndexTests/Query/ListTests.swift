import DiaryCore
import EntryIndex
import Testing

struct ListTests {
  let folder: TemporaryFolder
  let database: EntryIndexDatabase

  init() throws {
    folder = try TemporaryFolder()
    database = try makeIndex(
      [
        try entry("old.md", "Old", date: "2025-01-02 10:00", weather: "Snow, -3°C"),
        try entry("b/late.md", "Late", date: "2026-11-21 21:04", tags: ["Walk", "family"]),
        try entry("b/noon.md", "Noon", date: "2026-11-21 12:00", weather: "Rain, 7°C"),
        try entry("b/all-day.md", "All day", date: "2026-11-21", tags: ["walk/river"]),
        try entry("b/also-noon.md", "Also noon", date: "2026-11-21 12:00", weather: "klar, 2°C"),
        try entry("x.md", "Undated X"),
        try entry("a.md", "Undated A", tags: ["walkers"]),
      ], in: folder)
  }

  @Test func `the newest is first and the undated are last`() throws {
    let listed = try database.list()
    #expect(
      listed.map(\.title)
        == ["Late", "Noon", "Also noon", "All day", "Old", "Undated X", "Undated A"])
    #expect(listed.map(\.number) == Array(1...7))
    #expect(try database.count() == 7)
  }

  @Test func `an entry is read as it was stored`() throws {
    let noon = try #require(try database.entry(at: try path("b/noon.md")))
    #expect(noon.date?.description == "2026-11-21T12:00:00+09:00")
    #expect(noon.weather == Weather(text: "Rain, 7°C", condition: .rain, celsius: 7))
    let late = try #require(try database.entry(at: 1))
    #expect(late.tags == ["Walk", "family"])
    #expect(late.weather == nil && late.place == nil)
    let day = try #require(try database.entry(at: 4))
    #expect(day.date?.seconds == nil && day.date?.description == "2026-11-21")
    #expect(try database.entry(at: 6)?.date == nil)
    #expect(try database.entry(at: 8) == nil)
    #expect(try database.entry(at: 0) == nil)
  }

  @Test func `numbers are those of the whole list under a filter`() throws {
    let snow = try database.list(ListFilter(weather: "snow"))
    #expect(snow.map(\.number) == [5])
    let words = try database.list(ListFilter(weather: "KLAR"))
    #expect(words.map(\.title) == ["Also noon"])
  }

  @Test func `the next page starts below the last row despite changes`() throws {
    let all = try database.list()
    for limit in 1...3 {
      for tags in [[], ["walk"]] {
        var filter = ListFilter(tags: tags, limit: limit)
        let whole = try database.list(ListFilter(tags: tags))
        var found: [EntrySummary] = []
        repeat {
          let page = try database.list(filter)
          found += page
          filter.afterCursor = page.last?.cursor
        } while found.count < whole.count && filter.afterCursor != nil
        #expect(found == whole)
        #expect(try database.list(filter).isEmpty)
      }
    }
    var filter = ListFilter(limit: 2)
    filter.afterCursor = all[1].cursor
    let below = try database.list(filter)
    // The row itself is removed, and a newer one is added.
    let later = try makeIndex(
      [
        try entry("newest.md", "Newest", date: "2026-11-22"),
        try entry("b/late.md", "Late", date: "2026-11-21 21:04"),
        try entry("b/also-noon.md", "Also noon", date: "2026-11-21 12:00"),
        try entry("b/all-day.md", "All day", date: "2026-11-21"),
        try entry("x.md", "Undated X"),
      ], in: try TemporaryFolder())
    #expect(try later.list(filter).map(\.path) == below.map(\.path))
    #expect(below.map(\.number) == [3, 4])
    #expect(try later.list(filter).map(\.number) == [3, 4])
  }

  @Test func `the part through a row ends with it, and the part below it continues`() throws {
    let all = try database.list()
    for tags in [[], ["walk"]] {
      let whole = try database.list(ListFilter(tags: tags))
      for entry in all {
        var filter = ListFilter(tags: tags)
        filter.throughCursor = entry.cursor
        let above = try database.list(filter)
        filter.isReversed = true
        filter.limit = 2
        #expect(try database.list(filter) == Array(above.reversed().prefix(2)))
        filter = ListFilter(tags: tags)
        filter.afterCursor = entry.cursor
        #expect(above + (try database.list(filter)) == whole)
        #expect(above.last == entry || !whole.contains(entry))
      }
    }
  }

  @Test func `a search counts its hits without reading them`() throws {
    for (words, tags) in [(["o"], []), (["a"], ["walk"]), ([" "], []), (["nowhere"], [])] {
      let query = SearchQuery(words: words)
      let filter = ListFilter(tags: tags)
      #expect(try database.hitCount(query, filter) == database.searchNewest(query, filter).count)
    }
    #expect(try database.hitCount(SearchQuery(words: ["o"]), ListFilter()) == 3)
  }

  @Test func `an incremental search stops at its limit and continues below it`() throws {
    var filter = ListFilter(limit: 2)
    let first = try database.searchNewest(SearchQuery(words: ["o"]), filter)
    #expect(first.map(\.summary.title) == ["Noon", "Also noon"])
    filter.afterCursor = first.last?.summary.cursor
    #expect(
      try database.searchNewest(SearchQuery(words: ["o"]), filter).map(\.summary.title) == ["Old"])
    filter = ListFilter(tags: ["walk"], limit: 9)
    #expect(
      try database.searchNewest(SearchQuery(words: ["a"]), filter).map(\.summary.title)
        == ["Late", "All day"])
    #expect(try database.searchNewest(SearchQuery(words: [" "]), filter).isEmpty)
  }

  @Test func `a range of days includes both ends and no undated entry`() throws {
    let day = try #require(Day(year: 2026, month: 11, day: 21))
    #expect(try database.list(ListFilter(since: day)).count == 4)
    #expect(try database.list(ListFilter(until: day)).count == 5)
    #expect(try database.list(ListFilter(until: day.adding(-1))).map(\.title) == ["Old"])
    #expect(try database.entries(on: day).map(\.number) == [1, 2, 3, 4])
  }

  @Test func `an entry needs only one of several tags, and others can be excluded`() throws {
    func titles(_ all: [String] = [], any: [String] = [], not: [String] = []) throws -> [String] {
      var filter = ListFilter(tags: all)
      (filter.anyTags, filter.withoutTags) = (any, not)
      return try database.list(filter).map(\.title)
    }
    #expect(try titles(any: ["family", "walk/river"]) == ["Late", "All day"])
    #expect(try titles(["walk"], not: ["Family"]) == ["All day"])
    #expect(try titles(any: ["walkers", "family"], not: ["walk"]) == ["Undated A"])
    let untagged = try titles(not: ["walk", "walkers"])
    #expect(!untagged.isEmpty && Set(untagged).isDisjoint(with: ["Late", "All day", "Undated A"]))
  }

  @Test func `starred entries are listed, found and counted in the whole list`() throws {
    let folder = try TemporaryFolder()
    let catalog = try makeIndex(
      [
        try entry("1.md", "Old", date: "2026-01-01", body: "soup", isStarred: true),
        try entry("2.md", "Plain", date: "2026-01-02", body: "soup"),
        try entry("3.md", "New", date: "2026-01-03", body: "rain", tags: ["a"], isStarred: true),
      ], in: folder)
    var filter = ListFilter()
    filter.isStarred = true
    let listed = try catalog.list(filter)
    #expect(listed.map(\.title) == ["New", "Old"] && listed.map(\.number) == [1, 3])
    #expect(try catalog.list().map(\.isStarred) == [true, false, true])
    for query in [SearchQuery(parsing: "soup"), .pattern("so.p")] {
      #expect(try catalog.search(query, filter).map(\.summary.title) == ["Old"])
    }
    #expect(
      try catalog.searchNewest(SearchQuery(parsing: "soup"), filter).map(\.summary.isStarred) == [
        true
      ])
    filter.tags = ["a"]
    #expect(try catalog.list(filter).map(\.title) == ["New"])
  }

  @Test func `a tag matches in any case and includes its subtags`() throws {
    #expect(
      try database.list(ListFilter(tags: ["walk"])).map(\.title) == ["Late", "All day"])
    #expect(try database.list(ListFilter(tags: ["#WALK", "family"])).map(\.title) == ["Late"])
    #expect(try database.list(ListFilter(tags: ["wal"])).isEmpty)
  }

  @Test func `limit and offset apply to the requested order`() throws {
    #expect(try database.list(ListFilter(limit: 2, offset: 1)).map(\.number) == [2, 3])
    #expect(try database.list(ListFilter(isReversed: true, limit: 2)).map(\.number) == [7, 6])
    #expect(try database.list(ListFilter(isReversed: true, offset: 5)).map(\.number) == [2, 1])
    #expect(try database.list(ListFilter(limit: 0)).isEmpty)
    #expect(try database.list(ListFilter(offset: 99)).isEmpty)
    let day = try #require(Day(year: 2026, month: 11, day: 21))
    let filtered = ListFilter(since: day, until: day, isReversed: true, limit: 2, offset: 1)
    #expect(try database.list(filtered).map(\.number) == [3, 2])
  }

  @Test func `tags are counted under their most frequent spelling`() throws {
    let folder = try TemporaryFolder()
    let catalog = try makeIndex(
      [
        try entry("1.md", "1", tags: ["walk", "Été"]), try entry("2.md", "2", tags: ["Walk"]),
        try entry("3.md", "3", tags: ["walk"]), try entry("4.md", "4", tags: ["가족", "ete"]),
      ], in: folder)
    let tags = try catalog.tags()
    #expect(tags.map(\.count) == [3, 2, 1])
    #expect(tags.map(\.tag) == ["walk", "ete", "가족"])
  }

  @Test func `words of a title find it and an exact title wins`() throws {
    #expect(try database.entries(titled: "NOON").map(\.title) == ["Noon"])
    #expect(try database.entries(titled: "noo").map(\.title) == ["Noon", "Also noon"])
    #expect(try database.entries(titled: "noon also").map(\.title) == ["Also noon"])
    #expect(try database.entries(titled: " ").isEmpty)
  }

  @Test func `ignored entries appear in no query`() throws {
    #expect(try database.pathsWithUnknownIgnore().count == 7)
    try database.setIgnored([try path("b/late.md"): true, try path("x.md"): false])
    #expect(try database.list().map(\.title).first == "Noon")
    #expect(try database.list().map(\.number) == Array(1...6))
    #expect(try database.count() == 6)
    #expect(try database.entry(at: try path("b/late.md")) == nil)
    #expect(try database.search(SearchQuery(parsing: "late")).isEmpty)
    #expect(try database.search(.pattern("late")).isEmpty)
    #expect(try !database.tags().contains { $0.tag == "family" })
    #expect(try database.pathsWithUnknownIgnore().count == 5)
    try database.clearIgnored()
    #expect(try database.count() == 7)
  }
}
