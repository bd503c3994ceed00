import DiaryCore
import Testing

struct EntryMergeBodyTests {
  /// Merges in both directions and checks that the results are equal.
  static func merged(_ base: String?, _ a: String, _ b: String) -> (text: String, keptBoth: Bool) {
    let bytes = base.map { Array($0.utf8) }
    let one = EntryMerge(base: bytes, Array(a.utf8), Array(b.utf8))
    let other = EntryMerge(base: bytes, Array(b.utf8), Array(a.utf8))
    #expect(one == other, "\(String(decoding: other.bytes, as: UTF8.self))")
    return (String(decoding: one.bytes, as: UTF8.self), one.hasConflict)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let base: String?
    let a: String
    let b: String
    let result: String
    var keptBoth = false
    var testDescription: String { name }
  }

  static let paragraphs: [Case] = [
    Case(
      name: "different paragraphs", base: "One.\n\nTwo.\n\nThree.\n", a: "One!\n\nTwo.\n\nThree.\n",
      b: "One.\n\nTwo.\n\nThree, four.\n", result: "One!\n\nTwo.\n\nThree, four.\n"),
    Case(
      name: "neighbouring paragraphs", base: "One.\n\nTwo.\n", a: "Uno.\n\nTwo.\n",
      b: "One.\n\nDue.\n", result: "Uno.\n\nDue.\n"),
    Case(
      name: "different words of a sentence", base: "We went to the lake and swam.\n",
      a: "We drove to the lake and swam.\n", b: "We went to the lake and laughed.\n",
      result: "We drove to the lake and swam.\n\nWe went to the lake and laughed.\n",
      keptBoth: true),
    Case(
      name: "capitals", base: "one two three\n", a: "ONE two three\n",
      b: "one TWO three\n", result: "ONE two three\n"),
    Case(
      name: "the same words", base: "It rained all day.\n", a: "It snowed all day.\n",
      b: "It hailed all day.\n", result: "It hailed all day.\n\nIt snowed all day.\n",
      keptBoth: true),
    Case(
      name: "the same paragraph, written anew", base: "One two three.\n\nEnd.\n",
      a: "We drove home early.\n\nEnd.\n", b: "Nothing happened today, again.\n\nEnd.\n",
      result: "Nothing happened today, again.\n\nWe drove home early.\n\nEnd.\n", keptBoth: true),
    Case(
      name: "two new paragraphs at one place", base: "One.\n\nTwo.\n",
      a: "One.\n\nAt night.\n\nTwo.\n", b: "One.\n\nAt noon.\n\nTwo.\n",
      result: "One.\n\nAt night.\n\nAt noon.\n\nTwo.\n"),
    Case(
      name: "two new paragraphs at the end", base: "One.\n", a: "One.\n\n21:00 Read.\n",
      b: "One.\n\n08:00 Ran.\n", result: "One.\n\n08:00 Ran.\n\n21:00 Read.\n"),
    Case(
      name: "two new paragraphs at the beginning", base: "\nOne.\n", a: "\nB.\n\nOne.\n",
      b: "\nA.\n\nOne.\n", result: "\nA.\n\nB.\n\nOne.\n"),
    Case(
      name: "two new lines at the end", base: "09:00 Up.\n", a: "09:00 Up.\n12:00 Lunch.\n",
      b: "09:00 Up.\n10:00 Tea.\n", result: "09:00 Up.\n10:00 Tea.\n12:00 Lunch.\n"),
    Case(
      name: "the same new paragraph", base: "One.\n", a: "One.\n\nTwo.\n", b: "Uno.\n\nTwo.\n",
      result: "Uno.\n\nTwo.\n"),
    Case(
      name: "new paragraphs, one of them the same", base: "One.\n", a: "One.\n\nSame.\n\nMine.\n",
      b: "One.\n\nSame.\n", result: "One.\n\nSame.\n\nMine.\n"),
    // Regression: the words of each side were dropped in favour of the other's.
    Case(
      name: "the same line below and above a blank one", base: "One.\n\nTwo.\n",
      a: "One.\nSame.\n\nTwo.\n", b: "One.\n\nSame.\nTwo.\n", result: "One.\n\nSame.\n\nTwo.\n"),
    // Regression: each side removed one copy, and both were lost.
    Case(
      name: "of two copies each side takes away another", base: "Same.\n\nMiddle.\n\nSame.\n",
      a: "Same.\n\nMiddle.\n", b: "Middle.\n\nSame.\n", result: "Middle.\n\nSame.\n"),
    Case(
      name: "of two copies both sides take away the same", base: "Same.\n\nMiddle.\n\nSame.\n",
      a: "Same.\n\nMiddle.\n", b: "Same.\n\nMiddle.\n\nMore.\n",
      result: "Same.\n\nMiddle.\n\nMore.\n", keptBoth: true),
    Case(
      name: "words into an empty text", base: "", a: "Mine.\n", b: "Theirs.\n",
      result: "Mine.\n\nTheirs.\n"),
    Case(
      name: "a paragraph that went, and one beside it", base: "One.\n\nTwo.\n\nThree.\n",
      a: "One.\n\nThree.\n", b: "One.\n\nTwo.\n\nDrei.\n", result: "One.\n\nDrei.\n"),
    Case(
      name: "both take paragraphs away", base: "One.\n\nTwo.\n\nThree.\n", a: "Two.\n\nThree.\n",
      b: "One.\n\nThree.\n", result: "Three.\n"),
    Case(
      name: "edit beats delete", base: "One.\n\nTwo words here.\n\nThree.\n",
      a: "One.\n\nThree.\n", b: "One.\n\nTwo words there.\n\nThree.\n",
      result: "One.\n\nTwo words there.\n\nThree.\n", keptBoth: true),
    Case(
      name: "of several that went, only the edited one stays",
      base: "One.\n\nTwo words here.\n\nThree.\n\nFour.\n", a: "Four.\n",
      b: "One.\n\nTwo words there.\n\nThree.\n\nFour.\n", result: "Two words there.\n\nFour.\n",
      keptBoth: true),
    Case(
      name: "a paragraph moved, another edited", base: "One.\n\nTwo.\n\nThree.\n\nFour.\n",
      a: "Two.\n\nThree.\n\nFour.\n\nOne.\n", b: "One.\n\nTwo.\n\nThree!\n\nFour.\n",
      result: "Two.\n\nThree!\n\nFour.\n\nOne.\n"),
    Case(
      name: "a line before, a paragraph above", base: "One.\n\nTwo.\n", a: "One.\n\nS.\nTwo.\n",
      b: "One.\n\nR.\n\nTwo.\n", result: "One.\n\nR.\n\nS.\nTwo.\n"),
    Case(
      name: "a line after, a paragraph below", base: "One.\n\nTwo.\n", a: "One.\nS.\n\nTwo.\n",
      b: "One.\n\nR.\n\nTwo.\n", result: "One.\nS.\n\nR.\n\nTwo.\n"),
    Case(
      name: "a split paragraph and a word", base: "One two three four.\n",
      a: "One two\n\nthree four.\n", b: "One two three five.\n",
      result: "One two\n\nOne two three five.\n\nthree four.\n", keptBoth: true),
    Case(
      name: "new line ends within, and words", base: "One two\nthree four\n",
      a: "One\ntwo three\nfour\n", b: "One two\nthree 4\n", result: "One two\nthree 4\n"),
    Case(
      name: "both take the ends of lines that meet", base: "x y\n\nNext more\n",
      a: "x\n\nNext more\n",
      b: "x y\n\nmore\n", result: "x\n\nmore\n"),
  ]

