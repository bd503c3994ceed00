import Foundation
import TestSupport
import Testing
import WebDriver

/// In a wide window, the list stands at the left and the entry at the right.
@Suite(.serialized) struct PanesTests {
  @Test(arguments: Browser.Engine.allCases)
  func `a tap opens an entry beside the list, which does not move`(
    _ engine: Browser.Engine
  ) async throws {
    try await PanesSession.visit(engine) { panes in
      let browser = panes.browser
      #expect(await browser.shows("document.querySelector('#unopened').offsetHeight"))
      try await panes.scroll(to: 20)
      var before = try await panes.tops()
      for number in [20, 22] {
        try await browser.click(panes.row(number))
        #expect(await panes.shows(number))
        #expect(try await panes.stands(at: before))
      }
      // The list is scrolled further; an entry above and one below are opened by keys.
      // The next portion of rows may begin with the second of them, and it comes when it is near.
      try await panes.scroll(to: 61)
      try await panes.scroll(to: 60)
      before = try await panes.tops()
      try await browser.runScript("document.querySelector(\"\(panes.row(61))\").focus()")
      try await browser.press(.enter)
      #expect(await panes.shows(61))
      #expect(try await panes.stands(at: before))
      #expect(await browser.shows("document.activeElement.matches(\"\(panes.row(61))\")"))
      try await browser.press(.up)
      try await browser.press(.up)
      try await browser.press(.enter)
      #expect(await panes.shows(59))
      #expect(try await panes.stands(at: before))
      let width = try await browser.runScript(
        "return document.querySelector('#reading').offsetWidth / 16")
      #expect(34...38 ~= (width.number ?? 0))
      try await browser.takeScreenshot("panes")
      guard engine == .chromium else { return }
      let shift = try await browser.runAsyncScript(
        """
        const shifts = [];
        new PerformanceObserver(list => list.getEntries().forEach(entry => shifts.push(entry.value)))
          .observe({type: 'layout-shift', buffered: true});
        await new Promise(done => setTimeout(done, 300));
        return shifts.join();
        """)
      #expect(shift == "")
      #expect(try await browser.consoleProblems() == [])
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `j and k go through the days, Back leaves them, and Esc leads to the row`(
    _ engine: Browser.Engine
  ) async throws {
    try await PanesSession.visit(engine) { panes in
      let browser = panes.browser
      try await browser.click(panes.row(2))
      #expect(await panes.shows(2))
      let depth = try await browser.runScript("return history.length").number
      for number in [3, 4, 5, 6, 7, 8] {
        try await browser.press("j")
        #expect(await panes.shows(number))
      }
      try await browser.press("k")
      #expect(await panes.shows(7))
      #expect(try await browser.runScript("return history.length").number == depth)
      try await browser.press(.escape)
      #expect(await browser.shows("document.activeElement.matches(\"\(panes.row(7))\")"))
      // Only the text; the next day, too, and then all again.
      try await browser.press("f")
      let isAlone = """
        ['#list', '#edit', '#chips'].every(name => !document.querySelector(name).checkVisibility({
          visibilityProperty: true, checkVisibilityCSS: true }))
        """
      #expect(await browser.shows(isAlone))
      try await browser.press("j")
      #expect(await browser.shows("location.pathname.endsWith('\(panes.file(8))') && \(isAlone)"))
      try await browser.press("e")
      try await browser.press("f", "j")
      try await browser.press(.escape)
      #expect(await panes.isInFile("fj", 8))
      #expect(await browser.shows("isReading() && \(isAlone)"))
      try await browser.press(.escape)
      #expect(await browser.shows("!(\(isAlone))"))
      #expect(await panes.shows(8))
      try await browser.back()
      #expect(await browser.shows("document.body.className == 'list'"))
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `no word is lost on any way from an entry, in both widths`(
    _ engine: Browser.Engine
  ) async throws {
    try await PanesSession.visit(engine) { panes in
      let (world, browser) = (panes.world, panes.browser)
      var count = 0
      /// Writes into the entry that is shown, and goes on before the text is saved.
      func write(_ number: Int, then step: () async throws -> Void) async throws {
        count += 1
        try await world.edit()
        try await browser.runScript("document.querySelector('#body').focus()")

        try await browser.type(" word-\(count).", into: "#body")
        try await step()
        #expect(await panes.isInFile("word-\(count).", number), "step \(count)")
      }
      try await panes.tap(1)
      #expect(await panes.shows(1))
      try await write(1) { try await panes.tap(3) }
      #expect(await panes.shows(3))
      try await write(3) { try await browser.back() }
      #expect(await panes.shows(1))
      try await write(1) { try await browser.forward() }
      #expect(await panes.shows(3))
      try await write(3) { try await browser.reload() }
      #expect(await panes.shows(3))
      // The window becomes narrow: the entry alone, with the text that is being written.
      try await write(3) { try await browser.setScreen(PanesSession.narrow) }
      #expect(
        await browser.shows(
          "!isReading() && getComputedStyle(document.querySelector('#list')).visibility == 'hidden'"
        ))
      try await write(3) { try await browser.click("#back") }
      #expect(await browser.shows("document.body.className == 'list'"))
      try await panes.tap(4)
      #expect(await browser.shows("location.pathname.endsWith('\(panes.file(4))')"))
      try await write(4) { try await browser.setScreen(.desktop) }
      #expect(await browser.shows("document.querySelector('#list [aria-current]')"))
      try await write(4) {
        try await browser.press(.escape)
        #expect(await browser.shows("isReading()"))
        try await browser.press("j")
      }
      #expect(await panes.shows(5))
      // Back leads past the entry that was replaced.
      try await write(5) { try await browser.back() }
      #expect(await browser.shows("document.body.className == 'list'"))
      try await browser.forward()
      #expect(await panes.shows(5))
      // At once, while the text is sent.
      try await write(5) {
        try await browser.back()
        try await browser.forward()
      }
      #expect(await panes.shows(5))
      // A copy of the tab, while the first one has unsaved text.
      let address = try await browser.address
      let tab = try await browser.currentTab
      try await write(5) {
        try await browser.openTab()
        try await browser.setScreen(.desktop)
        try await browser.open(address)
      }
      #expect(await panes.shows(5))
      try await write(5) { try await browser.switchTab(to: tab) }
      // A new entry, left by its list.
      try await browser.press(.escape)
      #expect(await browser.shows("isReading()"))
      try await browser.press("n")
      #expect(await browser.shows("location.pathname == '/new' && document.querySelector('#list')"))
      try await browser.type("Fresh words", into: "#title")
      try await panes.tap(2)
      #expect(await panes.shows(2))
      #expect(await world.isSaved("Fresh words"))
      #expect(
        await browser.shows("document.querySelector('#list').textContent.includes('Fresh words')"))
      let problems = engine == .chromium ? try await browser.consoleProblems() : []
      #expect(problems == [])
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `search, filters and the calendar work beside an entry`(
    _ engine: Browser.Engine
  ) async throws {
    try await PanesSession.visit(engine) { panes in
      let (world, browser) = (panes.world, panes.browser)
      let count = "document.querySelectorAll('#rows .row').length"
      try await panes.tap(2)
      #expect(await panes.shows(2))
      try await browser.press("/")
      try await browser.type("word1", into: "#search")
      #expect(
        await browser.shows("document.querySelector('#none').textContent == 'Entries found: 60'"))
      try await panes.tap(5)
      #expect(await panes.shows(5))
      #expect(try await world.value("#search") == "word1")
      #expect(try await browser.address == world.origin + "/e/" + panes.file(5))
      try await browser.press("j")
      #expect(await panes.shows(7))
      #expect(try await world.value("#search") == "word1")
      try await browser.press("/")
      try await browser.press(.escape)
      #expect(
        await browser.shows(
          "document.querySelector('#none').textContent == '' && \(panes.row(7).isShown)"))
      // The tag of an entry filters the list; the entry stays.
      try await panes.scroll(to: 10)
      try await browser.click(panes.row(10))
      #expect(await panes.shows(10))
      try await browser.click("#chips a")
      #expect(await browser.shows("\(count) == 12 && document.querySelector('#filters')"))
      #expect(await panes.shows(10))
      try await browser.press("j")
      #expect(await panes.shows(20))
      try await browser.click("#filters a")
      #expect(await browser.shows("!document.querySelector('#filters') && \(count) >= 30"))
      try await browser.press("g")
      #expect(await browser.shows("document.querySelector('#calendar').open"))
      #expect(await browser.shows("document.activeElement.value?.startsWith('20')"))
      try await browser.runScript("document.querySelector('#calendar .before').click()")
      #expect(await browser.shows("document.querySelector('#year').textContent == '2025'"))
      try await browser.click("#calendar [value='2025-05-05']")
      #expect(await browser.shows("document.activeElement.href?.includes('2025-05-05')"))
      #expect(try await browser.address == world.origin + "/e/" + panes.file(20))
      try await browser.press(.enter)
      #expect(
        await browser.shows(
          "location.pathname.includes('2025-05-05') && document.querySelector('#list [aria-current]')"
        ))
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `deletions and changes from elsewhere show in both panes`(
    _ engine: Browser.Engine
  ) async throws {
    try await PanesSession.visit(engine) { panes in
      let (world, browser) = (panes.world, panes.browser)
      try await browser.click(panes.row(2))
      #expect(await panes.shows(2))
      func confirm() async throws {
        #expect(await browser.shows("document.querySelector('#alert').open"))
        try await browser.click("#alert .delete")
      }
      // Another program changes this entry and another one.
      for number in [2, 4] {
        let text = try world.home.read("j/" + panes.file(number)).replacing(
          "# Day", with: "# New day")
        try world.home.write(text, to: "j/" + panes.file(number))
      }
      for number in [2, 4] {
        #expect(
          await browser.shows(
            "document.querySelector(\"\(panes.row(number))\").textContent.includes('New day')"))
      }
      #expect(
        await browser.shows("document.querySelector('#reading h1').textContent == 'New day 2'"))
      #expect(
        await browser.shows("document.querySelector(\"\(panes.row(2))\").ariaCurrent == 'page'"))
      // Deleted at the right, with text that is not saved: the next entry, and a way back.
      try await world.edit()
      try await browser.type(" Last words.", into: "#body")
      try await browser.click("#more")
      try await browser.click("#sheet .delete")
      try await confirm()
      #expect(await panes.shows(3))
      #expect(await browser.shows("!document.querySelector(\"\(panes.row(2))\")"))
      try await browser.click("#undo")
      #expect(await browser.shows(panes.row(2).isShown))
      #expect(await panes.isInFile("Last words.", 2))
      // Deleted at the left: another one, and then the shown one.
      for number in [5, 3] {
        try await browser.runScript("document.querySelector(\"\(panes.row(number))\").focus()")
        try await browser.press(.delete)
        try await confirm()
        #expect(await browser.shows("!document.querySelector(\"\(panes.row(number))\")"))
      }
      #expect(
        await browser.shows("document.querySelector('#reading h1')?.textContent == 'New day 4'"))
      #expect(!world.files.contains(panes.file(3)) && !world.files.contains(panes.file(5)))
      // Deleted by another program while it is written: the text stays.
      try await world.edit()
      try await browser.type(" Kept.", into: "#body")
      #expect(await world.showsStatus("saved"))
      try FileManager.default.removeItem(atPath: world.home.homePath + "/j/" + panes.file(4))
      #expect(await world.showsStatus("deleted"))
      #expect(await browser.shows("!document.querySelector(\"\(panes.row(4))\")"))
      #expect(try await world.value("#body").contains("Kept."))
      try await browser.click("#notice button:last-of-type")
      #expect(await panes.shows(6))
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `a click holds while the list changes`(_ engine: Browser.Engine) async throws {
    try await PanesSession.visit(engine, screen: PanesSession.narrow) { panes in
      let (world, browser) = (panes.world, panes.browser)
      try await panes.scroll(to: 20)
      try await browser.click(panes.row(20)) {
        try FileManager.default.removeItem(atPath: world.home.homePath + "/j/" + panes.file(3))
        #expect(await browser.shows("!\(panes.row(3).isShown)"))
      }
      #expect(await browser.shows("location.pathname.endsWith('\(panes.file(20))')"))
      try await browser.setScreen(.desktop)
      #expect(await panes.shows(20))
      try await panes.scroll(to: 22)
      try await browser.click(panes.row(22)) {
        let text = try world.home.read("j/" + panes.file(21))
        try world.home.write(text.replacing("# Day", with: "# New day"), to: "j/" + panes.file(21))
        try FileManager.default.removeItem(atPath: world.home.homePath + "/j/" + panes.file(30))
        #expect(
          await browser.shows(
            "\(panes.row(21).isShown).textContent.includes('New day') && !\(panes.row(30).isShown)")
        )
      }
      #expect(await panes.shows(22))
    }
  }

