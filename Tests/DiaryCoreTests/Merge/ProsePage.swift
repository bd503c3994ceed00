import TestSupport

/// A diary page in one of five languages, for realistic edits.
struct ProsePage {
  enum Block: Hashable {
    case paragraph([String])
    case lines([String])
    case item(String, depth: Int, box: String)
    case heading(String, level: Int)
    case quote([String])
    case code([String])
    case rows([[String]])
  }

  var blocks: [Block] = []
  /// True if the items of the first level have numbers.
  var isNumbered = false

  /// The page as Markdown. Adjacent items form one list.
  var text: String {
    var text = ""
    var number = 0
    for (index, block) in blocks.enumerated() {
      if case .item = block {} else { number = 0 }
      if index > 0 { text += isOneList(blocks[index - 1], block) ? "" : "\n" }
      switch block {
      case .paragraph(let sentences): text += ProsePage.joined(sentences) + "\n"
      case .lines(let lines): text += lines.map { $0 + "\n" }.joined()
      case .item(let words, let depth, let box):
        if depth == 0 { number += 1 }
        let marker = isNumbered ? "\(max(1, number)). " : "- "
        let indent = String(repeating: " ", count: marker.count)
        text += (depth == 0 ? marker : indent + "- ") + box + words + "\n"
      case .heading(let words, let level):
        text += String(repeating: "#", count: level) + " " + words + "\n"
      case .quote(let lines): text += lines.map { "> " + $0 + "\n" }.joined()
      case .code(let lines): text += "```\n" + lines.map { $0 + "\n" }.joined() + "```\n"
      case .rows(let rows):
        let line = { (cells: [String]) in "| " + cells.joined(separator: " | ") + " |\n" }
        text +=
          line(rows[0]) + line(rows[0].map { _ in "---" }) + rows.dropFirst().map(line).joined()
      }
    }
    return text
  }

  private static func joined(_ sentences: [String]) -> String {
    sentences.reduce("") { text, sentence in
      let isWide = text.last.map { "。！？」".contains($0) } ?? true
      return text + (isWide ? "" : " ") + sentence
    }
  }

  private func isOneList(_ one: Block, _ other: Block) -> Bool {
    if case .item = one, case .item = other { return true }
    return false
  }

  /// The units as a user typed them, in order: sentences, items and headings without their marks,
  /// lines, rows, blocks of code.
  var units: [String] {
    blocks.flatMap { block in
      switch block {
      case .paragraph(let sentences): sentences
      case .lines(let lines), .quote(let lines): lines
      case .item(let words, _, _), .heading(let words, _): [words]
      case .code(let lines): [(["```"] + lines + ["```"]).joined(separator: "\n")]
      case .rows(let rows): rows.map { "| " + $0.joined(separator: " | ") + " |" }
      }
    }
  }

  /// A line of a page without the marks before it, or a block of code.
  struct Line {
    let text: String
    /// True for a line of sentences.
    let isProse: Bool

    /// The units that the line consists of; `nil` if it does not.
    func units(among known: Set<String>) -> [String]? {
      if known.contains(text) { return [text] }
      return isProse ? Self.units(of: text[...], among: known) : nil
    }

    private static func units(of text: Substring, among known: Set<String>) -> [String]? {
      if text.isEmpty { return [] }
      for unit in known.filter(text.hasPrefix).sorted(by: { $0.count > $1.count }) {
        let rest = text.dropFirst(unit.count).drop { $0 == " " }
        if let units = units(of: rest, among: known) { return [unit] + units }
      }
      return nil
    }
  }

