import DiaryCore

/// Renders Markdown as lines for a terminal.
struct TerminalRenderer {
  private let width: Int?
  let isStyled: Bool
  private(set) var lines: [String] = []
  /// The text before each line: quote marks, and indentation for the marks of lists.
  private var margins = [Margin()]
  private var lists: [(next: Int?, isTight: Bool)] = []
  private var inline = InlineText()
  private var table: TableText?
  private var needsBlank = false

  struct Margin {
    var text = ""
    var columns = 0
    /// The mark of a list item. It replaces the end of the margin on the first line only.
    var mark: String?
  }

  private init(width: Int?, isStyled: Bool) {
    self.width = width.map { max(10, $0) }
    self.isStyled = isStyled
    inline.isStyled = isStyled
  }

  static func lines(of text: MarkdownText, width: Int?, isStyled: Bool) -> [String] {
    var body = TerminalRenderer(width: width, isStyled: isStyled)
    for event in text.events { body.handle(event) }
    return body.lines
  }

  private mutating func handle(_ event: MarkdownEvent) {
    if inline.handle(event) { return }
    event.isStart ? start(event.node) : end(event.node)
  }

  private mutating func start(_ node: MarkdownNode) {
    switch node {
    case .quote: indent(isStyled ? TextStyle.dim.applied(to: "│") + " " : "> ", columns: 2)
    case .list(let first, let isTight): lists.append((first, isTight))
    case .item(let isDone): startItem(isDone)
    case .heading: if isStyled { inline.push(.bold) }
    case .rule:
      writeBlock([
        StyledText(text: String(repeating: "─", count: min(availableWidth, 24)), style: .dim)
      ])
    case .code(let text, _): writeVerbatim(text, .code)
    case .html(let text): if !isComment(text) { writeVerbatim(text, .dim) }
    case .table(let columns): table = TableText(columns)
    case .row(let isHeader): table?.startRow(isHeader)
    case .footnote(let number): startMarkedBlock("[\(number)] ")
    default: break
    }
  }

  private mutating func end(_ node: MarkdownNode) {
    switch node {
    case .quote: outdent()
    case .list:
      lists.removeLast()
      needsBlank = true
    case .item, .footnote:
      outdent()
      needsBlank = lists.last.map { !$0.isTight } ?? true
    case .paragraph(let isTight):
      writeBlock(inline.drain())
      if isTight { needsBlank = false }
    case .heading(let level): endHeading(level)
    case .cell: table?.add(inline.drain())
    case .table:
      let rows = table?.lines(width: availableWidth, isBounded: width != nil) ?? []
      table = nil
      startBlock()
      for row in rows { writeLine(row) }
      needsBlank = true
    default: break
    }
  }

  private mutating func startItem(_ isDone: Bool?) {
    var mark = isStyled ? "• " : "- "
    if let last = lists.indices.last, let number = lists[last].next {
      mark = "\(number). "
      lists[last].next = number + 1
    }
    if let isDone { mark += isDone ? "[x] " : "[ ] " }
    startMarkedBlock(mark)
  }

  private mutating func startMarkedBlock(_ mark: String) {
    let columns = displayWidth(mark)
    indent(String(repeating: " ", count: columns), columns: columns, mark: mark)
  }

  private mutating func endHeading(_ level: Int) {
    if isStyled { inline.pop() }
    let texts = inline.drain()
    writeBlock(texts)
    guard !isStyled, level <= 2, let last = lines.last else { return }
    let line = String(repeating: level == 1 ? "=" : "-", count: max(3, min(displayWidth(last), 72)))
    writeLine([StyledText(text: line, style: [])])
  }

  // MARK: - Lines

  /// The number of columns for text.
  private var availableWidth: Int { max(10, (width ?? 100_000) - (margins.last?.columns ?? 0)) }

  /// Indents the following lines. A list's `mark`, with the outer marks not written yet, is on the
  /// next line only. Nesting deeper than half of the width is not indented further.
  private mutating func indent(_ text: String, columns: Int, mark: String? = nil) {
    startBlock()
    let parent = margins[margins.count - 1]
    let deepest = (width ?? 80) / 2
    let isTooDeep = parent.columns + columns > deepest
    var margin = parent
    if !isTooDeep { margin.text += text }
    margin.columns = min(parent.columns + columns, deepest + 8)
    if let pendingMark = parent.mark {
      margin.mark = isTooDeep ? pendingMark : pendingMark + (mark ?? text)
    } else {
      margin.mark = mark.map { parent.text + $0 }
    }
    margins[margins.count - 1].mark = nil
    margins.append(margin)
  }

  /// Ends an indentation. The mark of an item without text still gets its line.
  private mutating func outdent() {
    if margins.last?.mark != nil { writeBlock([]) }
    if margins.count > 1 { margins.removeLast() }
  }

  /// Adds one empty line between blocks.
  private mutating func startBlock() {
    guard needsBlank else { return }
    needsBlank = false
    if !lines.isEmpty { lines.append(TerminalRenderer.trimmedEnd(margins.last?.text ?? "")) }
  }

  private mutating func writeBlock(_ texts: [StyledText]) {
    startBlock()
    let wrapped =
      width == nil
      ? LineWrap.lines(of: texts, width: .max) : LineWrap.lines(of: texts, width: availableWidth)
    for line in wrapped { writeLine(line) }
    needsBlank = true
  }

  private mutating func writeVerbatim(_ text: String, _ style: TextStyle) {
    startBlock()
    var rows = terminalText(text).split(separator: "\n", omittingEmptySubsequences: false)
    while rows.last?.isEmpty == true { rows.removeLast() }
    for row in rows {
      for piece in pieces(
        of: String(row).replacing("\t", with: "    "), width: max(4, availableWidth - 4))
      {
        writeLine([StyledText(text: "    ", style: []), StyledText(text: piece, style: style)])
      }
    }
    needsBlank = true
  }

  private func pieces(of line: String, width columns: Int) -> [String] {
    guard width != nil, displayWidth(line) > columns else { return [line] }
    var pieces = [""]
    var used = 0
    for character in line {
      let next = displayWidth(String(character))
      if used + next > columns {
        pieces.append("")
        used = 0
      }
      pieces[pieces.count - 1].append(character)
      used += next
    }
    return pieces
  }

  private mutating func writeLine(_ texts: [StyledText]) {
    let last = margins.count - 1
    let margin = margins[last].mark ?? margins[last].text
    margins[last].mark = nil
    let text = texts.map { isStyled ? $0.style.applied(to: $0.text) : $0.text }.joined()
    lines.append(TerminalRenderer.trimmedEnd(margin + text))
  }

  private static func trimmedEnd(_ line: String) -> String {
    var line = line[...]
    while line.last == " " { line.removeLast() }
    return String(line)
  }
}
