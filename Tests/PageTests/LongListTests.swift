import TestSupport
import Testing
import WebDriver

/// The list of a journal with more entries than fit on a screen.
@Suite(.serialized) struct LongListTests {
  @Test(arguments: Browser.Engine.allCases)
  func `delayed older rows and an external change both appear`(
    _ engine: Browser.Engine
  )
    async throws
  {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      for number in 100..<200 {
        try world.home.write(
          "---\ndate: 2025-01-01T08:00:00+09:00\n---\n# Day \(number)\n",
          to: "j/2025/day-\(number).md")
      }
      try await world.home.diary("save", in: "j")
      try await world.openList()
      // Delay the response with older rows.
      try await browser.runScript(
        """
        const quick = window.fetch;
        window.fetch = async (address, ...more) => {
          if (String(address).includes('after=')) {
            window.isAsked = true;
            await new Promise(done => setTimeout(done, 4000));
          }
          return quick(address, ...more);
        };
        window.scrollTo(0, document.body.scrollHeight);
        """)
      #expect(await browser.shows("window.isAsked"))
      try world.home.write("---\ndate: 2024-12-31\n---\n# Fresh\n", to: "j/fresh.md")
      #expect(
        await browser.shows(
          "[...document.querySelectorAll('#rows .row')].at(-1).textContent.includes('Fresh')"))
      // A change reloads the rows around the visible ones; the others come back with scrolling.
      #expect(
        await browser.shows(
          """
          (() => {
            window.seen ||= new Set();
            for (const link of document.querySelectorAll('#rows .row a')) seen.add(link.href);
            const isEnd = scrollY + innerHeight >= document.body.scrollHeight - 10;
            scrollTo(0, isEnd ? 0 : scrollY + 600);
            return seen.size == 104;
          })()
          """, within: 60))
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `a page reconnects to the events after a refusal`(_ engine: Browser.Engine) async throws {
    try await PageSession.visit(engine) { world in
      // Simulates a response that is not an event stream: the browser closes the source for good.
      try await world.browser.runScript("events.close(); events.dispatchEvent(new Event('error'));")
      #expect(
        await world.browser.shows("events && events.readyState === EventSource.OPEN", within: 40))
      try world.home.write("---\ndate: 2027-01-01\n---\n# Fresh\n", to: "j/fresh.md")
      #expect(
        await world.browser.shows(
          "document.querySelector('#rows .row').textContent.includes('Fresh')"))
    }
  }
}
