import Foundation
import TestSupport
import Testing
import WebDriver

/// The list keeps its place: the way back, reloads, and changes meanwhile.
@Suite(.serialized) struct ListPlaceTests {
  /// A row and its top in the window, in CSS pixels.
  private struct Place {
    var href = ""
    var top = 0.0
  }

  /// Opens the page of a journal with 300 more entries, one a day; each tenth has the tag `river`.
  private func visit(
    _ engine: Browser.Engine, screen: Browser.Screen = .phone,
    _ body: @Sendable (PageSession) async throws -> Void
  ) async throws {
    try await PageSession.visit(engine, screen: screen) { world in
      for number in 0..<300 {
        let (year, month, day) = (2025 - number / 224, number / 28 % 8 + 1, number % 28 + 1)
        let date = "\(year)-0\(month)-\(day < 10 ? "0" : "")\(day)"
        try world.home.write(
          """
          ---
          date: \(date)T08:00:00+09:00
          ---
          # Day \(number)

          Leeks and rain. Word\(number % 2). \(number % 10 == 0 ? "#river" : "")

          """, to: "j/\(year)/\(date).md")
      }
      try await world.home.diary("save", in: "j")
      try await world.openList()
      try await body(world)
    }
  }

  /// The first row that is whole below the bar.
  private func place(_ world: PageSession) async throws -> Place {
    let found = try await world.browser.runScript(
      """
      const line = document.querySelector('.bar').getBoundingClientRect().bottom;
      const row = [...document.querySelectorAll('#rows .row')].find(
        row => row.getBoundingClientRect().top > line + 40);
      return row ? [row.querySelector('a').getAttribute('href'), row.getBoundingClientRect().top] : [];
      """
    ).list
    guard found.count == 2 else { return Place() }
    return Place(href: found[0].text ?? "", top: found[1].number ?? 0)
  }

