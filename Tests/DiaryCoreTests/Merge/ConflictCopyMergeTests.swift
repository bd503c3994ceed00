import TestSupport
import Testing

@testable import DiaryCore

/// The merge of a sync program's conflict copy, whose base is found in the entry's history.
struct ConflictCopyMergeTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The saved texts, the oldest first and the present one last.
    let versions: [String]
    let copy: String
    let merged: String

    init(_ name: String, _ versions: [String], copy: String, merged: String) {
      (testDescription, self.versions, self.copy, self.merged) = (name, versions, copy, merged)
    }
  }

  static let day = "---\ndate: 2026-11-22\n---\n\n"
  static let starred = "---\ndate: 2026-11-22\nstarred: true\n---\n\n"
  static let lines = "Rain all day.\nSoup for dinner.\nBed by nine.\n"

  static let cases = [
    Case(
      "a correction and a star stay",
      [
        day + "The doctor says to take one pill every day.\n",
        day + "The doctor says to take no pill every day.\n",
        starred + "The doctor says to take no pill every day.\n",
        starred + "The doctor says to take no pill every day.\n\nThen tea with Mina.\n",
      ],
      copy: day + "The doctor says to take one pill every day.\n\nRain at night.\n",
      merged: starred + "The doctor says to take no pill every day.\n\n"
        + "Rain at night.\n\nThen tea with Mina.\n"),
    Case(
      "what another device removed stays removed",
      [
        day + "An old plan.\n\nWe met.\n",
        day + "An old plan.\n\nWe met.\n\nMina told me.\n",
        day + "We met.\n\nMina told me.\n",
      ],
      copy: day + "An old plan.\n\nWe met.\n\nBring bread.\n",
      merged: day + "We met.\n\nBring bread.\n\nMina told me.\n"),
    Case(
      "both changed a line of a short entry",
      ["First line.\n\nSecond para.\n", "First line at the desk.\n\nSecond para.\n"],
      copy: "First line.\n\nSecond para.\nappended on phone\n",
      merged: "First line at the desk.\n\nSecond para.\nappended on phone\n"),
    Case(
      "three lines a day, one changed by each",
      [lines, "Rain all day.\nFish for dinner.\nBed by nine.\n"],
      copy: "Rain all day.\nSoup for dinner.\nBed by ten.\n",
      merged: "Rain all day.\nFish for dinner.\nBed by ten.\n"),
    Case(
      "a change since a text that was never saved stays beside that text",
      [
        "# Day\n\nRain all day.\n",
        "# Day\n\nSoup with bread.\n\nA long walk by the lake.\n",
      ],
      copy: "# Day\n\nSoup with bread.\n\nA walk by the lake.\n\nMina called.\n",
      merged: "# Day\n\nSoup with bread.\n\nA long walk by the lake.\n\nA walk by the lake.\n"
        + "\nMina called.\n"),
    Case(
      "a correction that was saved with a heading which both wrote stays",
      ["Take one pill.\n", "Take no pill.\n\n## Evening\n\nTea.\n"],
      copy: "Take one pill.\n\n## Evening\n\nSoup.\n",
      merged: "Take no pill.\n\n## Evening\n\nSoup.\n\nTea.\n"),
    Case(
      "a line that the copy moved is there once",
      ["# Day\n\nRain.\n", "# Day\n\nRain.\n\nSoup with bread.\n\nTea with Mina.\n"],
      copy: "# Day\n\nTea with Mina.\n\nRain.\n\nSoup with bread.\n\nBed by nine.\n",
      merged: "# Day\n\nTea with Mina.\n\nRain.\n\nSoup with bread.\n\nBed by nine.\n"),
    Case(
      "the present text is the base", [lines], copy: lines + "appended on phone\n",
      merged: lines + "appended on phone\n"),
    Case(
      "the copy contains all of a starred entry", [day + lines, starred + lines],
      copy: starred + lines + "More.\n", merged: starred + lines + "More.\n"),
    Case(
      "the copy is an old version", [day + lines, starred + lines, starred + "Rain all day.\n"],
      copy: day + lines, merged: starred + "Rain all day.\n"),
    Case(
      "both removed a long template",
      [
        "## Morning\n\nMood:\n\n## Evening\n\nThankful for:\n", "At the desk.\n",
      ],
      copy: "On the phone.\n", merged: "At the desk.\n\nOn the phone.\n"),
    Case(
      "both removed a long template below a date",
      [
        day + "## Morning\n\nMood:\n\n## Evening\n\nThankful for:\n", day + "At the desk.\n",
      ],
      copy: day + "On the phone.\n", merged: day + "At the desk.\n\nOn the phone.\n"),
    Case(
      "the copy removed what it had seen for long",
      [
        "A plan.\n\nWe met.\n", "A plan.\n\nWe met.\n\nTea.\n",
        "A plan.\n\nWe met.\n\nTea.\n\nX.\n",
      ],
      copy: "We met.\n\nTea.\n\nRain.\n", merged: "We met.\n\nTea.\n\nRain.\n\nX.\n"),
    Case(
      "the copy lacks what the only proof added", ["We met.\n", "We met.\n\nTea.\n\nMina came.\n"],
      copy: "We met.\n\nTea.\n\nRain.\n", merged: "We met.\n\nTea.\n\nMina came.\n\nRain.\n"),
    Case(
      "both added one heading: a paragraph and a correction of the desk stay",
      [
        day + "Take one pill.\n", day + "Take one pill.\n\nMina will move to Busan.\n",
        day + "Take no pill.\n\nMina will move to Busan.\n",
        day + "Take no pill.\n\nMina will move to Busan.\n\n## Evening\n\nTea.\n",
      ],
      copy: day + "Take one pill.\n\n## Evening\n\nSoup.\n",
      merged: day + "Take no pill.\n\nMina will move to Busan.\n\n## Evening\n\nSoup.\n\nTea.\n"),
    Case(
      "both gave a star: tags and a paragraph of the desk stay",
      [
        day + "One.\n", "---\ndate: 2026-11-22\ntags: [sea]\n---\n\nOne.\n\nTwo.\n",
        "---\ndate: 2026-11-22\ntags: [sea]\nstarred: true\n---\n\nOne.\n\nTwo.\n",
      ],
      copy: starred + "One.\n\nThree.\n",
      merged: "---\ndate: 2026-11-22\ntags: [sea]\nstarred: true\n---\n\n"
        + "One.\n\nThree.\n\nTwo.\n"),
    Case(
      "a paragraph that the entry removed and got back stays",
      [
        "A.\n\nBack again.\n", "A.\n\nBack again.\n\nTea.\n", "A.\n\nTea.\n",
        "A.\n\nBack again.\n\nTea.\n",
      ],
      copy: "A.\n\nTea.\n\nRain.\n", merged: "A.\n\nBack again.\n\nTea.\n\nRain.\n"),
    Case(
      "the history begins after the base",
      ["To the lake.\n\nJun slipped.\n", "To the lake.\n\nJun slipped.\n\nHe laughed.\n"],
      copy: "To the lake.\n\nWe had tea.\n",
      merged: "To the lake.\n\nJun slipped.\n\nHe laughed.\n\nWe had tea.\n"),
    Case(
      "nothing in common", ["One.\n"], copy: "Two.\n", merged: "One.\n\nTwo.\n"),
    Case(
      "other line ends", [lines], copy: lines.replacing("\n", with: "\r\n") + "More.\r\n",
      merged: lines.replacing("\n", with: "\r\n") + "More.\r\n"),
    Case(
      "a list of tasks",
      [
        "- [ ] milk\n- [ ] bread\n", "- [x] milk\n- [ ] bread\n",
        "- [x] milk\n- [ ] bread\n- tea\n",
      ],
      copy: "- [ ] milk\n- [ ] bread\n- soup\n",
      merged: "- [x] milk\n- [ ] bread\n- soup\n- tea\n"),
    Case(
      "a header that is not YAML",
      [
        "+++\ntitle = \"A\"\n+++\nOne.\n",
        "+++\ntitle = \"Longer\"\n+++\nOne.\n",
      ],
      copy: "+++\ntitle = \"A\"\n+++\nOne.\n\nTwo.\n",
      merged: "+++\ntitle = \"Longer\"\n+++\nOne.\n\nTwo.\n"),
  ]

  @Test(arguments: cases) func `the merge has the words of both`(_ sample: Case) {
    let merge = Self.merge(sample.copy, sample.versions)
    #expect(String(decoding: merge.bytes, as: UTF8.self) == sample.merged)
    // Merged again, the copy adds nothing.
    let again = Self.merge(sample.copy, sample.versions + [sample.merged])
    #expect(String(decoding: again.bytes, as: UTF8.self) == sample.merged)
  }

  @Test func `two versions of a sentence are to review`() {
    let merge = Self.merge(
      "We saw storks at the lake.\n\nTea.\n",
      ["We saw swifts at the lake.\n\nTea.\n", "We saw larks at the lake.\n\nTea.\n"])
    #expect(merge.hasConflict)
    #expect(Self.words(merge).isSuperset(of: ["storks", "larks"]))
    #expect(!Self.words(merge).contains("swifts"))
  }

  @Test func `a changed line stays in both forms if the present text is the only version`() {
    let merge = Self.merge(
      "---\ntitle: A\n---\n\nWe saw storks at the lake.\n\nTea.\n",
      ["---\ntitle: Day\n---\n\nWe saw larks at the lake.\n\nTea.\n"])
    #expect(merge.hasConflict)
    #expect(Self.words(merge).isSuperset(of: ["storks", "larks", "A", "Day"]))
  }

  @Test func `a line that the copy has once more is new`() {
    let merge = Self.merge("- tea\n- tea\n- tea\n", ["- tea\n- tea\n"])
    #expect(String(decoding: merge.bytes, as: UTF8.self) == "- tea\n- tea\n- tea\n")
  }

  @Test func `a text that stays beside its replacement is to review`() {
    let merge = Self.merge("One.\n\nSoup.\n", ["One.\n\nFish.\n"])
    #expect(merge.hasConflict && Self.words(merge).isSuperset(of: ["Soup", "Fish"]))
  }

  /// Histories of two to six versions; the copy is made from any of them.
  @Test(arguments: [7, 20_261_122, 0xC0]) func `no word is lost and none comes back`(seed: UInt64) {
    var dice = SeededGenerator(seed)
    for round in 0..<SeededGenerator.rounds(25) {
      var writer = EditedPage()
      var versions = [writer]
      for _ in 0..<Int.random(in: 1...5, using: &dice) {
        writer.edit(&dice)
        versions.append(writer)
      }
      let from = Int.random(in: versions.indices, using: &dice)
      var phone = versions[from]
      phone.nextWord = 10_000
      for _ in 0..<Int.random(in: 1...2, using: &dice) { phone.edit(&dice) }
      let texts = versions.map(\.text)
      let merge = Self.merge(phone.text, texts)
      let found = Self.words(merge)
      let (base, present) = (Self.words(texts[from]), Self.words(writer.text))
      let copied = Self.words(phone.text)
      let true3 = EntryMerge(
        base: Array(texts[from].utf8), Array(writer.text.utf8), Array(phone.text.utf8))
      let story: Comment =
        "seed \(seed), round \(round), from \(from): \(texts) \(phone.text) \(found.sorted())"
      #expect(found.isSuperset(of: present.subtracting(base)), story)
      #expect(found.isSuperset(of: copied.subtracting(base)), story)
      #expect(found.isSuperset(of: Self.words(true3)), story)
      // A word that the entry removed is there only if the copy changed the unit around it.
      let removed = base.subtracting(present).intersection(found).filter { $0.hasPrefix("w") }
      let unchanged = Set(phone.units).intersection(versions[from].units)
      #expect(
        removed.isDisjoint(with: Self.words(unchanged.joined(separator: "\n"))), story)
    }
  }

  private static func merge(_ copy: String, _ versions: [String]) -> EntryMerge {
    EntryMerge(
      conflictCopy: Array(copy.utf8), into: Array((versions.last ?? "").utf8),
      versions: versions.map { Array($0.utf8) })
  }

  private static func words(_ merge: EntryMerge) -> Set<String> {
    words(String(decoding: merge.bytes, as: UTF8.self))
  }

  private static func words(_ text: String) -> Set<String> {
    Set(text.split { !$0.isLetter && !$0.isNumber }.map(String.init))
  }
}

