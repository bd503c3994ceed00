import TestSupport
import Testing
import WebDriver

/// Tests of the browser harness, without Diary.
@Suite struct HarnessTests {
  @Test(arguments: Browser.Engine.allCases)
  func `a browser opens a page, types and takes a picture`(_ engine: Browser.Engine) async throws {
    let home = try Sandbox()
    try await Browser.run(home, engine, languages: ["ko-KR", "en"]) { browser in
      try await browser.setScreen(.phone)
      try await browser.open(
        "data:text/html,<meta name=viewport content='width=device-width'><textarea id=a></textarea><p id=b>x"
      )
      try await browser.type("가나다 hello", into: "#a")
      let typed = try await browser.runScript("return document.querySelector('#a').value")
      #expect(typed == "가나다 hello")
      if engine == .chromium {
        #expect(try await browser.runScript("return navigator.language") == "ko-KR")
      }
      #expect(await browser.shows("document.activeElement.id == 'a'"))
      #expect(try await browser.runAsyncScript("return await Promise.resolve(args[0])", 7) == 7)
      let picture = try await browser.takeScreenshot("harness")
      #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]))
    }
  }

  @Test func `Chromium simulates an input method, a touch and no network`() async throws {
    let home = try Sandbox()
    try await Browser.run(home) { browser in
      try await browser.setScreen(.phone)
      try await browser.open(
        """
        data:text/html,<meta name=viewport content='width=device-width'><textarea id=a></textarea>
        <p id=b style='touch-action:pan-y'>x</p>
        <script>
        moves=[];composed=0;
        b.onpointermove=event=>moves.push([event.pointerType,event.clientX]);
        a.addEventListener('compositionend',()=>composed++)
        </script>
        """)
      try await browser.click("#a")
      try await browser.compose("ㅎ", "하", "한")
      #expect(try await browser.runScript("return a.value") == "한")
      #expect(try await browser.runScript("return composed") == 1)
      try await browser.swipe("#b", by: -100)
      let way = try await browser.runScript(
        "return [moves[0][0], moves[0][1] - moves[moves.length-1][1]]")
      #expect(way.list.first == "touch")
      #expect((way.list.last?.number ?? 0) >= 85)
      try await browser.setOffline(true)
      #expect(try await browser.runScript("return navigator.onLine") == false)
    }
  }
}
