import Foundation
import TestSupport
import Testing
import WebDriver

/// Lists, quotes and marks while writing, with real keys.
@Suite(.serialized) struct WritingHelpTests {
  /// Keys to press, and the text that they make of another; `|` is the caret, two of them the
  /// selection.
  private static let edits: [(before: String, keys: [Browser.Key], after: String)] = [
    ("- milk|", [.enter], "- milk\n- |"), ("- milk\n- |", [.enter], "- milk\n|"),
    ("* a\n  * b|", [.enter], "* a\n  * b\n  * |"), ("* a\n  * |", [.enter], "* a\n* |"),
    ("9. nine|", [.enter], "9. nine\n10. |"), ("1) one|two", [.enter], "1) one\n2) |two"),
    ("- [x] done|", [.enter], "- [x] done\n- [ ] |"), ("- [ ] |", [.enter], "|"),
    ("> said|", [.enter], "> said\n> |"), ("> said\n> |", [.enter], "> said\n|"),
    ("> - a|", [.enter], "> - a\n> - |"), ("> - |", [.enter], "> |"),
    ("|- milk", [.enter], "\n|- milk"), ("2026. 11|", [.enter], "2026. 11\n|"),
    ("```\n- a|", [.enter], "```\n- a\n|"), ("**b** c|", [.enter], "**b** c\n|"),
    ("- a\n- b|", [.tab], "- a\n  - b|"), ("1. a\n2. b|", [.tab], "1. a\n   1. b|"),
    ("- a\n|- b\n- c|", [.tab], "- a\n  |- b\n  - c|"),
    ("1. a\n   - x\n2. b|", [.tab], "1. a\n   - x\n   1. b|"),
    ("1. a\n   - x\n   - |", [.enter], "1. a\n   - x\n- |"),
    ("> - a\n> - b|", [.tab], "> - a\n>   - b|"), ("* * *|", [.enter], "* * *\n|"),
    ("- - -|", [.enter], "- - -\n|"), ("> - a\n> - |", [.enter], "> - a\n> |"),
  ]

  /// Puts a text with `|` at the caret or the ends of the selection into the body.
  private func set(_ text: String, _ browser: Browser) async throws {
    try await browser.runScript(
      """
      const body = document.querySelector('#body');
      const parts = arguments[0].split('|');
      body.focus();
      body.select();
      document.execCommand('insertText', false, parts.join('') || ' ');
      const start = parts[0].length;
      body.setSelectionRange(start, parts.length > 2 ? start + parts[1].length : start);
      """, .text(text))
  }

  /// The body with `|` at the caret or the ends of the selection.
  private func text(_ browser: Browser) async throws -> String {
    try await browser.runScript(
      """
      const {value, selectionStart: start, selectionEnd: end} = document.querySelector('#body');
      return value.slice(0, start) + '|' + (start < end ? value.slice(start, end) + '|' : '')
        + value.slice(end);
      """
    ).text ?? ""
  }

  @Test(arguments: Browser.Engine.allCases)
  func `lists and quotes go on and end`(_ engine: Browser.Engine) async throws {
    try await PageSession.visit(engine) { world in
      let browser = world.browser
      try await browser.click("#new")
      #expect(await browser.shows("document.querySelector('#body')"))
      for (before, keys, after) in Self.edits {
        try await set(before, browser)
        for key in keys { try await browser.press(key) }
        #expect(try await text(browser) == after, "\(before)")
      }
    }
  }