  static let shapes: [Case] = [
    Case(
      name: "a list", base: "- milk\n- bread\n- eggs\n", a: "- milk\n- rye bread\n- eggs\n",
      b: "- milk\n- bread\n- eggs\n- tea\n", result: "- milk\n- rye bread\n- eggs\n- tea\n"),
    Case(
      name: "two new items", base: "- milk\n", a: "- milk\n- tea\n", b: "- milk\n- jam\n",
      result: "- milk\n- jam\n- tea\n"),
    Case(
      name: "an item that went", base: "- milk\n- bread\n- eggs\n", a: "- eggs\n",
      b: "- milk\n- rye bread\n- eggs\n", result: "- rye bread\n- eggs\n", keptBoth: true),
    Case(
      name: "an item written anew", base: "- milk\n- bread\n- eggs\n",
      a: "- milk\n- rye\n- eggs\n", b: "- milk\n- black tea\n- eggs\n",
      result: "- milk\n- black tea\n- rye\n- eggs\n", keptBoth: true),
    Case(
      name: "a heading written anew", base: "# A day\n\nText.\n", a: "# Rain all over\n\nText.\n",
      b: "# Nothing else\n\nText.\n", result: "# Nothing else\n\n# Rain all over\n\nText.\n",
      keptBoth: true),
    Case(
      name: "an item in different items", base: "7. Apples\n8. Eggs\n   - Six of them\n9. Flour\n",
      a: "7. Apples\n8. Eggs\n9. Milk from the farm\n   - Six of them\n10. Flour\n",
      b: "7. Apples\n8. Bread of today\n9. Eggs\n   - Six of them\n10. Flour\n",
      result:
        "7. Apples\n8. Bread of today\n9. Eggs\n10. Milk from the farm\n    - Six of them\n11. Flour\n"
    ),
    Case(
      name: "an item below one that gets neighbours",
      base: "7. Apples\n8. Eggs\n9. Flour\n",
      a: "7. Apples\n8. Eggs\n   - Six of them\n9. Flour\n",
      b: "7. Apples\n8. Eggs\n9. Milk\n10. Bread\n11. Flour\n",
      result: "7. Apples\n8. Eggs\n   - Six of them\n9. Milk\n10. Bread\n11. Flour\n"),
    Case(
      name: "an item below one whose neighbour went here and changed there",
      base: "6. Eggs\n7. Call her back\n8. Flour\n9. Tea\n",
      a: "6. Eggs\n   - Six of them\n7. Flour\n8. Tea\n",
      b: "6. Eggs\n7. Milk\n8. Bread\n9. Rice\n10. Jam\n11. Call her, mother\n12. Flour\n13. Tea\n",
      result: "6. Eggs\n   - Six of them\n7. Milk\n8. Bread\n9. Rice\n10. Jam\n"
        + "11. Call her, mother\n12. Flour\n13. Tea\n", keptBoth: true),
    Case(
      name: "a table", base: "| a | b |\n|---|---|\n| 1 | 2 |\n",
      a: "| a | b |\n|---|---|\n| 1 | two |\n| 3 | 4 |\n", b: "| a | b |\n|---|---|\n| one | 2 |\n",
      result: "| a | b |\n|---|---|\n| 1 | two |\n| one | 2 |\n| 3 | 4 |\n", keptBoth: true),
    Case(
      name: "a heading", base: "# A day\n\nText.\n", a: "# A long day\n\nText.\n",
      b: "# A day\n\nMore text.\n", result: "# A long day\n\nMore text.\n"),
    Case(
      name: "code", base: "```\nlet a = 1\n\nlet b = 2\n```\n",
      a: "```\nlet a = 1\n\nlet b = 3\n```\n", b: "```\n    let a = 1\n\nlet b = 2\n```\n",
      result: "```\n    let a = 1\n\nlet b = 2\n```\n\n```\nlet a = 1\n\nlet b = 3\n```\n",
      keptBoth: true),
    Case(
      name: "two new code blocks", base: "Text.\n", a: "Text.\n\n```\nx\n\ny\n```\n",
      b: "Text.\n\n```\nx\n\nz\n```\n",
      result: "Text.\n\n```\nx\n\ny\n```\n\n```\nx\n\nz\n```\n"),
    Case(
      name: "Korean", base: "한강을 걸었다. 추웠다.\n", a: "한강을 달렸다. 추웠다.\n",
      b: "한강을 걸었다. 더웠다.\n", result: "한강을 달렸다. 더웠다.\n"),
    Case(
      name: "Japanese", base: "今日は雨だった。\n", a: "昨日は雨だった。\n", b: "今日は雪だった。\n",
      result: "今日は雪だった。\n\n昨日は雨だった。\n", keptBoth: true),
    Case(
      name: "emoji", base: "We are 👨‍👩‍👧 here\n", a: "We are 👨‍👩‍👧‍👦 here\n", b: "We are 👨‍👩‍👧 there\n",
      result: "We are 👨‍👩‍👧 there\n\nWe are 👨‍👩‍👧‍👦 here\n", keptBoth: true),
    Case(
      name: "marks that the writer typed", base: "<<<<<<< HEAD\nmine\n=======\n",
      a: "<<<<<<< HEAD\nmy own\n=======\n", b: "<<<<<<< HEAD\nmine\n=======\nend\n",
      result: "<<<<<<< HEAD\nmy own\n=======\nend\n"),
  ]

