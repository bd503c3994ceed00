import Foundation
import TestSupport
import Testing
import WebDriver

/// An exported site, opened from disk in a real browser.
@Suite(.serialized) struct SiteTests {
  private let home: Sandbox

  init() async throws {
    home = try Sandbox()
    home.set("LC_ALL", "en_US.UTF-8")
    try await home.diary("init", "j")
    try home.write(
      "---\ntitle: 산책과 눈\ndate: 2026-11-21T21:04:00+09:00\nweather: Snow, -2°C\ntags: [가족]\n---\n\n"
        + "![눈](snow.png)\n\n| km | 날씨 |\n|---:|:---|\n| 5.2 | 맑음, and a long line that goes on |\n\n"
        + "오늘은 한강을 따라 걸었다. See [the café](../../2025/01/cafe.md).\n",
      to: "j/2026/11/walk.md")
    try home.write(
      "---\ntitle: At the Café\ndate: 2025-01-02\n---\n\nWe wrote **letters**.\n\n- [x] done\n",
      to: "j/2025/01/cafe.md")
    try home.write("Words without a day.\n", to: "j/loose.md")
    let picture =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    try Data(base64Encoded: picture)?.write(
      to: URL(fileURLWithPath: home.homePath + "/j/2026/11/snow.png"))
    let made = try await home.diary("export", "--format", "site", "../site", in: "j")
    #expect(made.status == 0, "\(made)")
  }

  private func address(_ page: String) -> String { "file://\(home.homePath)/site/\(page)" }

  @Test func `the search finds words in every script without network requests`()
    async throws
  {
    try await Browser.run(home) { browser in
      try await browser.open(address("index.html"))
      for (words, title) in [
        ("한강", "산책과 눈"), ("CAFE letters", "At the Café"), ("a day", "Words without a day."),
      ] {
        try await browser.runScript("document.querySelector('input').value = ''")
        try await browser.type(words, into: "#search input")
        #expect(
          await browser.shows(
            "[...document.querySelectorAll('main:not([hidden]) .row-title')]"
              + ".map(row => row.textContent).join() == '\(title)'"), "\(words)")
      }
      try await browser.runScript("document.querySelector('input').value = ''")
      try await browser.type("nowhere", into: "#search input")
      #expect(
        await browser.shows(
          "document.querySelector('#search p').textContent == 'No entry matches.'"))
      #expect(try await browser.consoleProblems().isEmpty)
      let asked = try await browser.requestedAddresses()
      #expect(asked.contains { $0.hasSuffix("/site/search/2026.js") })
      #expect(!asked.contains { $0.hasPrefix("http") || $0.hasPrefix("ws") }, "\(asked)")
    }
  }

  @Test func `all pages can be read without scripts, and links work`() async throws {
    try await Browser.run(home) { browser in
      try await browser.command("Emulation.setScriptExecutionDisabled", ["value": true])
      try await browser.open(address("index.html"))
      try await browser.click(".rows a")
      #expect(await browser.shows("location.hash == '#walk'"))
      #expect(await browser.shows("document.querySelector('img').naturalWidth == 1"))
      #expect(await browser.shows("document.querySelector('#search').hidden"))
      try await browser.click("article a[href*='cafe']")
      #expect(await browser.shows("document.querySelector('h1').textContent == 'January 2025'"))
    }
  }

  @Test(arguments: ["light", "dark"], [Browser.Screen.phone, .desktop])
  func `every page is accessible and fits the screen`(
    _ theme: String, _ screen: Browser.Screen
  ) async throws {
    try await Browser.run(home) { browser in
      try await browser.setScreen(screen)
      try await browser.setMedia(["prefers-color-scheme": theme])
      for page in [
        "index.html", "2026/index.html", "2026/11.html", "2025/01.html", "undated.html",
        "tags/index.html", "tags/가족.html", "days/index.html", "days/11.html",
      ] {
        try await browser.open(address(page))
        #expect(await browser.shows("document.readyState == 'complete'"))
        let name = page.replacing("/", with: "-")
        try await expectReadable(
          browser, page, picture: "site-\(name)-\(theme)-\(screen.width)")
      }
    }
  }
}