  @Test func `undo takes back each step of help, and Shift+Tab an indentation`() async throws {
    try await PageSession.visit { world in
      let browser = world.browser
      try await browser.click("#new")
      #expect(await browser.shows("document.querySelector('#body')"))
      try await set("- a\n  - b|", browser)
      try await browser.press(.tab, holding: .shift)
      #expect(try await text(browser) == "- a\n- b|")
      try await browser.press("z", holding: .control)
      #expect(try await text(browser).filter { $0 != "|" } == "- a\n  - b")
      try await set("a |word| b", browser)
      try await browser.press("b", holding: .control)
      #expect(try await text(browser) == "a **|word|** b")
      try await browser.press("i", holding: .control)
      #expect(try await text(browser) == "a ***|word|*** b")
      try await browser.press("b", holding: .control)
      #expect(try await text(browser) == "a *|word|* b")
      try await browser.press("z", holding: .control)
      try await browser.press("z", holding: .control)
      try await browser.press("z", holding: .control)
      #expect(try await text(browser).filter { $0 != "|" } == "a word b")
      try await set("see |here |now", browser)
      try await browser.press("k", holding: .control)
      #expect(try await text(browser) == "see [here ](|)now")
      // Outside of a list, Tab leaves the field.
      try await set("word|", browser)
      try await browser.press(.tab)
      #expect(
        try await browser.runScript("return document.activeElement.id").text != "body")
    }
  }

  @Test func `Korean is composed in a list, and the list goes on after it`() async throws {
    try await PageSession.visit(languages: ["ko-KR"]) { world in
      let browser = world.browser
      try await browser.click("#new")
      #expect(await browser.shows("document.querySelector('#body')"))
      try await set("- |", browser)
      try await browser.compose("ㄱ", "가", "강")
      try await browser.press(.enter)
      #expect(try await text(browser) == "- 강\n- |")
      try await browser.compose("ㅅ", "사", "산")
      try await browser.press(.tab)
      #expect(try await text(browser) == "- 강\n  - 산|")
      #expect(await world.isSaved("- 강\n  - 산"))
    }
  }

  @Test func `the status counts the words, and ? shows the keys`() async throws {
    try await PageSession.visit { world in
      let browser = world.browser
      try await browser.click("#new")
      #expect(await browser.shows("document.querySelector('#body')"))
      try await browser.type("two words", into: "#body")
      #expect(await world.showsStatus("saved"))
      let status = try await browser.runScript(
        "const { textContent, dataset } = document.querySelector('#status');"
          + "return textContent + '; ' + dataset.words")
      #expect(status.text?.contains(#/^Saved \d+:\d\d.[AP]M; 2 words$/#) == true, "\(status)")
      try await browser.click("#back")
      #expect(await browser.shows("document.querySelector('#search')"))
      try await browser.press("?")
      #expect(await browser.shows("document.querySelector('#keys').open"))
      try await browser.press(.escape)
      #expect(await browser.shows("!document.querySelector('#keys').open"))
    }
  }

  /// Buttons of the bar to tap, and the text that they make of another.
  private static let taps: [(before: String, button: String, after: String)] = [
    ("a |word| b", "bold", "a **|word|** b"), ("a |word|", "italic", "a *|word|*"),
    ("milk|", "list", "- milk|"), ("- milk|", "list", "milk|"), ("- mi|lk", "task", "- [ ] mi|lk"),
    ("- [x] milk|", "list", "- milk|"), ("  * milk|", "task", "  - [ ] milk|"),
    ("one\n|two\nthree|\nfour", "task", "one\n- [ ] two\n- [ ] three|\nfour"),
    ("said|", "quote", "> said|"), ("> said|", "quote", "said|"),
  ]

  @Test func `a bar above the keyboard marks text on a phone`() async throws {
    try await PageSession.visit { world in
      let browser = world.browser
      try await world.openEntry("Soup")
      try await browser.click("#body")
      #expect(await browser.shows("document.querySelector('#bar').offsetHeight > 40"))
      for (before, button, after) in Self.taps {
        try await set(before, browser)
        let box = try await browser.runScript(
          """
          const box = document.querySelector('#bar .' + arguments[0]).getBoundingClientRect();
          return [box.left + box.width / 2, box.top + box.height / 2];
          """, .text(button)
        ).list.compactMap(\.number)
        try await browser.tap(box[0], box[1])
        #expect(await Sandbox.holds { (try? await text(browser)) == after }, "\(before) \(button)")
        #expect(try await browser.runScript("return document.activeElement.id").text == "body")
      }
      try await browser.takeScreenshot("bar")
      let found = try await findings(browser)
      #expect(found.isEmpty, "\(found.joined(separator: "\n"))")
      try await browser.click("#done")
      #expect(await browser.shows("document.querySelector('#bar').offsetHeight == 0"))
    }
    try await PageSession.visit(screen: .desktop) { world in
      try await world.openEntry("Soup")
      try await world.browser.click("#body")
      try await world.browser.press("!")
      #expect(await world.showsStatus("saved"))
      #expect(await world.browser.shows("!document.querySelector('#bar')"))
    }
  }
}
