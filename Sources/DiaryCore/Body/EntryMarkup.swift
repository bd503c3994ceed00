/// The text of a Markdown line, without the marks of quotes, bullets, headings, links and emphasis.
/// A number at the start stays: `24. Dezember` is a date far more often than a list item.
func textWithoutMarkup(_ line: String) -> String {
  let line = trimmed(line)
  if isPlainText(line) { return line }
  let scalars = Array(line.unicodeScalars)
  var start = lineMarksEnd(scalars)
  var end = scalars.count
  if start > 0, scalars[..<start].contains("#") {
    // A heading may have closing marks.
    var last = end
    while last > start, scalars[last - 1] == "#" { last -= 1 }
    if last == start || isBlank(scalars[last - 1]) { end = last }
  }
  while start < end, isBlank(scalars[start]) { start += 1 }
  if isRule(scalars[start..<end]) { return "" }
  var inline = InlineMarkup(Array(scalars[start..<end]))
  return trimmed(inline.text())
}

private func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

/// The index after `>`, a bullet and a task's box in any order, then a heading's marks.
private func lineMarksEnd(_ line: [Unicode.Scalar]) -> Int {
  var at = 0
  while at < line.count {
    var next = at
    switch line[at] {
    case " ", "\t", ">": next = at + 1
    case "#":
      while next < line.count, line[next] == "#" { next += 1 }
      return next - at > 6 || (next < line.count && !isBlank(line[next])) ? at : next
    case "-", "*", "+":
      guard at + 1 < line.count, isBlank(line[at + 1]) else { return at }
      next = taskBoxEnd(line, at + 2)
    default: return at
    }
    at = next
  }
  return at
}

private func taskBoxEnd(_ line: [Unicode.Scalar], _ at: Int) -> Int {
  guard at + 3 < line.count, line[at] == "[", line[at + 2] == "]", isBlank(line[at + 3]),
    [" ", "x", "X"].contains(line[at + 1])
  else { return at }
  return at + 4
}

/// True for a rule or an underline (`---`, `* * *`, `===`), which has no words.
private func isRule(_ line: ArraySlice<Unicode.Scalar>) -> Bool {
  guard let first = line.first, ["-", "*", "_", "="].contains(first) else { return false }
  return line.allSatisfy { $0 == first || isBlank($0) }
}

/// The markup inside a line. Scalars that are marks are struck out; the remainder is the text.
private struct InlineMarkup {
  private let line: [Unicode.Scalar]
  private var isStruck: [Bool]
  /// The end of the bracket that begins at each index; the index itself if none does.
  private let matchingBrackets: [Int]

  init(_ line: [Unicode.Scalar]) {
    self.line = line
    isStruck = Array(repeating: false, count: line.count)
    matchingBrackets = line.contains("[") ? InlineMarkup.matchingBrackets(line) : []
  }

  private static func matchingBrackets(_ line: [Unicode.Scalar]) -> [Int] {
    var matches = Array(line.indices)
    var (square, round): ([Int], [Int]) = ([], [])
    var isEscaped = false
    for (index, scalar) in line.enumerated() {
      guard !isEscaped else {
        isEscaped = false
        continue
      }
      switch scalar {
      case "\\": isEscaped = true
      case "[": square.append(index)
      case "(": round.append(index)
      case "]": if let open = square.popLast() { matches[open] = index }
      case ")": if let open = round.popLast() { matches[open] = index }
      default: break
      }
    }
    return matches
  }

