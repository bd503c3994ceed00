import Foundation
import TestSupport
import Testing
import WebDriver

/// The violations that axe-core finds on the current page: rule and element.
func findings(_ browser: Browser) async throws -> [String] {
  let axe = Project.root.appendingPathComponent(".build/axe/axe.min.js")
  guard let source = try? String(contentsOf: axe, encoding: .utf8) else {
    throw ProgramFailed(message: "axe-core is missing; .ci/install-browsers fetches it")
  }
  try await browser.runScript(source)
  let found = try await browser.runAsyncScript(
    """
    const result = await axe.run(document, {resultTypes: ['violations']});
    return result.violations.flatMap(rule => rule.nodes.map(
      node => rule.id + ': ' + node.html.slice(0, 200) + ' ' + (node.failureSummary || '')));
    """)
  return found.text.map { [$0] } ?? found.list.compactMap(\.text)
}

/// Takes a picture of a screen. Expects no finding, and nothing wider than the window.
func expectReadable(_ browser: Browser, _ name: String, picture: String) async throws {
  try await browser.takeScreenshot(picture)
  let found = try await findings(browser)
  #expect(found.isEmpty, "\(name): \(found.joined(separator: "\n"))")
  let isWhole = try await browser.runScript(
    "return document.documentElement.scrollWidth <= window.innerWidth")
  #expect(isWhole.isTrue, "\(name) is wider than the window")
}

/// Each screen, checked by axe-core and recorded in screenshots.
@Suite(.serialized) struct AccessibilityTests {
  @Test func `axe-core finds violations on a bad page`() async throws {
    let home = try Sandbox()
    try await Browser.run(home) { browser in
      try await browser.open("data:text/html,<p style='color:%23ddd'>pale</p><input><img src=x>")
      let found = try await findings(browser).joined()
      for rule in ["color-contrast", "label", "image-alt", "html-has-lang"] {
        #expect(found.contains(rule), "\(found)")
      }
    }
  }

  /// Opens the sheet of a chip, on an entry with all that one can carry.
  private func openChip(_ name: String, _ world: PageSession) async throws {
    let text = """
      ---
      date: 2026-08-01T21:04:33+09:00
      weather: Rain, 7°C
      tags: [family, 산책, a-very-long-tag-that-nobody-would-write/and-more]
      place: Yangpyeong
      starred: true
      ---

      # Chips

      With a #word, and more.

      """
    try world.home.write(text, to: "j/2026-08-01-chips.md")
    try await world.browser.open(world.origin + "/e/2026-08-01-chips.md")
    _ = await world.browser.shows("document.readyState == 'complete'")
    try await world.browser.takeScreenshot("chips-\(name)")
    try await world.browser.click("[data-chip=\(name)]")
    _ = await world.browser.shows("document.querySelector('#set-\(name)').open")
  }

  /// The screens, each with the action that opens it.
  private func screens(_ world: PageSession) -> [(String, @Sendable () async throws -> Void)] {
    let browser = world.browser
    let file = world.file(containing: "Leeks") ?? ""
    return [
      ("list", { try await world.openList() }),
      (
        "found",
        {
          try await world.openList()
          try await browser.type("산책", into: "#search")
          _ = await browser.shows("document.querySelectorAll('.row').length == 1")
        }
      ),
      (
        "filtered",
        {
          try await browser.open("\(world.origin)/?tag=family&from=2020-01-01")
          _ = await browser.shows("document.querySelectorAll('.chip').length == 2")
        }
      ),
      (
        "calendar",
        {
          try await world.openList()
          try await browser.click("#dates")
          _ = await browser.shows("document.querySelector('#calendar [data-shade]')")
        }
      ),
      ("write", { try await world.openEntry("A walk") }),
      ("new", { try await browser.open("\(world.origin)/new") }),
      (
        "files",
        {
          try await world.openEntry("A walk")
          try await browser.runScript(
            """
            XMLHttpRequest.prototype.send = () => {};
            addFiles([new File(["a"], "leek.heic", {type: "image/heic"}),
              new File(["a"], "a-long-name-that-does-not-fit-into-one-line.txt", {type: "text/plain"})]);
            """)
          _ = await browser.shows("document.querySelectorAll('#uploads li').length == 2")
        }
      ),
      (
        "sheet",
        {
          try await world.openEntry("A walk")
          try await browser.click("#more")
          _ = await browser.shows("document.querySelector('#sheet').open")
        }
      ),
      ("read", { try await world.readEntry("A walk") }),
      ("date", { try await openChip("date", world) }),
      ("tags", { try await openChip("tags", world) }),
      ("place", { try await openChip("place", world) }),
      ("history", { try await browser.open("\(world.origin)/h/\(file)") }),
      (
        "version",
        {
          try await browser.open("\(world.origin)/h/\(file)")
          try await browser.click(".version a")
          _ = await browser.shows("document.querySelector('.changes')")
        }
      ),
      ("deleted", { try await browser.open("\(world.origin)/deleted") }),
      ("pictures", { try await browser.open("\(world.origin)/pictures") }),
      (
        "keys",
        {
          try await world.openList()
          try await browser.press("?")
          _ = await browser.shows("document.querySelector('#keys').open")
        }
      ),
      ("missing", { try await browser.open("\(world.origin)/e/2020/none.md") }),
    ]
  }

