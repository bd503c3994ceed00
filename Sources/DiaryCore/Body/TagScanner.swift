/// Finds the `#tags` of a body: `#` and a letter, after a blank or opening punctuation. Colours and
/// anchors are not tags: code, HTML, `{…}` attributes, link targets and addresses are skipped. An
/// `@tag`, if the journal has such, stands at the beginning or after a blank or a bracket.
struct TagScanner {
  /// Consecutive lines of text, with their line ends.
  private let text: [UInt8]
  private var at = 0
  private var lineEnd = 0
  private var names: [Range<Int>] = []
  private let marks: Settings.TagMarks
  /// The element whose content is not text: `style`, `script` or `pre`.
  private var skippedElement: [UInt8]?
  /// The start of the last run of backticks on the line, by the run's length. A line made to keep a
  /// reader busy has many runs without a pair; no pair is searched for them.
  private var lastRuns: [Int: Int] = [:]
  /// For each closing character, the end of the last line on which none was found.
  private var unclosedLineEnds: [UInt8: Int] = [:]

  /// The tags of a body in order of appearance: the ranges of their names, without the marks.
  static func names(in body: ArraySlice<UInt8>, marked marks: Settings.TagMarks) -> [Range<Int>] {
    guard marks.bytes.contains(where: { containsByte($0, in: body) }) else { return [] }
    var names: [Range<Int>] = []
    var element: [UInt8]?
    var start: Int?
    func scan(upTo end: Int) {
      guard let first = start else { return }
      start = nil
      var scanner = TagScanner(body[first..<end], marks, element)
      scanner.run()
      names += scanner.names.map { (first + $0.lowerBound)..<(first + $0.upperBound) }
      element = scanner.skippedElement
    }
    for line in EntryBodyLines(body) {
      if line.kind == .text {
        start = start ?? line.range.lowerBound
      } else {
        scan(upTo: line.range.lowerBound)
      }
    }
    scan(upTo: body.endIndex)
    return names
  }

  private init(_ text: ArraySlice<UInt8>, _ marks: Settings.TagMarks, _ element: [UInt8]?) {
    self.text = Array(text)
    self.marks = marks
    self.skippedElement = element
  }

  private mutating func run() {
    if let skippedElement { skipElement(skippedElement) }
    while at < text.endIndex {
      if at >= lineEnd { startLine() }
      guard at < text.endIndex else { return }
      switch text[at] {
      case UInt8(ascii: "`"): skipCodeSpan()
      case UInt8(ascii: "\\"): at += 2
      case UInt8(ascii: "<"): skipHTML()
      case UInt8(ascii: "{"): skipAttributes()
      case UInt8(ascii: "[") where peek(at + 1) == UInt8(ascii: "["): skip(past: "]]")
      case UInt8(ascii: "]") where peek(at + 1) == UInt8(ascii: "("): skipLinkTarget()
      case UInt8(ascii: ":") where isAddress: skipAddress()
      case UInt8(ascii: "#") where marks.hasHash: readTag()
      case UInt8(ascii: "@") where marks.hasAt: readTag()
      default: at += 1
      }
    }
  }

  private func peek(_ index: Int) -> UInt8? { index < text.endIndex ? text[index] : nil }

  /// Starts the current line, or the next one that is not a link definition.
  private mutating func startLine() {
    repeat {
      lineEnd = text[at...].firstIndex(of: 0x0A).map { $0 + 1 } ?? text.endIndex
      if !isDefinition { break }
      at = lineEnd
    } while at < text.endIndex
    lastRuns = [:]
    var next = at
    while let open = text[next..<lineEnd].firstIndex(of: UInt8(ascii: "`")) {
      let run = text[open..<lineEnd].prefix { $0 == UInt8(ascii: "`") }.count
      lastRuns[run] = open
      next = open + run
    }
  }

