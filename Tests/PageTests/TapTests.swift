import Foundation
import TestSupport
import Testing
import WebDriver

/// Random entries for tests of taps. Each block begins with a word of its own, `block7`, so that a
/// place can be attributed to a block both in the article and in the text.
private struct RandomEntry {
  var dice: SeededGenerator
  private var count = 0

  init(_ dice: SeededGenerator) { self.dice = dice }

  private mutating func marker() -> String {
    count += 1
    return "block\(count)"
  }

  /// A few words of a small vocabulary, so that equal words are frequent, with marks of Markdown.
  private mutating func words() -> String {
    (0..<(3 + dice.roll(9))).map { _ in
      let word = dice.one(["rain", "leek", "noon", "river", "비", "산책", "a", "snow", "7"])
      return switch dice.roll(22) {
      case 0: "*\(word)*"
      case 1: "**\(word) rain**"
      case 2: "[\(word)](https://example.org/rain-\(word))"
      case 3: "`\(word)`"
      case 4: "==\(word)=="
      case 5: "\(word)_\(word)"
      case 6: "\(word)[^1]"
      case 7: "<!-- \(word) --> \(word)"
      case 8: "\(word) &amp; \(word)"
      case 9: "~~\(word)~~,"
      case 10: "\\*\(word)\\*"
      case 11: "“\(word)”."
      default: word
      }
    }.joined(separator: " ")
  }

  private mutating func line() -> String { "\(marker()) \(words())" }

  private mutating func block() -> String {
    switch dice.roll(10) {
    case 0: return "## \(line())"
    case 1: return "- \(line())\n- \(line())\n  - \(line())\n- \(line())"
    case 2: return "1. \(line())\n\n   \(line())\n2. \(line())"
    case 3: return "- [ ] \(line())\n- [x] \(line())"
    case 4: return "> \(line())\n> \(words())"
    case 5:
      return "| \(marker()) | b |\n|---|---|\n| \(marker()) | rain |\n| \(marker()) leek | leek |"
    case 6: return "```\n\(line())\n\(words())\n```"
    case 7: return "\(line())\n===="
    case 8: return "\(line())\n\(words())\\\n\(words())"
    default: return "\(line())\n\(words())"
    }
  }

  /// The text of a file. It begins in several ways.
  mutating func text() -> String {
    let title = dice.one([
      "# A title\n\n", "A title\n\n", "A title\n", "---\ntitle: A title\n---\n\n\n", "",
    ])
    let blocks = (0..<(6 + dice.roll(8))).map { _ in block() }.joined(separator: "\n\n")
    let text = title + blocks + "\n\nSee[^1].\n\n[^1]: \(line())\n"
    return dice.roll(4) == 0 ? text.replacing("\n", with: "\r\n") : text
  }
}

/// A tap puts the caret into the same block, at the same word.
@Suite(.serialized) struct TapTests {
  /// Chooses points in the article at random words, and compares where they lead.
  private static let check = """
    const [seed, count] = arguments;
    let state = seed;
    const roll = (sides) => (state = (state * 48271) % 2147483647) % sides;
    const markers = (text) => [...text.matchAll(/block\\d+/g)];
    const last = (found, place) => found.findLast(each => each.index <= place);
    const walker = document.createTreeWalker(document.querySelector('#reading article'), NodeFilter.SHOW_TEXT);
    const all = [];
    let before = '';
    for (let node; (node = walker.nextNode());) {
      if (node.parentElement.closest('header, footer, sup, .back')) continue;
      for (const word of wordsIn(node.data)) all.push({ node, word, place: before.length + word.index });
      before += node.data + '\\n';
    }
    const shownMarkers = markers(before);
    // Code hides nothing.
    const text = title.value + '\\n' + body.value;
    const source = text.split(/(```[^]*?```)/).map((part, index) => index % 2 ? part : withoutHidden(part)).join('');
    const result = { taps: 0, blocks: [], words: [] };
    for (let round = 0; result.taps < count && round < 5 * count; round++) {
      const { node, word, place } = all[roll(all.length)];
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      node.parentElement.scrollIntoView({ block: 'center' });
      const box = range.getClientRects()[0];
      const [clientX, clientY] = [box.left + box.width / 2, box.top + box.height / 2];
      const target = document.elementFromPoint(clientX, clientY);
      // A long line of code may be out of view.
      if (!target || !target.contains(node)) continue;
      result.taps++;
      const [field, within] = placeOf({ target, clientX, clientY });
      const caret = within + (field === body ? title.value.length + 1 : 0);
      const end = text.indexOf('\\n', caret);
      const found = last(markers(text), end < 0 ? text.length : end);
      const mine = last(shownMarkers, place);
      const told = JSON.stringify([word[0], mine && mine[0], found && found[0], text.slice(caret - 20, caret + 20)]);
      if ((mine && mine[0]) !== (found && found[0])) result.blocks.push(told);
      // The same one of the equal words of its block.
      const at = wordsIn(text).find(each => each.index <= caret && caret <= each.index + each[0].length);
      const number = (found, marker, index) => found.filter(each => each[0] === word[0]
        && each.index >= (marker ? marker.index : 0) && each.index < index).length;
      if (!at || at[0] !== word[0]
        || number(wordsIn(before), mine, place) !== number(wordsIn(source), found, at.index)) result.words.push(told);
    }
    return result;
    """

  @Test(arguments: Browser.Engine.allCases)
  func `a tap on a random word never leads to another block, and nearly always to the word`(
    _ engine: Browser.Engine
  ) async throws {
    let random = SeededGenerator()
    let (entries, taps) = engine == .chromium ? (40, 50) : (10, 50)
    try await PageSession.visit(engine, screen: .desktop) { world in
      var dice = random
      var (count, lost): (Double, [String]) = (0, [])
      for number in 0..<entries {
        var entry = RandomEntry(SeededGenerator(dice.next()))
        try world.home.write(entry.text(), to: "j/random-\(number).md")
      }
      for number in 0..<entries {
        try await world.browser.open("\(world.origin)/e/random-\(number).md")
        _ = await world.browser.shows("document.readyState == 'complete' && isReading()")
        let found = try await world.browser.runScript(
          Self.check, .number(Double(1 + dice.roll(1_000_000))), .number(Double(taps)))
        count += found["taps"].number ?? 0
        let others = found["blocks"].list.compactMap(\.text)
        let text = try world.home.read("j/random-\(number).md")
        #expect(others.isEmpty, "\(random): \(others)\n\(text)")
        lost += found["words"].list.compactMap(\.text)
      }
      #expect(count == Double(entries * taps))
      #expect(Double(lost.count) <= count * 0.05, "\(random): \(lost.count) of \(count): \(lost)")
      print("taps: \(Int(count)), another word: \(lost.count), \(random)")
    }
  }
}