  /// Scrolls down in steps, as far as about `count` rows, and lets the place be remembered.
  private func scrollDown(_ world: PageSession, steps: Int = 12) async throws {
    for _ in 0..<steps {
      try await world.browser.runScript("window.begin = scrollY; scrollBy(0, 900)")
      // As far as the rows reach that are loaded, and then further.
      _ = await world.browser.shows(
        "scrollY >= begin + 900 || scrollBy(0, begin + 900 - scrollY)", within: 2)
    }
    #expect(
      await world.browser.shows(
        """
        (() => {
          const line = document.querySelector('.bar').getBoundingClientRect().bottom + 1;
          const row = [...document.querySelectorAll('#rows .row')].find(
            row => row.getBoundingClientRect().bottom > line);
          return row.querySelector('a').getAttribute('href') === history.state?.at;
        })()
        """))
  }

  private func isAt(_ expected: Place, _ world: PageSession) async -> Bool {
    await Sandbox.holds(within: 15) {
      guard let now = try? await place(world) else { return false }
      return now.href == expected.href && abs(now.top - expected.top) <= 4
    }
  }

  private func openRow(_ place: Place, _ world: PageSession) async throws {
    try await world.browser.click("#rows a[href='\(place.href)']")
    #expect(await world.browser.shows("document.querySelector('#body')"))
  }

  private func goBack(_ world: PageSession) async throws {
    try await world.browser.back()
    #expect(await world.browser.shows("document.querySelector('#rows')"))
  }

  @Test(arguments: Browser.Engine.allCases)
  func `the way back from an entry leads to the same row at the same height`(
    _ engine: Browser.Engine
  ) async throws {
    try await visit(engine) { world in
      let browser = world.browser
      try await scrollDown(world)
      let seen = try await place(world)
      #expect(seen.href.contains("/e/20"))
      try await openRow(seen, world)
      try await goBack(world)
      #expect(await isAt(seen, world), "\(seen)")
      // By the page's own link, which goes back in the browser's history.
      try await openRow(seen, world)
      let depth = try await browser.runScript("return history.length").number
      try await browser.click("#back")
      #expect(await browser.shows("document.querySelector('#rows')"))
      #expect(await isAt(seen, world))
      #expect(try await browser.runScript("return history.length").number == depth)
      // Forward, reload of the entry, and back; then a reload of the list.
      try await browser.runScript("history.forward()")
      #expect(await browser.shows("document.querySelector('#body')"))
      try await browser.reload()
      #expect(await browser.shows("document.querySelector('#body')"))
      try await browser.click("#back")
      #expect(await isAt(seen, world))
      try await browser.reload()
      #expect(await isAt(seen, world))
      // An entry above is added elsewhere meanwhile.
      try await openRow(seen, world)
      try world.home.write("---\ndate: 2027-01-01\n---\n# Fresh\n", to: "j/fresh.md")
      try await goBack(world)
      #expect(await isAt(seen, world))
      // The row at the top of the window is in the address: a copy of the tab has it, too.
      let address = try await browser.address
      #expect(address.contains("/?at=20"))
      try await browser.openTab()
      try await browser.open(address)
      let file = address.split(separator: "=").last ?? ""
      #expect(
        await browser.shows(
          """
          (() => {
            const row = document.querySelector("#rows a[href='/e/\(file)']");
            if (!row) return false;
            const top = row.getBoundingClientRect().top;
            return top > 0 && top < innerHeight / 2;
          })()
          """))
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `an entry above appears without moving the rows, and an entry at the top is seen`(
    _ engine: Browser.Engine
  ) async throws {
    try await visit(engine) { world in
      let browser = world.browser
      try await scrollDown(world, steps: 2)
      let seen = try await place(world)
      try world.home.write("---\ndate: 2027-01-01\n---\n# Fresh\n", to: "j/fresh.md")
      let first = "document.querySelector('#rows .row').textContent.includes"
      #expect(await browser.shows("\(first)('Fresh')"))
      #expect(await isAt(seen, world))
      // Entries above may still be loaded, which moves nothing: the top is further up then.
      #expect(
        await browser.shows(
          "(scrollTo(0, 0), document.querySelector('#newer').hidden && scrollY == 0)"))
      try world.home.write("---\ndate: 2027-01-02\n---\n# Newer\n", to: "j/newer.md")
      #expect(await browser.shows("\(first)('Newer')"))
      #expect(try await browser.runScript("return scrollY").number == 0)
      // The row is deleted whose place is remembered: the next one stays where it is.
      try await scrollDown(world, steps: 3)
      let next = try await place(world)
      try FileManager.default.removeItem(
        atPath: world.home.homePath + "/j/" + next.href.dropFirst(3))
      #expect(
        await browser.shows("!document.querySelector(\"#rows a[href='\(next.href)']\")"))
      let after = try await place(world)
      #expect(after.href != next.href && abs(after.top - next.top) < 100)
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `a filter stands in the address, and a search only beside it`(
    _ engine: Browser.Engine
  ) async throws {
    try await visit(engine) { world in
      let browser = world.browser
      try await browser.open(world.origin + "/?tag=river")
      #expect(
        await browser.shows("document.querySelector('.chip')?.textContent.includes('#river')"))
      #expect(
        await browser.shows(
          "document.querySelectorAll('#rows .row').length == 30 "
            + "&& document.querySelector('#rows .row .more')"))
      try await scrollDown(world, steps: 2)
      let filtered = try await place(world)
      try await openRow(filtered, world)
      try await goBack(world)
      #expect(await isAt(filtered, world))
      #expect(try await browser.address.contains("tag=river"))
      try await browser.runScript("scrollTo(0, 0)")
      try await browser.click(".chip")
      #expect(
        await browser.shows(
          "!document.querySelector('.chip') && document.querySelector('.row .more')"))
      #expect(try await browser.address == world.origin + "/")

      try await browser.type("word1", into: "#search")
      #expect(
        await browser.shows("document.querySelector('#none').textContent == 'Entries found: 150'"))
      #expect(try await browser.address == world.origin + "/")
      let hasMore = "!document.querySelector('#older').hidden"
      for _ in 0..<40 where await browser.shows(hasMore, within: 0) {
        try await scrollDown(world, steps: 2)
      }
      #expect(
        try await browser.runScript(
          "return document.querySelectorAll('#rows .row mark').length"
        ).number == 150)
      #expect(try await browser.address == world.origin + "/")
      let hit = try await place(world)
      try await openRow(hit, world)
      try await goBack(world)
      #expect(await isAt(hit, world))
      #expect(try await world.value("#search") == "word1")
      try await browser.reload()
      #expect(await isAt(hit, world))
      try await browser.press("/")
      try await browser.press(.escape)
      #expect(await browser.shows("document.querySelectorAll('#rows .row').length >= 60"))
      #expect(await browser.shows("document.querySelector('#none').textContent == ''"))
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `scrolling up from the middle loads newer rows without a jump`(
    _ engine: Browser.Engine
  ) async throws {
    try await visit(engine, screen: .desktop) { world in
      let browser = world.browser
      try await browser.open(world.origin + "/?at=2024-03-05")
      #expect(
        await browser.shows("document.activeElement.href?.includes('2024-03-05')"))
      let hasMore = "!document.querySelector('#newer').hidden"
      #expect(await browser.shows(hasMore, within: 0))
      var count = 0
      while await browser.shows(hasMore, within: 0), count < 100 {
        let seen = try await place(world)
        try await browser.runScript("scrollBy(0, -300)")
        // Time in which rows that come late would move this one.
        try await Task.sleep(for: .milliseconds(150))
        let top = try await browser.runScript(
          "return document.querySelector(\"#rows a[href='\(seen.href)']\").getBoundingClientRect().top"
        )
        #expect(abs((top.number ?? 0) - seen.top - 300) <= 4, "\(seen)")
        count += 1
      }
      #expect(count > 3 && count < 100)
      #expect(
        await browser.shows("document.querySelector('#rows .row').textContent.includes('A walk')"))
      // No row is missing, and none is there twice.
      let rows = try await browser.runScript(
        """
        const all = [...document.querySelectorAll('#rows .row a')].map(a => a.getAttribute('href'));
        const first = all.findIndex(href => href.includes('2025-08-20'));
        const last = all.findIndex(href => href.includes('2024-03-05'));
        return [all.length - new Set(all).size, last - first];
        """
      ).list.compactMap(\.number)
      #expect(rows == [0, 231])
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `the calendar leads to a day by keys and by touch`(_ engine: Browser.Engine) async throws {
    try await visit(engine) { world in
      let browser = world.browser
      try await browser.press("g")
      #expect(await browser.shows("document.querySelector('#calendar').open"))
      #expect(await browser.shows("document.activeElement.value == '2026-11-20'"))
      #expect(
        await browser.shows(
          "document.activeElement.dataset.shade && document.activeElement.ariaLabel"
            + ".includes('November 20, 2026') && document.activeElement.ariaLabel.includes('1')"))
      try await browser.press(.left)
      try await browser.press(.up)
      #expect(await browser.shows("document.activeElement.value == '2026-11-12'"))
      try await browser.press(.escape)
      #expect(await browser.shows("!document.querySelector('#calendar').open"))
      #expect(try await browser.address == world.origin + "/")

      try await browser.click("#dates")
      #expect(await browser.shows("document.querySelector('#calendar').open"))
      try await browser.click("#calendar .before")
      #expect(await browser.shows("document.querySelector('#year').textContent == '2025'"))
      #expect(await browser.shows("document.activeElement.value == '2025-12-31'"))
      for _ in 0..<5 { try await browser.press(.pageUp) }
      #expect(await browser.shows("document.activeElement.value == '2025-07-01'"))
      try await browser.press(.right)
      try await browser.takeScreenshot("calendar")
      try await browser.press(.enter)
      #expect(await browser.shows("document.activeElement.href?.includes('2025-07-02')"))
      #expect(try await browser.address.contains("/?at="))
      // A month's heading opens the calendar at that month, and a tap on a day without an entry
      // leads to the entry before it.
      try await browser.click("#rows section:nth-child(2) h2")
      #expect(await browser.shows("document.querySelector('#calendar').open"))
      #expect(await browser.shows("document.activeElement.value?.startsWith('2025-07')"))
      try await browser.click("#calendar [value='2025-06-30']")
      #expect(await browser.shows("document.activeElement.href?.includes('2025-06-28')"))
      try await goBack(world)
      #expect(
        await browser.shows("document.querySelector(\"#rows a[href*='2025-07-02']\")"))
    }
  }
}
