import Foundation
import TestSupport
import Testing
import WebDriver

/// The screenshot in the documentation; `.ci/take-picture` retakes it.
@Suite(.serialized) struct PictureTests {
  /// Hills at evening, in place of a photo.
  private static let ridge = """
    <svg xmlns="http://www.w3.org/2000/svg" width="300" height="300">
    <rect width="300" height="300" fill="#f6c590"/><circle cx="205" cy="95" r="32" fill="#fbe9c4"/>
    <path d="M0 190 L70 110 L130 175 L195 120 L300 205 V300 H0 Z" fill="#8f7fa3"/>
    <path d="M0 235 L90 165 L170 230 L240 185 L300 225 V300 H0 Z" fill="#5d5a83"/>
    <path d="M0 275 Q90 225 170 265 T300 250 V300 H0 Z" fill="#3a4562"/></svg>
    """

  @Test func `the screenshot of the list on a phone is small enough`() async throws {
    let home = try Sandbox()
    try await home.diary("init", "j")
    for (date, weather, title, text) in [
      (
        "2026-11-21T21:40", "Snow, -1°C", "First snow",
        "It began at four and nobody went home early."
      ),
      (
        "2026-11-20T21:04", "Rain, 7°C", "A walk by the river", "The rain stopped at noon. We went."
      ),
      ("2026-11-19T08:00", "Clear, 3°C", "한강 산책", "바람이 차가웠다. 오래 걸었다."),
      ("2026-11-14T19:15", "Clouds, 9°C", "Letters", "Found the box from the old flat."),
      ("2026-10-30T22:10", "Fog, 8°C", "The last market", "Quinces, two loaves, the first leeks."),
      ("2026-10-11T17:30", "Clear, 16°C", "Up to the ridge", "Four hours, one sandwich, no wind."),
      ("2026-10-02T19:30", "Rain, 12°C", "Soup", "Leeks, potatoes, time."),
    ] {
      let tags = ["Soup": "tags: [kitchen]\n", "Letters": "starred: true\ntags: [family]\n"]
      let picture = title == "Up to the ridge" ? "\n![](ridge.svg)\n" : ""
      try home.write(
        "---\ndate: \(date):00+09:00\nweather: \(weather)\n\(tags[title] ?? "")---\n"
          + "# \(title)\n\n\(text)\n\(picture)", to: "j/2026/\(date.prefix(10)).md")
    }
    try home.write(Self.ridge, to: "j/2026/ridge.svg")
    try await home.diary("save", in: "j")
    try await PageSession.serve(home) { server, link in
      try await Browser.run(home) { browser in
        let origin = String(link.prefix { $0 != "#" }.dropLast("/open".count))
        let world = PageSession(home: home, browser: browser, server: server, origin: origin)
        try await browser.setScreen(
          Browser.Screen(width: 390, height: 700, scale: 2, isTouched: true))
        try await world.signIn(link)
        try await browser.click("#ask-weather .no")
        #expect(await browser.shows("document.querySelectorAll('.row .icon').length == 7"))
        #expect(await browser.shows("document.querySelector('.thumbnail')?.naturalWidth == 112"))
        try await browser.takeScreenshot("readme")
        let text = try await browser.command(
          "Page.captureScreenshot", ["format": "webp", "quality": 75])["data"].text
        let picture = try #require(text.flatMap { Data(base64Encoded: $0) })
        #expect(picture.count < 60_000, "\(picture.count) bytes")
        guard ProcessInfo.processInfo.environment["DIARY_RECORD"] == "picture" else { return }
        try picture.write(to: Project.root.appendingPathComponent("docs/page.webp"))
      }
    }
  }
}
