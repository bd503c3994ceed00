import Foundation
import TestSupport
import Testing
import WebDriver

/// Pictures and other files that are added to an entry, in the strip below the text.
@Suite(.serialized) struct AddFilesTests {
  /// Chooses files as the system's dialog does: PNG pictures, or for a name with another extension
  /// that many zero bytes of that type.
  private func choose(
    _ files: [(name: String, type: String, size: Int)], _ browser: Browser
  ) async throws {
    try await browser.runAsyncScript(
      """
      const canvas = document.createElement('canvas');
      canvas.getContext('2d').fillRect(0, 0, 300, 150);
      const picture = await new Promise(done => canvas.toBlob(done, 'image/png'));
      const data = new DataTransfer();
      args[0].forEach((name, index) => data.items.add(new File(
        [args[2][index] ? new Uint8Array(args[2][index]) : picture], name, {type: args[1][index]})));
      const input = document.querySelector('#picture');
      input.files = data.files;
      input.dispatchEvent(new Event('change'));
      """, .list(files.map { .text($0.name) }), .list(files.map { .text($0.type) }),
      .list(files.map { .number(Double($0.size)) }))
  }

  private func choosePictures(_ names: String..., in browser: Browser) async throws {
    try await choose(names.map { ($0, "image/png", 0) }, browser)
  }

  private func showsFiles(_ count: Int, _ browser: Browser) async -> Bool {
    await browser.shows("document.querySelectorAll('#uploads li').length == \(count)")
  }

