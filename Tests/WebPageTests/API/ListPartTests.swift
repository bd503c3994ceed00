import Foundation
import TestSupport
import Testing

@testable import WebPage

/// The parts of the list by place and filter, and the counts of the calendar.
@Suite struct ListPartTests {
  private struct Page: Decodable {
    struct Row: Decodable {
      let href: String
      let title: String
      let number: Int?
      let weekday: String?
      let time: String?
    }
    let rows: [Row]
    let previous: String?
    let next: String?
    let total: Int?

    var numbers: [Int] { rows.compactMap { Int($0.title.suffix(2)) } }
  }

  /// Twenty-six entries, of 1 to 26 November 2026; every fifth has a star, every second the tag `t`.
  private static let files = Dictionary(
    uniqueKeysWithValues: (1...26).map { day in
      let number = (day < 10 ? "0" : "") + "\(day)"
      let star = day % 5 == 0 ? "\nstarred: true" : ""
      return (
        "2026/11-\(number) ä&b.md",
        """
        ---
        date: 2026-11-\(number)T08:05:00+09:00\(star)
        ---
        # Day \(number)

        Word\(day % 3). \(day % 2 == 0 ? "#t" : "")

        """
      )
    })

  private func page(_ site: ServedJournal, _ query: String) async throws -> Page {
    let answer = try await site.send("GET", "/api/entries?" + query)
    return try JSONDecoder().decode(Page.self, from: Data(answer.text.utf8))
  }

  private func path(_ day: Int) -> String { "2026/11-\(day)%20%C3%A4%26b.md" }

  @Test func `the list is answered around a row or a day, and continues on both sides`()
    async throws
  {
    try await ServedJournal.serve(Self.files) { site in
      let middle = try await page(site, "limit=6&at=" + path(15))
      #expect(middle.numbers == [17, 16, 15, 14, 13, 12])
      let above = try await page(site, "limit=6&before=" + (middle.previous ?? ""))
      #expect(above.numbers == [23, 22, 21, 20, 19, 18])
      let top = try await page(site, "limit=6&before=" + (above.previous ?? ""))
      #expect(top.numbers == [26, 25, 24] && top.previous == nil)
      let below = try await page(site, "limit=60&after=" + (middle.next ?? ""))
      #expect(below.numbers == Array((1...11).reversed()) && below.next == nil)
      // A day without an entry stands above the next older one.
      try site.home.write("", to: "j/.keep")
      #expect(try await page(site, "limit=4&at=2026-11-20").numbers == [22, 21, 20, 19])
      #expect(try await page(site, "limit=4&at=2027-01-01").numbers == [26, 25])
      #expect(try await page(site, "limit=4&at=2020-01-01").numbers == [2, 1])
      #expect(try await page(site, "limit=2&at=none.md").numbers == [26, 25])
      for bad in ["before=x", "from=2026-13-01", "to=x"] {
        #expect(try await site.send("GET", "/api/entries?" + bad).status == 400, "\(bad)")
      }
      let row = try #require(middle.rows.first)
      #expect(row.number == 17 && row.weekday != nil && row.time != nil)
    }
  }

  @Test func `filters stand in the address, and every part keeps them`() async throws {
    try await ServedJournal.serve(Self.files) { site in
      #expect(try await page(site, "starred=1").numbers == [25, 20, 15, 10, 5])
      #expect(
        try await page(site, "tag=T&from=2026-11-10&to=2026-11-15").numbers == [14, 12, 10])
      let part = try await page(site, "tag=t&limit=4&at=" + path(13))
      #expect(part.numbers == [16, 14, 12, 10])
      let next = try await page(site, "tag=t&limit=2&after=" + (part.next ?? ""))
      #expect(next.numbers == [8, 6])
      let document = try await site.send("GET", "/?tag=t&from=2026-11-10&at=" + path(14)).text
      #expect(document.contains("href=\"/?from=2026-11-10\" aria-label=\"Remove the filter: #t\""))
      #expect(document.contains("id=\"at\"><a href=\"/e/2026/11-14%20ä%26b.md\""))
      #expect(!document.contains("Day 13"))
      #expect(try await HTMLCheck.read(document).errors == [])
      let whole = try await site.send("GET", "/?at=2026-11-12").text
      #expect(whole.contains("id=\"at\"><a href=\"/e/2026/11-12%20ä%26b.md\""))
      #expect(!whole.contains("class=\"chip\""))
    }
  }

  @Test func `a search counts all hits, and is answered in parts`() async throws {
    try await ServedJournal.serve(Self.files) { site in
      let first = try await page(site, "q=word1&limit=5")
      #expect(first.total == 9 && first.numbers == [25, 22, 19, 16, 13])
      #expect(first.rows.allSatisfy { $0.number == nil })
      let rest = try await page(site, "q=word1&limit=5&after=" + (first.next ?? ""))
      #expect(rest.numbers == [10, 7, 4, 1] && rest.next == nil && rest.total == nil)
      #expect(try await page(site, "q=word1&tag=t").total == 4)
      let english = ["Accept-Language: en-US"]
      let document = try await site.send("GET", "/?q=word1", fields: english).text
      #expect(document.contains("Entries found: 9"))
      #expect(document.contains("November 25, 2026"))
    }
  }

  @Test func `a search marks its words in titles, too`() async throws {
    let files = [
      "a.md": "# Rain 한강 & rain\n\nText.\n", "b.md": "---\ntitle: No rain\n---\nText.\n",
      "c.md": "# Soup\n\nAfter the rain.\n",
    ]
    try await ServedJournal.serve(files) { site in
      let document = try await site.send("GET", "/?q=rain").text
      for part in [
        "<b><mark>Rain</mark> 한강 &amp; <mark>rain</mark></b>", "<b>No <mark>rain</mark></b>",
        "<b>Soup</b>", "<i>After the <mark>rain</mark>.</i>",
      ] { #expect(document.contains(part), "\(part)\n\(document)") }
      let rows = try await site.send("GET", "/api/entries?q=rain").text
      #expect(rows.contains("\"titleMarks\":[[0,4],[10,14]]"), "\(rows)")
      #expect(rows.contains("\"titleMarks\":[[3,7]]"), "\(rows)")
    }
  }

  @Test func `the calendar counts the days of a year as the command does`() async throws {
    struct Calendar: Decodable {
      struct WrittenDay: Decodable { let entries: Int, words: Int, shade: Int }
      let first: Int
      let last: Int
      let today: String
      let days: [String: WrittenDay]
    }
    try await ServedJournal.serve(Self.files) { site in
      try site.home.write("# Again\n\nMore words on this day.\n", to: "j/2026-11-03.md")
      try site.home.write("# Then\n\nOld.\n", to: "j/2019-02-01.md")
      func calendar(_ year: String) async throws -> Calendar {
        let answer = try await site.send("GET", "/api/calendar/" + year)
        return try JSONDecoder().decode(Calendar.self, from: Data(answer.text.utf8))
      }
      let found = try await calendar("2026")
      #expect(found.days.count == 26 && found.days["2026-11-03"]?.entries == 2)
      #expect(found.days["2026-11-03"]?.shade == 4 && found.days["2026-11-27"] == nil)
      #expect(found.first == 2019 && found.last == 2026)
      let printed = try await site.home.diary("calendar", "2026", "--json", in: "j").output
      #expect(printed.contains("\"words\":\(found.days["2026-11-03"]?.words ?? 0)"))
      #expect(try await calendar("2020").days.isEmpty)
      for year in ["x", "0", "10000", "-1"] {
        #expect(try await site.send("GET", "/api/calendar/" + year).status == 404)
      }
    }
  }
}
