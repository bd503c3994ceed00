import Foundation
import TestSupport
import Testing
import WebDriver

/// The page of a journal that can be locked: the browser keeps nothing, and the page goes on after
/// `unlock`.
@Suite(.serialized) struct LockedPageTests {
  /// Runs `body` with the unlocked journal `j`, or with a plain one, which has one entry, and its page.
  private func visit(
    isPlain: Bool = false, _ body: @Sendable (PageSession) async throws -> Void
  ) async throws {
    guard FileManager.default.isWritableFile(atPath: "/dev/fuse") else {
      try Test.cancel("gocryptfs: NOT RUN (no /dev/fuse)")
    }
    let home = try Sandbox()
    home.set("DIARY_UNLOCK__PASSWORD_COMMAND", "echo the word")
    guard try await home.withEncryptedFolder(at: "trial", {}) else {
      try Test.cancel("gocryptfs: NOT RUN (no FUSE may be mounted here)")
    }
    let made = try await home.diary("init", "j", isPlain ? "--yes" : "--encrypted")
    guard made.status == 0 else { throw ProgramFailed(message: made.errors) }
    let result: Result<Void, any Error>
    do {
      try await home.diary("new", "Rain", "-m", "All day.", "--journal", "j")
      try await PageSession.serve(home) { server, link in
        try await Browser.run(home, .chromium, languages: ["en-US"]) { browser in
          let origin = String(link.prefix { $0 != "#" }.dropLast("/open".count))
          let world = PageSession(home: home, browser: browser, server: server, origin: origin)
          try await browser.setScreen(.phone)
          try await world.signIn(link)
          try await body(world)
        }
      }
      result = .success(())
    } catch { result = .failure(error) }
    try await home.run("umount", ["-l", home.homePath + "/j"])
    try result.get()
  }

  /// Whether the browser would ask before it leaves the page.
  private static let asks = "!dispatchEvent(new Event('beforeunload', { cancelable: true }))"