  static let properties: [Case] = [
    Case(
      name: "one converted to CRLF", base: "One.\nTwo.\n", a: "One.\r\nTwo.\r\n",
      b: "One.\nTwo.\nThree.\n", result: "One.\r\nTwo.\r\nThree.\r\n"),
    Case(
      name: "a byte order mark came", base: "One.\n", a: "\u{FEFF}One.\n", b: "One. Two.\n",
      result: "\u{FEFF}One. Two.\n"),
    Case(
      name: "a byte order mark went", base: "\u{FEFF}One.\n", a: "One.\n", b: "\u{FEFF}Two.\n",
      result: "Two.\n"),
    Case(
      name: "blanks at line ends went", base: "One.  \nTwo. \n", a: "One.\nTwo.\n",
      b: "One!  \nTwo. \n", result: "One!\nTwo.\n"),
    Case(
      name: "trailing blanks and indentation", base: "One.  \n- Two.\n", a: "One.\n- Two.\n",
      b: "One.  \n  - Two.\n", result: "One.\n  - Two.\n"),
    Case(
      name: "a last newline came", base: "One.", a: "One.\n", b: "One. Two.",
      result: "One. Two.\n"),
    Case(
      name: "decomposed, and words", base: "Caf\u{E9} und Stra\u{DF}e\n",
      a: "Cafe\u{301} und Stra\u{DF}e\n",
      b: "Caf\u{E9} und Haus\n", result: "Caf\u{E9} und Haus\n"),
    Case(
      name: "decomposed Korean", base: "\u{AC00}\u{AC01} 나\n",
      a: "\u{1100}\u{1161}\u{1100}\u{1161}\u{11A8} 나\n", b: "\u{AC00}\u{AC01} 다\n",
      result: "\u{AC00}\u{AC01} 다\n"),
    Case(
      name: "mixed line ends stay", base: "One.\r\nTwo.\nThree.\n", a: "One.\r\nTwo!\nThree.\n",
      b: "One.\r\nTwo.\nDrei.\n", result: "One.\r\nTwo!\nDrei.\n"),
  ]