/// A text of short paragraphs, lines and items that is edited at random. Each new word is new.
private struct EditedPage {
  private var mood: String?
  private(set) var units: [String] = []
  var nextWord = 100

  init() { units = ["Up w1 early.", "Then w2 came by.", "- buy w3", "- sell w4", "Bed at w5."] }

  var text: String {
    var text = "---\ndate: 2026-11-22\n" + (mood.map { "mood: \($0)\n" } ?? "") + "---\n"
    for (before, unit) in zip(["."] + units, units) {
      text += before.hasPrefix("-") && unit.hasPrefix("-") ? unit + "\n" : "\n" + unit + "\n"
    }
    return text
  }

  mutating func edit(_ dice: inout SeededGenerator) {
    nextWord += 1
    let at = Int.random(in: 0...units.count, using: &dice)
    switch Int.random(in: 0..<8, using: &dice) {
    case 0...2: units.insert("A note about w\(nextWord) here.", at: at)
    case 3: units.insert("- item w\(nextWord)", at: at)
    case 4, 5:
      guard at < units.count else { return edit(&dice) }
      var words = units[at].split(separator: " ").map(String.init)
      words[words.count - 1] = "w\(nextWord)."
      units[at] = words.joined(separator: " ")
    case 6:
      guard at < units.count, units.count > 2 else { return edit(&dice) }
      units.remove(at: at)
    default: mood = mood == nil ? "w\(nextWord)" : nil
    }
  }
}
