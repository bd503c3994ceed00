/// A body, split into units: the smallest parts that a merge uses or drops, each typed by one user.
struct BodyUnits {
  enum Kind: UInt8 { case sentence, item, heading, tableHead, row, code, other }

  struct Unit {
    var kind: Kind
    /// The parts of lines that contain its text, as ranges of the body.
    var slices: [Range<Int>]
    /// The marks before it if it begins a line: indentation and quote marks, its own marker with
    /// the blanks after it, and a task's box.
    var linePrefix: Range<Int>
    var marker: Range<Int>
    var task: Range<Int>
    /// The underline or the closing marks of a heading.
    var closing: Range<Int>
    /// The number of its block, and of its list if it is an item.
    var block: Int
    var list: Int?
    var isBlockStart: Bool
    /// True if it begins a line.
    var isLineStart: Bool
    /// Its depth in quotes and items. A heading has a negative level, lower for a higher rank. In
    /// one position, text of the block above sorts before a new block, and a deeper level first.
    var level: Int
    /// The unit it depends on: the sentence before, the item or heading above, the table's head.
    var parent: Int?
    /// Its words, and a number that is equal for units with equal letters.
    var words: [Word] = []
    var key = 0

    var text: Range<Int> { (slices.first?.lowerBound ?? 0)..<(slices.last?.upperBound ?? 0) }
    var start: Int { isLineStart ? linePrefix.lowerBound : text.lowerBound }
    var end: Int { max(text.upperBound, closing.upperBound) }
  }

  /// A word without the punctuation around it.
  struct Word: Hashable {
    let number: Int
    let letters: Int
    let range: Range<Int>
    static func == (one: Word, other: Word) -> Bool { one.number == other.number }
    func hash(into hasher: inout Hasher) { hasher.combine(number) }
  }

  let bytes: [UInt8]
  private(set) var units: [Unit] = []

  /// The size of the units.
  enum Size { case sentences, paragraphs, blocks }

  /// The facts that hold for all texts of one merge.
  struct Style {
    /// The heads of tables that are one unit.
    var wholeTables: Set<[UInt8]> = []
    /// True if the numbers of items are words. Otherwise they are marks.
    var numbersAreWords = false
    /// True if sentences may begin with a small letter.
    var hasSmallSentences = false
  }

  /// Splits a body.
  init(
    _ body: [UInt8], _ numbers: inout UnitNumbers, size: Size = .sentences, style: Style = Style()
  ) {
    bytes = body
    var cutter = UnitCutter(MarkdownBlocks(body), size: size, style: style)
    units = cutter.units()
    for index in units.indices { assignNumbers(index, &numbers) }
  }

  /// The whitespace before a unit, or after the last one if the index is the number of units.
  func gap(before index: Int) -> Range<Int> {
    let start = index == 0 ? 0 : units[index - 1].end
    return start..<max(start, index < units.count ? units[index].start : bytes.count)
  }

  /// The item, the head or the heading above a unit's block.
  func container(of index: Int) -> Int? {
    var first = index
    while units[first].kind == .sentence, !units[first].isBlockStart,
      let before = units[first].parent
    {
      first = before
    }
    return units[first].parent
  }

  /// Joins neighbouring units of one block into one unit.
  mutating func join(_ range: Range<Int>, _ numbers: inout UnitNumbers) {
    var joined = units[range.lowerBound]
    joined.slices = units[range].flatMap(\.slices)
    joined.closing = units[range.upperBound - 1].closing
    units.replaceSubrange(range, with: [joined])
    let removedCount = range.count - 1
    for index in units.indices {
      guard let parent = units[index].parent, parent > range.lowerBound else { continue }
      units[index].parent = max(range.lowerBound, parent - removedCount)
    }
    assignNumbers(range.lowerBound, &numbers)
  }

  private mutating func assignNumbers(_ index: Int, _ numbers: inout UnitNumbers) {
    let read = UnitWords(bytes, units[index])
    units[index].words = read.words.map { word in
      Word(number: numbers.number(word.key), letters: word.letters, range: word.range)
    }
    units[index].key = numbers.number(read.key)
  }
}

/// Numbers for texts. Texts that differ only in the composition of characters have one number.
struct UnitNumbers {
  private var known: [String: Int] = [:]

  mutating func number(_ text: String) -> Int {
    let next = known.count
    let number = known[text, default: next]
    if number == next { known[text] = next }
    return number
  }
}

/// The head of each table of a body, in order, in the form that the merge compares.
func tableHeads(_ body: [UInt8]) -> [[UInt8]] {
  let blocks = MarkdownBlocks(body)
  return blocks.blocks.filter { $0.kind == .table }.map { tableHead($0, blocks) }
}

private func tableHead(_ block: MarkdownBlocks.Block, _ blocks: MarkdownBlocks) -> [UInt8] {
  let line = blocks.content(of: block.lines.lowerBound, in: block.container)
  return blocks.bytes[line].filter { $0 != 0x20 && $0 != 0x09 }
}

