import Foundation
import TestSupport
import Testing
import WebDriver

/// Device features: location, clipboard, pictures, on-screen keyboard, printing, suspend, and
/// accessibility preferences.
@Suite(.serialized) struct DeviceTests {
  private func setPermission(_ name: String, _ setting: String, _ world: PageSession) async throws {
    try await world.browser.command(
      "Browser.setPermission",
      [
        "permission": ["name": .text(name)], "setting": .text(setting),
        "origin": .text(world.origin),
      ])
  }

  @Test func `the location is requested by a button, rounded, and not sent if denied`()
    async throws
  {
    try await PageSession.visit { world in
      let browser = world.browser
      try await browser.command(
        "Emulation.setGeolocationOverride",
        ["latitude": 37.566535, "longitude": 126.977969, "accuracy": 5])
      func settings() -> String {
        (try? world.home.read(".config/diary/config.yml")) ?? ""
      }
      try await setPermission("geolocation", "denied", world)
      try await browser.click("#ask-weather .yes")
      #expect(await browser.shows("document.querySelector('#weather').open"))
      _ = try await browser.requestedAddresses()
      try await browser.click("#weather [data-do=here]")
      #expect(await browser.shows("document.querySelector('#weather .said').textContent"))
      // The list may be asked for at any moment.
      let asked = try await browser.requestedAddresses().filter { !$0.contains("/api/entries?") }
      #expect(asked == [])
      #expect(!settings().contains("37"))
      try await setPermission("geolocation", "granted", world)
      try await browser.click("#weather [data-do=here]")
      #expect(await browser.shows("!document.querySelector('#weather').open"))
      #expect(await Sandbox.holds { settings().contains("37.57") })
      #expect(settings().contains("126.98") && !settings().contains("37.566"), "\(settings())")
    }
  }

  @Test func `an entry is shared through the clipboard`() async throws {
    try await PageSession.visit { world in
      let browser = world.browser
      try await setPermission("clipboard-read", "granted", world)
      try await setPermission("clipboard-write", "granted", world)
      try await browser.swipe(".row", by: -140)
      try await browser.click(".row .share")
      #expect(await browser.shows("document.querySelector('#share').open"))
      try await browser.click("#share [data-do=text]")
      #expect(await browser.shows("!document.querySelector('#share').open"))
      let copied = try await browser.runAsyncScript("return await navigator.clipboard.readText()")
      #expect(copied.text?.contains("The rain stopped at noon.") == true, "\(copied)")
      #expect(copied.text?.hasPrefix("A walk by the river") == true, "\(copied)")
    }
  }