  mutating func text() -> String {
    var at = 0
    while at < line.count {
      at = isStruck[at] || !canBeMark(line[at]) ? at + 1 : parseMark(at)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(line.count)
    for index in line.indices where !isStruck[index] {
      bytes.append(contentsOf: UTF8.encode(line[index]) ?? UTF8.encodedReplacementCharacter)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func strike(_ range: Range<Int>) {
    for index in range { isStruck[index] = true }
  }

  private func peek(_ at: Int) -> Unicode.Scalar? { line.indices.contains(at) ? line[at] : nil }

  private mutating func parseMark(_ at: Int) -> Int {
    switch line[at] {
    case "\\":
      guard let next = peek(at + 1), next.isASCII, !isLetterOrDigit(next), next != " " else {
        break
      }
      strike(at..<(at + 1))
      return at + 2
    case "`": return strikeCodeSpan(at)
    case "!" where peek(at + 1) == "[":
      if peek(at + 2) == "[", let end = find("]]", from: at + 3) {
        strike(at..<(end + 2))
        return end + 2
      }
      if strikeLink(at + 1) { strike(at..<(at + 1)) }
    case "[": if !strikeWikiLink(at) { _ = strikeLink(at) }
    case "<": return strikeAngleBrackets(at)
    case "*", "_", "~", "=": return strikeEmphasis(at)
    default: break
    }
    return at + 1
  }

  private func runLength(_ at: Int) -> Int {
    var end = at
    while end < line.count, line[end] == line[at] { end += 1 }
    return end - at
  }

  private func find(_ mark: String, from start: Int) -> Int? {
    let mark = Array(mark.unicodeScalars)
    var at = start
    while at + mark.count <= line.count {
      if line[at] == mark[0], mark.indices.allSatisfy({ line[at + $0] == mark[$0] }) { return at }
      at += 1
    }
    return nil
  }

  /// Strikes out two equal runs of backticks; no mark counts between them.
  private mutating func strikeCodeSpan(_ at: Int) -> Int {
    let length = runLength(at)
    var next = at + length
    while next < line.count {
      let found = line[next] == "`" ? runLength(next) : 0
      if found == length {
        strike(at..<(at + length))
        strike(next..<(next + length))
        return next + length
      }
      next += max(1, found)
    }
    return at + length
  }

  /// Reduces `[[page|words]]` to its words, and `[[page]]` to its page.
  private mutating func strikeWikiLink(_ at: Int) -> Bool {
    guard peek(at + 1) == "[", let end = find("]]", from: at + 2) else { return false }
    let bar = line[at..<end].firstIndex(of: "|").map { $0 + 1 } ?? at + 2
    strike(at..<bar)
    strike(end..<(end + 2))
    return true
  }

  /// Reduces `[words](address)` and `[words][name]` to their words, and strikes out footnote marks.
  private mutating func strikeLink(_ at: Int) -> Bool {
    guard let close = closingIndex(at) else { return false }
    if peek(at + 1) == "^" {
      strike(at..<(close + 1))
      return true
    }
    let end =
      switch peek(close + 1) {
      case "(": closingIndex(close + 1)
      case "[": closingIndex(close + 1)
      default: nil as Int?
      }
    guard let end else { return false }
    strike(at..<(at + 1))
    strike(close..<(end + 1))
    return true
  }

  private func closingIndex(_ at: Int) -> Int? {
    matchingBrackets[at] == at ? nil : matchingBrackets[at]
  }

  /// Reduces `<https://…>` to its address, and strikes out `<br>` and comments; `1 < 2` is text.
  private mutating func strikeAngleBrackets(_ at: Int) -> Int {
    guard let end = find(">", from: at + 1), let next = peek(at + 1) else { return at + 1 }
    let inside = line[(at + 1)..<end]
    if next.properties.isAlphabetic, inside.contains(":") || inside.contains("@"),
      !inside.contains(" ")
    {
      strike(at..<(at + 1))
      strike(end..<(end + 1))
      return end + 1
    }
    guard next.properties.isAlphabetic || next == "/" || next == "!" else { return at + 1 }
    let last = next == "!" ? find("-->", from: at).map { $0 + 2 } ?? end : end
    strike(at..<(last + 1))
    return last + 1
  }

  /// Strikes out an opening run and the equal run that closes it.
  private mutating func strikeEmphasis(_ at: Int) -> Int {
    let length = runLength(at)
    let after = at + length
    let mark = line[at]
    if mark == "~" || mark == "=", length != 2 { return after }
    guard let next = peek(after), !next.properties.isWhitespace,
      mark != "_" || at == 0 || !isLetterOrDigit(line[at - 1])
    else { return after }
    var index = after
    while index < line.count {
      guard line[index] == mark else {
        index += 1
        continue
      }
      let found = runLength(index)
      if found == length, !line[index - 1].properties.isWhitespace,
        mark != "_" || peek(index + found).map({ !isLetterOrDigit($0) }) ?? true
      {
        strike(at..<after)
        strike(index..<(index + found))
        return after
      }
      index += found
    }
    return after
  }
}
