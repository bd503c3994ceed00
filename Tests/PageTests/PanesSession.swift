import Foundation
import TestSupport
import Testing
import WebDriver

/// A journal in a wide window.
struct PanesSession: Sendable {
  let world: PageSession
  var browser: Browser { world.browser }

  static let narrow = Browser.Screen(width: 800, height: 800)

  /// Opens the page of a journal with 120 more entries, one a day; each tenth has the tag `river`.
  static func visit(
    _ engine: Browser.Engine = .chromium, languages: [String] = ["en-US"],
    screen: Browser.Screen = .desktop, _ body: @Sendable (PanesSession) async throws -> Void
  ) async throws {
    try await PageSession.visit(engine, languages: languages, screen: screen) { world in
      let panes = PanesSession(world: world)
      for number in 0..<120 {
        try world.home.write(
          """
          ---
          date: \(panes.day(number))T08:00:00+09:00
          ---
          # Day \(number)

          Leeks and rain. Word\(number % 2). \(number % 10 == 0 ? "#river" : "")

          """, to: "j/\(panes.file(number))")
      }
      try await world.home.diary("save", in: "j")
      try await world.openList()
      try await body(panes)
    }
  }

  /// The date of an entry; the one before it in the list has the next higher date.
  func day(_ number: Int) -> String {
    String(format: "2025-%02d-%02d", 8 - number / 28, 28 - number % 28)
  }

  /// The entry's file, relative to the journal.
  func file(_ number: Int) -> String { "2025/\(day(number)).md" }

  /// The selector of the entry's row.
  func row(_ number: Int) -> String { "#rows a[href='/e/\(file(number))']" }

  /// Waits until an entry is shown with the list beside it and its row marked, in view.
  func shows(_ number: Int) async -> Bool {
    await browser.shows(
      """
      (() => {
        const link = document.querySelector("#list [aria-current=page]");
        if (!link || document.documentElement.dataset.waiting !== undefined) return false;
        const { top, bottom } = link.getBoundingClientRect();
        const bar = document.querySelector("#list .bar").getBoundingClientRect().bottom;
        return location.pathname === "/e/\(file(number))" && link.getAttribute("href") === location.pathname
          && document.querySelector("#reading h1").textContent === "Day \(number)"
          && top >= bar && bottom <= innerHeight;
      })()
      """)
  }

  /// The tops of the rows that are in view, by address.
  func tops() async throws -> [String: Double] {
    let rows = try await browser.runScript(
      """
      return [...document.querySelectorAll('#rows .row')].map(
        row => [row.querySelector('a').getAttribute('href'), row.getBoundingClientRect().top])
        .filter(([, top]) => top > 0 && top < innerHeight);
      """)
    return Dictionary(
      uniqueKeysWithValues: rows.list.compactMap { row in
        row.list.first?.text.map { ($0, row.list.last?.number ?? 0) }
      })
  }

  /// Returns whether the rows stand where they stood. A browser rounds where it scrolls to: WebKit by
  /// 2 pixels at times.
  func stands(at before: [String: Double]) async throws -> Bool {
    let after = try await tops()
    let isAlike = before.allSatisfy { abs((after[$0.key] ?? .infinity) - $0.value) <= 3 }
    return before.count > 4 && isAlike
  }

  /// Scrolls to the entry's row, and clicks on it.
  func tap(_ number: Int) async throws {
    let row = "document.querySelector(\"\(row(number))\")"
    #expect(await browser.shows(row))
    try await browser.runScript("\(row).scrollIntoView({block: 'center'})")
    try await waitUntilStill(row)
    try await browser.click(self.row(number))
  }

  /// Scrolls the list until a row is in the middle, and lets the rows come.
  func scroll(to number: Int) async throws {
    let isThere = """
      (() => {
        const row = document.querySelector("\(row(number))");
        const list = document.querySelector('#list') || document.documentElement;
        if (!row) list.scrollBy(0, 800);
        else list.scrollBy(0, row.getBoundingClientRect().top - 400);
        return row && Math.abs(row.getBoundingClientRect().top - 400) < 2;
      })()
      """
    #expect(await browser.shows(isThere))
    try await waitUntilStill("document.querySelector(\"\(row(number))\")")
  }

  /// Waits until an element has not moved for 20 frames: further rows may come, and move it.
  private func waitUntilStill(_ element: String) async throws {
    try await browser.runAsyncScript(
      """
      for (let still = 0, old; still < 20;) {
        await new Promise(requestAnimationFrame);
        const top = (\(element))?.getBoundingClientRect().top;
        still = top === old ? still + 1 : 0;
        old = top;
      }
      """)
  }

  /// Waits until the entry's file contains the words. Returns whether it does.
  func isInFile(_ words: String, _ number: Int) async -> Bool {
    await Sandbox.holds(within: 20) {
      (try? world.home.read("j/" + file(number)))?.contains(words) == true
    }
  }
}