  /// True for `[name]: target`; a footnote's `[^1]: text` is text.
  private var isDefinition: Bool {
    let line = text[at..<lineEnd].drop { $0 == 0x20 || $0 == UInt8(ascii: ">") }
    guard line.first == UInt8(ascii: "["), line.dropFirst().first != UInt8(ascii: "^"),
      let close = line.firstIndex(of: UInt8(ascii: "]"))
    else { return false }
    return line[close...].dropFirst().first == UInt8(ascii: ":")
  }

  /// Skips a code span, which ends at as many backticks as it begins with. An unpaired run is text.
  private mutating func skipCodeSpan() {
    let length = text[at..<lineEnd].prefix { $0 == UInt8(ascii: "`") }.count
    let start = at + length
    at = start
    guard let last = lastRuns[length], last >= start else { return }
    while let open = text[at..<lineEnd].firstIndex(of: UInt8(ascii: "`")) {
      let run = text[open..<lineEnd].prefix { $0 == UInt8(ascii: "`") }.count
      at = open + run
      if run == length { return }
    }
    at = start
  }

  private mutating func skipHTML() {
    guard let tag = HTMLOpening(text, at) else { return at += 1 }
    at = tag.end
    guard ["style", "script", "pre"].contains(where: { tag.name.elementsEqual($0.utf8) }) else {
      return
    }
    skipElement(tag.name)
  }

  /// Skips the element until after `</name`. Without an end, it continues in the next text.
  private mutating func skipElement(_ name: [UInt8]) {
    skippedElement = name
    while let open = text[min(at, text.endIndex)...].firstIndex(of: UInt8(ascii: "<")) {
      at = open + 1
      let closing = text[at...].prefix(1 + name.count).map { $0 | 0x20 }
      // `/` has this bit as well.
      if closing.first == UInt8(ascii: "/"), closing.dropFirst().elementsEqual(name) {
        skippedElement = nil
        return
      }
    }
    at = text.endIndex
  }

  /// Skips `{: .class #id}`, `{#id}`, `{style="…"}`, `{{ … }}` and `{% … %}`.
  private mutating func skipAttributes() {
    guard let next = peek(at + 1) else { return at += 1 }
    let name = text[(at + 1)..<lineEnd].prefix { isNameByte($0) }
    let isAttributes = ":.#%{".utf8.contains(next) || peek(name.endIndex) == UInt8(ascii: "=")
    if isAttributes { skip(past: "}") } else { at += 1 }
  }

  /// Skips `](target "title")`, with as many nested brackets as CommonMark reads.
  private mutating func skipLinkTarget() {
    var depth = 0
    for index in (at + 1)..<lineEnd {
      if text[index] == UInt8(ascii: "(") { depth += 1 }
      if text[index] == UInt8(ascii: ")") { depth -= 1 }
      if depth > 32 { break }
      if depth == 0 { return at = index + 1 }
    }
    at += 2
  }

  private var isAddress: Bool {
    at > text.startIndex && text[at - 1].isLetter && peek(at + 1) == UInt8(ascii: "/")
      && peek(at + 2) == UInt8(ascii: "/")
  }

  private mutating func skipAddress() {
    while let byte = peek(at), (0x21..<0x80).contains(byte), !"<>\"`".utf8.contains(byte) {
      at += 1
    }
  }

  /// Skips until after `end` if the line contains it.
  private mutating func skip(past end: StaticString) {
    let closer = end.withUTF8Buffer { Array($0) }
    if unclosedLineEnds[closer[0]] != lineEnd {
      for index in at..<lineEnd where text[index] == closer[0] {
        if text[index..<lineEnd].starts(with: closer) { return at = index + closer.count }
      }
      unclosedLineEnds[closer[0]] = lineEnd
    }
    at += 1
  }

  private mutating func readTag() {
    guard canPrecedeTag(at), let end = tagEnd(at + 1) else { return at += 1 }
    let isAddress = text[at] == UInt8(ascii: "@") && peek(end) == UInt8(ascii: "@")
    if !isAddress { names.append((at + 1)..<end) }
    at = end
  }

