import Foundation
import TestSupport
import Testing
import WebDriver

/// The chips above the text: star, date, tags and place, with real taps and keys.
@Suite(.serialized) struct ChipTests {
  private func tap(_ selector: String, _ browser: Browser) async throws {
    #expect(await browser.shows("document.querySelector('\(selector)')"), "\(selector)")
    let box = try await browser.runScript(
      """
      const box = document.querySelector(arguments[0]).getBoundingClientRect();
      return [box.left + box.width / 2, box.top + box.height / 2];
      """, .text(selector)
    ).list.compactMap(\.number)
    try await browser.tap(box[0], box[1])
  }

  private func text(of file: String, _ world: PageSession) throws -> String {
    try world.home.read("j/" + file)
  }

  /// Waits until the chips have the text. Returns whether they did.
  private func chipsShow(_ text: String, _ browser: Browser) async -> Bool {
    await browser.shows("document.querySelector('#chips').textContent.includes('\(text)')")
  }

  @Test(arguments: Browser.Engine.allCases)
  func `a star and tags are set while text is typed that is not saved yet`(
    _ engine: Browser.Engine
  ) async throws {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      let file = try #require(world.file(containing: "Leeks"))
      try await world.openEntry("Soup")
      try await browser.click("#body")
      try await browser.press(.end, holding: .control)
      try await browser.press(" ", "O", "n", "e", ".")
      try await tap("[data-chip=star]", browser)
      try await browser.press(" ", "T", "w", "o", ".")
      #expect(await browser.shows("document.querySelector('[aria-pressed=true] .star')"))
      #expect(try await browser.runScript("return document.activeElement.id").text == "body")
      #expect(await world.showsStatus("saved"))
      #expect(
        try await Sandbox.holds(within: 20) {
          let text = try text(of: file, world)
          return text.contains("starred: true") && text.contains("time. One. Two.\n")
        })
      // Undo takes back the typing, although the file has another version.
      if engine == .chromium {
        try await browser.press("z", holding: .control)
        #expect(try await !world.value("#body").hasSuffix("Two."))
      }
      try await browser.press(.end, holding: .control)

