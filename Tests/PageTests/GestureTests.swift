import TestSupport
import Testing
import WebDriver

/// Touch gestures and keyboard control.
@Suite(.serialized) struct GestureTests {
  /// Waits until nothing covers the middle of an element, so that it can be touched.
  private func isTouchable(_ selector: String, _ browser: Browser) async -> Bool {
    await browser.shows(
      """
      (() => {
        const element = document.querySelector('\(selector)');
        if (!element) return false;
        const box = element.getBoundingClientRect();
        const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
        return top && (element.contains(top) || top.contains(element) && top === element);
      })()
      """)
  }

  @Test func `a long press opens a row's menu, which then works by taps`() async throws {
    try await PageSession.visit { world in
      let browser = world.browser
      let row = try await browser.middle(of: "#rows .row")
      try await browser.tap(row.x, row.y, milliseconds: 800)
      #expect(await browser.shows("document.querySelector('#sheet').open"))
      let button = try await browser.middle(of: "#sheet .delete")
      try await browser.tap(button.x, button.y)
      #expect(await browser.shows("document.querySelector('#alert').open"))
      #expect(
        try await browser.runScript("return document.querySelector('#alert h2').textContent").text
          == "A walk by the river")
      let cancel = try await browser.middle(of: "#alert .cancel")
      try await browser.tap(cancel.x, cancel.y)
      #expect(await browser.shows("!document.querySelector('#alert').open"))
      try await browser.tap(row.x, row.y)
      #expect(await browser.shows("document.querySelector('#body')"))
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `a long swipe shows share and delete, a short one does not`(_ engine: Browser.Engine)
    async throws
  {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      #expect(await !isTouchableNow(".row .delete", browser))
      try await browser.swipe(".row", by: -40)
      #expect(await !isTouchableNow(".row .delete", browser))
      try await browser.swipe(".row", by: -140)
      #expect(await isTouchable(".row .delete", browser))
      #expect(await isTouchable(".row .share", browser))
      try await browser.takeScreenshot("swiped")
      try await browser.press(.escape)
      #expect(
        await browser.shows(
          "document.querySelector('.row').getBoundingClientRect().left >= 0"))
      #expect(await Sandbox.holds(within: 5) { await !isTouchableNow(".row .delete", browser) })
      // A mostly vertical swipe scrolls and opens no row.
      try await browser.swipe(".row", by: -60, 120)
      #expect(await !isTouchableNow(".row .delete", browser))
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `a right click is left to the browser, and a failed share is told`(
    _ engine: Browser.Engine
  ) async throws {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      let isLeft = try await browser.runScript(
        """
        const event = (more) => new PointerEvent(
          'contextmenu', { bubbles: true, cancelable: true, ...more });
        const row = document.querySelector('.row a');
        return row.dispatchEvent(event({ button: 2, pointerType: 'mouse' }))
          && !document.querySelector('dialog[open]')
          && !row.dispatchEvent(event({ button: 0, pointerType: 'touch' }));
        """)
      #expect(isLeft.isTrue)
      #expect(await browser.shows("document.querySelector('#sheet').open"))
      try await browser.runScript(
        "window.fetch = () => Promise.reject(new TypeError('no network'))")
      try await browser.click("#sheet .share")
      #expect(await browser.shows("document.querySelector('#toast').textContent"))
      #expect(try await !browser.runScript("return document.querySelector('#share').open").isTrue)
    }
  }

  private func isTouchableNow(_ selector: String, _ browser: Browser) async -> Bool {
    (try? await browser.runScript(
      """
      const element = document.querySelector(arguments[0]);
      if (!element) return false;
      const box = element.getBoundingClientRect();
      const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
      return Boolean(top && element.contains(top));
      """, .text(selector)
    ).isTrue) ?? false
  }

