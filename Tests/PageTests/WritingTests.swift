import Foundation
import TestSupport
import Testing
import WebDriver

/// Editing on the page: typed text is saved in every situation.
@Suite(.serialized) struct WritingTests {
  @Test(arguments: Browser.Engine.allCases)
  func `writing, finding, editing beside an editor, deleting and undo work`(
    _ engine: Browser.Engine
  ) async throws {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      try await browser.click("#new")
      #expect(await browser.shows("document.querySelector('#title')"))
      try await browser.type("첫눈", into: "#title")
      try await browser.type("눈이 왔다. 조용했다.", into: "#body")
      #expect(await world.showsStatus("saved"))
      #expect(await world.isSaved("눈이 왔다. 조용했다."))
      try await browser.click("#back")
      #expect(
        await browser.shows(
          "document.querySelector('.row')?.textContent.includes('첫눈')"))

      try await browser.type("조용", into: "#search")
      #expect(
        await browser.shows(
          "document.querySelectorAll('.row').length == 1 "
            + "&& document.querySelector('.row').textContent.includes('첫눈')"))
      try await world.openEntry("첫눈")
      #expect(try await world.value("#title") == "첫눈")
      // An editor and the page both add text.
      let file = try #require(world.file(containing: "조용했다."))
      let text = try world.home.read("j/" + file)
      try world.home.write(text + "\nFrom the editor.\n", to: "j/" + file)
      try await browser.runScript(
        """
        const body = document.querySelector('#body');
        body.focus();
        body.setSelectionRange(0, 0);
        """)
      try await browser.press("A", "h", ".", " ")
      #expect(
        try await Sandbox.holds(within: 20) {
          let text = try world.home.read("j/" + file)
          return text.contains("From the editor.") && text.contains("Ah. 눈이 왔다.")
        })
      #expect(
        await browser.shows("document.querySelector('#body').value.includes('From the editor.')"))

      try await browser.click("#more")
      #expect(await browser.shows("document.querySelector('#sheet').open"))
      try await browser.click("#sheet .delete")
      #expect(await browser.shows("document.querySelector('#alert').open"))
      try await browser.click("#alert .delete")
      #expect(await browser.shows("document.querySelector('#undo')"))
      #expect(await Sandbox.holds(within: 20) { world.file(containing: "From the editor.") == nil })
      try await browser.click("#undo")
      #expect(await world.isSaved("From the editor."))
      #expect(
        await browser.shows(
          "[...document.querySelectorAll('.row')].some(row => row.textContent.includes('첫눈'))"))
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `an entry is created with the first letter, and a title alone is enough`(
    _ engine: Browser.Engine
  ) async throws {
    try await PageSession.visit(engine) { world in
      let before = world.files
      try await world.browser.click("#new")
      #expect(await world.browser.shows("document.querySelector('#body')"))
      try await world.browser.type("  \n ", into: "#body")
      try await world.browser.press(.escape)
      // Longer than the typing pause after which the page would save.
      try await Task.sleep(for: .seconds(2))
      #expect(world.files == before)
      try await world.openList()
      #expect(world.files == before)
      try await world.browser.click("#new")
      #expect(await world.browser.shows("document.querySelector('#title')"))
      try await world.browser.type("Only a title", into: "#title")
      try await world.browser.click("#back")
      #expect(await world.isSaved("Only a title"))
      // Leaving the page renames the new file after its title, shortly after its text is saved.
      #expect(
        await Sandbox.holds(within: 20) {
          world.files.count == before.count + 1
            && world.file(containing: "Only a title")?.hasSuffix("only-a-title.md") == true
        })
    }
  }

  @Test func `an input method is not interrupted, and its text is saved`() async throws {
    try await PageSession.visit(languages: ["ko-KR", "ko"]) { world in
      let browser = world.browser
      try await world.openEntry("Soup")
      try await browser.click("#body")
      try await browser.press(.end, holding: .control)
      try await browser.compose("ㅎ", "하", "한", commits: false)
      // Longer than the typing pause after which the page would save.
      try await Task.sleep(for: .seconds(2))
      #expect(try await world.value("#body").hasSuffix("한"))
      let file = try #require(world.file(containing: "Leeks"))
      #expect(try !world.home.read("j/" + file).contains("한"))
      try await browser.command("Input.insertText", ["text": "한"])
      try await browser.compose("ㄱ", "가", "강")
      #expect(try await Sandbox.holds { try world.home.read("j/" + file).contains("time.한강") })
      #expect(await world.showsStatus("saved"))
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `typing stays where it is if the text changes before and after it`(
    _ engine: Browser.Engine
  ) async throws {
    try await PageSession.visit(engine) { world in
      let (home, browser) = (world.home, world.browser)
      let file = "j/" + (try #require(world.file(containing: "Leeks")))
      let text = try home.read(file)
      try home.write(text.replacing("Leeks", with: "First.\n\nLeeks") + "\nLast.\n", to: file)
      try await world.openEntry("Soup")
      #expect(await browser.shows("body.value.endsWith('Last.')"))
      try await browser.runScript(
        """
        const place = body.value.indexOf('potatoes') + 8;
        body.focus();
        body.setSelectionRange(place, place);
        """)
      try await browser.press("x")
      #expect(await world.isSaved("potatoesx, time"))
      #expect(await world.showsStatus("saved"))
      let saved = try home.read(file)
      try home.write(
        saved.replacing("First.", with: "First of all.").replacing("Last.", with: "Last of all."),
        to: file)
      #expect(await browser.shows("/First of all[^]*Last of all/.test(body.value)"))
      try await browser.press("y")
      #expect(await world.isSaved("First of all.\n\nLeeks, potatoesxy, time.\n\nLast of all.\n"))
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `two tabs that edit one entry keep both texts`(_ engine: Browser.Engine)
    async throws
  {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      try await world.openEntry("Soup")
      let entry = try await browser.address
      let first = try await browser.currentTab
      try await browser.openTab()
      try await browser.open(entry)
      try await world.edit()
      try await browser.click("#body")
      try await browser.press(.end, holding: .control)
      try await browser.press("\u{E007}", "\u{E007}", "S", "e", "c", "o", "n", "d", ".")
      #expect(await world.isSaved("Second."))
      try await browser.switchTab(to: first)
      try await browser.runScript(
        "const body = document.querySelector('#body'); body.focus(); body.setSelectionRange(0, 0);")
      try await browser.press("F", "i", "r", "s", "t", ".", " ")
      #expect(
        try await Sandbox.holds(within: 20) {
          guard let file = world.file(containing: "Second.") else { return false }
          return try world.home.read("j/" + file).contains("First. Leeks, potatoes, time.")
        })
      #expect(await browser.shows("document.querySelector('#body').value.includes('Second.')"))
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `text typed after a server crash is offered and merged`(_ engine: Browser.Engine)
    async throws
  {
    let home = try Sandbox()
    try await home.diary("init", "j")
    try await home.diary("new", "Soup", "-m", "Leeks.", "--date", "2026-10-02 19:30", in: "j")
    try await PageSession.serve(home) { server, link in
      try await Browser.run(home, engine) { browser in
        let origin = String(link.prefix { $0 != "#" }.dropLast("/open".count))
        let world = PageSession(home: home, browser: browser, server: server, origin: origin)
        try await browser.setScreen(.phone)
        try await world.signIn(link)
        try await world.openEntry("Soup")
        server.signal(SIGKILL)
        #expect(await Sandbox.holds { server.hasExited })
        try await browser.click("#body")
        try await browser.press(.end, holding: .control)
        try await browser.press(" ", "A", "n", "d", " ", "s", "a", "l", "t", ".")
        #expect(await world.showsStatus("unsaved"))
        let entry = try await browser.address
        // Simulates a crashed page, which reports nothing and does not retry.
        try await browser.runScript("onbeforeunload = null; isOff = true; stopTimers();")
        try await browser.openTab()
        try await PageSession.serve(home) { _, link in
          #expect(link.hasPrefix(origin), "the page's drafts belong to its origin")
          try await world.signIn(link)
          try await browser.open(entry)
          #expect(await browser.shows("!document.querySelector('#notice').hidden"))
          try await browser.click("#notice button")
          #expect(await world.isSaved("Leeks. And salt."))
        }
      }
    }
  }

  @Test func `a tab that is offline or frozen loses no word`() async throws {
    try await PageSession.visit { world in
      let browser = world.browser
      try await world.openEntry("Soup")
      try await browser.setOffline(true)
      try await browser.click("#body")
      try await browser.press(.end, holding: .control)
      try await browser.press(" ", "O", "n", "e", ".")
      #expect(await world.showsStatus("unsaved"))
      try await browser.setOffline(false)
      #expect(await world.isSaved("time. One."))
      #expect(await world.showsStatus("saved"))
      try await browser.press(" ", "T", "w", "o", ".")
      try await browser.setFrozen(true)
      #expect(await world.isSaved("One. Two."))
      try await browser.setFrozen(false)
      #expect(await world.showsStatus("saved"))
    }
  }

  @Test func `a page that was signed out saves after a sign-in beside it`() async throws {
    try await PageSession.visit { world in
      let browser = world.browser
      try await world.openEntry("Soup")
      try await world.home.diary("web", "--forget", in: "j")
      try await browser.click("#body")
      try await browser.press(.end, holding: .control)
      try await browser.press(" ", "O", "n", "e", ".")
      #expect(await world.showsStatus("signed-out"))
      let window = try await browser.currentTab
      let link = try await world.home.diary("web", "--no-open", in: "j").output
      try await browser.openTab(inWindow: true)
      try await world.signIn(link.trimmingCharacters(in: .whitespacesAndNewlines))
      try await browser.switchTab(to: window)
      // A headless window gets no focus by itself.
      try await browser.runScript("window.dispatchEvent(new Event('focus'))")
      #expect(await world.isSaved("time. One."))
      #expect(await world.showsStatus("saved"))
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `a server that ends with its last page counts a hidden page`(_ engine: Browser.Engine)
    async throws
  {
    try await PageSession.visit(engine, options: ["--until-closed"]) { world in
      let browser = world.browser
      try await world.openEntry("Soup")
      let tab = try await browser.currentTab
      try await browser.openTab()
      // Longer than the server's timeout after the last page is closed.
      try await Task.sleep(for: .seconds(13))
      #expect(!world.server.hasExited)
      try await browser.switchTab(to: tab)
      try await browser.closeTab()
      #expect(await Sandbox.holds { world.server.hasExited })
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `a deleted entry is not recreated`(_ engine: Browser.Engine) async throws {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      try await world.openEntry("Soup")
      try await browser.click("#body")
      try await browser.press(.end, holding: .control)
      try await browser.press("x")
      try await browser.click("#more")
      try await browser.click("#sheet .delete")
      #expect(await browser.shows("document.querySelector('#alert').open"))
      try await browser.click("#alert .delete")
      #expect(await browser.shows("document.querySelector('#undo')"))
      // Longer than the typing pause after which the page would save.
      try await Task.sleep(for: .seconds(2))
      #expect(world.file(containing: "Leeks") == nil)
      // After a deletion by another program the text stays on the page.
      try await world.openEntry("한강")
      let file = try #require(world.file(containing: "바람이"))
      #expect(try await world.home.diary("delete", file, "--yes", in: "j").status == 0)
      try await browser.click("#body")
      try await browser.press("y")
      #expect(await world.showsStatus("deleted"))
      #expect(world.file(containing: "바람이") == nil)
      #expect(try await world.value("#body").contains("바람이"))
      // It comes back with its header, and the words of the page.
      try await browser.click("#notice button")
      #expect(await world.showsStatus("saved"))
      let text = try world.home.read("j/" + file)
      #expect(text.hasPrefix("---\ntitle: ") && text.contains("2026-11-19T08:00"), "\(text)")
      #expect(text.contains("산책했다.y"), "\(text)")
      #expect(await browser.shows("document.querySelector('#notice').hidden"))
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `an entry whose deletion was undone elsewhere is saved again`(
    _ engine: Browser.Engine
  ) async throws {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      try await world.openEntry("Soup")
      let file = try #require(world.file(containing: "Leeks"))
      #expect(try await world.home.diary("delete", file, "--yes", in: "j").status == 0)
      #expect(await world.showsStatus("deleted"))
      try await browser.type(" One.", into: "#body")
      #expect(try await world.home.diary("undo", "--yes", in: "j").status == 0)
      #expect(await world.showsStatus("saved"))
      #expect(await world.isSaved("time. One."))
      #expect(await browser.shows("document.querySelector('#notice').hidden"))
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `Back leads to a new entry after another one of the same minute`(
    _ engine: Browser.Engine
  ) async throws {
    try await PageSession.visit(engine, screen: .desktop) { world in
      let browser = world.browser
      for name in ["Gamma", "Delta"] {
        #expect(await browser.shows("document.querySelector('#list')") || name == "Gamma")
        try await browser.press("n")
        #expect(
          await browser.shows("location.pathname == '/new' && document.querySelector('#list')"))
        try await browser.type(name, into: "#title")
        #expect(await world.isSaved(name))
        #expect(await world.showsStatus("saved"))
        try await browser.press(.escape)
        #expect(await browser.shows("isReading()"))
      }
      try await browser.back()
      #expect(await browser.shows("document.querySelector('#title')?.value == 'Gamma'"))
      #expect(await browser.shows("location.pathname.endsWith('-gamma.md')"))
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `a rename elsewhere is followed, also beside another watcher`(
    _ engine: Browser.Engine
  ) async throws {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      try await world.openEntry("Soup")
      func rename(to name: String) async throws {
        let file = try #require(world.file(containing: "Leeks"))
        #expect(try await world.home.diary("rename", file, name, in: "j").status == 0)
      }
      func goesOn(as name: String, _ word: String) async throws {
        #expect(await browser.shows("location.pathname.endsWith('-\(name).md')"))
        try await browser.type(" " + word, into: "#body")
        #expect(await world.isSaved(word))
        #expect(world.file(containing: "Leeks")?.hasSuffix("-\(name).md") == true)
        #expect(await world.showsStatus("saved"))
      }
      try await rename(to: "Stew")
      try await goesOn(as: "stew", "One.")
      // While the text is being written.
      try await browser.type(" Two.", into: "#body")
      try await rename(to: "Broth")
      try await goesOn(as: "broth", "Three.")
      #expect(world.file(containing: "One. Two. Three.") != nil, "\(world.files)")
      #expect(await browser.shows("document.querySelector('#notice').hidden"))
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `ten seconds of typing give one commit`(
    _ engine: Browser.Engine
  )
    async throws
  {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      func commits() async throws -> Int {
        try await world.home.git("rev-list", "--count", "HEAD", in: "j").split(separator: "\n")
          .first.flatMap { Int($0) } ?? 0
      }
      let before = try await commits()
      try await world.openEntry("Soup")
      try await browser.click("#body")
      try await browser.press(.end, holding: .control)
      var typed = "time."
      for word in ["one", "two", "three", "four"] {
        try await browser.type(" " + word, into: "#body")
        typed += " " + word
        #expect(await world.isSaved(typed))
        #expect(await world.showsStatus("saved"))
        try await Task.sleep(for: .seconds(1.5))
      }
      #expect(try await commits() == before)
      world.server.signal(SIGTERM)
      #expect(await Sandbox.holds { world.server.hasExited })
      #expect(try await commits() == before + 1)
    }
  }
}