/// Splits blocks into units.
private struct UnitCutter {
  private let blocks: MarkdownBlocks
  private let size: BodyUnits.Size
  private let style: BodyUnits.Style
  private var result: [BodyUnits.Unit] = []
  /// The first unit of each item, by the item's container.
  private var items: [Int: Int] = [:]
  private var headings: [(level: Int, unit: Int)] = []
  private var block = 0

  init(_ blocks: MarkdownBlocks, size: BodyUnits.Size, style: BodyUnits.Style) {
    (self.blocks, self.size, self.style) = (blocks, size, style)
  }

  mutating func units() -> [BodyUnits.Unit] {
    if size == .blocks {
      addTopLevelBlocks()
      return result
    }
    for block in blocks.blocks {
      switch block.kind {
      case .paragraph: addParagraph(block)
      case .heading: addHeading(block)
      case .code: addWhole(block, .code)
      case .rule: addWhole(block, .other)
      case .table: addTable(block)
      }
      self.block += 1
    }
    return result
  }

  // MARK: Blocks

  /// Adds each top-level list, quote, paragraph and other block as one unit.
  private mutating func addTopLevelBlocks() {
    var last: Int?
    for block in blocks.blocks {
      let outer = outermost(block)
      if let outer, outer == last, let unit = result.indices.last {
        result[unit].slices += block.lines.map { blocks.lines[$0] }
      } else {
        let own = MarkdownBlocks.Block(
          kind: block.kind, lines: block.lines, column: 0, container: nil)
        addWhole(own, .code)
      }
      last = outer
      self.block += 1
    }
  }

  /// The number of the outermost list around a block; a negative number for a quote.
  private func outermost(_ block: MarkdownBlocks.Block) -> Int? {
    guard var index = block.container else { return nil }
    while let parent = blocks.containers[index].parent { index = parent }
    return blocks.containers[index].isItem ? blocks.containers[index].list : -1 - index
  }

  private mutating func addParagraph(_ block: MarkdownBlocks.Block) {
    let lines = block.lines.map { content($0, block) }
    if let item = firstParagraphItem(block) {
      add(.item, lines, block, item: item, parent: nil)
      return
    }
    let quotes = block.container.map { blocks.containers[$0].quotes } ?? 0
    let isHard = block.lines.map { isHardBreak($0, block) }
    let pieces =
      size == .paragraphs
      ? [lines]
      : SentenceCuts(
        blocks.bytes, lines: lines, isHard: isHard, isQuote: quotes > 0,
        hasSmallSentences: style.hasSmallSentences
      ).pieces()
    for (index, slices) in pieces.enumerated() {
      let isFirst = index == 0
      add(.sentence, slices, block, item: nil, parent: isFirst ? nil : result.count - 1)
      result[result.count - 1].isBlockStart = isFirst
      // A sentence inside a line has the marks of its line. Before the first one of a line, blanks
      // that CommonMark reads as text, such as U+3000, are marks, too.
      if let line = lines.last(where: { $0.lowerBound <= slices[0].lowerBound }) {
        let end = isFirst ? nil : pieces[index - 1].last?.upperBound
        let isLineStart = end.map { $0 <= line.lowerBound } ?? true
        let outer = result[result.count - 1].linePrefix.lowerBound
        result[result.count - 1].isLineStart = isLineStart
        result[result.count - 1].linePrefix =
          outer..<(isLineStart ? slices[0].lowerBound : line.lowerBound)
      }
    }
  }

  private mutating func addHeading(_ block: MarkdownBlocks.Block) {
    let lines = block.lines.map { content($0, block) }
    let bytes = blocks.bytes
    let hash = UInt8(ascii: "#")
    guard lines.count == 1 else {
      let level = bytes[lines[lines.count - 1]].first == UInt8(ascii: "=") ? 1 : 2
      add(.heading, Array(lines.dropLast()), block, item: nil, parent: nil, heading: level)
      let last = result.count - 1
      result[last].closing = result[last].text.upperBound..<lines[lines.count - 1].upperBound
      return
    }
    let line = lines[0]
    let level = bytes[line].prefix { $0 == hash }.count
    var (start, end) = (line.lowerBound + level, line.upperBound)
    while start < end, isBlank(bytes[start]) { start += 1 }
    var close = end
    while close > start, bytes[close - 1] == hash { close -= 1 }
    if close < end, close == start || isBlank(bytes[close - 1]) {
      while close > start, isBlank(bytes[close - 1]) { close -= 1 }
      end = close
    }
    add(.heading, [start..<end], block, item: nil, parent: nil, heading: level)
    result[result.count - 1].marker = line.lowerBound..<start
    result[result.count - 1].linePrefix =
      blocks.lines[block.lines.lowerBound].lowerBound..<line.lowerBound
    result[result.count - 1].closing = end..<line.upperBound
  }

  private mutating func addWhole(_ block: MarkdownBlocks.Block, _ kind: BodyUnits.Kind) {
    var slices = block.lines.map { index in
      let line = blocks.lines[index]
      return min(line.lowerBound, line.upperBound)..<line.upperBound
    }
    slices[0] = contentStart(block)..<slices[0].upperBound
    if kind == .other { slices = block.lines.map { content($0, block) } }
    add(kind, slices, block, item: nil, parent: nil)
  }