  /// The lines of a text that contain units.
  static func lines(of text: String) -> [Line] {
    var lines: [Line] = []
    var code: [Substring]?
    for line in text.split(separator: "\n") {
      if let open = code {
        code = line == "```" ? nil : open + [line]
        if line == "```" {
          lines.append(Line(text: (open + [line]).joined(separator: "\n"), isProse: false))
        }
      } else if line == "```" {
        code = [line]
      } else if line.first == "|" {
        let cells = line.split(separator: "|").map { $0.filter { $0 != " " } }
        guard !cells.allSatisfy({ $0 == "---" }) else { continue }
        lines.append(Line(text: "| " + cells.joined(separator: " | ") + " |", isProse: false))
      } else {
        let marks = line.prefixMatch(of: /( |>|- |\d+\. |\[[ x]\] |#+ )*/)?.output.0 ?? ""
        let isProse = !marks.contains { "-#.".contains($0) }
        lines.append(Line(text: String(line.dropFirst(marks.count)), isProse: isProse))
      }
    }
    return lines
  }

  /// Removes repeated sentences, because equal sentences cannot be told apart in a merge.
  mutating func dropRepeated() {
    var known: Set<String> = []
    func isNew(_ sentence: String) -> Bool {
      known.insert(String(sentence.filter { $0.isLetter || $0.isNumber })).inserted
    }
    blocks = blocks.compactMap { block in
      switch block {
      case .paragraph(let sentences):
        let kept = sentences.filter(isNew)
        return kept.isEmpty ? nil : .paragraph(kept)
      case .quote(let lines):
        let kept = lines.filter(isNew)
        return kept.isEmpty ? nil : .quote(kept)
      case .item(let words, _, _), .heading(let words, _): return isNew(words) ? block : nil
      case .lines, .code, .rows: return block
      }
    }
  }

  static let languages: [[String]] = [
    [
      "We walked to the lake before breakfast.", "Mina was ill and stayed in bed.",
      "The bus came late again.", "I did not like the film at all.",
      "Dr. Park called at 10.30 and asked for the letters.", "It rained until four.",
      "\"Come home,\" she said.", "Nobody knew what to say... so we sang.",
      "Three geese crossed the road behind the school!", "Why did he leave so early?",
      "I paid 24 euros for the two tickets.", "Bread, soup, and an early night.",
      "Grandmother told the story of the flood once more.", "The garden smells of mint 🌿.",
    ],
    [
      "Am 24. Dezember kam Oma mit dem Zug.", "Es schneite den ganzen Tag.",
      "„Komm her!“, rief sie.", "Ich habe keinen Bruder gesehen.",
      "Der Kuchen war z. B. viel zu süß.",
      "Wir haben bis spät gelesen.", "Um halb acht ging das Licht aus.", "Niemand hat angerufen.",
      "Die Kinder bauten eine Hütte aus Decken.", "Warum lügt er immer?",
      "Morgen fahren wir an die See.", "Das Wasser ist noch kalt.",
    ],
    [
      "오늘은 비가 왔다.", "민아가 아파서 집에 있었다.", "저녁에 한강을 걸었다.", "아무도 전화하지 않았다.",
      "어머니가 김치를 담그셨다.", "버스가 또 늦게 왔다.", "“어디 가?” 하고 물었다.", "책을 두 권 샀다.",
      "내일은 일찍 일어나야지!", "마음이 조금 가벼워졌다.", "고양이가 창가에서 잔다.", "눈이 올 것 같다.",
    ],
    [
      "今日は雨だった。", "公園で犬に会った。", "「早く帰ろう。」と彼は言った。", "夜は本を読んで寝た。",
      "母が電話をくれた。", "電車が三十分遅れた。", "明日は晴れるだろうか？", "新しい靴を買った。",
      "庭の梅が咲き始めた。", "何も食べたくなかった。", "友達と海まで歩いた！", "猫が手紙の上で眠っている。",
    ],
    [
      "今天下雨了。", "我們去湖邊散步。", "媽媽做了很多餃子。", "他沒有說再見就走了。", "晚上讀書到十一點。",
      "公車又遲到了！", "明天會不會放晴？", "弟弟買了一雙鞋。", "院子裡的花開了。", "我不喜歡那部電影。",
      "「快回家。」她說。", "月亮很圓。",
    ],
  ]
}

extension SeededGenerator {
  mutating func sentence(_ language: [String]) -> String {
    var sentence = one(language)
    // Most sentences of a diary occur once.
    if roll(3) > 0 { sentence = reworded(sentence, language) }
    return sentence
  }

  /// The sentence with words or letters inserted, removed or replaced.
  mutating func reworded(_ sentence: String, _ language: [String]) -> String {
    guard sentence.contains(" ") else {
      var letters = Array(sentence)
      let donor = Array(one(language)).filter { $0.isLetter }
      for _ in 0..<(1 + roll(2)) where letters.count > 2 {
        let at = roll(letters.count - 1)
        guard letters[at].isLetter else { continue }
        switch roll(3) {
        case 0: letters.insert(contentsOf: donor.prefix(1 + roll(3)), at: at)
        case 1: letters.remove(at: at)
        default: letters[at] = one(donor)
        }
      }
      return String(letters)
    }
    var words = sentence.split(separator: " ").map(String.init)
    let donor = one(language).split(separator: " ").map(String.init).filter {
      $0.allSatisfy(\.isLetter)
    }
    for _ in 0..<(1 + roll(2)) where words.count > 1 {
      let at = roll(words.count - 1)
      // The first word keeps its capital, and quotation marks stay paired.
      guard at > 0, !words[at].contains(where: { "\"„“”".contains($0) }) else { continue }
      switch roll(4) {
      case 0 where !donor.isEmpty: words.insert(one(donor), at: at)
      case 1: words.remove(at: at)
      case 2 where !donor.isEmpty: words[at] = one(donor)
      default: words[at] = misspelled(words[at])
      }
    }
    return words.joined(separator: " ")
  }

  private mutating func misspelled(_ word: String) -> String {
    var letters = Array(word)
    guard letters.count > 4 else { return word }
    letters.swapAt(1, 2)
    return String(letters)
  }

  mutating func page() -> (page: ProsePage, language: [String]) {
    let language = one(ProsePage.languages)
    var page = ProsePage()
    page.isNumbered = roll(3) == 0
    for _ in 0..<(1 + roll(5)) { page.blocks += block(language) }
    page.dropRepeated()
    return (page, language)
  }

  private mutating func block(_ language: [String]) -> [ProsePage.Block] {
    func words(_ dice: inout SeededGenerator) -> String {
      var words = dice.sentence(language)
      while let last = words.last, !last.isLetter, !last.isNumber { words.removeLast() }
      return words
    }
    switch roll(10) {
    case 0: return [.heading(words(&self), level: 1 + roll(3)), .paragraph([sentence(language)])]
    case 1, 2:
      return (0..<(2 + roll(3))).map { index in
        .item(words(&self), depth: index > 0 && roll(4) == 0 ? 1 : 0, box: one(["", "", "[ ] "]))
      }
    case 3: return [.quote((0..<(1 + roll(3))).map { _ in sentence(language) })]
    case 4: return [.code((0..<(1 + roll(3))).map { "line\($0) = \(roll(9))" })]
    case 5:
      return [
        .rows([["day", "km\(roll(999))"]] + (0..<(1 + roll(3))).map { ["\($0)", "\(roll(50))"] })
      ]
    case 6:
      return [.lines((0..<(2 + roll(3))).map { "\(8 + 2 * $0):\(10 + roll(50)) \(words(&self))" })]
    default: return [.paragraph((0..<(1 + roll(4))).map { _ in sentence(language) })]
    }
  }

  /// The page after a few edits, half of them at the block `place`.
  mutating func edited(_ page: ProsePage, _ language: [String], near place: Int) -> ProsePage {
    var page = page
    for _ in 0..<(1 + roll(4)) {
      let at = roll(2) == 0 ? min(place, page.blocks.count) : roll(page.blocks.count + 1)
      switch roll(9) {
      case 0: page.blocks.insert(contentsOf: block(language), at: at)
      case 1 where at < page.blocks.count: page.blocks.remove(at: at)
      case 2 where at < page.blocks.count:
        let moved = page.blocks.remove(at: at)
        page.blocks.insert(moved, at: roll(page.blocks.count + 1))
      case 3 where at + 1 < page.blocks.count:
        // Join two paragraphs.
        if case .paragraph(let one) = page.blocks[at],
          case .paragraph(let other) = page.blocks[at + 1]
        {
          page.blocks.replaceSubrange(at...(at + 1), with: [.paragraph(one + other)])
        }
      default:
        guard at < page.blocks.count else { continue }
        let new = edited(page.blocks[at], language)
        page.blocks.replaceSubrange(at...at, with: new)
      }
    }
    return page
  }

  private mutating func edited(
    _ block: ProsePage.Block, _ language: [String]
  ) -> [ProsePage.Block] {
    switch block {
    case .paragraph(let sentences):
      if sentences.count > 1, roll(8) == 0 {
        let cut = 1 + roll(sentences.count - 1)
        return [.paragraph(Array(sentences[..<cut])), .paragraph(Array(sentences[cut...]))]
      }
      let new = editedList(sentences) {
        $0.reworded($1, language)
      } new: {
        $0.sentence(language)
      }
      return new.isEmpty ? [] : [.paragraph(new)]
    case .quote(let lines):
      let new = editedList(lines) {
        $0.reworded($1, language)
      } new: {
        $0.sentence(language)
      }
      return new.isEmpty ? [] : [.quote(new)]
    case .lines(let lines):
      let new = editedList(lines) {
        $0.reworded($1, language)
      } new: {
        "\(10 + $0.roll(13)):\(10 + $0.roll(49)) \($0.one(language))"
      }
      return new.isEmpty ? [] : [.lines(new)]
    case .item(let words, let depth, let box):
      switch roll(6) {
      case 0: return [.item(words, depth: depth, box: box.isEmpty ? "" : "[x] ")]
      case 1: return [block, .item(one(language), depth: depth, box: box)]
      case 2: return [.item(words, depth: 1 - depth, box: box)]
      case 3: return [block, .item(one(language), depth: 1, box: "")]
      default: return [.item(reworded(words, language), depth: depth, box: box)]
      }
    case .heading(let words, let level): return [.heading(reworded(words, language), level: level)]
    case .code(let lines):
      let new = editedList(lines) { dice, line in
        line + "\(dice.roll(9))"
      } new: {
        "new\($0.roll(9))"
      }
      return [.code(new)]
    case .rows(let rows):
      if roll(8) == 0 {
        return [.rows(rows.map { $0 + [$0 == rows[0] ? "who" : one(["Jun", "Kim"])] })]
      }
      let new = editedList(Array(rows.dropFirst())) { dice, row in
        row.dropLast() + ["\(dice.roll(50))"]
      } new: { _ in
        ["9", "9"]
      }
      return [.rows([rows[0]] + new.map { Array(($0 + ["", ""]).prefix(rows[0].count)) })]
    }
  }

  private mutating func editedList<Element>(
    _ list: [Element], change: (inout SeededGenerator, Element) -> Element,
    new: (inout SeededGenerator) -> Element
  ) -> [Element] {
    var list = list
    let at = roll(list.count + 1)
    switch roll(4) {
    case 0: list.insert(new(&self), at: at)
    case 1 where at < list.count: list.remove(at: at)
    case 2: list.append(new(&self))
    default: if at < list.count { list[at] = change(&self, list[at]) }
    }
    return list
  }
}
