import Foundation
import TestSupport
import Testing
import WebDriver

/// What a browser lets others do, and what it complains about.
@Suite(.serialized) struct PageSafetyTests {
  @Test func `a whole session breaks no rule of its own and asks nobody else`() async throws {
    try await PageWorld.visiting { world in
      let browser = world.browser
      let file = try #require(world.file(with: "Leeks"))
      try world.home.write(
        try world.home.read("j/" + file)
          + "\n<script>document.title='owned'</script> ![](http://192.0.2.1/x.png)\n"
          + "<img src=x onerror=\"document.title='owned'\">\n", to: "j/" + file)
      _ = try await browser.requests()
      for page in ["e", "r", "h"] {
        try await browser.open("\(world.origin)/\(page)/\(file)")
        #expect(await browser.shows("document.readyState == 'complete'"))
        #expect(try await browser.script("return document.title") != "owned")
      }
      try await world.list()
      try await browser.type("leeks", into: "#search")
      #expect(await browser.shows("document.querySelectorAll('.row').length == 1"))
      let foreign = try await browser.requests().filter {
        !$0.hasPrefix(world.origin + "/") && !$0.hasPrefix("data:")
      }
      #expect(foreign.isEmpty, "\(foreign)")
      let complaints = try await browser.complaints()
      #expect(complaints.isEmpty, "\(complaints)")
      // A script that something puts into the page does not run.
      try await browser.script(
        """
        const script = document.createElement('script');
        try { script.textContent = 'document.title = "owned"'; } catch {}
        document.body.append(script);
        """)
      #expect(try await browser.script("return document.title") != "owned")
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `the tab's title and the browser's history tell no word of an entry`(
    _ engine: Browser.Engine
  ) async throws {
    try await PageWorld.visiting(engine) { world in
      try await world.openEntry("A walk by the river")
      let title = try await world.browser.script("return document.title").text ?? ""
      #expect(!title.contains("river"), "\(title)")
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `a page of another origin can neither read nor write`(_ engine: Browser.Engine) async throws
  {
    try await PageWorld.visiting(engine) { world in
      let before = world.files
      let file = try #require(world.file(with: "Leeks"))
      let text = try world.home.read("j/" + file)
      // Another server of the same machine, and the same server by another name.
      try world.home.write("<!doctype html><title>other</title>", to: "other/index.html")
      let port = try Browser.freePort()
      try await Background.running(
        world.home, "python3", ["-m", "http.server", "--bind", "127.0.0.1", "\(port)"], in: "other"
      ) { other in
        #expect(
          try await Sandbox.holds(within: 20) {
            try await world.home.run("curl", ["-s", "http://127.0.0.1:\(port)/"]).status == 0
          }, "\(other.output)")
        try await world.browser.open("http://127.0.0.1:\(port)/")
        let got = try await world.browser.awaiting(
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
        for answer in got.list {
          #expect(["refused", "opaque 0 0"].contains(answer.text ?? ""), "\(got)")
        }
        try await Task.sleep(for: .seconds(1))
        #expect(world.files == before)
        #expect(try world.home.read("j/" + file) == text)
      }
    }
  }

  @Test func `without a session there is no word, and the page says how to get one`() async throws {
    let home = try Sandbox()
    try await home.diary("init", "j")
    try await home.diary("new", "Secret", "-m", "Nobody knows.", in: "j")
    try await PageWorld.serving(home) { _, link in
      let origin = String(link.prefix { $0 != "#" }.dropLast("/open".count))
      try await Browser.running(home) { browser in
        try await browser.open(origin + "/")
        let text = try await browser.script("return document.body.textContent").text ?? ""
        #expect(text.contains("diary web") && !text.contains("Secret"), "\(text)")
        // A link opens once.
        try await browser.open(link)
        #expect(await browser.shows("document.querySelector('#new')"))
        try await browser.command("Network.clearBrowserCookies")
        try await browser.open("about:blank")
        try await browser.open(link)
        #expect(await browser.shows("document.body.textContent.includes('diary web')"))
        #expect(try await browser.script("return !document.querySelector('#new')").isTrue)
      }
    }
  }
}