  private mutating func addTable(_ block: MarkdownBlocks.Block) {
    let lines = block.lines.map { content($0, block) }
    if style.wholeTables.contains(tableHead(block, blocks)) || lines.count < 2 {
      add(.code, lines, block, item: nil, parent: nil)
      return
    }
    add(.tableHead, Array(lines[..<2]), block, item: nil, parent: nil)
    let head = result.count - 1
    for line in lines[2...] {
      add(.row, [line], block, item: nil, parent: head)
      result[result.count - 1].isBlockStart = false
    }
  }

  // MARK: Units

  private mutating func add(
    _ kind: BodyUnits.Kind, _ slices: [Range<Int>], _ block: MarkdownBlocks.Block, item: Int?,
    parent: Int?, heading: Int? = nil
  ) {
    let start = slices[0].lowerBound
    let line = lineStart(start)
    let container = block.container.map { blocks.containers[$0] }
    var unit = BodyUnits.Unit(
      kind: kind, slices: slices, linePrefix: line..<start, marker: start..<start,
      task: start..<start,
      closing: 0..<0, block: self.block, isBlockStart: true, isLineStart: true,
      level: container?.depth ?? heading.map { $0 - 7 } ?? 0, parent: parent)
    if let item { separateMarker(item, &unit) }
    if unit.parent == nil { unit.parent = parentBlock(block, heading) }
    if let heading, container == nil {
      headings.removeAll { $0.level >= heading }
      headings.append((heading, result.count))
    }
    recordFirstUnits(block)
    result.append(unit)
  }

  /// The item above, or else the heading above.
  private func parentBlock(_ block: MarkdownBlocks.Block, _ heading: Int?) -> Int? {
    var container = block.container
    while let index = container {
      if let item = items[index] { return item }
      container = blocks.containers[index].parent
    }
    return headings.last { $0.level < heading ?? 7 }?.unit
  }

  /// Records the next unit as the first one of each enclosing item that has none yet.
  private mutating func recordFirstUnits(_ block: MarkdownBlocks.Block) {
    var container = block.container
    while let index = container {
      if blocks.containers[index].isItem, items[index] == nil { items[index] = result.count }
      container = blocks.containers[index].parent
    }
  }

  /// The item whose first paragraph is this block, behind its marker. A marker alone in its line is a
  /// line of its own.
  private func firstParagraphItem(_ block: MarkdownBlocks.Block) -> Int? {
    guard let index = block.container, blocks.containers[index].isItem, items[index] == nil,
      blocks.containers[index].line == block.lines.lowerBound
    else { return nil }
    return index
  }

  /// Separates the marker and the box of an item from its indentation and its text.
  private func separateMarker(_ index: Int, _ unit: inout BodyUnits.Unit) {
    let container = blocks.containers[index]
    let bytes = blocks.bytes
    let start = unit.slices[0].lowerBound
    unit.list = container.list
    let mark = blocks.lines[container.line].lowerBound + container.column
    guard mark >= unit.linePrefix.lowerBound, mark < start else { return }
    unit.linePrefix = unit.linePrefix.lowerBound..<mark
    unit.marker = mark..<start
    if style.numbersAreWords, bytes[mark].isDigit {
      unit.marker = mark..<mark
      unit.task = mark..<mark
      unit.slices[0] = mark..<unit.slices[0].upperBound
      return
    }
    unit.task = start..<start
    let text = unit.slices[0]
    if text.count >= 4, bytes[start] == UInt8(ascii: "["), isBlank(bytes[start + 3]),
      bytes[start + 2] == UInt8(ascii: "]")
    {
      var next = start + 3
      while next < text.upperBound, isBlank(bytes[next]) { next += 1 }
      guard next < text.upperBound else { return }
      unit.task = start..<next
      unit.slices[0] = next..<text.upperBound
    }
  }

  // MARK: Lines

  private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  private func lineStart(_ offset: Int) -> Int {
    var (low, high) = (0, blocks.lines.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if blocks.lines[middle].lowerBound <= offset { low = middle } else { high = middle }
    }
    return blocks.lines[low].lowerBound
  }

  private func contentStart(_ block: MarkdownBlocks.Block) -> Int {
    let line = blocks.lines[block.lines.lowerBound]
    return min(line.lowerBound + block.column, line.upperBound)
  }

  private func content(_ line: Int, _ block: MarkdownBlocks.Block) -> Range<Int> {
    let range = blocks.content(of: line, in: block.container)
    guard line == block.lines.lowerBound else { return range }
    let start = max(contentStart(block), blocks.lines[line].lowerBound)
    return min(start, range.upperBound)..<max(range.upperBound, min(start, range.upperBound))
  }

  private func isHardBreak(_ line: Int, _ block: MarkdownBlocks.Block) -> Bool {
    let text = content(line, block)
    return blocks.lines[line].upperBound - text.upperBound >= 2
      || (!text.isEmpty && blocks.bytes[text.upperBound - 1] == UInt8(ascii: "\\"))
  }
}
