import TestSupport
import Testing
import WebDriver

/// The list of a journal with more entries than a screen shows.
@Suite(.serialized) struct LongListTests {
  @Test(arguments: Browser.Engine.allCases)
  func `older rows that are on their way and a change from elsewhere both arrive`(
    _ engine: Browser.Engine
  )
    async throws
  {
    try await PageWorld.visiting(engine) { world in
      let browser = world.browser
      for number in 100..<200 {
        try world.home.write(
          "---\ndate: 2025-01-01T08:00:00+09:00\n---\n# Day \(number)\n",
          to: "j/2025/day-\(number).md")
      }
      try await world.home.diary("save", in: "j")
      try await world.list()
      // Older rows take their time.
      try await browser.script(
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
      try world.home.write("---\ndate: 2027-01-01\n---\n# Fresh\n", to: "j/fresh.md")
      #expect(
        await browser.shows("document.querySelector('#rows .row').textContent.includes('Fresh')"))
      #expect(await browser.shows("document.querySelectorAll('#rows .row').length == 104"))
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `a page whose events were refused asks for them again`(_ engine: Browser.Engine) async throws
  {
    try await PageWorld.visiting(engine) { world in
      // What the browser does with an answer that is no stream: it gives up for good.
      try await world.browser.script("events.close(); events.dispatchEvent(new Event('error'));")
      try await Task.sleep(for: .seconds(11))
      try world.home.write("---\ndate: 2027-01-01\n---\n# Fresh\n", to: "j/fresh.md")
      #expect(
        await world.browser.shows(
          "document.querySelector('#rows .row').textContent.includes('Fresh')"))
    }
  }
}
