import Foundation
import TestSupport
import Testing
import WebDriver

/// Access from other origins, and console messages of the browser.
@Suite(.serialized) struct PageSafetyTests {
  /// Runs another server on this machine during `body`, which gets its origin. It serves `other`.
  private func withOtherServer(
    _ world: PageSession, _ body: @Sendable (String) async throws -> Void
  ) async throws {
    let port = try freePort()
    try await BackgroundProcess.run(
      world.home, "python3", ["-m", "http.server", "--bind", "127.0.0.1", "\(port)"], in: "other"
    ) { other in
      let origin = "http://127.0.0.1:\(port)"
      #expect(
        try await Sandbox.holds(within: 20) {
          try await world.home.run("curl", ["-s", origin + "/"]).status == 0
        }, "\(other.output)")
      try await body(origin)
    }
  }

  @Test func `a session violates no policy and makes no foreign request`() async throws {
    try await PageSession.visit { world in
      let browser = world.browser
      let file = try #require(world.file(containing: "Leeks"))
      try world.home.write(
        try world.home.read("j/" + file)
          + "\n<script>document.title='owned'</script> ![](http://192.0.2.1/x.png)\n"
          + "<img src=x onerror=\"document.title='owned'\">\n", to: "j/" + file)
      _ = try await browser.requestedAddresses()
      for page in ["e", "r", "h"] {
        try await browser.open("\(world.origin)/\(page)/\(file)")
        #expect(await browser.shows("document.readyState == 'complete'"))
        #expect(try await browser.runScript("return document.title") != "owned")
      }
      try await world.openList()
      try await browser.type("leeks", into: "#search")
      #expect(await browser.shows("document.querySelectorAll('.row').length == 1"))
      let foreign = try await browser.requestedAddresses().filter {
        !$0.hasPrefix(world.origin + "/") && !$0.hasPrefix("data:")
      }
      #expect(foreign.isEmpty, "\(foreign)")
      let complaints = try await browser.consoleProblems()
      #expect(complaints.isEmpty, "\(complaints)")
      // An injected script does not run.
      try await browser.runScript(
        """
        const script = document.createElement('script');
        try { script.textContent = 'document.title = "owned"'; } catch {}
        document.body.append(script);
        """)
      #expect(try await browser.runScript("return document.title") != "owned")
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `the title of the tab contains no text of an entry`(
    _ engine: Browser.Engine
  ) async throws {
    try await PageSession.visit(engine) { world in
      try await world.openEntry("A walk by the river")
      let title = try await world.browser.runScript("return document.title").text ?? ""
      #expect(!title.isEmpty && !title.contains("river"), "\(title)")
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `a page of another origin can neither read nor write`(_ engine: Browser.Engine) async throws
  {
    try await PageSession.visit(engine) { world in
      let before = world.files
      let file = try #require(world.file(containing: "Leeks"))
      let text = try world.home.read("j/" + file)
      // Another server on the same machine, and the same server under another host name.
      try world.home.write("<!doctype html><title>other</title>", to: "other/index.html")
      try await withOtherServer(world) { other in
        try await world.browser.open(other + "/")
        let got = try await world.browser.runAsyncScript(
          """
          const [origin, file] = args;
          const tries = [
            [origin + '/api/entries', {}],
            [origin + '/api/entries', {mode: 'no-cors', credentials: 'include'}],
            [origin + '/api/entries', {method: 'POST', mode: 'no-cors', credentials: 'include',
              body: '{"title":"owned","body":"owned"}'}],
            [origin + '/api/entries/' + file, {method: 'PUT', credentials: 'include',
              body: '{"title":"owned","body":"owned"}'}],
            [origin + '/api/entries/' + file, {method: 'DELETE', credentials: 'include'}],
            [origin.replace('127.0.0.1', 'localhost') + '/api/entries', {method: 'POST',
              mode: 'no-cors', credentials: 'include', body: '{"title":"owned","body":"owned"}'}],
          ];
          const seen = [];
          for (const [address, options] of tries) {
            try {
              const answer = await fetch(address, options);
              seen.push(answer.type + ' ' + answer.status + ' ' + (await answer.text()).length);
            } catch { seen.push('refused'); }
          }
          const picture = new Image();
          seen.push(await new Promise(done => {
            picture.onload = () => done('shown');
            picture.onerror = () => done('refused');
            picture.src = origin + '/a/icon.svg';
          }));
          return seen;
          """, .text(world.origin), .text(file))
        #expect(got.list.count == 7, "\(got)")
        for answer in got.list {
          #expect(["refused", "opaque 0 0"].contains(answer.text ?? ""), "\(got)")
        }
        // Time for a write that a request might have started.
        try await Task.sleep(for: .seconds(1))
        #expect(world.files == before)
        #expect(try world.home.read("j/" + file) == text)
      }
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `a drawing opened by itself runs no script`(_ engine: Browser.Engine) async throws {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      let drawing = """
        <svg xmlns="http://www.w3.org/2000/svg" width="9" height="9" onload="localStorage.owned = 1">
        <script>localStorage.owned = 1</script><path d="M0 0h9v9z"/></svg>
        """
      let file = try #require(world.file(containing: "Leeks"))
      let place = file.split(separator: "/").dropLast().joined(separator: "/") + "/d.svg"
      try world.home.write(drawing, to: "j/" + place)
      try world.home.write(drawing, to: "other/d.svg")
      try world.home.write("<!doctype html><title>other</title>", to: "other/index.html")
      /// Opens the drawing by a link and by its address. Returns whether its script ran.
      @Sendable func hasRun(_ origin: String, _ address: String) async throws -> Bool {
        for isLink in [true, false] {
          try await browser.open(origin + "/")
          if isLink {
            try await browser.runScript("location.href = arguments[0]", .text(address))
          } else {
            // The file is only offered for download, so the navigation may fail.
            try? await browser.open(origin + address)
          }
          // Time for a script to run; that none runs has no event.
          try await Task.sleep(for: .seconds(2))
          try await browser.open(origin + "/")
          if try await browser.runScript("return localStorage.owned == 1").isTrue { return true }
        }
        return false
      }
      try await withOtherServer(world) { other in
        let runsThere = try await hasRun(other, "/d.svg")
        let runsHere = try await hasRun(world.origin, "/f/" + place)
        #expect(runsThere, "a server without care has it run")
        #expect(!runsHere)
      }
      // The drawing itself can be fetched.
      let text = try await browser.runAsyncScript(
        "return await (await fetch(args[0])).text()", .text("/f/" + place))
      #expect(text.text == drawing, "\(text)")
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `a page of another port cannot load, run or frame the journal`(
    _ engine: Browser.Engine
  ) async throws {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      let file = try #require(world.file(containing: "Leeks"))
      let place = file.split(separator: "/").dropLast().joined(separator: "/") + "/d.svg"
      let drawing = #"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>"#
      try world.home.write(drawing, to: "j/" + place)
      try world.home.write(drawing, to: "other/d.svg")
      try world.home.write("function startList() {}", to: "other/list.js")
      try world.home.write("<!doctype html><p>Leeks of its own", to: "other/frame.html")
      try world.home.write("<!doctype html><title>other</title>", to: "other/index.html")
      let scripts = try await browser.runScript(
        "return [...document.scripts].map(script => script.src).filter(Boolean)"
      ).list.compactMap(\.text)
      #expect(scripts.contains { $0.contains("list") }, "\(scripts)")
      try await withOtherServer(world) { other in
        /// The load result of an element with this address, and the type of the list script.
        @Sendable func loadResult(_ element: String, _ address: String) async throws -> String {
          try await browser.open(other + "/")
          return try await browser.runAsyncScript(
            """
            const [name, address] = args;
            const element = document.createElement(name);
            const end = await new Promise(done => {
              element.onload = () => done('loaded');
              element.onerror = () => done('refused');
              element.src = address;
              document.body.append(element);
              setTimeout(() => done('silent'), 10000);
            });
            return end + ' ' + typeof window.startList + ' ' + (element.naturalWidth || 0);
            """, .text(element), .text(address)
          ).text ?? ""
        }
        /// The text in a frame with this address.
        @Sendable func frameText(_ address: String) async throws -> String {
          _ = try await loadResult("iframe", address)
          try await browser.enterFrame()
          let words = try await browser.runScript(
            "return document.documentElement?.textContent ?? ''")
          try await browser.enterFrame(false)
          return words.text ?? ""
        }
        #expect(try await loadResult("script", other + "/list.js") == "loaded function 0")
        #expect(try await loadResult("img", other + "/d.svg") == "loaded undefined 9")
        #expect(try await frameText(other + "/frame.html").contains("Leeks of its own"))

        for script in scripts + ["\(world.origin)/api/entries", "\(world.origin)/r/\(file)"] {
          #expect(try await loadResult("script", script) == "refused undefined 0", "\(script)")
        }
        for picture in ["/f/\(place)", "/a/icon.svg", "/r/\(file)"] {
          #expect(try await loadResult("img", world.origin + picture) == "refused undefined 0")
        }
        for page in ["/", "/r/\(file)", "/e/\(file)", "/f/\(place)", "/api/entries"] {
          let words = try await frameText(world.origin + page)
          #expect(!words.contains("Leeks") && !words.contains("Soup"), "\(page): \(words)")
          #expect(!words.contains("diary web"), "\(page): \(words)")
        }
      }
    }
  }

  @Test func `without a session the page shows only how to sign in`() async throws {
    let home = try Sandbox()
    try await home.diary("init", "j")
    try await home.diary("new", "Secret", "-m", "Nobody knows.", in: "j")
    try await PageSession.serve(home) { _, link in
      let origin = String(link.prefix { $0 != "#" }.dropLast("/open".count))
      try await Browser.run(home) { browser in
        try await browser.open(origin + "/")
        let text = try await browser.runScript("return document.body.textContent").text ?? ""
        #expect(text.contains("diary web") && !text.contains("Secret"), "\(text)")
        // A link works once.
        try await browser.open(link)
        #expect(await browser.shows("document.querySelector('#new')"))
        try await browser.command("Network.clearBrowserCookies")
        try await browser.open("about:blank")
        try await browser.open(link)
        #expect(await browser.shows("document.body.textContent.includes('diary web')"))
        #expect(try await browser.runScript("return !document.querySelector('#new')").isTrue)
      }
    }
  }
}
