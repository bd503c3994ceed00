/// An entry's title, and where it stands in the text.
struct EntryTitle {
  enum Place {
    /// The field `title` of the header.
    case header
    /// A property at the body's beginning.
    case property
    /// A heading: all of its lines.
    case heading(Range<Int>)
    case line(Range<Int>)
    case name
  }

  let words: String
  let place: Place
  /// The body's index below the heading when that is the title.
  var below: Int? { if case .heading(let lines) = place { lines.upperBound } else { nil } }
}

/// Where an entry's title may come from.
struct TitleSource {
  let path: EntryPath
  let text: EntryText
  let bytes: ArraySlice<UInt8>

  /// The title by the first source that tells one. A name that is only a date never wins over a line.
  func title(_ order: [Settings.TitleSource]) -> EntryTitle {
    for source in order {
      switch source {
      case .header:
        if let header { return EntryTitle(words: header, place: .header) }
        if let property { return EntryTitle(words: property, place: .property) }
      case .h1: if let heading { return heading }
      case .line: if let line { return line }
      case .name:
        if path.dateOnlyName, order.contains(.line), let line { return line }
        return EntryTitle(words: name, place: .name)
      }
    }
    return EntryTitle(words: name, place: .name)
  }

  /// The header's title, on one line.
  private var header: String? {
    text.string("title").flatMap { words in
      let title = words.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      return title.isEmpty ? nil : title
    }
  }

  /// The title among the properties at the body's beginning, which other programs keep instead of a
  /// header: `title:: words` of Logseq; `Title: words` of MultiMarkdown and Pelican, where another
  /// property or a blank line follows. To all else they are text.
  private var property: String? {
    guard text.headerKind == .none else { return nil }
    var (title, count): (String?, Int) = (nil, 0)
    for line in EntryBodyLines(bytes) {
      guard line.kind == .text, let found = TitleSource.property(of: bytes[line.range]) else {
        return count > 1 || line.kind == .blank ? title : nil
      }
      count += 1
      guard found.key == "title", title == nil else { continue }
      if found.isDouble { return found.value }
      title = found.value
    }
    return title
  }

  private static func property(
    of line: ArraySlice<UInt8>
  ) -> (key: String, value: String, isDouble: Bool)? {
    let key = line.prefix {
      $0.isLetter || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
    }
    let rest = line[key.endIndex...]
    guard !key.isEmpty, rest.first == UInt8(ascii: ":") else { return nil }
    let isDouble = rest.starts(with: "::".utf8)
    let value = rest.dropFirst(isDouble ? 2 : 1)
    guard value.first.map({ isBlank($0) || $0 == 0x0A }) ?? true else { return nil }
    let words = trimmed(String(decoding: value.prefix(1000), as: UTF8.self))
    guard !words.isEmpty else { return nil }
    return (String(decoding: key, as: UTF8.self).lowercased(), words, isDouble)
  }

  /// A heading of the first rank, in either of its forms, if it is the body's first text.
  private var heading: EntryTitle? {
    var lines = EntryBodyLines(bytes)
    while let line = lines.next() {
      switch line.kind {
      case .blank, .comment: continue
      case .fence, .code: return nil
      case .text: break
      }
      let words = plain(line.range)
      guard words.contains(where: { !$0.isWhitespace }) else { return nil }
      if isFirstRank(line.range) { return EntryTitle(words: words, place: .heading(line.range)) }
      guard let under = lines.next(), isUnderline(under.range) else { return nil }
      return EntryTitle(
        words: words, place: .heading(line.range.lowerBound..<under.range.upperBound))
    }
    return nil
  }

  /// Up to three blanks, one `#`, and a blank.
  private func isFirstRank(_ range: Range<Int>) -> Bool {
    guard let sign = bytes[range].firstIndex(where: { $0 != 0x20 }),
      sign - range.lowerBound <= 3, bytes[sign] == UInt8(ascii: "#"), sign + 1 < range.upperBound
    else { return false }
    return isBlank(bytes[sign + 1])
  }

  private func isUnderline(_ range: Range<Int>) -> Bool {
    let signs = bytes[range].filter { !isBlank($0) }
    return !signs.isEmpty && signs.allSatisfy { $0 == UInt8(ascii: "=") }
  }

  /// The first line with a letter or digit.
  private var line: EntryTitle? {
    for line in EntryBodyLines(bytes) where line.kind == .text || line.kind == .code {
      guard bytes[line.range].contains(where: { $0 >= 0x30 }) else { continue }
      let words = plain(line.range)
      if words.unicodeScalars.contains(where: isLetterOrDigit) {
        return EntryTitle(words: words, place: .line(line.range))
      }
    }
    return nil
  }

  private func plain(_ range: Range<Int>) -> String {
    withoutMarkup(String(decoding: bytes[range].prefix(1000), as: UTF8.self))
  }

  /// The file's name without a date before it; a slug's dashes are blanks again.
  private var name: String {
    let stem = path.stem
    guard !path.dateOnlyName else { return stem }
    var words = stem[...]
    if let dated = stem.wholeDatePrefix { words = stem[dated...] }
    guard words.unicodeScalars.contains(where: isLetterOrDigit) else { return stem }
    if words.contains(" ") { return trimmed(words) }
    let parts = words.split { $0 == "-" || $0 == "_" }
    return parts.joined(separator: " ")
  }
}

/// The part of a text without the blanks and line ends around it.
func withoutBlanks(_ bytes: ArraySlice<UInt8>, _ range: Range<Int>) -> Range<Int> {
  guard let first = bytes[range].firstIndex(where: { !isBlank($0) }),
    let last = bytes[range].lastIndex(where: { !isBlank($0) })
  else { return range.upperBound..<range.upperBound }
  return first..<(last + 1)
}

extension String {
  /// The index after `YYYY-MM-DD` (with `-`, `_`, `.` or nothing between) and the sign that follows.
  fileprivate var wholeDatePrefix: String.Index? {
    let isSign = { (sign: Character) in "-_. ".contains(sign) }
    func digits(_ rest: Substring, _ counts: ClosedRange<Int>) -> Substring? {
      let run = rest.prefix { $0.isASCII && $0.isNumber }
      return counts.contains(run.count) ? rest[run.endIndex...] : nil
    }
    func sign(_ rest: Substring) -> Substring? {
      rest.first.map(isSign) == true ? rest.dropFirst() : nil
    }
    if let rest = digits(self[...], 8...8).flatMap(sign) { return rest.startIndex }
    guard let month = digits(self[...], 4...4).flatMap(sign),
      let day = digits(month, 1...2).flatMap(sign),
      let rest = digits(day, 1...2).flatMap(sign)
    else { return nil }
    return rest.startIndex
  }
}
