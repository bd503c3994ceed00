import CMark

/// The blocks of a Markdown text that contain text, as CommonMark with tables reads them.
///
/// Three kinds of lines are read differently. An unclosed fence is an ordinary line; otherwise
/// everything below it would be one block. Lines between two lines of `$$` are code. Lines that each
/// begin with a tab and a bullet are a list, as Logseq writes it below a heading.
struct MarkdownBlocks {
  enum Kind { case paragraph, heading, code, rule, table }

  struct Block {
    let kind: Kind
    var lines: Range<Int>
    /// The byte offset in the first line at which the block's own text begins.
    let column: Int
    /// The innermost quote or item that contains the block.
    let container: Int?
  }

  /// A quote or an item of a list.
  struct Container {
    let isItem: Bool
    let parent: Int?
    let line: Int
    let column: Int
    /// The number of the item's list.
    let list: Int
    let depth: Int
    let quotes: Int
  }

  let bytes: [UInt8]
  /// The lines without their ends.
  let lines: [Range<Int>]
  private(set) var blocks: [Block] = []
  private(set) var containers: [Container] = []
  /// The lines that are read without their first tab.
  private var outlineLines: Set<Int> = []

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    lines = MarkdownBlocks.lines(of: bytes)
    var replacements: [Int: [UInt8]] = [:]
    read(replacements)
    // Each pass finds the first such fence. A text with more of them than this is code anyway.
    for _ in 0..<16 {
      guard let open = blocks.first(where: isOpenFence) else { break }
      replacements[open.lines.lowerBound] = lineWithoutFence(open)
      read(replacements)
    }
    for block in blocks where isOutline(block) { outlineLines.formUnion(block.lines) }
    if !outlineLines.isEmpty {
      for line in outlineLines { replacements[line] = Array(bytes[lines[line]].dropFirst()) }
      read(replacements)
    }
    let formulas = formulaLines()
    if !formulas.isEmpty {
      for line in formulas.flatMap({ [$0.lowerBound, $0.upperBound - 1] }) {
        replacements[line] = Array(repeating: UInt8(ascii: "~"), count: 64)
      }
      read(replacements)
    }
  }

  /// Splits at every line end that cmark recognizes: LF, CRLF and CR.
  private static func lines(of bytes: [UInt8]) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    var (start, at) = (0, 0)
    while at < bytes.count {
      let byte = bytes[at]
      if byte == 0x0A || byte == 0x0D {
        lines.append(start..<at)
        if byte == 0x0D, at + 1 < bytes.count, bytes[at + 1] == 0x0A { at += 1 }
        start = at + 1
      }
      at += 1
    }
    if start < bytes.count { lines.append(start..<bytes.count) }
    return lines
  }

  func isBlank(_ line: Int) -> Bool { bytes[lines[line]].allSatisfy { $0 == 0x20 || $0 == 0x09 } }

  /// Reads the text, with some lines replaced.
  private mutating func read(_ replacements: [Int: [UInt8]]) {
    blocks = []
    containers = []
    var text = bytes
    if !replacements.isEmpty {
      text = []
      for index in lines.indices {
        text += replacements[index] ?? Array(bytes[lines[index]])
        text.append(0x0A)
      }
    }
    guard let document = MarkdownDocument.parse(text, extensions: ["table"]) else { return }
    defer { cmark_node_free(document) }
    walk(document)
    addUncoveredLines()
  }

  private mutating func walk(_ document: OpaquePointer) {
    guard let steps = cmark_iter_new(document) else { return }
    defer { cmark_iter_free(steps) }
    var open: [Int] = []
    var lists: [Int] = []
    var listCount = 0
    while true {
      let step = cmark_iter_next(steps)
      guard step != CMARK_EVENT_DONE, let node = cmark_iter_get_node(steps) else { return }
      let isEnter = step == CMARK_EVENT_ENTER
      switch cmark_node_get_type(node) {
      case CMARK_NODE_LIST:
        if isEnter {
          lists.append(listCount)
          listCount += 1
        } else {
          lists.removeLast()
        }
      case CMARK_NODE_BLOCK_QUOTE, CMARK_NODE_ITEM:
        guard isEnter else {
          open.removeLast()
          continue
        }
        let isItem = cmark_node_get_type(node) == CMARK_NODE_ITEM
        let parent = open.last.map { containers[$0] }
        open.append(containers.count)
        containers.append(
          Container(
            isItem: isItem, parent: open.dropLast().last,
            line: Int(cmark_node_get_start_line(node)) - 1, column: startColumn(node),
            list: lists.last ?? 0,
            depth: (parent?.depth ?? 0) + 1, quotes: (parent?.quotes ?? 0) + (isItem ? 0 : 1)))
      default:
        guard isEnter, let kind = MarkdownBlocks.kind(of: node) else { continue }
        add(kind, node, in: open.last)
        // Its cells contain no further blocks.
        if kind == .table { cmark_iter_reset(steps, node, CMARK_EVENT_EXIT) }
      }
    }
  }

  /// The byte offset in its first line at which a node begins.
  private func startColumn(_ node: OpaquePointer) -> Int {
    let isOutline = outlineLines.contains(Int(cmark_node_get_start_line(node)) - 1)
    return max(0, Int(cmark_node_get_start_column(node)) - 1) + (isOutline ? 1 : 0)
  }

  private static func kind(of node: OpaquePointer) -> Kind? {
    switch cmark_node_get_type(node) {
    case CMARK_NODE_PARAGRAPH: .paragraph
    case CMARK_NODE_HEADING: .heading
    case CMARK_NODE_CODE_BLOCK, CMARK_NODE_HTML_BLOCK: .code
    case CMARK_NODE_THEMATIC_BREAK: .rule
    // A node of an extension has a type name instead of a number.
    default: cmark_node_get_type_string(node).map { String(cString: $0) } == "table" ? .table : nil
    }
  }

  private mutating func add(_ kind: Kind, _ node: OpaquePointer, in container: Int?) {
    let first = Int(cmark_node_get_start_line(node)) - 1
    var end = min(Int(cmark_node_get_end_line(node)), lines.count)
    // cmark gives a paragraph above a table no lines of its own; they belong to the table.
    guard first >= 0, first < end else { return }
    let column = startColumn(node)
    while end - 1 > first, isBlank(end - 1) { end -= 1 }
    var block = Block(kind: kind, lines: first..<end, column: column, container: container)
    if kind == .heading {
      block.lines = first..<headingEnd(block)
    } else if kind == .table {
      let row = cmark_node_next(cmark_node_first_child(node))
      guard let head = row.map({ Int(cmark_node_get_start_line($0)) - 3 }) ?? headWithoutRows(first)
      else { return }
      end = max(end, head + 2)
      block.lines = first..<end
      guard head >= first, end <= lines.count else { return }
      if head > first {
        blocks.append(
          Block(kind: .paragraph, lines: first..<head, column: column, container: container))
        block = Block(
          kind: kind, lines: head..<end, column: contentColumn(head, container),
          container: container)
      }
    }
    blocks.append(block)
  }

  /// The head of a table without rows: the line above the first line of dashes, which cmark assigns
  /// to no block.
  private func headWithoutRows(_ first: Int) -> Int? {
    lines.indices[first...].dropLast().first { line in
      let next = bytes[lines[line + 1]]
      return next.contains(UInt8(ascii: "-"))
        && next.allSatisfy { "|:-> \t".utf8.contains($0) }
    }
  }

  /// The line after a heading: after its own line, or after the first underline.
  private func headingEnd(_ block: Block) -> Int {
    let line = lines[block.lines.lowerBound]
    let start = bytes[min(line.lowerBound + block.column, line.upperBound)..<line.upperBound]
    let hashes = start.prefix { $0 == UInt8(ascii: "#") }
    let next = start.dropFirst(hashes.count).first ?? 0x20
    if (1...6).contains(hashes.count), next == 0x20 || next == 0x09 {
      return block.lines.lowerBound + 1
    }
    for index in block.lines.dropFirst() {
      let text = bytes[content(of: index, in: block.container)]
      if let mark = text.first, mark == UInt8(ascii: "=") || mark == UInt8(ascii: "-"),
        text.allSatisfy({ $0 == mark })
      {
        return index + 1
      }
    }
    return block.lines.upperBound
  }

  /// Adds lines that are in no block as one block each, such as link definitions and empty items.
  private mutating func addUncoveredLines() {
    var covered = [Bool](repeating: false, count: lines.count)
    for block in blocks { for line in block.lines { covered[line] = true } }
    var containerByLine: [Int: Int] = [:]
    for (index, container) in containers.enumerated() { containerByLine[container.line] = index }
    var added = false
    for line in lines.indices where !covered[line] && !isBlank(line) {
      let text = content(of: line, in: nil)
      // A line of only quote marks counts as blank.
      if bytes[text].allSatisfy({ $0 == UInt8(ascii: ">") || $0 == 0x20 || $0 == 0x09 }) {
        continue
      }
      blocks.append(
        Block(
          kind: .rule, lines: line..<(line + 1), column: text.lowerBound - lines[line].lowerBound,
          container: containerByLine[line].flatMap { containers[$0].parent }))
      added = true
    }
    if added { blocks.sort { $0.lines.lowerBound < $1.lines.lowerBound } }
  }

  /// A line's text without indentation, the marks of the quotes around it, and trailing blanks.
  func content(of line: Int, in container: Int?) -> Range<Int> {
    var (at, end) = (lines[line].lowerBound, lines[line].upperBound)
    var quotes = container.map { containers[$0].quotes } ?? 0
    while at < end {
      if bytes[at] == UInt8(ascii: ">"), quotes > 0 {
        quotes -= 1
      } else if bytes[at] != 0x20, bytes[at] != 0x09 {
        break
      }
      at += 1
    }
    while end > at, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
    return at..<end
  }

  private func contentColumn(_ line: Int, _ container: Int?) -> Int {
    content(of: line, in: container).lowerBound - lines[line].lowerBound
  }

  // MARK: Fences, outlines and formulas

  /// True for code by indentation of which each line is a bullet behind tabs.
  private func isOutline(_ block: Block) -> Bool {
    guard block.kind == .code, block.container == nil else { return false }
    return block.lines.allSatisfy { line in
      let text = bytes[lines[line]]
      let item = text.drop { $0 == 0x09 }
      guard item.startIndex > text.startIndex, let bullet = item.first else { return false }
      return (bullet == UInt8(ascii: "-") || bullet == UInt8(ascii: "*"))
        && item.dropFirst().first ?? 0x20 == 0x20
    }
  }

  private func fence(_ line: ArraySlice<UInt8>) -> (sign: UInt8, length: Int)? {
    guard let sign = line.first, sign == UInt8(ascii: "`") || sign == UInt8(ascii: "~") else {
      return nil
    }
    let length = line.prefix { $0 == sign }.count
    return length >= 3 ? (sign, length) : nil
  }

  /// True if a code block begins with a fence that is never closed.
  private func isOpenFence(_ block: Block) -> Bool {
    guard block.kind == .code else { return false }
    let line = lines[block.lines.lowerBound]
    let first = bytes[min(line.lowerBound + block.column, line.upperBound)..<line.upperBound]
    guard let opening = fence(first) else { return false }
    guard block.lines.count > 1 else { return true }
    let last = bytes[content(of: block.lines.upperBound - 1, in: block.container)]
    guard let closing = fence(last) else { return true }
    return closing.sign != opening.sign || closing.length < opening.length
      || closing.length != last.count
  }

  private func lineWithoutFence(_ block: Block) -> [UInt8] {
    var line = Array(bytes[lines[block.lines.lowerBound]])
    for index in min(block.column, line.count)..<line.count {
      guard line[index] == UInt8(ascii: "`") || line[index] == UInt8(ascii: "~") else { break }
      line[index] = UInt8(ascii: "x")
    }
    return line
  }

  /// The lines from one `$$` to the next, outside of quotes and lists.
  private func formulaLines() -> [Range<Int>] {
    var found: [Range<Int>] = []
    var open: Int?
    for block in blocks where block.container == nil && block.kind == .paragraph {
      for line in block.lines {
        let text = bytes[content(of: line, in: nil)]
        guard text.count == 2, text.allSatisfy({ $0 == UInt8(ascii: "$") }) else { continue }
        if let start = open {
          found.append(start..<(line + 1))
          open = nil
        } else {
          open = line
        }
      }
    }
    return found
  }
}
