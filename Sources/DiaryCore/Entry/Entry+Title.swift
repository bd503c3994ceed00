/// An entry's title, and its location in the text.
struct EntryTitle {
  enum Location {
    /// The field `title` of the header.
    case header
    /// A property at the start of the body.
    case property
    /// A heading, with the range of all its lines.
    case heading(Range<Int>)
    case line(Range<Int>)
    case name
  }

  let text: String
  let location: Location
  /// The index below the heading in the body, if the title is a heading.
  var headingEnd: Int? { if case .heading(let lines) = location { lines.upperBound } else { nil } }
}

/// The possible sources of an entry's title.
struct TitleFinder {
  let path: EntryPath
  let text: EntryText
  let bytes: ArraySlice<UInt8>
  private let comments: [Range<Int>]

  /// - Parameter comments: the parts of the body that no reader sees.
  init(path: EntryPath, text: EntryText, bytes: ArraySlice<UInt8>, comments: [Range<Int>] = []) {
    (self.path, self.text, self.bytes, self.comments) = (path, text, bytes, comments)
  }

  /// The title from the first source that has one. A date-only name never wins over a line.
  func title(_ order: [Settings.TitleSource]) -> EntryTitle {
    for source in order {
      switch source {
      case .header:
        if let header { return EntryTitle(text: header, location: .header) }
        if let property = text.bodyProperty("title") {
          return EntryTitle(text: property, location: .property)
        }
      case .h1: if let heading { return heading }
      case .line: if let line { return line }
      case .name:
        if path.isDateOnlyName, order.contains(.line), let line { return line }
        return EntryTitle(text: name, location: .name)
      }
    }
    return EntryTitle(text: name, location: .name)
  }

  /// The header's title, on one line.
  private var header: String? {
    text.string("title").map { withSingleBlanks($0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// A level-one heading, in either of its forms, if it is the body's first text.
  private var heading: EntryTitle? {
    var lines = EntryBodyLines(bytes)
    while let line = lines.next() {
      switch line.kind {
      case .blank, .comment: continue
      case .fence, .code: return nil
      case .text: break
      }
      let title = plainText(line.range)
      guard title.contains(where: { !$0.isWhitespace }) else { return nil }
      if isLevelOneHeading(line.range) {
        return EntryTitle(text: title, location: .heading(line.range))
      }
      guard let under = lines.next(), isUnderline(under.range) else { return nil }
      return EntryTitle(
        text: title, location: .heading(line.range.lowerBound..<under.range.upperBound))
    }
    return nil
  }

  /// True for up to three blanks, one `#`, and a blank.
  private func isLevelOneHeading(_ range: Range<Int>) -> Bool {
    guard let mark = bytes[range].firstIndex(where: { $0 != 0x20 }),
      mark - range.lowerBound <= 3, bytes[mark] == UInt8(ascii: "#"), mark + 1 < range.upperBound
    else { return false }
    return isBlank(bytes[mark + 1])
  }

  private func isUnderline(_ range: Range<Int>) -> Bool {
    let marks = bytes[range].filter { !isBlank($0) }
    return !marks.isEmpty && marks.allSatisfy { $0 == UInt8(ascii: "=") }
  }

  /// The first line with a letter or digit.
  private var line: EntryTitle? {
    for line in EntryBodyLines(bytes) where line.kind == .text || line.kind == .code {
      guard bytes[line.range].contains(where: { $0 >= 0x30 }) else { continue }
      let title = plainText(line.range)
      if title.unicodeScalars.contains(where: isLetterOrDigit) {
        return EntryTitle(text: title, location: .line(line.range))
      }
    }
    return nil
  }

  /// The text of a line without comments. A tab in a title would part the columns of a list.
  private func plainText(_ range: Range<Int>) -> String {
    withSingleBlanks(textWithoutMarkup(lineBeginning(range, of: bytes, without: comments)))
  }

  /// The file name without a leading date; the dashes of a slug become blanks.
  private var name: String {
    let stem = path.stem
    guard !path.isDateOnlyName else { return stem }
    var title = stem[...]
    if let dated = stem.wholeDatePrefix { title = stem[dated...] }
    guard title.unicodeScalars.contains(where: isLetterOrDigit) else { return stem }
    if title.contains(" ") { return trimmed(title) }
    let parts = title.split { $0 == "-" || $0 == "_" }
    return parts.joined(separator: " ")
  }
}

/// The range of a text without the blanks and line ends around it.
func trimmedRange(_ bytes: ArraySlice<UInt8>, _ range: Range<Int>) -> Range<Int> {
  guard let first = bytes[range].firstIndex(where: { !isBlank($0) }),
    let last = bytes[range].lastIndex(where: { !isBlank($0) })
  else { return range.upperBound..<range.upperBound }
  return first..<(last + 1)
}

extension String {
  /// The index after `YYYY-MM-DD` (also with `_`, `.` or no separator) and a separator.
  fileprivate var wholeDatePrefix: String.Index? {
    let isSeparator = { (sign: Character) in "-_. ".contains(sign) }
    func digits(_ rest: Substring, _ counts: ClosedRange<Int>) -> Substring? {
      let run = rest.prefix { $0.isASCII && $0.isNumber }
      return counts.contains(run.count) ? rest[run.endIndex...] : nil
    }
    func afterSeparator(_ rest: Substring) -> Substring? {
      rest.first.map(isSeparator) == true ? rest.dropFirst() : nil
    }
    if let rest = digits(self[...], 8...8).flatMap(afterSeparator) { return rest.startIndex }
    guard let month = digits(self[...], 4...4).flatMap(afterSeparator),
      let day = digits(month, 1...2).flatMap(afterSeparator),
      let rest = digits(day, 1...2).flatMap(afterSeparator)
    else { return nil }
    return rest.startIndex
  }
}