  private func canPrecedeTag(_ at: Int) -> Bool {
    guard at > text.startIndex else { return true }
    let isAt = text[at] == UInt8(ascii: "@")
    switch text[at - 1] {
    case 0x20, 0x09, 0x0A, UInt8(ascii: "("): return true
    case UInt8(ascii: "["), UInt8(ascii: "{"): return isAt
    case UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "*"), UInt8(ascii: "~"),
      UInt8(ascii: ">"):
      return !isAt
    case 0..<0x80: return false
    default:
      var start = at - 1
      while start > text.startIndex, text[start] & 0xC0 == 0x80 { start -= 1 }
      guard let (scalar, _) = scalarAt(text, start, at) else { return false }
      switch scalar.properties.generalCategory {
      case .spaceSeparator, .openPunctuation: return true
      case .closePunctuation, .initialPunctuation, .finalPunctuation, .otherPunctuation,
        .dashPunctuation:
        return !isAt
      default: return false
      }
    }
  }

  /// The end of a tag that begins with a letter; `/` is part of it, trailing punctuation is not.
  private func tagEnd(_ start: Int) -> Int? {
    guard start < lineEnd, let (first, _) = scalarAt(text, start, lineEnd),
      first.properties.isAlphabetic
    else { return nil }
    var (at, end) = (start, start)
    while at < lineEnd, let (scalar, length) = scalarAt(text, at, lineEnd) {
      at += length
      if isLetterOrDigit(scalar) || scalar == "_" || scalar.isMark {
        end = at
      } else if scalar != "-", scalar != "/" {
        break
      }
    }
    return end
  }
}

/// An opening or closing tag of HTML, by CommonMark's grammar; its attributes may span lines.
private struct HTMLOpening {
  /// In lower case.
  let name: [UInt8]
  let end: Int

  init?(_ text: [UInt8], _ start: Int) {
    var at = start + 1
    let isClosing = at < text.endIndex && text[at] == UInt8(ascii: "/")
    if isClosing { at += 1 }
    let name = text[min(at, text.endIndex)...].prefix { isNameByte($0) && $0 != UInt8(ascii: "_") }
    guard let first = name.first, first.isLetter else { return nil }
    at = name.endIndex
    while at < text.endIndex {
      let blanks = text[at...].prefix { $0 == 0x20 || (0x09...0x0D).contains($0) }
      at = blanks.endIndex
      guard at < text.endIndex else { return nil }
      if text[at] == UInt8(ascii: "/") { at += 1 }
      if at < text.endIndex, text[at] == UInt8(ascii: ">") {
        self.name = isClosing ? [] : name.map { $0 | 0x20 }
        end = at + 1
        return
      }
      guard !blanks.isEmpty, let next = HTMLOpening.attribute(text, at) else { return nil }
      at = next
    }
    return nil
  }

  /// The end of `name`, `name=value` or `name="value"`.
  private static func attribute(_ text: [UInt8], _ start: Int) -> Int? {
    let name = text[start...].prefix {
      isNameByte($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
    }
    guard let first = name.first, !first.isDigit else { return nil }
    guard name.endIndex < text.endIndex, text[name.endIndex] == UInt8(ascii: "=") else {
      return name.endIndex
    }
    let at = name.endIndex + 1
    guard at < text.endIndex else { return nil }
    if text[at] == UInt8(ascii: "\"") || text[at] == UInt8(ascii: "'") {
      return text[(at + 1)...].firstIndex(of: text[at]).map { $0 + 1 }
    }
    let value = text[at...].prefix { $0 > 0x20 && !"\"'=<>`".utf8.contains($0) }
    return value.isEmpty ? nil : value.endIndex
  }
}

private func isNameByte(_ byte: UInt8) -> Bool {
  byte.isLetter || byte.isDigit || byte == UInt8(ascii: "-")
    || byte == UInt8(ascii: "_")
}