  @Test(arguments: Browser.Engine.allCases)
  func `a swipe and the alert delete an entry, and undo restores it`(_ engine: Browser.Engine)
    async throws
  {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      try await browser.swipe(".row", by: -140)
      #expect(await isTouchable(".row .delete", browser))
      try await browser.click(".row .delete")
      #expect(await browser.shows("document.querySelector('#alert').open"))
      // The entry still exists, and Esc cancels.
      try await browser.press(.escape)
      #expect(await browser.shows("!document.querySelector('#alert').open"))
      #expect(world.file(containing: "The rain stopped") != nil)
      try await browser.swipe(".row", by: -140)
      try await browser.click(".row .delete")
      #expect(await browser.shows("document.querySelector('#alert').open"))
      try await browser.click("#alert .delete")
      #expect(await Sandbox.holds { world.file(containing: "The rain stopped") == nil })
      #expect(await browser.shows("document.querySelector('#undo')"))
      try await browser.click("#undo")
      #expect(await world.isSaved("The rain stopped"))
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `a tap immediately after a swipe is accepted`(_ engine: Browser.Engine) async throws {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      // Faster than any finger. On some machines a real swipe can look as fast.
      _ = try await browser.runScript(
        """
        const row = document.querySelector('.row');
        const box = row.getBoundingClientRect();
        row.setPointerCapture = () => {};
        const send = (kind, x) => row.querySelector('a').dispatchEvent(new PointerEvent(kind, {
          bubbles: true, isPrimary: true, pointerType: 'touch', clientX: x, clientY: box.top + 9,
        }));
        send('pointerdown', box.right - 20);
        for (const way of [60, 100, 140]) send('pointermove', box.right - 20 - way);
        send('pointerup', box.right - 160);
        row.querySelector('.delete').click();
        """)
      #expect(await browser.shows("document.querySelector('#alert').open"))
    }
  }

  /// Presses Tab until a row has the focus. Returns whether one has.
  private func focusRow(_ browser: Browser) async throws -> Bool {
    for _ in 0..<20 {
      if await browser.shows("document.activeElement.closest('.row')", within: 0) { return true }
      try await browser.press(.tab)
    }
    return false
  }

  @Test(arguments: Browser.Engine.allCases)
  func `the keyboard alone can search, open, delete, write and save`(_ engine: Browser.Engine)
    async throws
  {
    try await PageSession.visit(engine, screen: .desktop) { world in
      let browser = world.browser
      try await browser.press("/")
      #expect(await browser.shows("document.activeElement.id == 'search'"))
      try await browser.press("s", "o", "u", "p")
      #expect(await browser.shows("document.querySelectorAll('.row').length == 1"))
      try await browser.press(.escape)
      #expect(await browser.shows("document.querySelectorAll('.row').length == 3"))
      try await browser.press(.escape)
      #expect(try await focusRow(browser))
      for (key, row) in [(Browser.Key.down, 1), (.up, 0), (.down, 1), (.down, 2)] {
        try await browser.press(key)
        #expect(
          await browser.shows(
            "document.querySelectorAll('.row')[\(row)].contains(document.activeElement)"))
      }
      try await browser.press(.enter)
      #expect(
        await browser.shows(
          "document.readyState == 'complete' "
            + "&& document.querySelector('#body')?.value.includes('Leeks')"))
      try await browser.press(.escape)
      // The script adds these buttons.
      #expect(await browser.shows("document.querySelectorAll('.row .more').length == 3"))
      // A browser that kept the page has the focus on the row that was opened.
      try await browser.runScript("document.querySelector('.row a').focus()")
      try await browser.press(.delete)
      #expect(await browser.shows("document.querySelector('#alert').open"))
      // From Cancel to Delete.
      try await browser.press(.tab)
      try await browser.press(.enter)
      #expect(await Sandbox.holds { world.file(containing: "The rain stopped") == nil })
      #expect(await browser.shows("document.querySelectorAll('.row').length == 2"))
      try await browser.press("n")
      #expect(await browser.shows("document.activeElement.id == 'title'"))
      try await browser.press("K", "e", "y", "s")
      try await browser.press(.enter)
      #expect(await browser.shows("document.activeElement.id == 'body'"))
      try await browser.press("W", "o", "r", "d", "s")
      try await browser.press("s", holding: .control)
      #expect(await world.showsStatus("saved", within: 5))
      #expect(await world.isSaved("Words"))
      try await browser.press(.escape)
      #expect(await browser.shows("document.activeElement.id != 'body'"))
    }
  }
}