  @Test func `a finger swipes the rows of a tablet, and text twice as large gets one pane`()
    async throws
  {
    let tablet = Browser.Screen(width: 1024, height: 768, scale: 2, isTouched: true)
    try await PanesSession.visit(screen: tablet) { panes in
      let browser = panes.browser
      let box = try await browser.runScript(
        """
        const { left, top } = document.querySelector("\(panes.row(1))").getBoundingClientRect();
        return [left + 100, top + 20];
        """
      ).list.compactMap(\.number)
      try #require(box.count == 2)
      try await browser.tap(box[0], box[1])
      #expect(await panes.shows(1))
      try await browser.swipe("\(panes.row(3))", by: -200, from: 320)
      #expect(await browser.shows("document.querySelector('#list .row.open')"))
      try await browser.takeScreenshot("panes-swiped")
      try await browser.click("#list .row.open .delete")
      #expect(await browser.shows("document.querySelector('#alert').open"))
      try await browser.click("#alert .delete")
      #expect(await browser.shows("!document.querySelector(\"\(panes.row(3))\")"))
      #expect(await panes.shows(1))
      try await browser.setScreen(Browser.Screen(width: 640, height: 400, scale: 2))
      try await browser.reload()
      #expect(await browser.shows("document.readyState == 'complete'"))
      #expect(await browser.shows("document.querySelector('#back').offsetWidth"))
      #expect(await browser.shows("!document.querySelector('#list')"))
    }
  }

  @Test(arguments: [("en-US", "light"), ("ko-KR", "dark")])
  func `two panes are accessible and translated`(_ language: String, _ theme: String) async throws {
    try await PanesSession.visit(languages: [language]) { panes in
      let (world, browser) = (panes.world, panes.browser)
      try await browser.setMedia(["prefers-color-scheme": theme])
      func check(_ name: String) async throws {
        try await expectReadable(browser, name, picture: "panes-\(name)-\(theme)")
      }
      try await check("list")
      try await browser.click(panes.row(0))
      #expect(await panes.shows(0))
      try await check("read")
      try await world.edit()
      try await check("write")
      try await browser.setScreen(Browser.Screen(width: 1920, height: 1080))
      try await check("large")
      try await browser.setScreen(Browser.Screen(width: 960, height: 700))
      try await check("small")
      try await browser.click("#done")
      #expect(await browser.shows("isReading()"))
      try await browser.press("?")
      try await check("keys")
    }
  }
}

extension String {
  /// An expression of the page's script that is true if the selector's element is there.
  fileprivate var isShown: String { "document.querySelector(\"\(self)\")" }
}
