import DiaryCore

/// A block of Markdown that is made from HTML.
indirect enum HTMLBlock {
  case paragraph([String])
  /// Lines that are Markdown already: a heading, code, a table or a rule.
  case lines([String])
  case quote([HTMLBlock])
  case item([HTMLBlock])
  case list(first: Int?, [[HTMLBlock]])

  // MARK: - Making blocks

  /// A list of items. Other blocks between them belong to the item above them.
  static func list(of blocks: [HTMLBlock], first: Int?) -> [HTMLBlock] {
    var above: [HTMLBlock] = []
    var items: [[HTMLBlock]] = []
    for block in blocks {
      if case .item(let content) = block {
        items.append(content)
      } else if items.isEmpty {
        above.append(block)
      } else {
        items[items.count - 1].append(block)
      }
    }
    return items.isEmpty ? above : above + [.list(first: first, items)]
  }

  /// A heading of the paragraphs on one line, and below it the other blocks.
  static func heading(_ level: Int, _ blocks: [HTMLBlock]) -> [HTMLBlock] {
    var words: [String] = []
    var others: [HTMLBlock] = []
    for block in blocks {
      if case .paragraph(let lines) = block { words += lines } else { others.append(block) }
    }
    guard !words.isEmpty else { return others }
    var text = words.joined(separator: " ")
    // Number signs at the end would close the heading.
    if text.hasSuffix("#") { text.insert("\\", at: text.index(before: text.endIndex)) }
    return [.lines([String(repeating: "#", count: level) + " " + text])] + others
  }

  /// A code block within a fence that is longer than every row of backticks in it.
  static func code(_ text: String, _ language: String) -> [HTMLBlock] {
    var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map(String.init)
    // HTML ignores a line end after the start tag.
    if lines.first?.isEmpty == true { lines.removeFirst() }
    while lines.last?.allSatisfy(\.isBlank) == true { lines.removeLast() }
    guard !lines.isEmpty else { return [] }
    let fence = String(repeating: "`", count: max(3, longestRun(of: "`", in: text) + 1))
    return [.lines([fence + language] + lines + [fence])]
  }

  /// A table with its first row as head, which Markdown requires. Cells with blocks that a table
  /// cannot contain follow one another instead.
  static func table(_ rows: [[[HTMLBlock]]]) -> [HTMLBlock] {
    let rows = rows.filter { !$0.isEmpty }
    let texts = rows.map { $0.map(cellText) }
    guard texts.allSatisfy({ $0.allSatisfy { $0 != nil } }) else {
      return rows.flatMap { $0.flatMap(\.self) }
    }
    let columns = rows.map(\.count).max() ?? 0
    guard columns > 0 else { return [] }
    var lines = texts.map { cells in
      let texts = cells.compactMap(\.self) + Array(repeating: "", count: columns - cells.count)
      return "| " + texts.joined(separator: " | ") + " |"
    }
    lines.insert("|" + String(repeating: " --- |", count: columns), at: 1)
    return [.lines(lines)]
  }

  /// The text of a cell on one line, or `nil` if it has other blocks than paragraphs.
  private static func cellText(_ blocks: [HTMLBlock]) -> String? {
    var words: [String] = []
    for block in blocks {
      guard case .paragraph(let lines) = block else { return nil }
      words += lines
    }
    return words.joined(separator: "<br>").replacing("|", with: "\\|")
  }

  // MARK: - Writing

  /// The lines of blocks, with a blank line between two of them except in a tight list.
  static func lines(of blocks: [HTMLBlock], isTight: Bool = false) -> [String] {
    var result: [String] = []
    var lastMark: Character?
    for block in grouped(blocks) {
      if !result.isEmpty, !isTight { result.append("") }
      if case .list(let first, let items) = block {
        let list = list(first, items, after: lastMark)
        lastMark = list.mark
        result += list.lines
        continue
      }
      lastMark = nil
      switch block {
      case .paragraph(let lines): result += paragraph(lines)
      case .lines(let lines): result += lines
      case .quote(let content):
        result += HTMLBlock.lines(of: content).map { $0.isEmpty ? ">" : "> " + $0 }
      case .item, .list: break
      }
    }
    return result
  }

  /// Makes lists of items without one.
  private static func grouped(_ blocks: [HTMLBlock]) -> [HTMLBlock] {
    var result: [HTMLBlock] = []
    var items: [[HTMLBlock]] = []
    for block in blocks {
      if case .item(let content) = block {
        items.append(content)
        continue
      }
      if !items.isEmpty { result.append(.list(first: nil, items)) }
      items = []
      result.append(block)
    }
    return items.isEmpty ? result : result + [.list(first: nil, items)]
  }

  private static func paragraph(_ lines: [String]) -> [String] {
    lines.enumerated().map { index, line in
      withEscapedStart(line) + (index < lines.count - 1 ? "  " : "")
    }
  }

  /// Returns the lines of a list and the mark of its items: another one than that of a list of the
  /// same kind directly above it, and none that makes a rule of an item.
  private static func list(
    _ first: Int?, _ items: [[HTMLBlock]], after lastMark: Character?
  ) -> (lines: [String], mark: Character) {
    let isTight = items.allSatisfy(isTight)
    let items = items.map { HTMLBlock.lines(of: $0, isTight: isTight) }
    // A dash before dashes is a rule: an item that begins with empty items, one in another.
    let hasDashes = items.contains { $0.first != "---" && $0.first.map(isRuleAfterDash) == true }
    let marks: [Character] = first != nil ? [".", ")"] : hasDashes ? ["+", "*"] : ["-", "+"]
    let mark = marks[0] == lastMark ? marks[1] : marks[0]
    let start = first.map { (0...99_999_999).contains($0) ? $0 : 1 }
    var result: [String] = []
    for (index, var lines) in items.enumerated() {
      if !isTight, index > 0 { result.append("") }
      let prefix = (start.map { "\($0 + index)" } ?? "") + "\(mark) "
      if mark == "-", lines.first == "---" { lines[0] = "***" }
      let indentation = String(repeating: " ", count: prefix.count)
      result.append(lines.isEmpty ? String(prefix.dropLast()) : prefix + lines[0])
      result += lines.dropFirst().map { $0.isEmpty ? "" : indentation + $0 }
    }
    return (result, mark)
  }

  private static func isRuleAfterDash(_ line: String) -> Bool {
    line.allSatisfy { $0 == "-" || $0 == " " } && line.count { $0 == "-" } > 1
  }

  /// Returns whether an item needs no blank lines: it has one paragraph, and lists that Markdown
  /// accepts directly below it.
  private static func isTight(_ item: [HTMLBlock]) -> Bool {
    for (index, block) in grouped(item).enumerated() {
      switch block {
      case .paragraph: if index > 0 { return false }
      case .list(let first, let items):
        guard index < 2, first ?? 1 == 1, items.first?.isEmpty == false, items.allSatisfy(isTight)
        else { return false }
      default: return false
      }
    }
    return true
  }

  /// Returns a line of a paragraph with a backslash where Markdown would begin another block.
  private static func withEscapedStart(_ line: String) -> String {
    if line.allSatisfy({ "-=|: ".contains($0) }) { return "\\" + line }
    let sign = line.prefix { $0 == "#" }
    if (1...6).contains(sign.count) {
      let next = line.dropFirst(sign.count).first
      return next == nil || next == " " ? "\\" + line : line
    }
    if line.hasPrefix(">") { return "\\" + line }
    if line.hasPrefix("-") || line.hasPrefix("+") {
      let next = line.dropFirst().first
      return next == nil || next == " " ? "\\" + line : line
    }
    let digits = line.prefix { $0.isASCII && $0.isNumber }
    let remaining = line.dropFirst(digits.count)
    guard (1...9).contains(digits.count), let dot = remaining.first, dot == "." || dot == ")",
      remaining.count == 1 || remaining.dropFirst().first == " "
    else { return line }
    return digits + "\\" + remaining
  }
}

/// Returns the length of the longest row of a character.
func longestRun(of character: Character, in text: some StringProtocol) -> Int {
  var (longest, length) = (0, 0)
  for next in text {
    length = next == character ? length + 1 : 0
    longest = max(longest, length)
  }
  return longest
}