  @Test(arguments: [
    ("en-US", "light", 1), ("ko-KR", "dark", 1), ("ko-KR", "light", 2), ("en-US", "dark", 2),
  ])
  func `every screen is accessible, translated and fits its width`(
    _ language: String, _ theme: String, _ zoom: Int
  ) async throws {
    try await PageSession.visit(languages: [language]) { world in
      let browser = world.browser
      let soup = try #require(world.file(containing: "Leeks"))
      try world.home.write(
        try world.home.read("j/" + soup).replacing("potatoes", with: "carrots and beans"),
        to: "j/" + soup)
      try await world.home.diary("save", in: "j")
      try await world.home.diary("new", "Gone", "-m", "Forgotten.", in: "j")
      try await world.home.diary("delete", "--yes", "1", in: "j")
      // A zoom of 200 % halves the width: 320 of 640 pixels.
      try await browser.setScreen(
        zoom == 1 ? .phone : Browser.Screen(width: 320, height: 480, scale: 2))
      try await browser.setMedia(["prefers-color-scheme": theme])
      for (name, show) in screens(world) {
        try await show()
        #expect(await browser.shows("document.readyState == 'complete'"))
        try await expectReadable(browser, name, picture: "\(name)-\(language)-\(theme)-\(zoom)")
        let shown = try await browser.runScript("return document.body.innerText").text ?? ""
        #expect(!shown.contains("<"), "\(name) shows markup: \(shown)")
        #expect(
          try await browser.runScript("return document.documentElement.lang").text?
            .hasPrefix(language.prefix(2)) == true)
      }
    }
  }

  @Test func `a star is visible and announced in the list and the reading view`() async throws {
    try await PageSession.visit(languages: ["ko-KR"]) { world in
      let browser = world.browser
      let stars = """
        [...document.querySelectorAll('.row')].map(row =>
          row.querySelector('[role=img][aria-label=별표]')?.textContent ?? '').join()
        """
      #expect(await browser.shows("\(stars) == ',,'"))
      try await world.home.diary("star", "Soup", in: "j")
      try await browser.reload()
      #expect(await browser.shows("\(stars) == ',,★'"))
      let listed = try await findings(browser)
      #expect(listed.isEmpty, "\(listed.joined(separator: "\n"))")
      try await browser.takeScreenshot("starred-list")
      let file = try #require(world.file(containing: "Leeks"))
      try await browser.open("\(world.origin)/e/\(file)")
      #expect(
        await browser.shows(
          "document.querySelector('main [role=img][aria-label=별표]')?.textContent == '★'"))
      let read = try await findings(browser)
      #expect(read.isEmpty, "\(read.joined(separator: "\n"))")
      try await browser.takeScreenshot("starred-read")
      try await world.home.diary("unstar", "Soup", in: "j")
      try await world.openList()
      #expect(await browser.shows("\(stars) == ',,'"))
    }
  }

  @Test(arguments: [("landscape", Browser.Screen.landscape), ("desktop", .desktop)])
  func `lines are short enough to read in landscape and on a desktop`(
    _ name: String, _ screen: Browser.Screen
  ) async throws {
    try await PageSession.visit(screen: screen) { world in
      for (shown, show) in screens(world) {
        try await show()
        try await world.browser.takeScreenshot("\(shown)-\(name)")
      }
      try await world.openEntry("A walk")
      let width = try await world.browser.runScript(
        "return document.querySelector('#body').getBoundingClientRect().width")
      #expect((width.number ?? 9_999) <= 720)
    }
  }
}
