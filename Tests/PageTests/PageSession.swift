import Foundation
import TestSupport
import WebDriver

/// A journal with its page open and signed in in a browser, served by `diary web`.
struct PageSession: Sendable {
  let home: Sandbox
  let browser: Browser
  let server: BackgroundProcess
  /// The page's origin, such as `http://127.0.0.1:4934`.
  let origin: String

  /// The initial entries, newest first.
  static let entries = [
    ("A walk by the river", "The rain stopped at noon. #family", "2026-11-20 21:04"),
    ("한강 산책", "바람이 차가웠다. 산책했다.", "2026-11-19 08:00"),
    ("Soup", "Leeks, potatoes, time.", "2026-10-02 19:30"),
  ]

  /// Creates the journal, serves it and opens the list in a browser.
  static func visit<Value: Sendable>(
    _ engine: Browser.Engine = .chromium, languages: [String] = ["en-US"],
    screen: Browser.Screen = .phone, options: [String] = [],
    _ body: @Sendable (PageSession) async throws -> Value
  ) async throws -> Value {
    let home = try Sandbox()
    try await home.diary("init", "j")
    for (title, text, date) in entries {
      try await home.diary("new", title, "-m", text, "--date", date, in: "j")
    }
    return try await serve(home, options) { server, link in
      try await Browser.run(home, engine, languages: languages) { browser in
        let origin = String(link.prefix { $0 != "#" }.dropLast("/open".count))
        let world = PageSession(home: home, browser: browser, server: server, origin: origin)
        try await browser.setScreen(screen)
        try await world.signIn(link)
        return try await body(world)
      }
    }
  }

  /// Runs `diary web` during `body`, which gets its link.
  static func serve<Value: Sendable>(
    _ home: Sandbox, _ options: [String] = [],
    _ body: @Sendable (BackgroundProcess, String) async throws -> Value
  ) async throws -> Value {
    try await BackgroundProcess.run(
      home, Sandbox.programs + "/diary", ["web", "--no-open"] + options, in: "j"
    ) { server in
      guard await server.prints("/open#"),
        let link = server.output.split(separator: "\n").first(where: { $0.contains("/open#") })
      else { throw ProgramFailed(message: "diary web printed no link:\n\(server.output)") }
      return try await body(server, String(link))
    }
  }

  /// Opens a link and waits for the list.
  func signIn(_ link: String) async throws {
    try await browser.open(link)
    guard await browser.shows(Self.listIsReady) else {
      throw ProgramFailed(message: "the list does not come: \(try await browser.address)")
    }
  }

  /// The list is shown, and its scripts have run.
  private static let listIsReady =
    "document.querySelector('#new') && document.readyState === 'complete'"

  /// Opens the list.
  func openList() async throws {
    try await browser.open(origin + "/")
    _ = await browser.shows(Self.listIsReady)
  }

  /// Opens the entry whose row contains the text, and shows its fields.
  func openEntry(_ words: String) async throws {
    try await readEntry(words)
    try await edit()
  }

  /// Shows the fields of the entry that is open for reading. Does nothing if they are shown.
  func edit() async throws {
    _ = await browser.shows("document.readyState == 'complete' && typeof isReading == 'function'")
    guard await browser.shows("isReading()", within: 0) else { return }
    try await browser.press("e")
    guard await browser.shows("!isReading()") else {
      throw ProgramFailed(message: "the entry shows no fields")
    }
  }

  /// Opens the entry whose row contains the text for reading.
  func readEntry(_ words: String) async throws {
    try await openList()
    try await browser.runScript(
      """
      const row = [...document.querySelectorAll('.row')].find(row => row.textContent.includes(arguments[0]));
      (row.querySelector('a') || row).click();
      """, .text(words))
    guard await browser.shows("document.querySelector('#body')") else {
      throw ProgramFailed(message: "no entry with \(words) opens")
    }
  }

  /// Waits until the status line shows the state. Returns whether it did.
  func showsStatus(_ state: String, within seconds: Double = 20) async -> Bool {
    await browser.shows(
      "document.querySelector('#status')?.dataset.state == '\(state)'", within: seconds)
  }

  /// The value of the title or body field.
  func value(_ selector: String) async throws -> String {
    try await browser.runScript(
      "return document.querySelector(arguments[0]).value", .text(selector)
    ).text ?? ""
  }

  /// The entries' files, relative to the journal.
  var files: [String] { home.files(in: "j").filter { $0.hasSuffix(".md") && $0 != "INDEX.md" } }

  /// The only file that contains the text, or `nil` if none or several do.
  func file(containing words: String) -> String? {
    let holding = files.filter { (try? home.read("j/" + $0))?.contains(words) == true }
    return holding.count == 1 ? holding[0] : nil
  }

  /// Waits until exactly one file contains the text. Returns whether one does.
  func isSaved(_ words: String) async -> Bool {
    await Sandbox.holds(within: 20) { file(containing: words) != nil }
  }
}