  static let ancestorless: [Case] = [
    Case(
      name: "two new files", base: nil, a: "Mine.\n", b: "Theirs.\n",
      result: "Mine.\n\nTheirs.\n"),
    Case(
      name: "common paragraphs once", base: nil, a: "Morning.\n\nNoon.\n",
      b: "Morning.\n\nNight.\n", result: "Morning.\n\nNight.\n\nNoon.\n"),
    Case(
      name: "a common paragraph in the middle", base: nil, a: "A.\n\nShared here.\n\nB.\n",
      b: "C.\n\nShared here.\n\nD.\n", result: "A.\n\nC.\n\nShared here.\n\nB.\n\nD.\n"),
  ]

  @Test(arguments: paragraphs + shapes + properties + ancestorless)
  func `a merge gives the result of its table row`(_ sample: Case) {
    let merge = Self.merged(sample.base, sample.a, sample.b)
    #expect(merge.text == sample.result)
    #expect(merge.text.utf8.elementsEqual(sample.result.utf8), "\(merge.text.debugDescription)")
    #expect(merge.keptBoth == sample.keptBoth)
  }

  @Test func `what was below an item that became a heading stays there in a second merge`() {
    let base = "- Apples\n- Eggs of today\n  - Flour\n"
    let (a, b) = ("- Apples\n\n## Eggs of today\n\n- Flour\n", base + "  - Sugar\n")
    let merged = Self.merged(base, a, b).text
    for side in [a, b] { #expect(Self.merged(base, merged, side).text == merged) }
  }
}
