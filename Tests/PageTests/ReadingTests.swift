import Foundation
import TestSupport
import Testing
import WebDriver

/// An entry as it reads: tapping into its text, tasks, changes from elsewhere, and going back.
@Suite(.serialized) struct ReadingTests {
  /// The middle of the n-th occurrence of a text in the article, after it is scrolled into view.
  private func middle(of text: String, _ number: Int = 0, _ world: PageSession) async throws
    -> (x: Double, y: Double)
  {
    let place = try await world.browser.runScript(
      """
      const [text, number] = arguments;
      const walker = document.createTreeWalker(document.querySelector('#reading'), NodeFilter.SHOW_TEXT);
      for (let node, seen = 0; (node = walker.nextNode());) {
        for (let at = node.data.indexOf(text); at >= 0; at = node.data.indexOf(text, at + 1)) {
          if (seen++ !== number) continue;
          node.parentElement.scrollIntoView({ block: 'center' });
          const range = document.createRange();
          range.setStart(node, at);
          range.setEnd(node, at + text.length);
          const box = range.getBoundingClientRect();
          return [box.left + box.width / 2, box.top + box.height / 2];
        }
      }
      """, .text(text), .number(Double(number))
    ).list.compactMap(\.number)
    guard place.count == 2 else { throw ProgramFailed(message: "the article has no \(text)") }
    return (place[0], place[1])
  }

  private func tap(_ text: String, _ number: Int = 0, _ world: PageSession) async throws {
    let (x, y) = try await middle(of: text, number, world)
    try await world.browser.tap(x, y)
  }

  /// Opens an entry by its path, for reading.
  private func open(_ path: String, _ world: PageSession) async throws {
    try await world.browser.open("\(world.origin)/e/\(path)")
    #expect(await world.browser.shows("document.readyState == 'complete' && isReading()"))
    #expect(await world.browser.shows("events?.readyState === EventSource.OPEN"))
  }

