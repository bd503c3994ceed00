import DiaryCore

/// Finds link targets in Markdown. It is lenient: it also finds links in code, and targets with
/// blanks, which a strict parser rejects.
struct LinkScanner {
  struct Link {
    /// The target as written: a slice of the text, with the text's own indices.
    var target: ArraySlice<UInt8>
    /// True if written as `[[…]]`.
    var isWiki = false
    /// True for embedded files such as images: `![…]` or `src=`.
    var isShown = false
    /// The offset of the bracket before the target; `nil` for an attribute of HTML.
    fileprivate var bracket: Int?
    fileprivate var isInline = false
  }

  private let text: [UInt8]
  private var offset = 0
  private var links: [Link] = []
  /// The end of the line that was requested last; it only increases.
  private var lineEnd = 0
  /// For each kind of link, the offset up to which no further search is needed on its line. Without
  /// it, a text of only brackets would take quadratic time.
  private var searchedUntil = (wiki: 0, inline: 0, definition: 0)

  static func links(in text: [UInt8]) -> [Link] {
    var scanner = LinkScanner(text: text)
    scanner.run()
    return scanner.links
  }

  /// The links that Markdown shows as links, which may be changed: none in code or behind a
  /// backslash.
  ///
  /// - Parameter strictly: also leaves out what only looks like a link: footnotes and other text
  ///   after `]:`, targets with blanks, attributes outside of a tag, and comments.
  static func shownLinks(in text: [UInt8], strictly: Bool = false) -> [Link] {
    let links = links(in: text)
    if links.isEmpty { return [] }
    let brackets = MarkdownBrackets(text)
    let comments = strictly ? [vaultComments(in: text[...]), htmlComments(in: text)] : []
    return links.filter { link in
      if strictly, !isStrict(link, text) { return false }
      if comments.contains(where: { $0.cover(link.target.startIndex) }) { return false }
      guard let bracket = link.bracket else { return brackets.isText(link.target.startIndex) }
      return link.isInline ? brackets.closes(bracket) : brackets.contains(bracket)
    }
  }

  private static func htmlComments(in text: [UInt8]) -> [Range<Int>] {
    var comments: [Range<Int>] = []
    var at = 0
    while let open = text[at...].firstRange(of: "<!--".utf8) {
      at = text[open.upperBound...].firstRange(of: "-->".utf8)?.upperBound ?? text.count
      comments.append(open.lowerBound..<at)
    }
    return comments
  }

  private static func isStrict(_ link: Link, _ text: [UInt8]) -> Bool {
    if link.isWiki { return true }
    let start = link.target.startIndex
    let line = text[(text[..<start].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0)..<start]
    guard link.bracket != nil else {
      guard let open = line.lastIndex(of: UInt8(ascii: "<")) else { return false }
      return !line[open...].contains(UInt8(ascii: ">"))
    }
    if link.target.contains(UInt8(ascii: " ")), line.last != UInt8(ascii: "<") { return false }
    let label = line.drop { $0 == 0x20 || $0 == UInt8(ascii: ">") }
    return link.isInline
      || label.first == UInt8(ascii: "[") && label.dropFirst().first != UInt8(ascii: "^")
  }

  private init(text: [UInt8]) { self.text = text }

  private mutating func run() {
    while offset < text.count {
      switch text[offset] {
      case UInt8(ascii: "[") where hasText("[", at: offset + 1): scanWikiLink()
      case UInt8(ascii: "]") where hasText("(", at: offset + 1): scanInlineLink()
      case UInt8(ascii: "]") where hasText(":", at: offset + 1): scanDefinition()
      case UInt8(ascii: "s") where hasText("src=", at: offset): scanAttribute(length: 4)
      case UInt8(ascii: "h") where hasText("href=", at: offset): scanAttribute(length: 5)
      default: offset += 1
      }
    }
  }

  private func hasText(_ word: String, at start: Int) -> Bool {
    start < text.count && text[start...].starts(with: word.utf8)
  }

