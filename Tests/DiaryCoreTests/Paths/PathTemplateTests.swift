import TestSupport
import DiaryCore
import Foundation
import Testing

@Suite struct `Names of new entries` {
  @Test(arguments: [
    ("A walk by the river", "a-walk-by-the-river"), ("  Hello, World!  ", "hello-world"),
    ("오늘의 산책 — 강가", "오늘의-산책-강가"), ("東京 2026年", "東京-2026年"), ("Cafe\u{301}", "café"),
    ("Über ÄÖÜ", "über-äöü"), ("❤️ love 🙂", "love"), ("🙂", ""), ("", ""), ("---", ""),
    ("../../etc/passwd", "etc-passwd"), ("a/b\\c", "a-b-c"), ("don't", "don-t"),
    (".hidden", "hidden"),
    ("हिन्दी", "हिन्दी"), ("x\u{202E}y\u{0}z\nw", "x-y-z-w"), ("ǅ", "ǆ"),
  ])
  func `a slug has letters, marks and digits of every script`(_ title: String, _ expected: String) {
    #expect(slug(of: title).utf8.elementsEqual(expected.utf8))
  }

  @Test func `a long title is cut between words, a long word between characters`() {
    let words = slug(of: String(repeating: "lovely ", count: 30))
    #expect(words.utf8.count <= 80 && words.utf8.count > 70)
    #expect(words.hasSuffix("lovely"))
    #expect(slug(of: String(repeating: "가", count: 100)) == String(repeating: "가", count: 26))
    #expect(slug(of: "a" + String(repeating: "\u{301}", count: 200)) == "")
  }

  @Test func `a slug is a valid name, and its own slug`() {
    var random = SeededGenerator()
    for _ in 0..<2000 {
      var view = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...40, using: &random) {
        let limit: UInt32 = Bool.random(using: &random) ? 0x250 : 0x1_1000
        if let scalar = Unicode.Scalar(UInt32.random(in: 0...limit, using: &random)) {
          view.append(scalar)
        }
      }
      let name = slug(of: String(view))
      #expect(name.utf8.count <= 80, "\(random)")
      #expect(name.isEmpty || EntryPath(name)?.names.count == 1, "\(random)")
      #expect(
        slug(of: name).utf8.elementsEqual(name.utf8), "\(random) \(name.debugDescription)"
      )
    }
  }

  func date(_ text: String) throws -> EntryDate {
    try #require(EntryDate(reading: text, zone: zone("Asia/Seoul")))
  }

  @Test(arguments: [
    ("{year}/{month}/{date}-{slug}.md", "A walk", "2026/11/2026-11-21-a-walk.md"),
    ("{year}/{month}/{date}-{slug}.md", "", "2026/11/2026-11-21-2104.md"),
    ("{year}/{month}/{date}-{slug}.md", "🙂", "2026/11/2026-11-21-2104.md"),
    ("{slug}.markdown", "산책", "산책.markdown"), ("{date}.md", "A walk", "2026-11-21.md"),
    ("{year}/{month}/{day}.md", "A walk", "2026/11/21.md"),
    ("journal/{date} {time} {slug}.md", "A walk", "journal/2026-11-21 2104 a-walk.md"),
  ])
  func `a layout gives the path of an entry`(_ pattern: String, _ title: String, _ path: String)
    throws
  {
    let date = try date("2026-11-21 21:04")
    let layout = try #require(PathTemplate(pattern))
    #expect(layout.path(title: title, date: date, day: date.date).text == path)
  }

  @Test func `the path has the diary day and the clock time`() throws {
    let date = try date("2026-12-01 02:04")
    let layout = try #require(PathTemplate("{year}/{month}/{date}-{slug}.md"))
    let path = layout.path(title: nil, date: date, day: date.day(startingAt: 14_400))
    #expect(path.text == "2026/11/2026-11-30-0204.md")
  }

  @Test func `the name is the date if there is no title and no time`() throws {
    let date = try date("2026-11-21")
    for (pattern, path) in [
      ("{date}-{slug}.md", "2026-11-21.md"), ("{slug}.md", "2026-11-21.md"),
      ("{year}/{time} {slug}.md", "2026/2026-11-21.md"),
    ] {
      #expect(PathTemplate(pattern)?.path(title: nil, date: date, day: date.date).text == path)
    }
  }

  @Test func `a name that exists gets the next number`() throws {
    let date = try date("2026-11-21")
    let layout = try #require(PathTemplate("{date}-{slug}.md"))
    let taken: Set = ["2026-11-21-v1.md", "2026-11-21-v1-2.md"]
    let path = layout.path(title: "v1", date: date, day: date.date) { taken.contains($0.text) }
    #expect(path.text == "2026-11-21-v1-3.md")
    #expect(EntryPath("a.b/c")?.numbered(2).text == "a.b/c-2")
  }

  @Test func `many entries of one title and day check each name once`() throws {
    let date = try date("2026-11-21")
    let layout = try #require(PathTemplate("{date}-{slug}.md"))
    /// The number of names checked for `count` entries. Half of the titles collide with numbered
    /// names of the others, and files with the same names exist.
    func checkCount(_ count: Int) -> Int {
      var taken: Set<EntryPath> = []
      for number in 1...10 {
        taken.insert(
          layout.path(title: "Walk", date: date, day: date.date) { taken.contains($0) })
        taken.insert(
          layout.path(title: "Walk \(number)", date: date, day: date.date) { taken.contains($0) })
      }
      let present = taken.count
      var (numbers, looks) = ([EntryPath: Int](), 0)
      for index in 0..<count {
        let title = index % 2 == 0 ? "Walk" : "Walk \(index % 6)"
        let path = layout.path(title: title, date: date, day: date.date, numbers: &numbers) {
          looks += 1
          return taken.contains($0)
        }
        #expect(taken.insert(path).inserted)
      }
      #expect(taken.count == present + count)
      return looks
    }
    #expect(checkCount(400) <= 2 * 400 + 100 && checkCount(1_600) <= 2 * 1_600 + 100)
  }

  @Test(arguments: [
    "", "x.md", "{slug}", "{slug}.txt", "/{slug}.md", "../{slug}.md", "a/../{slug}.md",
    ".a/{slug}.md", "{slug}.md/", "{}.md", "{slug.md", "a//{slug}.md", "{year}.md", "{slug}\n.md",
    "{title}.md",
  ])
  func `an unsafe or constant pattern is no layout`(_ pattern: String) {
    #expect(PathTemplate(pattern) == nil)
  }
}
