import DiaryCore

/// A table whose columns are aligned in every script. If it is too wide, it becomes one record per
/// row.
struct TableText {
  private let alignments: [ColumnAlignment]
  private var rows: [[[StyledText]]] = []
  private var isHeader: [Bool] = []

  init(_ alignments: [ColumnAlignment]) { self.alignments = alignments }

  mutating func startRow(_ isHeader: Bool) {
    rows.append([])
    self.isHeader.append(isHeader)
  }

  mutating func add(_ cell: [StyledText]) {
    guard !rows.isEmpty else { return }
    rows[rows.count - 1].append(cell)
  }

  /// Returns the table's lines in at most `width` columns.
  func lines(width: Int, isBounded: Bool) -> [[StyledText]] {
    let natural = alignments.indices.map { column in
      rows.map { column < $0.count ? TableText.width(of: $0[column]) : 0 }.max() ?? 0
    }
    let space = width - 3 * max(0, alignments.count - 1)
    guard isBounded else { return grid(natural) }
    // Narrower columns would have only a few letters per line.
    guard space >= alignments.count * 6 || natural.reduce(0, +) <= space else {
      return records(width: width)
    }
    return grid(TableText.columnWidths(in: space, natural: natural))
  }

  /// Returns the column widths: narrow columns get their full width, the others share the rest.
  private static func columnWidths(in space: Int, natural: [Int]) -> [Int] {
    guard natural.reduce(0, +) > space else { return natural }
    var widths = natural
    var remaining = space
    let order = natural.indices.sorted { natural[$0] < natural[$1] }
    for (index, column) in order.enumerated() {
      widths[column] = min(natural[column], remaining / (order.count - index))
      remaining -= widths[column]
    }
    return widths
  }

  private func grid(_ widths: [Int]) -> [[StyledText]] {
    var lines: [[StyledText]] = []
    for (row, cells) in rows.enumerated() {
      let wrapped = widths.indices.map { column in
        column < cells.count
          ? LineWrap.lines(of: cells[column], width: max(1, widths[column])) : [[]]
      }
      for index in 0..<(wrapped.map(\.count).max() ?? 0) {
        var line: [StyledText] = []
        for column in widths.indices {
          if column > 0 { line.append(StyledText(text: " │ ", style: .dim)) }
          let words = index < wrapped[column].count ? wrapped[column][index] : []
          line += alignedCell(words, in: widths[column], alignments[column], isBold: isHeader[row])
        }
        lines.append(line)
      }
      if isHeader[row] {
        let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: "─┼─")
        lines.append([StyledText(text: rule, style: .dim)])
      }
    }
    return lines
  }

  private func alignedCell(
    _ words: [StyledText], in width: Int, _ alignment: ColumnAlignment, isBold: Bool
  ) -> [StyledText] {
    let free = max(0, width - TableText.width(of: words))
    let before =
      switch alignment {
      case .unset, .left: 0
      case .centre: free / 2
      case .right: free
      }
    let bold = words.map { isBold ? StyledText(text: $0.text, style: $0.style.union(.bold)) : $0 }
    return [StyledText(text: String(repeating: " ", count: before), style: [])] + bold
      + [StyledText(text: String(repeating: " ", count: free - before), style: [])]
  }

  /// Returns `name: value` lines, row after row. A table of only a header has a line for each cell.
  private func records(width: Int) -> [[StyledText]] {
    let names = isHeader.first == true && rows.count > 1 ? rows[0] : []
    var lines: [[StyledText]] = []
    for row in rows.dropFirst(names.isEmpty ? 0 : 1) {
      if !lines.isEmpty { lines.append([]) }
      for (column, cell) in row.enumerated() where !cell.isEmpty {
        var texts = column < names.count ? names[column] : []
        if !texts.isEmpty { texts.append(StyledText(text: ": ", style: .dim)) }
        lines += LineWrap.lines(of: texts + cell, width: width)
      }
    }
    return lines
  }

  private static func width(of texts: [StyledText]) -> Int {
    texts.reduce(0) { sum, text in
      sum + (text.text.split(separator: "\n").map { displayWidth($0) }.max() ?? 0)
    }
  }
}
