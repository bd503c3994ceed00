/// The brackets of a body that Markdown reads as marks: not those in code, and not behind a
/// backslash, which are shown as they are.
package struct MarkdownBrackets {
  /// The code, in order.
  private var code: [Range<Int>] = []
  /// The offsets of the brackets.
  private var marks: Set<Int> = []
  /// The offsets of the closing brackets with an opening one in the same paragraph.
  private var closing: Set<Int> = []

  package init(_ body: [UInt8]) {
    // Each paragraph is read by itself: a code span and a link text end with it.
    var start: Int?
    var last: Range<Int>?
    for line in EntryBodyLines(body[...]) {
      let isText = line.kind == .text || line.kind == .comment
      if let begin = start, !isText || Self.beginsBlock(body, line.range, after: last) {
        read(body[begin..<line.range.lowerBound])
        start = nil
      }
      if line.kind == .code { code.append(line.range) }
      if isText, start == nil { start = line.range.lowerBound }
      last = line.range
    }
    if let start { read(body[start...]) }
  }

  /// True for a bracket that is a mark.
  package func contains(_ offset: Int) -> Bool { marks.contains(offset) }

  /// True for a closing bracket of a link's text.
  package func closes(_ offset: Int) -> Bool { closing.contains(offset) }

  /// True if a byte is outside of code.
  package func isText(_ offset: Int) -> Bool {
    var (low, high) = (0, code.count)
    while low < high {
      let middle = (low + high) / 2
      if code[middle].upperBound <= offset { low = middle + 1 } else { high = middle }
    }
    return low == code.count || offset < code[low].lowerBound
  }

  /// True if a line cannot continue the paragraph of the line before: a heading, a list item, a row
  /// of a table, the begin or the end of a quote.
  private static func beginsBlock(
    _ body: [UInt8], _ line: Range<Int>, after last: Range<Int>?
  ) -> Bool {
    func first(_ line: Range<Int>) -> UInt8 { firstNonBlank(body, line).map { body[$0] } ?? 0x0A }
    let sign = first(line)
    guard let last, !"|#".utf8.contains(sign), first(last) != UInt8(ascii: "#") else { return true }
    if (sign == UInt8(ascii: ">")) != (first(last) == UInt8(ascii: ">")) { return true }
    let rest = body[line].drop { isBlank($0) }
    let number = rest.prefix { $0.isDigit }
    let mark = rest.dropFirst(number.count)
    guard let dot = mark.first, let next = mark.dropFirst().first, isBlank(next) else {
      return false
    }
    return number.isEmpty ? "-*+".utf8.contains(dot) : ".)".utf8.contains(dot)
  }

  private mutating func read(_ text: ArraySlice<UInt8>) {
    // For each length, the start of the last run of backticks: a longer search finds no pair.
    var lastRuns: [Int: Int] = [:]
    var at = text.startIndex
    while let open = text[at...].firstIndex(of: UInt8(ascii: "`")) {
      let run = text[open...].prefix { $0 == UInt8(ascii: "`") }.count
      lastRuns[run] = open
      at = open + run
    }
    var open: [Int] = []
    at = text.startIndex
    while at < text.endIndex {
      switch text[at] {
      case UInt8(ascii: "\\"): at += 1
      case UInt8(ascii: "`"):
        let end = Self.codeSpanEnd(text, at, lastRuns)
        code.append(at..<end)
        at = end
        continue
      case UInt8(ascii: "["):
        marks.insert(at)
        open.append(at)
      case UInt8(ascii: "]"):
        marks.insert(at)
        if open.popLast() != nil { closing.insert(at) }
      default: break
      }
      at += 1
    }
  }

  /// The end of a code span, which has as many backticks as its start. An unpaired run is text.
  private static func codeSpanEnd(
    _ text: ArraySlice<UInt8>, _ start: Int, _ lastRuns: [Int: Int]
  ) -> Int {
    let length = text[start...].prefix { $0 == UInt8(ascii: "`") }.count
    let begin = start + length
    guard let last = lastRuns[length], last >= begin else { return begin }
    var at = begin
    while let open = text[at...].firstIndex(of: UInt8(ascii: "`")) {
      let run = text[open...].prefix { $0 == UInt8(ascii: "`") }.count
      at = open + run
      if run == length { return at }
    }
    return begin
  }
}
