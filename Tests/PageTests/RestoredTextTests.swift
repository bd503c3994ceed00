import Foundation
import TestSupport
import Testing
import WebDriver

/// Browsers that return to a page, reload or restore it: the page shows and saves the present text.
@Suite(.serialized) struct RestoredTextTests {
  /// Leaves the draft of another page that is gone, with one word more than the open entry had.
  private func leaveDraft(_ page: String, in world: PageSession) async throws {
    try await world.browser.runScript(
      """
      keepDraft("draft:\(page)", { ...base, body: base.body.trim() + ' Salt.', version, base, href,
        pageID: "\(page)", at: Date.now() - 60000 });
      """)
  }

  @Test(arguments: Browser.Engine.allCases)
  func `the Back button restores no old text`(_ engine: Browser.Engine) async throws {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      var text = "Leeks, potatoes, time."
      func add(_ word: String) async throws {
        try await world.edit()
        try await browser.click("#body")
        try await browser.press(.end, holding: .control)
        try await browser.press(" ")
        try await browser.type(word, into: "#body")
        text += " " + word
        #expect(await world.isSaved(text), "\(world.files)")
        #expect(await world.showsStatus("saved"))
      }
      func openRow() async throws {
        try await browser.runScript(
          """
          [...document.querySelectorAll('.row')].find(row => row.textContent.includes('Soup'))
            .querySelector('a').click();
          """)
        #expect(await browser.shows("document.querySelector('#body')"))
      }
      func goToList() async throws {
        try await browser.click("#back")
        #expect(await browser.shows("document.querySelector('#new')"))
      }
      /// The list is before the entry in the browser's history, so its way back is forward.
      func goForward() async throws { try await browser.runScript("history.forward()") }
      func showsPresentText() async throws {
        #expect(
          await browser.shows("document.querySelector('#body') && !document.querySelector('#new')"))
        #expect(await browser.shows("events?.readyState === EventSource.OPEN"))
        #expect(await browser.shows("document.querySelector('#body').value.trim() === `\(text)`"))
        #expect(try await world.value("#title") == "Soup")
      }
      try await openRow()
      try await add("One.")
      try await goToList()
      try await openRow()
      try await add("Two.")
      try await goToList()
      try await goForward()
      try await showsPresentText()
      try await browser.back()
      #expect(await browser.shows("document.querySelector('#new')"))
      try await goForward()
      try await showsPresentText()
      // The page that is shown again saves as before.
      try await add("Three.")
      try await goToList()
      let file = try #require(world.file(containing: text))
      try world.home.write(
        world.home.read("j/" + file).replacing(text, with: text + " Four."), to: "j/" + file)
      text += " Four."
      try await goForward()
      try await showsPresentText()
      try await add("Five.")
      // A value that no key has typed is replaced when the page is shown.
      try await browser.reload()
      try await showsPresentText()
      try await browser.runScript(
        """
        for (const field of [title, body]) field.value = 'Text of an earlier visit.';
        dispatchEvent(new PageTransitionEvent('pageshow'));
        """)
      try await showsPresentText()
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `a reload keeps unsent words as a draft`(_ engine: Browser.Engine) async throws {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      try await world.openEntry("Soup")
      try await browser.runScript(
        "window.fetch = () => Promise.reject(new TypeError('no network'))")
      try await browser.click("#body")
      try await browser.press(.end, holding: .control)
      try await browser.press(" ", "S", "a", "l", "t", ".")
      #expect(await world.showsStatus("unsaved"))
      // Simulates a crashed page, which does not ask before it goes.
      try await browser.runScript(
        """
        writeDraft(); isOff = true; stopTimers();
        keepDraft(draftKey(), { ...readDraft(draftKey()), at: Date.now() - 60000 });
        """)
      try await browser.reload()
      #expect(await browser.shows("document.querySelector('#notice button')"))
      #expect(
        try await world.value("#body").trimmingCharacters(in: .newlines) == "Leeks, potatoes, time."
      )
      try await browser.click("#notice button")
      #expect(await world.isSaved("Leeks, potatoes, time. Salt."))
      #expect(await browser.shows("document.querySelector('#body').value.includes('Salt.')"))
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `a reload while the text is sent goes on with that text`(
    _ engine: Browser.Engine
  ) async throws {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      try await world.openEntry("Soup")
      let version = try await browser.runScript("return version").text ?? ""
      try await browser.click("#body")
      try await browser.press(.end, holding: .control)
      try await browser.type(" First.", into: "#body")
      // The save of the page that is left comes later, as on a slow machine.
      // Another tab's draft waits, too.
      try await browser.runScript(
        """
        writeDraft(); isOff = true; stopTimers();
        """)
      try await leaveDraft("0", in: world)
      try await browser.reload()
      #expect(await browser.shows("document.querySelector('#body').value.includes('First.')"))
      try await world.edit()
      try await browser.type(" Second.", into: "#body")
      let late = try await browser.runAsyncScript(
        """
        const text = { title: title.value, body: body.value.replace(' Second.', ''), page: 'p', number: 1 };
        const answer = await request("PUT", entryAddress(), text, { "If-Match": `"${args[0]}"` });
        return answer.status;
        """, .text(version))
      #expect(late.number == 200)
      #expect(await world.isSaved("time. First. Second."))
      #expect(await world.showsStatus("saved"))
      let file = try #require(world.file(containing: "Second."))
      #expect(try world.home.read("j/" + file).matches(of: /Leeks/).count == 1)
      #expect(try await browser.runScript("return draftKeys().join()").text == "draft:0")
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `a draft whose words arrive later is offered no more`(
    _ engine: Browser.Engine
  ) async throws {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      try await world.openEntry("Soup")
      // As after a reload while the last save is under way.
      try await leaveDraft("old", in: world)
      try await browser.reload()
      #expect(await browser.shows("document.querySelector('#notice button')"))
      let file = try #require(world.file(containing: "time."))
      let text = try world.home.read("j/" + file)
      try world.home.write(text.replacing("time.", with: "time. Salt."), to: "j/" + file)
      #expect(await browser.shows("document.querySelector('#body').value.includes('Salt.')"))
      #expect(await browser.shows("document.querySelector('#notice').hidden"))
      #expect(try await browser.runScript("return draftKeys().length").number == 0)
      try await world.edit()
      #expect(try await browser.runScript("return state() == 'merged'").isTrue == false)
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `an offered draft stays while the writer goes on, and after`(
    _ engine: Browser.Engine
  ) async throws {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      try await world.openEntry("Soup")
      try await leaveDraft("crashed", in: world)
      for word in ["One.", "Two."] {
        try await browser.reload()
        #expect(await browser.shows("document.querySelector('#notice button')"))
        try await world.edit()
        try await browser.type(" " + word, into: "#body")
        #expect(await world.isSaved(word))
        #expect(await world.showsStatus("saved"))
        #expect(try await browser.runScript("return draftKeys().join()").text == "draft:crashed")
      }
      // It goes along if the entry gets another address.
      let file = try #require(world.file(containing: "One. Two."))
      #expect(try await world.home.diary("rename", file, "Stew", in: "j").status == 0)
      #expect(await browser.shows("location.pathname.endsWith('-stew.md')"))
      try await browser.reload()
      #expect(await browser.shows("document.querySelector('#notice button')"))
      try await browser.click("#notice button")
      #expect(await world.isSaved("Salt."))
      #expect(await browser.shows("document.querySelector('#body').value.includes('Salt.')"))
      #expect(try await browser.runScript("return draftKeys().length").number == 0)
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `the words of a draft whose entry is gone go into a new one`(
    _ engine: Browser.Engine
  ) async throws {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      try await world.openEntry("Soup")
      let file = try #require(world.file(containing: "Leeks"))
      try await leaveDraft("crashed", in: world)
      try await browser.runScript("isOff = true; stopTimers();")
      #expect(try await world.home.diary("delete", file, "--yes", in: "j").status == 0)
      try await world.openList()
      #expect(await browser.shows("document.querySelector('#notice button')"))
      try await browser.click("#notice button")
      #expect(await browser.shows("location.pathname == '/new'"))
      #expect(await browser.shows("document.querySelector('#notice button')"))
      try await browser.click("#notice button")
      #expect(await world.isSaved("Salt."))
      #expect(await world.showsStatus("saved"))
      #expect(try await browser.runScript("return draftKeys().length").number == 0)
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `what was taken out elsewhere can be typed again`(_ engine: Browser.Engine) async throws {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      try await world.openEntry("Soup")
      let file = try #require(world.file(containing: "Leeks"))
      let text = try world.home.read("j/" + file)
      for _ in 1...2 {
        try await world.edit()
        try await browser.type(" Salt.", into: "#body")
        #expect(await world.isSaved("Salt."))
        #expect(await world.showsStatus("saved"))
        try world.home.write(text, to: "j/" + file)
        #expect(await browser.shows("!document.querySelector('#body').value.includes('Salt.')"))
      }
      try await browser.type(" Salt.", into: "#body")
      #expect(await world.isSaved("Salt."))
      #expect(await world.showsStatus("saved"))
      #expect(await browser.shows("document.querySelector('#body').value.includes('Salt.')"))
    }
  }

  @Test func `a browser that forbids storage shows changes and deletes`() async throws {
    try await PageSession.visit { world in
      let browser = world.browser
      try await browser.command(
        "Page.addScriptToEvaluateOnNewDocument",
        [
          "source": """
          for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(
            window, name, { get() { throw new DOMException('forbidden', 'SecurityError'); } });
          """
        ])
      try await world.openEntry("Soup")
      try await browser.click("#more")
      #expect(await browser.shows("document.querySelector('#sheet').open"))
      try await browser.click("#sheet .delete")
      #expect(await browser.shows("document.querySelector('#alert').open"))
      try await browser.click("#alert .delete")
      #expect(await browser.shows("document.querySelector('#new')"))
      #expect(world.file(containing: "Leeks") == nil)
      try await world.home.diary("new", "Bread", "-m", "Rye.", in: "j")
      #expect(
        await browser.shows(
          "[...document.querySelectorAll('.row')].some(row => row.textContent.includes('Bread'))"))
    }
  }

  @Test func `the page of a file whose name is not UTF-8 shows changes from elsewhere`()
    async throws
  {
    try await PageSession.visit { world in
      let browser = world.browser
      func write(_ text: String) async throws {
        _ = try await world.home.run(
          "bash", ["-c", #"printf '%s' "$1" > $'j/a\xff+b.md'"#, "bash", text])
      }
      try await write("# A\n\nOne.\n")
      try await browser.open(world.origin + "/e/a%FF%2Bb.md")
      #expect(await browser.shows("events?.readyState === EventSource.OPEN"))
      #expect(try await world.value("#body").contains("One."))
      try await write("# A\n\nOne. Two.\n")
      #expect(await browser.shows("document.querySelector('#body').value.includes('Two.')"))
    }
  }
}