  @Test func `unsaved text is sent before the journal is locked, and after it is unlocked`()
    async throws
  {
    try await visit { world in
      let (home, browser) = (world.home, world.browser)
      try await world.openEntry("Rain")
      // No timer saves the text, so what arrives was sent for the lock.
      try await browser.runScript("window.set = later; later = () => {};")
      try await browser.type(" Snow.", into: "#body")
      #expect(await browser.shows(Self.asks))
      let file = try #require(world.files.first { $0.hasSuffix("rain.md") })
      #expect(try !home.read("j/" + file).contains("Snow."))
      let locked = try await home.diary("lock", "--journal", "j")
      #expect(locked.status == 0, "\(locked)")
      #expect(
        await browser.shows("document.querySelector('#toast').textContent.includes('is locked')"))
      #expect(await browser.shows("!(\(Self.asks))"))

      try await browser.runScript("later = set;")
      try await browser.type(" Sleet.", into: "#body")
      #expect(await world.showsStatus("unsaved"))
      #expect(
        await browser.shows(
          "document.querySelector('#status').textContent.startsWith('Not saved: the journal is locked')"
        ))
      #expect(await browser.shows(Self.asks))
      try await browser.click("#back")
      #expect(
        await browser.shows(
          "document.querySelector('#alert[open] p')?.textContent.includes('lost')")
      )
      try await browser.click("#alert .cancel")
      #expect(await browser.shows("localStorage.length === 0"))

      let unlocked = try await home.diary("unlock", "--journal", "j")
      #expect(unlocked.status == 0, "\(unlocked)")
      #expect(await world.showsStatus("saved"))
      #expect(await browser.shows("document.querySelector('#toast').textContent === ''"))
      let text = try home.read("j/" + file)
      #expect(text.contains("Snow.") && text.contains("Sleet."), "\(text)")
      #expect(try await home.diary("lock", "--journal", "j").status == 0)
    }
  }

  @Test func `the browser keeps no text and no words of a search`() async throws {
    try await visit { world in
      let browser = world.browser
      try await browser.type("rain", into: "#search")
      #expect(await browser.shows("document.querySelector('#none').textContent.includes('1')"))
      #expect(await browser.shows("history.state && history.state.words === ''"))
      #expect(await browser.shows("!location.href.includes('rain')"))
      try await browser.click("#new")
      try await browser.type("Unsaved", into: "#body")
      try await browser.runScript("writeDraft()")
      #expect(await browser.shows("localStorage.length === 0 && draftKeys().length === 0"))
      #expect(await world.showsStatus("saved"))
      // The list, which has been open meanwhile, says that the journal is locked, and goes on.
      try await world.openList()
      #expect(try await world.home.diary("lock", "--journal", "j").status == 0)
      let isLocked = "document.querySelector('#toast').textContent.includes('is locked')"
      #expect(await browser.shows(isLocked))
      #expect(try await world.home.diary("unlock", "--journal", "j").status == 0)
      #expect(await browser.shows("!(\(isLocked))"))
      try await world.home.diary("new", "Hail", "-m", "Loud.", "--journal", "j")
      #expect(await browser.shows("document.querySelector('.row').textContent.includes('Hail')"))
      #expect(try await world.home.diary("lock", "--journal", "j").status == 0)
    }
  }

  @Test func `two panes keep no words of a search, save before a lock, and go on after it`()
    async throws
  {
    try await visit { world in
      let (home, browser) = (world.home, world.browser)
      try await home.diary("new", "Hail", "-m", "Loud.", "--journal", "j")
      try await browser.setScreen(.desktop)
      try await world.openList()
      func search(_ words: String) async throws {
        try await browser.type(words, into: "#search")
        #expect(
          await browser.shows("document.querySelector('#none').textContent == 'Entries found: 1'"))
      }
      /// Whether an entry is shown beside the list, and the tab keeps no words.
      func shows(_ title: String) async -> Bool {
        await browser.shows(
          """
          document.querySelector('#list [aria-current]')?.textContent.includes('\(title)')
            && document.querySelectorAll('#list .row').length == 2
            && !/all|loud/i.test(JSON.stringify(sessionStorage) + JSON.stringify(history.state))
          """)
      }
      // From the list's own screen, and from the list beside an entry.
      try await search("all day")
      try await browser.click(".row a")
      #expect(await shows("Rain"))
      try await search("loud")
      try await browser.click(".row a")
      #expect(await shows("Hail"))

      try await world.edit()
      try await browser.runScript("window.set = later; later = () => {};")
      try await search("loud")
      try await browser.type(" Snow.", into: "#body")
      let file = try #require(world.files.first { $0.hasSuffix("hail.md") })
      #expect(try !home.read("j/" + file).contains("Snow."))
      #expect(try await home.diary("lock", "--journal", "j").status == 0)
      let isLocked = "document.querySelector('#toast').textContent.includes('is locked')"
      #expect(await browser.shows(isLocked))
      // Nothing answers now; the list stays as it is.
      try await browser.click("#search")
      try await browser.press(.escape)
      try await browser.runScript("later = set;")
      #expect(await browser.shows("document.querySelectorAll('#list .row').length == 1"))
      #expect(try await home.diary("unlock", "--journal", "j").status == 0)
      #expect(await browser.shows("!(\(isLocked))"))
      #expect(try home.read("j/" + file).contains("Snow."))
      try await home.diary("new", "Sleet", "-m", "Soft.", "--journal", "j")
      #expect(await browser.shows("document.querySelector('#list').textContent.includes('Sleet')"))
      #expect(try await home.diary("lock", "--journal", "j").status == 0)
    }
  }

  @Test func `the page of a plain journal keeps nothing any more as soon as it is encrypted`()
    async throws
  {
    try await visit(isPlain: true) { world in
      let (home, browser) = (world.home, world.browser)
      try await browser.type("all day", into: "#search")
      #expect(
        await browser.shows("document.querySelector('#none').textContent == 'Entries found: 1'"))
      try await browser.click(".row a")
      try await world.edit()
      #expect(await browser.shows("keepsText && sessionStorage.place.includes('all')"))
      try await browser.runScript("window.set = later; later = () => {};")
      try await browser.type(" Snow.", into: "#body")
      let encrypted = try await home.diary("encrypt", "--journal", "j")
      #expect(encrypted.status == 0, "\(encrypted)")
      let file = try #require(world.files.first { $0.hasSuffix("rain.md") })
      #expect(try home.read("j/" + file).contains("Snow."))
      let isEmpty = "localStorage.length + sessionStorage.length === 0"
      #expect(await browser.shows("!keepsText && \(isEmpty)"))
      try await world.edit()
      try await browser.type(" Sleet.", into: "#body")
      #expect(await world.showsStatus("saved"))
      #expect(try home.read("j/" + file).contains("Snow. Sleet."))
      #expect(try await home.diary("lock", "--journal", "j").status == 0)
    }
  }
}