  @Test(arguments: Browser.Engine.allCases)
  func `Done returns to the caret, also below a footnote`(_ engine: Browser.Engine) async throws {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      var text = "# Notes\n\nA claim.[^1]\n\n[^1]: Its source.\n\n"
      for number in 1...40 { text += "Paragraph \(number) has some words in it.\n\n" }
      try world.home.write(text, to: "j/notes.md")
      try await world.home.diary("save", in: "j")
      try await world.readEntry("Notes")
      let paragraph =
        "[...document.querySelectorAll('#reading p')].find(p => p.textContent.startsWith('Paragraph 12 '))"
      try await browser.runScript(
        "const at = body.value.indexOf('Paragraph 12'); edit([body, at], 300);")
      #expect(await browser.shows("!isReading()"))
      try await browser.click("#done")
      #expect(await browser.shows("isReading()"))
      #expect(
        await browser.shows(
          "(({top, bottom}) => top > 0 && bottom < innerHeight)(\(paragraph).getBoundingClientRect())"
        ))
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `a tap on a word puts the caret there, and Done shows the new article`(
    _ engine: Browser.Engine
  ) async throws {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      let filler = (1...40).map { "Paragraph \($0) of a long day." }.joined(separator: "\n\n")
      try world.home.write(
        "# 한강 걷기\n\n\(filler)\n\nThe rain fell, **then** the rain stopped.\n\n\(filler)\n",
        to: "j/rain.md")
      try await open("rain.md", world)
      #expect(
        try await browser.runScript("return document.body.innerText").text?.contains("**") == false)
      let y = try await middle(of: "rain", 1, world).y
      try await tap("rain", 1, world)
      let place = try await browser.runScript(
        """
        const field = document.activeElement;
        const rain = field.value.indexOf('rain', field.value.indexOf('rain') + 1);
        const text = field.value.slice(0, field.selectionStart);
        return [field.id, field.selectionStart - rain, innerHeight > caretBottom(field, text.length) - scrollY,
          caretBottom(field, text.length) - scrollY];
        """
      ).list
      #expect(place.first == "body")
      #expect((0...4).contains(place[1].number ?? -1), "\(place)")
      #expect(abs((place[3].number ?? 0) - y) < 40, "the line of the caret stays: \(place), \(y)")
      try await browser.press("s", "n", "o", "w", " ")
      try await browser.click("#done")
      #expect(await browser.shows("isReading()"))
      #expect(await world.isSaved("snow "))
      // The block of the caret is in view.
      let isSeen = """
        (() => {
          const block = blocks().find(each => each.textContent.includes('snow '));
          const box = block?.getBoundingClientRect();
          return box && box.top > 50 && box.bottom < innerHeight;
        })()
        """
      #expect(await browser.shows(isSeen))
      // A tap below the text continues it; Esc goes back as well.
      try await browser.runScript("scrollTo(0, 0)")
      try await browser.press("e")
      #expect(await browser.shows("document.activeElement.id == 'body'"))
      #expect(try await world.value("#body").contains("e rain fell"), "the key writes nothing")
      try await browser.press(.escape)
      #expect(await browser.shows("isReading()"))
      try await tap("걷기", 0, world)
      #expect(await browser.shows("document.activeElement.id == 'title'"))
    }
  }

  @Test func `a drag, a selection, a link and a player are no taps`() async throws {
    try await PageSession.visit { world in
      let browser = world.browser
      try world.home.write("RIFF\0\0\0\0WAVEfmt ", to: "j/sound.wav")
      try world.home.write(
        "# Taps\n\nSome words to select.\n\n[sound](sound.wav) and [soup](none.md)\n\n![](sound.wav)\n",
        to: "j/taps.md")
      try await open("taps.md", world)
      #expect(try await browser.runScript("return document.querySelectorAll('audio').length") == 2)
      let players = try await browser.runScript(
        """
        for (const player of document.querySelectorAll('audio')) player.click();
        return isReading();
        """)
      #expect(players.isTrue)
      let (x, y) = try await middle(of: "words", 0, world)
      try await browser.runScript(
        """
        const [x, y] = arguments;
        const send = (kind, x) => document.elementFromPoint(x, y).dispatchEvent(
          new PointerEvent(kind, { bubbles: true, isPrimary: true, clientX: x, clientY: y }));
        send('pointerdown', x);
        send('pointerup', x + 9);
        send('click', x + 9);
        getSelection().selectAllChildren(document.querySelector('#reading p[data-lines]'));
        send('pointerdown', x);
        send('click', x);
        """, .number(x), .number(y))
      #expect(try await browser.runScript("return isReading()").isTrue)
      try await browser.runScript("getSelection().removeAllRanges()")
      try await browser.tap(x, y)
      #expect(await browser.shows("document.activeElement.id == 'body'"))
      let complaints = try await browser.consoleProblems()
      #expect(!complaints.contains { $0.contains("Content Security Policy") }, "\(complaints)")
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `a ticked task changes one byte, and merges with an edit elsewhere`(
    _ engine: Browser.Engine
  ) async throws {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      let text =
        "---\r\ndate: 2026-11-02\r\n---\r\n# List\r\n\r\n- [ ] leeks\r\n- [x] salt\r\n"
        + "  1. [ ] sea  salt\r\n\r\n- nested\r\n\r\n  - [ ] milk\r\n\r\nThe end."
      try world.home.write(text, to: "j/list.md")
      try await open("list.md", world)
      let box = "document.querySelectorAll('#reading .box')"
      for (number, old, new) in [
        (0, "[ ] leeks", "[x] leeks"), (2, "[ ] sea", "[x] sea"), (3, "[ ] milk", "[x] milk"),
        (1, "[x] salt", "[ ] salt"),
      ] {
        let before = try world.home.read("j/list.md")
        #expect(before.contains(old))
        try await browser.runScript("\(box)[\(number)].click()")
        #expect(
          try await Sandbox.holds {
            try world.home.read("j/list.md") == before.replacing(old, with: new)
          }, "\(new)")
        let isDone = new.hasPrefix("[x]")
        #expect(
          await browser.shows(
            "\(box)[\(number)].ariaChecked == '\(isDone)' && !\(box)[\(number)].ariaDisabled"))
        #expect(try await browser.runScript("return isReading()").isTrue)
      }
      // The tick is based on the version that the page shows.
      try await browser.runScript("events.close(); window.lookAgain = () => {};")
      let before = try world.home.read("j/list.md")
      try world.home.write(before.replacing("The end.", with: "The very end."), to: "j/list.md")
      try await browser.runScript("\(box)[0].focus()")
      try await browser.press(" ")
      #expect(
        try await Sandbox.holds {
          let text = try world.home.read("j/list.md")
          return text
            == before.replacing("[x] leeks", with: "[ ] leeks")
            .replacing("The end.", with: "The very end.")
        })
      #expect(
        await browser.shows("document.querySelector('#reading').textContent.includes('very end')"))
    }
  }

  @Test func `a tick that cannot be saved yet shows the state of the file`() async throws {
    try await PageSession.visit { world in
      let browser = world.browser
      try world.home.write("# List\n\n- [ ] leeks\n", to: "j/list.md")
      try await open("list.md", world)
      try await browser.setOffline(true)
      try await browser.runScript("document.querySelector('#reading .box').click()")
      #expect(await world.showsStatus("unsaved"))
      let box = "document.querySelector('#reading .box')"
      #expect(await browser.shows("\(box).ariaChecked == 'false' && !\(box).ariaDisabled"))
      try await browser.setOffline(false)
      #expect(await world.isSaved("- [x] leeks"))
      #expect(await browser.shows("\(box).ariaChecked == 'true'"))
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `a change from elsewhere is shown at the same place`(_ engine: Browser.Engine) async throws {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      let lines = (1...60).map { "Line \($0) of the day." }.joined(separator: "\n\n")
      try world.home.write("# Long\n\n\(lines)\n", to: "j/long.md")
      try await open("long.md", world)
      let top =
        "blocks().find(each => each.textContent == 'Line 30 of the day.').getBoundingClientRect().top"
      try await browser.runScript(
        "scrollBy(0, \(top) - 20)")
      let before = try await browser.runScript("return \(top)").number ?? 0
      try world.home.write(
        "---\nstarred: true\n---\n# Long\n\nOne more.\n\nTwo more.\n\n\(lines)\n", to: "j/long.md")
      #expect(
        await browser.shows("document.querySelector('#reading').textContent.includes('Two more')"))
      #expect(await browser.shows("document.querySelector('#chips .star')"))
      let after = try await browser.runScript("return \(top)").number ?? 0
      #expect(abs(before - after) < 3, "\(before), \(after)")
      #expect(try await browser.runScript("return isReading() && !isTouched").isTrue)
      // A deletion elsewhere leaves the article, and says so.
      try await world.home.diary("delete", "long.md", "--yes", in: "j")
      #expect(await world.showsStatus("deleted"))
      #expect(try await browser.runScript("return isReading()").isTrue)
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `Back and Forward over list, reading and writing show every word`(
    _ engine: Browser.Engine
  ) async throws {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      var dice = SeededGenerator(part: engine)
      let file = try #require(world.file(containing: "Leeks"))
      var words: [String] = []
      for round in 0..<12 {
        let way = round == 0 ? 3 : dice.roll(6)
        switch way {
        case 0: try await browser.back()
        case 1: try await browser.forward()
        case 2: try await browser.reload()
        case 3:
          try await world.readEntry("Soup")
          _ = await browser.shows(
            "document.readyState == 'complete' && typeof isReading == 'function'")
        case 4:
          try world.home.write(
            world.home.read("j/" + file) + "\nElsewhere\(round).\n", to: "j/" + file)
          words.append("Elsewhere\(round).")
        default: try await world.openList()
        }
        _ = await browser.shows("document.readyState == 'complete'")
        let isEntry = await browser.shows("document.querySelector('#reading')", within: 0.3)
        guard isEntry else { continue }
        #expect(await browser.shows("events?.readyState === EventSource.OPEN"))
        for word in words {
          #expect(
            await browser.shows(
              """
              (isReading() ? document.querySelector('#reading').textContent
                : document.querySelector('#body').value).includes('\(word)')
              """), "\(dice), round \(round), way \(way): \(word)")
        }
        guard dice.roll(2) == 0 else { continue }
        try await world.edit()
        try await browser.click("#body")
        try await browser.press(.end, holding: .control)
        try await browser.type(" Typed\(round).", into: "#body")
        words.append("Typed\(round).")
        if dice.roll(2) == 0 {
          try await browser.click("#done")
          #expect(await browser.shows("isReading()"))
        } else if dice.roll(2) == 0 {
          try await browser.click("#back")
          #expect(await browser.shows("document.querySelector('#new')"))
        }
      }
      #expect(!words.isEmpty)
      #expect(
        try await Sandbox.holds(within: 20) {
          let text = try world.home.read("j/" + file)
          return words.allSatisfy(text.contains)
        }, "\(dice): \(words)")
    }
  }

  @Test func `printing prints the article, also while writing`() async throws {
    try await PageSession.visit { world in
      let browser = world.browser
      try world.home.write("# Print\n\nSome **strong** words.\n", to: "j/print.md")
      try await browser.open(world.origin + "/r/print.md#print")
      #expect(
        await browser.shows("location.pathname == '/e/print.md' && location.hash == '#print'"))
      try await world.edit()
      try await browser.click("#body")
      try await browser.press(.end, holding: .control)
      try await browser.press(" ", "N", "e", "w", ".")
      try await browser.runScript("window.print = () => { window.isPrinted = true; }")
      try await browser.press("p", holding: .control)
      #expect(await browser.shows("window.isPrinted"))
      try await browser.setMedia([:], medium: "print")
      let words = try await browser.runScript("return document.body.innerText").text ?? ""
      #expect(words.contains("Some strong words. New."), "\(words)")
      #expect(!words.contains("**"), "\(words)")
      #expect(
        try await browser.runScript(
          "return getComputedStyle(document.querySelector('#body')).display") == "none")
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `an empty entry opens in its field, a read-only one only reads`(_ engine: Browser.Engine)
    async throws
  {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      try world.home.write("---\ndate: 2026-11-03\n---\n", to: "j/2026-11-03.md")
      try await browser.open(world.origin + "/e/2026-11-03.md")
      #expect(await browser.shows("document.activeElement.id == 'body' && !isReading()"))
      try world.home.write(
        "+++\ndate = 2026-11-04\n+++\n# Fixed\n\n- [ ] leeks\n", to: "j/fixed.md")
      try await browser.open(world.origin + "/e/fixed.md")
      #expect(await browser.shows("document.readyState == 'complete' && isReading()"))
      try await browser.press("e")
      try await browser.runScript(
        "document.querySelector('.box').click(); document.querySelector('.task').click();")
      #expect(
        try await browser.runScript("return isReading() && !document.querySelector('#edit')").isTrue
      )
      try world.home.write("+++\ndate = 2026-11-04\n+++\n# Fixed\n\nAnew.\n", to: "j/fixed.md")
      #expect(
        await browser.shows("document.querySelector('#reading').textContent.includes('Anew.')"))
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `an entry cannot pretend to be a part of the page`(_ engine: Browser.Engine) async throws {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      let ids = try await browser.runScript(
        "return [...document.querySelectorAll('[id]')].map(each => each.id)"
      ).list.compactMap(\.text)
      #expect(ids.contains("search"))
      let names = ids + ["body", "title", "reading", "status", "done", "edit", "notice"]
      let hostile = names.map { name in
        """
        # \(name)

        <textarea id="\(name)" name="\(name)">x</textarea> <a id=\(name)>[^\(name)] {#\(name)}

        [\(name)](#\(name)) ![\(name)](javascript:document.title='owned') <script>document.title='owned'</script>

        [^\(name)]: # \(name) <svg onload="document.title='owned'">
        """
      }
      try world.home.write(
        "# \u{3C}/textarea>\u{3C}/main> title\n\n" + hostile.joined(separator: "\n\n") + "\n",
        to: "j/hostile.md")
      try await open("hostile.md", world)
      let own = try await browser.runScript(
        """
        const inside = [...document.querySelectorAll('#reading [id]')].map(each => each.id);
        return inside.every(id => id.startsWith('e-')) && inside.length > 2
          && document.querySelectorAll('textarea').length === 2
          && !document.querySelector('#reading :is([name], script, textarea, style, iframe, form)')
          && document.querySelector('#body').localName === 'textarea';
        """)
      #expect(own.isTrue)
      try await world.edit()
      try await browser.click("#done")
      #expect(await browser.shows("isReading()"))
      #expect(try await browser.runScript("return document.title") != "owned")
      if engine == .chromium {
        let complaints = try await browser.consoleProblems()
        #expect(complaints.isEmpty, "\(complaints)")
      }
    }
  }
}