  @Test(arguments: ["paste", "drop", "drop while reading"])
  func `a picture that is pasted or dropped is saved beside its entry`(_ way: String) async throws {
    try await PageSession.visit { world in
      let browser = world.browser
      try await world.readEntry("Soup")
      if way != "drop while reading" {
        try await world.edit()
        try await browser.click("#body")
      }
      _ = await browser.shows("document.readyState == 'complete'")
      try await browser.runAsyncScript(
        """
        const canvas = document.createElement('canvas');
        const blob = await new Promise(done => canvas.toBlob(done, 'image/png'));
        const data = new DataTransfer();
        data.items.add(new File([blob], 'leek.png', {type: 'image/png'}));
        const event = args[0] === 'paste'
          ? new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true})
          : new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true});
        document.querySelector('#body').dispatchEvent(event);
        """, .text(way))
      #expect(await world.isSaved("leek.png)"))
      if way == "drop while reading" {
        #expect(await browser.shows("blocks().at(-1).querySelector('img')"))
        #expect(try await browser.runScript("return isReading()").isTrue)
      }
      #expect(
        await Sandbox.holds { world.home.files(in: "j").contains { $0.hasSuffix("leek.png") } })
      let file = try #require(world.file(containing: "leek.png)"))
      let text = try world.home.read("j/" + file)
      #expect(text.contains("Leeks, potatoes, time.") && !text.contains("]()"), "\(text)")
      let picture = try #require(text.firstMatch(of: /!\[[^\]]*\]\(([^)]+)\)/))
      // The link in the entry leads to the saved file.
      let folder = (file as NSString).deletingLastPathComponent
      #expect(
        world.home.files(in: "j").contains(
          (folder as NSString).appendingPathComponent(String(picture.1))))
    }
  }

  @Test func `an on-screen keyboard adds space below the page, and removes it`() async throws {
    try await PageSession.visit { world in
      let browser = world.browser
      try await world.openEntry("Soup")
      func inset(_ height: Int, _ top: Int) async throws -> Double? {
        try await browser.runScript(
          "return keyboardInset(innerHeight, {height: innerHeight - arguments[0], offsetTop: arguments[1]})",
          .number(Double(height)), .number(Double(top))
        ).number
      }
      #expect(try await inset(300, 0) == 300)
      #expect(try await inset(300, 120) == 180)
      #expect(try await inset(0, 0) == 0)
      #expect(try await inset(-3, 0) == 0)
      // A headless engine has no on-screen keyboard, so its viewport change is simulated.
      for (height, padding) in [(300, "316px"), (0, "16px")] {
        try await browser.runScript(
          """
          Object.defineProperty(visualViewport, 'height',
            {value: innerHeight - arguments[0], configurable: true});
          visualViewport.dispatchEvent(new Event('resize'));
          """, .number(Double(height)))
        #expect(
          await browser.shows(
            "getComputedStyle(document.querySelector('main')).paddingBottom == '\(padding)'"))
      }
    }
  }

  @Test func `reduced motion and forced colours are respected`() async throws {
    try await PageSession.visit { world in
      let browser = world.browser
      let moving = "getComputedStyle(document.querySelector('.row a')).transitionDuration != '0s'"
      #expect(await browser.shows(moving))
      try await browser.setMedia(["prefers-reduced-motion": "reduce"])
      #expect(await browser.shows("!(\(moving))"))
      try await browser.setMedia(["forced-colors": "active"])
      try await browser.takeScreenshot("forced-colours")
      // Icons drawn in lines use the text colour; elements without a background have a border.
      let colours = try await browser.runScript(
        """
        const probe = document.createElement('p');
        probe.style.color = 'LinkText';
        document.body.append(probe);
        const icon = getComputedStyle(document.querySelector('#new svg'));
        const field = getComputedStyle(document.querySelector('#search'));
        return [icon.stroke === getComputedStyle(probe).color, field.borderTopWidth];
        """)
      #expect(colours == [true, "1px"], "\(colours)")
    }
  }

  @Test func `an entry is printed without screen controls`() async throws {
    try await PageSession.visit { world in
      let browser = world.browser
      let file = try #require(world.file(containing: "Leeks"))
      try await browser.open("\(world.origin)/r/\(file)")
      try await browser.setMedia([:], medium: "print")
      #expect(
        await browser.shows(
          "getComputedStyle(document.querySelector('.bar')).display == 'none'"))
      let words = try await browser.runScript("return document.body.innerText").text ?? ""
      #expect(words.contains("Leeks, potatoes, time."), "\(words)")
      let pdf = try await browser.command("Page.printToPDF")["data"].text ?? ""
      #expect(Data(base64Encoded: pdf)?.starts(with: Data("%PDF-".utf8)) == true)
    }
  }

  @Test func `a PDF beside an entry is shown`() async throws {
    try await PageSession.visit { world in
      try world.home.write("%PDF-1.4\ntrailer<<>>\n%%EOF\n", to: "j/leeks.pdf")
      try await world.browser.open(world.origin + "/f/leeks.pdf")
      let type = try await world.browser.runScript("return document.contentType").text
      #expect(type == "application/pdf")
    }
  }

  @Test func `without scripts pages can be read, without unusable controls`() async throws {
    try await PageSession.visit { world in
      let browser = world.browser
      let controls = ["#find", "#new", "#more", "#ask-weather"]
      for control in controls {
        #expect(await browser.shows("document.querySelector('\(control)')"), "\(control)")
      }
      try await browser.command("Emulation.setScriptExecutionDisabled", ["value": true])
      try await browser.open(world.origin + "/?q=leeks")
      #expect(await browser.shows("document.querySelectorAll('.row').length == 1"))
      for control in controls {
        #expect(
          try await browser.runScript(
            """
            const control = document.querySelector(arguments[0]);
            return !control || getComputedStyle(control).display === 'none';
            """, .text(control)
          ).isTrue, "\(control)")
      }
      try await browser.click(".row a")
      #expect(await Sandbox.holds { (try? await browser.address.contains("/e/")) == true })
      #expect(await browser.shows("document.body.innerText.includes('potatoes')"))
      for control in ["#edit", "#done", "#body", "#more"] {
        let display = try await browser.runScript(
          "return getComputedStyle(document.querySelector(arguments[0])).display", .text(control))
        #expect(display == "none", "\(control)")
      }
    }
  }

  @Test func `after a suspended server continues, every word is saved once`() async throws {
    try await PageSession.visit { world in
      let browser = world.browser
      try await world.openEntry("Soup")
      world.server.signal(SIGSTOP)
      try await browser.click("#body")
      try await browser.press(.end, holding: .control)
      try await browser.press(" ", "O", "n", "e", ".")
      // The page waits twenty seconds for a response.
      #expect(await world.showsStatus("unsaved", within: 40))
      try await browser.press(" ", "T", "w", "o", ".")
      world.server.signal(SIGCONT)
      #expect(await world.isSaved("time. One. Two."))
      #expect(await world.showsStatus("saved"))
      let file = try #require(world.file(containing: "Leeks"))
      #expect(try world.home.read("j/" + file).components(separatedBy: "One.").count == 2)
      // The page receives change events again.
      try await world.openList()
      world.server.signal(SIGSTOP)
      try await Task.sleep(for: .seconds(2))
      try world.home.write("---\ndate: 2027-01-01\n---\n# Fresh\n", to: "j/fresh.md")
      world.server.signal(SIGCONT)
      #expect(
        await browser.shows("document.querySelector('#rows .row').textContent.includes('Fresh')"))
    }
  }
}
