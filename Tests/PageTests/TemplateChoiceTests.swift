import Foundation
import TestSupport
import Testing
import WebDriver

/// A new entry that begins with a template.
@Suite(.serialized) struct TemplateChoiceTests {
  private static let isOffered =
    "getComputedStyle(document.querySelector('#templates')).display != 'none'"

  @Test(arguments: Browser.Engine.allCases)
  func `a template is chosen, changed and saved with its header`(_ engine: Browser.Engine)
    async throws
  {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      let before = world.home.files(in: "j")
      try await browser.click("#new")
      #expect(await browser.shows(Self.isOffered))
      try await browser.takeScreenshot("templates-\(engine)")
      try await browser.press("H")
      #expect(await browser.shows("!(\(Self.isOffered))"))
      try await browser.press(.backspace)
      #expect(await browser.shows(Self.isOffered))
      try await browser.click("#templates a[href$=travel]")
      #expect(await browser.shows("document.activeElement.id == 'body' && title.value"))
      #expect(try await world.value("#title") == "On the road")
      // Nothing is saved before the first letter.
      try await browser.click("#back")
      #expect(await browser.shows("document.querySelector('#rows') && location.search == ''"))
      #expect(world.home.files(in: "j") == before)

      let length = try await browser.runScript("return history.length").number
      try await browser.click("#new")
      #expect(await browser.shows("document.querySelector('#templates')"))
      try await browser.click("#templates a[href$=travel]")
      #expect(await browser.shows("document.activeElement.id == 'body' && title.value"))
      try await browser.press("B", "y", " ", "b", "u", "s", ".")
      #expect(await world.isSaved("By bus."))
      let file = try #require(world.file(containing: "By bus."))
      let text = try world.home.read("j/" + file)
      #expect(text.contains("title: On the road\n") && text.contains("travel"), "\(text)")
      #expect(
        text.contains("## From here to there\n\nBy bus.\n\n## What I saw, heard and ate"), "\(text)"
      )
      #expect(try await world.value("#body").hasPrefix("## From here to there\n\nBy bus."))
      // The way back leads to the list in one step.
      #expect(try await browser.runScript("return history.length").number == length)
      try await browser.back()
      #expect(await browser.shows("document.querySelectorAll('.row').length == 4"))
    }
  }

  @Test func `words that are typed at once into the usual template are there once`() async throws {
    let home = try Sandbox()
    try await home.diary("init", "j")
    home.set("DIARY_TEMPLATE", "travel")
    try await PageSession.serve(home) { server, link in
      try await Browser.run(home) { browser in
        let origin = String(link.prefix { $0 != "#" }.dropLast("/open".count))
        let world = PageSession(home: home, browser: browser, server: server, origin: origin)
        try await world.signIn(link)
        try await browser.open(world.origin + "/new")
        #expect(await browser.shows("document.activeElement.id == 'body' && body.value"))
        #expect(await browser.shows(Self.isOffered))
        for letter in "Sea breeze in the morning." { try await browser.press(String(letter)) }
        #expect(await world.isSaved("Sea breeze in the morning."))
        #expect(await world.showsStatus("saved"))
        let text = try home.read("j/" + (try #require(world.file(containing: "Sea"))))
        #expect(text.components(separatedBy: "Sea").count == 2, "\(text)")
        #expect(text.components(separatedBy: "## Who I met").count == 2, "\(text)")
        #expect(await browser.shows("!(\(Self.isOffered))"))
      }
    }
  }

  @Test func `a draft is added to the words that were written before it is merged`() async throws {
    try await PageSession.visit { world in
      let browser = world.browser
      try await browser.runScript(
        """
        localStorage.setItem('draft:1', JSON.stringify({
          title: 'Old draft', body: 'draft body', href: null, creation: 'x', at: Date.now()}));
        """)
      try await browser.open(world.origin + "/new")
      #expect(await browser.shows("document.querySelector('#notice button')"))
      try await browser.type("words on the disk", into: "#body")
      #expect(await world.isSaved("words on the disk"))
      #expect(await world.showsStatus("saved"))
      try await browser.click("#notice button")
      #expect(await world.isSaved("words on the disk\n\nOld draft\n\ndraft body\n"))
      #expect(await browser.shows("draftKeys().length == 0"))
    }
  }

  @Test func `a draft that began with a template is saved with its header`() async throws {
    try await PageSession.visit { world in
      let browser = world.browser
      try await browser.open(world.origin + "/new?template=travel")
      #expect(await browser.shows("document.activeElement.id == 'body' && title.value"))
      world.server.signal(SIGSTOP)
      try await browser.press("L", "o", "s", "t")
      #expect(await browser.shows("draftKeys().length == 1"))
      try await browser.runScript("isOff = true")
      world.server.signal(SIGCONT)
      try await browser.open(world.origin + "/new")
      #expect(await browser.shows("document.querySelector('#notice button')"))
      try await browser.click("#notice button")
      #expect(await world.isSaved("Lost"))
      let file = try #require(world.file(containing: "Lost"))
      let text = try world.home.read("j/" + file)
      #expect(text.contains("travel") && text.contains("## Who I met"), "\(text)")
      #expect(await browser.shows("draftKeys().length == 0"))
    }
  }
}
