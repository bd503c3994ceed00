/// A header, split into its fields and the lines between them.
struct HeaderParts {
  /// The identity of an element, which is equal in all versions of one header.
  enum Name: Hashable {
    /// A key in lower case, and the number of its earlier occurrences.
    case field(String, Int)
    /// A comment or a blank line, without trailing whitespace.
    case line([UInt8])

    /// The number of earlier occurrences of the key.
    var occurrence: Int {
      if case .field(_, let occurrence) = self { occurrence } else { 0 }
    }
  }

  struct Element {
    let name: Name
    /// Includes the line end.
    let bytes: [UInt8]
  }

  /// The opening fence, with the blank lines before it.
  let opening: ArraySlice<UInt8>
  let closing: ArraySlice<UInt8>
  private(set) var elements: [Element] = []
  /// For each field, a text whose header is only that field, for reading and setting the value.
  private(set) var fields: [Name: EntryText] = [:]

  /// Returns `nil` for a text without a header between `---` lines.
  init?(_ text: EntryText) {
    guard text.headerKind == .yaml else { return nil }
    let (bytes, lines) = (text.bytes, text.frontMatter.lines)
    opening = bytes[..<lines.lowerBound]
    closing = bytes[lines.upperBound..<text.frontMatter.bodyStart]
    var at = lines.lowerBound
    var occurrences: [String: Int] = [:]
    for field in text.fields {
      addLines(bytes[at..<field.range.lowerBound])
      let key = field.key.lowercased()
      let name = Name.field(key, occurrences[key, default: 0])
      occurrences[key, default: 0] += 1
      let fieldBytes = Array(bytes[field.range])
      elements.append(Element(name: name, bytes: fieldBytes))
      fields[name] = EntryText(Array("---\n".utf8) + fieldBytes + Array("---\n".utf8))
      at = field.range.upperBound
    }
    addLines(bytes[at..<lines.upperBound])
  }

  private mutating func addLines(_ bytes: ArraySlice<UInt8>) {
    for line in lineRanges(bytes) {
      elements.append(
        Element(name: .line(withoutTrailingBlanks(bytes[line])), bytes: Array(bytes[line])))
    }
  }
}

/// The ranges of the lines, each with its line end.
func lineRanges(_ bytes: ArraySlice<UInt8>) -> [Range<Int>] {
  var ranges: [Range<Int>] = []
  var start = bytes.startIndex
  while start < bytes.endIndex {
    let end = bytes[start...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.endIndex
    ranges.append(start..<end)
    start = end
  }
  return ranges
}

/// A line without trailing blanks and its line end.
func withoutTrailingBlanks(_ line: ArraySlice<UInt8>) -> [UInt8] {
  Array(line[..<(line.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? line.startIndex)])
}
