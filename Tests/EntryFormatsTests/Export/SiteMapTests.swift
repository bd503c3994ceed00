import DiaryCore
import EntryFormats
import Testing

@Suite struct SiteMapTests {
  private func entry(
    _ path: String, _ day: String? = nil, tags: [String] = []
  ) throws -> EntrySummary {
    var entry = try whole(day.map { dated("Words", $0) } ?? "Words", path: path).summary
    entry.tags = tags
    return entry
  }

  @Test func `entries of one name have different addresses, and the older keeps its own`() throws {
    let old = try entry("a/Walk.md", "2026-11-01")
    let new = try entry("b/walk.md", "2026-11-02")
    let map = SiteMap([new, old])
    #expect(map.address(of: old.path) == "2026/11.html#walk")
    #expect(map.address(of: new.path) == "2026/11.html#walk-2")
    #expect(SiteMap([old]).address(of: old.path) == "2026/11.html#walk")
  }

  @Test func `years, months, days and tags list their entries, newest first`() throws {
    let entries = [
      try entry("d.md", "2026-11-21", tags: ["Family", "눈"]), try entry("c.md", "2026-10-21"),
      try entry("b.md", "2024-11-21", tags: ["family", "a/b", "A/B"]), try entry("a.md"),
    ]
    let map = SiteMap(entries)
    #expect(map.years.map(\.year) == ["2026", "2024"])
    #expect(map.years[0].months.map(\.page) == ["2026/11.html", "2026/10.html"])
    #expect(map.undated.map(\.path) == [entries[3].path])
    #expect(map.tags.map(\.page) == ["tags/a-b.html", "tags/family.html", "tags/눈.html"])
    #expect(map.tags[1].entries.map(\.path) == [entries[0].path, entries[2].path])
    #expect(map.calendar.map(\.name) == ["10", "11"])
    #expect(map.calendar[1].days.map(\.anchor) == ["d21"])
    #expect(map.calendar[1].days[0].entries.count == 2)
    #expect(map.month(after: map.years[0].months[1])?.page == "2026/11.html")
    #expect(map.month(before: map.years[0].months[1])?.page == "2024/11.html")
    #expect(map.month(before: map.years[1].months[0]) == nil)
    #expect(map.searchParts == ["2026", "2024", "undated"])
  }

  @Test func `relative links lead from any page to any other`() {
    #expect(
      SiteMap.relativeLink(to: "2026/11.html#눈 x", from: "tags/a.html")
        == "../2026/11.html#%EB%88%88%20x")
    #expect(SiteMap.relativeLink(to: "2026/11.html", from: "2026/10.html") == "11.html")
    #expect(
      SiteMap.relativeLink(to: "files/2026/a?#.png", from: "2026/10.html")
        == "../files/2026/a%3F%23.png")
    #expect(SiteMap.relativeLink(to: "index.html", from: "index.html") == "index.html")
  }
}
