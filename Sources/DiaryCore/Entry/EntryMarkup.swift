/// A line of Markdown as words: without its marks for quotes, bullets, headings, links and emphasis.
/// A number at its beginning stays: `24. Dezember` is a date far more often than an item of a list.
func withoutMarkup(_ line: String) -> String {
  let line = trimmed(line)
  if hasNoMarks(line) { return line }
  let scalars = Array(line.unicodeScalars)
  var start = afterLineMarks(scalars)
  var end = scalars.count
  if start > 0, scalars[..<start].contains("#") {
    // A heading may be closed by signs of its own.
    var last = end
    while last > start, scalars[last - 1] == "#" { last -= 1 }
    if last == start || isBlank(scalars[last - 1]) { end = last }
  }
  while start < end, isBlank(scalars[start]) { start += 1 }
  if isRule(scalars[start..<end]) { return "" }
  var inline = InlineMarkup(Array(scalars[start..<end]))
  return trimmed(inline.words())
}

private func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

/// Behind `>`, a bullet and a task's box in any order, then a heading's signs.
private func afterLineMarks(_ line: [Unicode.Scalar]) -> Int {
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
      next = afterBox(line, at + 2)
    default: return at
    }
    at = next
  }
  return at
}

private func afterBox(_ line: [Unicode.Scalar], _ at: Int) -> Int {
  guard at + 3 < line.count, line[at] == "[", line[at + 2] == "]", isBlank(line[at + 3]),
    [" ", "x", "X"].contains(line[at + 1])
  else { return at }
  return at + 4
}

/// `---`, `* * *`, `===`: a rule or an underline, no words.
private func isRule(_ line: ArraySlice<Unicode.Scalar>) -> Bool {
  guard let first = line.first, ["-", "*", "_", "="].contains(first) else { return false }
  return line.allSatisfy { $0 == first || isBlank($0) }
}

/// What stands inside a line; the scalars that are marks are crossed out, the rest is the words.
private struct InlineMarkup {
  private let line: [Unicode.Scalar]
  private var isCrossed: [Bool]
  /// Where the bracket that begins here ends; itself where it does not.
  private let partners: [Int]

  init(_ line: [Unicode.Scalar]) {
    self.line = line
    isCrossed = Array(repeating: false, count: line.count)
    partners = line.contains("[") ? InlineMarkup.partners(line) : []
  }

  private static func partners(_ line: [Unicode.Scalar]) -> [Int] {
    var partners = Array(line.indices)
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
      case "]": if let open = square.popLast() { partners[open] = index }
      case ")": if let open = round.popLast() { partners[open] = index }
      default: break
      }
    }
    return partners
  }

  mutating func words() -> String {
    var at = 0
    while at < line.count {
      at = isCrossed[at] || !mayBeMark(line[at]) ? at + 1 : step(at)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(line.count)
    for index in line.indices where !isCrossed[index] {
      bytes.append(contentsOf: UTF8.encode(line[index]) ?? UTF8.encodedReplacementCharacter)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private mutating func cross(_ range: Range<Int>) {
    for index in range { isCrossed[index] = true }
  }

  private func sign(_ at: Int) -> Unicode.Scalar? { line.indices.contains(at) ? line[at] : nil }

  private mutating func step(_ at: Int) -> Int {
    switch line[at] {
    case "\\":
      guard let next = sign(at + 1), next.isASCII, !isLetterOrDigit(next), next != " " else {
        break
      }
      cross(at..<(at + 1))
      return at + 2
    case "`": return code(at)
    case "!" where sign(at + 1) == "[":
      if sign(at + 2) == "[", let end = find("]]", from: at + 3) {
        cross(at..<(end + 2))
        return end + 2
      }
      if link(at + 1) { cross(at..<(at + 1)) }
    case "[": if !wikiLink(at) { _ = link(at) }
    case "<": return angle(at)
    case "*", "_", "~", "=": return emphasis(at)
    default: break
    }
    return at + 1
  }

  private func run(_ at: Int) -> Int {
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

  /// Between two equal runs of backticks nothing is a mark.
  private mutating func code(_ at: Int) -> Int {
    let length = run(at)
    var next = at + length
    while next < line.count {
      let found = line[next] == "`" ? run(next) : 0
      if found == length {
        cross(at..<(at + length))
        cross(next..<(next + length))
        return next + length
      }
      next += max(1, found)
    }
    return at + length
  }

  /// `[[page|words]]` is its words, `[[page]]` its page.
  private mutating func wikiLink(_ at: Int) -> Bool {
    guard sign(at + 1) == "[", let end = find("]]", from: at + 2) else { return false }
    let bar = line[at..<end].firstIndex(of: "|").map { $0 + 1 } ?? at + 2
    cross(at..<bar)
    cross(end..<(end + 2))
    return true
  }

  /// `[words](address)` and `[words][name]` are their words; a footnote's mark is nothing.
  private mutating func link(_ at: Int) -> Bool {
    guard let close = closing(at) else { return false }
    if sign(at + 1) == "^" {
      cross(at..<(close + 1))
      return true
    }
    let end =
      switch sign(close + 1) {
      case "(": closing(close + 1)
      case "[": closing(close + 1)
      default: nil as Int?
      }
    guard let end else { return false }
    cross(at..<(at + 1))
    cross(close..<(end + 1))
    return true
  }

  private func closing(_ at: Int) -> Int? { partners[at] == at ? nil : partners[at] }

  /// `<https://…>` is its address, `<br>` and a comment are nothing, `1 < 2` is text.
  private mutating func angle(_ at: Int) -> Int {
    guard let end = find(">", from: at + 1), let next = sign(at + 1) else { return at + 1 }
    let inside = line[(at + 1)..<end]
    if next.properties.isAlphabetic, inside.contains(":") || inside.contains("@"),
      !inside.contains(" ")
    {
      cross(at..<(at + 1))
      cross(end..<(end + 1))
      return end + 1
    }
    guard next.properties.isAlphabetic || next == "/" || next == "!" else { return at + 1 }
    let last = next == "!" ? find("-->", from: at).map { $0 + 2 } ?? end : end
    cross(at..<(last + 1))
    return last + 1
  }

  /// A run that opens and the equal run that closes it.
  private mutating func emphasis(_ at: Int) -> Int {
    let length = run(at)
    let after = at + length
    let mark = line[at]
    if mark == "~" || mark == "=", length != 2 { return after }
    guard let next = sign(after), !next.properties.isWhitespace,
      mark != "_" || at == 0 || !isLetterOrDigit(line[at - 1])
    else { return after }
    var index = after
    while index < line.count {
      guard line[index] == mark else {
        index += 1
        continue
      }
      let found = run(index)
      if found == length, !line[index - 1].properties.isWhitespace,
        mark != "_" || sign(index + found).map({ !isLetterOrDigit($0) }) ?? true
      {
        cross(at..<after)
        cross(index..<(index + found))
        return after
      }
      index += found
    }
    return after
  }
}