  /// The names of the files that the text shows, in their order.
  private func links(_ text: String) -> [String] {
    text.matches(of: /!?\[[^\]]*\]\(([^)]+)\)/).map { String($0.1) }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `pictures are added in their order, at their place, beside typing`(
    _ engine: Browser.Engine
  ) async throws {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      let file = try #require(world.file(containing: "Leeks"))
      try await world.openEntry("Soup")
      try await browser.click("#body")
      try await browser.press(.home, holding: .control)
      for _ in 0..<6 { try await browser.press(.right) }
      try await browser.runAsyncScript("await load('uploads')")
      world.server.signal(SIGSTOP)
      try await choosePictures("one.png", "two.png", "three.png", in: browser)
      #expect(await showsFiles(3, browser))
      #expect(await browser.shows("document.querySelector('#uploads canvas')"))
      // The place follows text that is typed before it; text typed at the place is after it.
      try await browser.press(" ", "s", "a", "l", "t", ",")
      try await browser.press(.home, holding: .control)
      try await browser.press("N", "o", " ")
      try await browser.takeScreenshot("files-\(engine)")
      // Who leaves is asked; who stays goes on.
      try await browser.click("#back")
      #expect(await browser.shows("document.querySelector('#alert').open"))
      try await browser.click("#alert .cancel")
      // Two are sent at a time, so the third one has not begun.
      try await browser.click("#uploads li:nth-child(3) button:last-child")
      #expect(await showsFiles(2, browser))
      world.server.signal(SIGCONT)
      #expect(await showsFiles(0, browser))
      #expect(await world.showsStatus("saved"))
      #expect(
        await Sandbox.holds {
          let text = (try? world.home.read("j/" + file)) ?? ""
          return links(text) == ["one.png", "two.png"]
        })
      let text = try world.home.read("j/" + file)
      #expect(
        text.hasSuffix(
          "No Leeks,\n![one](one.png)\n![two](two.png)\n salt, potatoes, time.\n"), "\(text)")
      #expect(try await world.value("#body") + "\n" == text.components(separatedBy: "\n\n").last)
      let others = world.home.files(in: "j").filter { $0.hasSuffix(".png") }
      #expect(Set(others.map { ($0 as NSString).lastPathComponent }) == ["one.png", "two.png"])
    }
  }

  @Test func `a place follows a merge and typing that happen between two files`() async throws {
    try await PageSession.visit { world in
      let browser = world.browser
      let file = try #require(world.file(containing: "Leeks"))
      try world.home.write(
        try world.home.read("j/" + file) + "\nSecond.\n\nThird.\n", to: "j/" + file)
      try await world.openEntry("Soup")
      #expect(await browser.shows("body.value.endsWith('Third.')"))
      try await browser.click("#body")
      try await browser.runScript(
        """
        const place = body.value.indexOf('Second.');
        body.setSelectionRange(place, place);
        const send = XMLHttpRequest.prototype.send;
        XMLHttpRequest.prototype.send = function (data) {
          if (data instanceof Blob) window.release = () => send.call(this, data);
          else send.call(this, data);
        };
        """)
      try await choosePictures("one.png", in: browser)
      #expect(await browser.shows("window.release"))
      try await browser.runScript("document.activeElement.blur()")
      try world.home.write(
        try world.home.read("j/" + file).replacing("Leeks", with: "First of all: leeks"),
        to: "j/" + file)
      #expect(await browser.shows("body.value.startsWith('First of all')"))
      try await browser.runScript("body.focus(); body.setSelectionRange(1e6, 1e6)")
      try await browser.press(" ", "E", "n", "d", ".")
      try await browser.runScript("window.release()")
      #expect(await showsFiles(0, browser))
      #expect(await world.isSaved("time.\n\n![one](one.png)\nSecond.\n\nThird. End.\n"))
    }
  }

  @Test func `a file that is added while reading ends the text without an empty line`()
    async throws
  {
    try await PageSession.visit { world in
      try await world.readEntry("Soup")
      #expect(await world.browser.shows("document.readyState == 'complete' && isReading()"))
      try await choosePictures("one.png", "two.png", in: world.browser)
      // The second can be there before the first, which then comes above it.
      #expect(await world.isSaved("time.\n![one](one.png)\n![two](two.png)\n"))
    }
  }

  @Test func `files that are chosen while the server is away can be chosen again`() async throws {
    try await PageSession.visit { world in
      let browser = world.browser
      try await world.openEntry("Soup")
      try await browser.setOffline(true)
      try await choosePictures("leek.png", in: browser)
      #expect(
        await browser.shows(
          "document.querySelector('#toast').textContent == 'the server is not responding'"))
      try await browser.setOffline(false)
      try await choosePictures("leek.png", in: browser)
      #expect(await world.isSaved("leek.png)"))
    }
  }

  @Test func `a file that fails is tried again, and one that cannot be added is told before`()
    async throws
  {
    try await PageSession.visit { world in
      let browser = world.browser
      try await world.openEntry("Soup")
      try await browser.click("#body")
      try await browser.press(.end, holding: .control)
      _ = try await browser.requestedAddresses()
      try await choose(
        [("long.mp4", "video/mp4", 25 << 20), ("notes.txt", "text/plain", 10)], browser)
      #expect(
        await browser.shows("document.querySelectorAll('[data-state=refused]').length == 2"))
      #expect(
        await browser.shows(
          "document.querySelector('#uploads .said').textContent == 'this is too large for the page'"
        ))
      // It asks nothing: these will never arrive.
      #expect(try await browser.runScript("return underWay").number == 0)
      try await browser.click("#uploads li:last-child button:last-child")
      try await browser.click("#uploads li:last-child button:last-child")
      #expect(await showsFiles(0, browser))
      #expect(try await browser.requestedAddresses().allSatisfy { !$0.contains("/files") })

      try await browser.setOffline(true)
      try await choosePictures("leek.png", in: browser)
      #expect(await browser.shows("document.querySelector('#uploads [data-state=failed]')"))
      #expect(try await browser.runScript("return underWay").number == 1)
      try await browser.setOffline(false)
      try await browser.click("#uploads .again")
      #expect(await showsFiles(0, browser))
      #expect(await world.isSaved("leek.png)"))
      #expect(try await browser.runScript("return underWay").number == 0)

      // An answer that is lost: the second try adds no second copy.
      try await browser.runScript(
        """
        const send = XMLHttpRequest.prototype.send;
        XMLHttpRequest.prototype.send = function (data) {
          if (data instanceof Blob) {
            XMLHttpRequest.prototype.send = send;
            const end = this.onloadend;
            this.onloadend = () => { Object.defineProperty(this, 'status', { value: 0 }); end(); };
          }
          send.call(this, data);
        };
        """)
      try await choosePictures("onion.png", in: browser)
      #expect(await browser.shows("document.querySelector('#uploads [data-state=failed]')"))
      #expect(world.home.files(in: "j").contains { $0.hasSuffix("onion.png") })
      try await browser.click("#uploads .again")
      #expect(await showsFiles(0, browser))
      #expect(await world.isSaved("![onion](onion.png)"))
      #expect(world.home.files(in: "j").filter { $0.contains("onion") }.count == 1)
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `a new entry can begin with a picture, and vanishes without it`(_ engine: Browser.Engine)
    async throws
  {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      let before = world.home.files(in: "j").sorted()
      try await browser.click("#new")
      #expect(await browser.shows("document.activeElement.id == 'title'"))
      try await browser.runAsyncScript("await load('uploads')")
      world.server.signal(SIGSTOP)
      try await choosePictures("leek.png", in: browser)
      #expect(await showsFiles(1, browser))
      world.server.signal(SIGCONT)
      #expect(await showsFiles(0, browser))
      #expect(await world.isSaved("![leek](leek.png)"))
      #expect(await world.showsStatus("saved"))
      try await browser.click("#back")
      #expect(await browser.shows("document.querySelectorAll('.row').length == 4"))
      let after = world.home.files(in: "j").sorted()
      #expect(after.count == before.count + 2, "\(after)")

      // The entry is created for a file that is cancelled then.
      try await browser.click("#new")
      #expect(await browser.shows("document.activeElement.id == 'title'"))
      try await browser.runScript(
        "XMLHttpRequest.prototype.send = function () { window.held = this; }")
      try await choosePictures("second.png", in: browser)
      #expect(await browser.shows("window.held && page.dataset.href"))
      try await browser.click("#uploads li button:last-child")
      #expect(await showsFiles(0, browser))
      try await browser.click("#back")
      #expect(await browser.shows("document.querySelectorAll('.row').length == 4"))
      #expect(await Sandbox.holds { world.home.files(in: "j").sorted() == after })

      // The page is closed at the moment when the entry is created.
      try await browser.click("#new")
      #expect(await browser.shows("document.activeElement.id == 'title'"))
      try await browser.runScript(
        """
        const own = fetch;
        window.fetch = async (address, init) => {
          const answer = await own(address, init);
          if (init?.method !== "POST") return answer;
          window.isCreated = true;
          return new Promise(() => {});
        };
        """)
      try await choosePictures("third.png", in: browser)
      #expect(await browser.shows("window.isCreated"))
      #expect(world.home.files(in: "j").count == after.count + 1)
      try await browser.runScript("underWay = 0")
      try await world.openList()
      #expect(await Sandbox.holds { world.home.files(in: "j").sorted() == after })
    }
  }
}
