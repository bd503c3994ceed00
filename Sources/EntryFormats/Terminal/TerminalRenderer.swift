import DiaryCore

/// The walk that sets Markdown into lines.
struct TerminalRenderer {
  private let width: Int?
  let isStyled: Bool
  private(set) var lines: [String] = []
  /// What stands before each line: quotes, and room for a list's marks.
  private var margins = [Margin()]
  private var lists: [(next: Int?, isTight: Bool)] = []
  private var inline = InlineText()
  private var table: TableText?
  private var needsBlank = false

  struct Margin {
    var text = ""
    var columns = 0
    /// Stands once, on the first line, in place of the margin's own end.
    var mark: String?
  }

  private init(width: Int?, isStyled: Bool) {
    self.width = width.map { max(10, $0) }
    self.isStyled = isStyled
    inline.isStyled = isStyled
  }

  static func lines(of text: MarkdownText, width: Int?, isStyled: Bool) -> [String] {
    var body = TerminalRenderer(width: width, isStyled: isStyled)
    for event in text.events { body.take(event) }
    return body.lines
  }

  private mutating func take(_ event: MarkdownEvent) {
    if inline.take(event) { return }
    event.isBeginning ? begin(event.node) : end(event.node)
  }

  private mutating func begin(_ node: MarkdownNode) {
    switch node {
    case .quote: indent(isStyled ? TextStyle.dim.painted("│") + " " : "> ", columns: 2)
    case .list(let first, let isTight): lists.append((first, isTight))
    case .item(let isDone): beginItem(isDone)
    case .heading: if isStyled { inline.push(.bold) }
    case .rule: put([StyledText(text: String(repeating: "─", count: min(room, 24)), style: .dim)])
    case .code(let text, _): putVerbatim(text, .code)
    case .html(let text): if !isComment(text) { putVerbatim(text, .dim) }
    case .table(let columns): table = TableText(columns)
    case .row(let isHeader): table?.beginRow(isHeader)
    case .footnote(let number): beginMark("[\(number)] ")
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
      put(inline.drain())
      if isTight { needsBlank = false }
    case .heading(let level): endHeading(level)
    case .cell: table?.add(inline.drain())
    case .table:
      let rows = table?.lines(width: room, isBounded: width != nil) ?? []
      table = nil
      startBlock()
      for row in rows { emit(row) }
      needsBlank = true
    default: break
    }
  }

  private mutating func beginItem(_ isDone: Bool?) {
    var mark = isStyled ? "• " : "- "
    if let last = lists.indices.last, let number = lists[last].next {
      mark = "\(number). "
      lists[last].next = number + 1
    }
    if let isDone { mark += isDone ? "[x] " : "[ ] " }
    beginMark(mark)
  }

  private mutating func beginMark(_ mark: String) {
    let columns = displayWidth(mark)
    indent(String(repeating: " ", count: columns), columns: columns, mark: mark)
  }

  private mutating func endHeading(_ level: Int) {
    if isStyled { inline.pop() }
    let texts = inline.drain()
    put(texts)
    guard !isStyled, level <= 2, let last = lines.last else { return }
    let line = String(repeating: level == 1 ? "=" : "-", count: max(3, min(displayWidth(last), 72)))
    emit([StyledText(text: line, style: [])])
  }

  // MARK: - Lines

  /// Columns that are left for words.
  private var room: Int { max(10, (width ?? 100_000) - (margins.last?.columns ?? 0)) }

  /// Moves to the right. A list's `mark` stands on the next line only; with it come the marks around
  /// it that have not stood yet. When half of the width is gone, deeper nesting moves no further.
  private mutating func indent(_ text: String, columns: Int, mark: String? = nil) {
    startBlock()
    let parent = margins[margins.count - 1]
    let deepest = (width ?? 80) / 2
    let isTooDeep = parent.columns + columns > deepest
    var margin = parent
    if !isTooDeep { margin.text += text }
    margin.columns = min(parent.columns + columns, deepest + 8)
    if let waiting = parent.mark {
      margin.mark = isTooDeep ? waiting : waiting + (mark ?? text)
    } else {
      margin.mark = mark.map { parent.text + $0 }
    }
    margins[margins.count - 1].mark = nil
    margins.append(margin)
  }

  /// Back again; a mark whose item has no words still gets its line.
  private mutating func outdent() {
    if margins.last?.mark != nil { put([]) }
    if margins.count > 1 { margins.removeLast() }
  }

  /// One empty line between blocks.
  private mutating func startBlock() {
    guard needsBlank else { return }
    needsBlank = false
    if !lines.isEmpty { lines.append(TerminalRenderer.trimmedEnd(margins.last?.text ?? "")) }
  }

  private mutating func put(_ texts: [StyledText]) {
    startBlock()
    let wrapped =
      width == nil
      ? LineWrap.lines(of: texts, width: .max) : LineWrap.lines(of: texts, width: room)
    for line in wrapped { emit(line) }
    needsBlank = true
  }

  private mutating func putVerbatim(_ text: String, _ style: TextStyle) {
    startBlock()
    var rows = terminalSafe(text).split(separator: "\n", omittingEmptySubsequences: false)
    while rows.last?.isEmpty == true { rows.removeLast() }
    for row in rows {
      for piece in cut(String(row).replacing("\t", with: "    "), to: max(4, room - 4)) {
        emit([StyledText(text: "    ", style: []), StyledText(text: piece, style: style)])
      }
    }
    needsBlank = true
  }

  private func cut(_ line: String, to columns: Int) -> [String] {
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

  private mutating func emit(_ texts: [StyledText]) {
    let last = margins.count - 1
    let margin = margins[last].mark ?? margins[last].text
    margins[last].mark = nil
    let words = texts.map { isStyled ? $0.style.painted($0.text) : $0.text }.joined()
    lines.append(TerminalRenderer.trimmedEnd(margin + words))
  }

  private static func trimmedEnd(_ line: String) -> String {
    var line = line[...]
    while line.last == " " { line.removeLast() }
    return String(line)
  }
}