  /// Scans `[[name|shown]]`.
  private mutating func scanWikiLink() {
    let start = offset + 2
    offset = start
    guard start >= searchedUntil.wiki else { return }
    let line = remainderOfLine(from: start)
    guard let end = line.indices.first(where: { hasText("]]", at: $0) }) else {
      searchedUntil.wiki = line.endIndex
      return
    }
    let isShown = start > 2 && text[start - 3] == UInt8(ascii: "!")
    var name = text[start..<end].prefix { $0 != UInt8(ascii: "|") }
    // In a table, the line before the shown text has a backslash.
    if name.endIndex < end, name.last == UInt8(ascii: "\\") { name.removeLast() }
    add(name, isWiki: true, isShown: isShown, bracket: start - 2)
    offset = end + 2
  }

  /// Scans `](target "title")`.
  private mutating func scanInlineLink() {
    let start = offset + 2
    offset = start
    guard start >= searchedUntil.inline else { return }
    let line = remainderOfLine(from: start)
    var depth = 0
    for index in line.indices where index == start || text[index - 1] != UInt8(ascii: "\\") {
      if text[index] == UInt8(ascii: "(") {
        depth += 1
        // The limit of CommonMark.
        if depth > 32 { return }
      } else if text[index] == UInt8(ascii: ")") {
        if depth == 0 {
          add(
            removingTitle(text[start..<index]), isShown: isImage(closing: start - 2),
            bracket: start - 2, isInline: true)
          offset = index + 1
          return
        }
        depth -= 1
      }
    }
    if depth == 0 { searchedUntil.inline = line.endIndex }
  }

  /// True if the matching opening bracket follows a `!`.
  private func isImage(closing end: Int) -> Bool {
    var depth = 0
    for index in (max(0, end - 1000)..<end).reversed() where !isLineEnd(text[index]) {
      if text[index] == UInt8(ascii: "]") { depth += 1 }
      guard text[index] == UInt8(ascii: "[") else { continue }
      if depth == 0 { return index > 0 && text[index - 1] == UInt8(ascii: "!") }
      depth -= 1
    }
    return false
  }

  /// Scans `[name]: target "title"`.
  private mutating func scanDefinition() {
    offset += 2
    guard offset >= searchedUntil.definition else { return }
    let line = remainderOfLine(from: offset)
    searchedUntil.definition = line.endIndex
    add(removingTitle(line), bracket: line.startIndex - 2)
  }

  /// Scans `src="target"`.
  private mutating func scanAttribute(length: Int) {
    offset += length
    guard offset < text.count, "\"'".utf8.contains(text[offset]) else { return }
    let quote = text[offset]
    let value = remainderOfLine(from: offset + 1).prefix { $0 != quote }
    add(value, isShown: length == 4)
    offset = value.endIndex
  }

  /// The rest of the line, up to the longest path: 4096 bytes, percent-encoded three times that.
  private mutating func remainderOfLine(from start: Int) -> ArraySlice<UInt8> {
    let start = min(start, text.count)
    while lineEnd < start || (lineEnd < text.count && !isLineEnd(text[lineEnd])) { lineEnd += 1 }
    return text[start..<min(lineEnd, start + 12_288)]
  }

  private func isLineEnd(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
  }

  private func removingTitle(_ slice: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let slice = trimmed(slice)
    if slice.first == UInt8(ascii: "<") {
      return slice.dropFirst().prefix { $0 != UInt8(ascii: ">") }
    }
    guard let last = slice.last, "\"')".utf8.contains(last) else { return slice }
    let opening = last == UInt8(ascii: ")") ? UInt8(ascii: "(") : last
    let blank = UInt8(ascii: " ")
    guard
      let title = slice.indices.dropFirst().first(where: {
        slice[$0] == opening && slice[$0 - 1] == blank
      })
    else { return slice }
    return trimmed(slice[..<title])
  }

  private func trimmed(_ slice: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
    var slice = slice.drop(while: isBlank)
    while let last = slice.last, isBlank(last) { slice.removeLast() }
    return slice
  }

  private mutating func add(
    _ target: ArraySlice<UInt8>, isWiki: Bool = false, isShown: Bool = false,
    bracket: Int? = nil, isInline: Bool = false
  ) {
    let target = trimmed(target)
    // `{{ site.url }}/a.png` of Jekyll names no file.
    guard !target.isEmpty, target.firstRange(of: "{{".utf8) == nil else { return }
    links.append(
      Link(target: target, isWiki: isWiki, isShown: isShown, bracket: bracket, isInline: isInline))
  }
}