      try await browser.press(" ", "K", "a", "l", "e", ".")
      try await tap("[data-chip=tags]", browser)
      #expect(await browser.shows("document.activeElement.list"))
      #expect(
        await browser.shows(
          "[...document.activeElement.list.options].some(each => each.value == 'family')"))
      try await browser.press("#", "f", "o", "o", "d", ",", " ", "f", "a", "m", "i", "l", "y")
      try await browser.press(.enter)
      #expect(
        await browser.shows("document.querySelectorAll('#set-tags .choices button').length == 2"))
      try await tap("#set-tags .choices button", browser)
      #expect(
        await browser.shows("document.querySelectorAll('#set-tags .choices button').length == 1"))
      try await browser.press(.escape)
      #expect(await browser.shows("!document.querySelector('dialog[open]')"))
      #expect(try await browser.runScript("return document.activeElement.id").text == "body")
      try await browser.press(" ", "E", "n", "d", ".")
      #expect(
        try await Sandbox.holds(within: 20) {
          let text = try text(of: file, world)
          return text.contains("tags: [family]") && text.contains(" Kale. End.\n")
        })
      #expect(await world.showsStatus("saved"))
      try await tap("#chips a", browser)
      #expect(
        await browser.shows(
          "location.search == '?tag=family' && document.querySelectorAll('.row').length == 2"))
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `a date that is changed while writing moves the entry, and the text goes on`(
    _ engine: Browser.Engine
  ) async throws {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      try await world.openEntry("Soup")
      try await browser.click("#body")
      try await browser.press(.end, holding: .control)
      try await browser.press(.left)
      try await browser.press(",", " ", "s", "a", "l", "t")
      try await tap("[data-chip=date]", browser)
      #expect(await browser.shows("document.querySelector('#set-date').open"))
      let shown = "[...document.querySelectorAll('#set-date input')].map(each => each.value).join()"
      #expect(try await browser.runScript("return " + shown).text == "2026-10-02,19:30")
      // Each engine and language has other keys for a date.
      try await browser.runScript(
        "document.querySelector('#set-date input').value = '2026-11-20';")
      try await browser.click("#set-date form button")
      #expect(await browser.shows("!document.querySelector('dialog[open]')"))
      #expect(await browser.shows("location.pathname == '/e/2026/11/2026-11-20-soup.md'"))
      #expect(try await browser.runScript("return document.activeElement.id").text == "body")
      try await browser.press("!")
      let value = try await world.value("#body")
      #expect(value == "Leeks, potatoes, time, salt!.")
      #expect(await world.isSaved("time, salt!."))
      #expect(world.file(containing: "salt!") == "2026/11/2026-11-20-soup.md")
      #expect(
        await browser.shows(
          "document.querySelector('#chips time').dateTime.startsWith('2026-11-20T19:30')"))
      if engine == .chromium {
        try await browser.press("z", holding: .control)
        #expect(try await !world.value("#body").contains("!"))
        #expect(await Sandbox.holds(within: 20) { world.file(containing: "salt!") == nil })
      }
      #expect(await browser.shows("draftKeys().length === 0"))

      try await browser.back()
      #expect(await browser.shows("document.querySelector('#search')"))
      #expect(
        await browser.shows(
          "[...document.querySelectorAll('.row')].findIndex(row => row.textContent.includes('Soup')) < 2"
        ))
      try await browser.forward()
      #expect(
        await browser.shows("document.querySelector('#reading')?.textContent.includes('Leeks')"))
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `keys reach the chips, open their sheets, and the focus returns`(_ engine: Browser.Engine)
    async throws
  {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      let file = try #require(world.file(containing: "Leeks"))
      try await world.readEntry("Soup")
      let isOn = { (name: String) in
        await browser.shows("document.activeElement.dataset.chip == '\(name)'")
      }
      #expect(await browser.shows("document.readyState == 'complete'"))
      for _ in 0..<12 {
        try await browser.press(.tab)
        if await browser.shows("document.activeElement.dataset.chip == 'star'", within: 0.2) {
          break
        }
      }
      #expect(await isOn("star"))
      // Who goes on before the answer comes keeps the focus.
      try await browser.runAsyncScript("await load('chips')")
      try await browser.runScript("document.querySelector('#chips').dataset.isOld = ''")
      world.server.signal(SIGSTOP)
      try await browser.press(.enter)
      #expect(await browser.shows("document.activeElement.ariaPressed == 'true'"))
      try await browser.press(.tab)
      #expect(await isOn("date"))
      world.server.signal(SIGCONT)
      #expect(await browser.shows("!('isOld' in document.querySelector('#chips').dataset)"))
      #expect(await browser.shows("document.querySelector('[data-chip=star] .star')"))
      #expect(await isOn("date"))
      try await browser.press(.tab)
      try await browser.press(.tab)
      #expect(await isOn("place"))
      try await browser.press(.enter)
      #expect(await browser.shows("document.activeElement.closest('#set-place')"))
      try await browser.press(.escape)
      #expect(await browser.shows("!document.querySelector('dialog[open]')"))
      #expect(await isOn("place"))
      try await browser.press(.enter)
      #expect(await browser.shows("document.activeElement.closest('#set-place')"))
      try await browser.press("S", "e", "o", "u", "l")
      try await browser.press(.enter)
      #expect(await chipsShow("Seoul", browser))
      #expect(await isOn("place"))
      #expect(
        try await Sandbox.holds {
          let text = try text(of: file, world)
          return text.contains("place: Seoul\n") && text.contains("starred: true\n")
        })
      #expect(try await browser.runScript("return isReading()").isTrue)
      // A change by another program shows, and the focus stays.
      try await world.home.diary("unstar", file, in: "j")
      #expect(await browser.shows("document.querySelector('[aria-pressed=false]')"))
      #expect(await isOn("place"))
      #expect(try await browser.runScript("return isReading()").isTrue)
    }
  }

  @Test func `a new entry has its star after the first words, and its date`() async throws {
    try await PageSession.visit(languages: ["ko-KR"]) { world in
      let browser = world.browser
      try await browser.click("#new")
      #expect(
        await browser.shows("document.querySelector('#title') && document.readyState == 'complete'")
      )
      try await tap("[data-chip=star]", browser)
      #expect(await browser.shows("document.querySelector('#toast').textContent"))
      #expect(await browser.shows("document.querySelector('[data-chip=star][aria-pressed=false]')"))
      try await browser.type("첫눈", into: "#title")
      try await tap("[data-chip=star]", browser)
      #expect(await browser.shows("document.querySelector('[aria-pressed=true] .star')"))
      #expect(await chipsShow("년", browser))
      try await browser.press("!")
      try await browser.click("#back")
      #expect(
        await Sandbox.holds(within: 20) {
          guard let file = world.file(containing: "첫눈!") else { return false }
          return file.hasSuffix("첫눈.md")
            && (try? text(of: file, world))?.contains("starred: true") == true
        }, "\(world.files)")
    }
  }

  @Test func `a refused change is told in its sheet, and a changed entry keeps both`()
    async throws
  {
    try await PageSession.visit { world in
      let browser = world.browser
      try world.home.write("---\ntags: [\"#a\", b]\n---\n\n# T\n\nPlain.\n", to: "j/2026-09-01.md")
      try await browser.open(world.origin + "/e/2026-09-01.md")
      try await world.edit()
      try await tap("[data-chip=date]", browser)
      #expect(await browser.shows("document.querySelector('#set-date').open"))
      try await browser.runScript(
        "document.querySelectorAll('#set-date input')[1].value = '21:04';")
      try await browser.click("#set-date form button")
      #expect(
        await browser.shows(
          "document.querySelector('#set-date .said').textContent.includes('time')"))
      try await browser.takeScreenshot("chips-refused")
      try await browser.press(.escape)

      try await tap("[data-chip=tags]", browser)
      #expect(
        await browser.shows("document.querySelectorAll('#set-tags .choices button').length == 2"))
      #expect(
        try await browser.runScript("return document.querySelector('#set-tags').innerText").text?
          .contains("##") == false)
      try world.home.write(
        "---\ntags: [\"#a\", b, vim]\n---\n\n# T\n\nPlain. By vim.\n", to: "j/2026-09-01.md")
      try await browser.click("#set-tags .choices button")
      #expect(
        try await Sandbox.holds(within: 20) {
          try text(of: "2026-09-01.md", world)
            == "---\ntags: [b, vim]\n---\n\n# T\n\nPlain. By vim.\n"
        })
      try await browser.press(.escape)
      #expect(await browser.shows("document.querySelector('#body').value == 'Plain. By vim.'"))
    }
  }

  @Test func `without a script the chips are shown, and tags lead to their entries`()
    async throws
  {
    try await PageSession.visit { world in
      let browser = world.browser
      let file = try #require(world.file(containing: "The rain stopped"))
      try await browser.command("Emulation.setScriptExecutionDisabled", ["value": true])
      try await browser.open("\(world.origin)/e/\(file)")
      try await browser.takeScreenshot("chips-without-script")
      try await browser.click("#chips a")
      try await browser.command("Emulation.setScriptExecutionDisabled", ["value": false])
      #expect(try await browser.address.hasSuffix("/?tag=family"))
    }
  }
}
