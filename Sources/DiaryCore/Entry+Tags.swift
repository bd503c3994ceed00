extension Entry {
  /// The union of `tags`, `keywords`, `categories` and of the `#tags` in the body, in this order,
  /// each once.
  static func tags(of text: EntryText, body: ArraySlice<UInt8>) -> [String] {
    var tags: [String] = []
    var seen: Set<String> = []
    func add(_ words: String) {
      let tag = trimmed(words.drop { $0 == "#" || $0 == " " })
      if !tag.isEmpty, seen.insert(tag.lowercased()).inserted { tags.append(tag) }
    }
    for key in EntryText.tagKeys {
      switch text.value(key) {
      case .list(let items): items.forEach(add)
      case .text(let words): splitTags(words).forEach(add)
      case .mapping, nil: break
      }
    }
    if holds(UInt8(ascii: "#"), in: body) {
      for line in EntryBodyLines(body) where line.kind == .text {
        tagsOfLine(Array(body[line.range])).forEach(add)
      }
    }
    return tags
  }

  /// A plain value splits at commas, else at blanks; brackets that were no YAML are left out.
  private static func splitTags(_ words: String) -> [String] {
    var words = words[...]
    if words.hasPrefix("["), words.hasSuffix("]"), !words.hasPrefix("[[") {
      words = words.dropFirst().dropLast()
    }
    let hasCommas = words.contains(",")
    let parts = words.split { hasCommas ? $0 == "," : $0.isWhitespace }
    return parts.map(String.init)
  }

  /// `#` and a letter, after a blank or a sign that opens; neither in a code span nor in a link.
  private static func tagsOfLine(_ line: [UInt8]) -> [String] {
    var tags: [String] = []
    var at = 0
    let runs = lastRuns(line)
    while at < line.count {
      if line[at] == UInt8(ascii: "`") {
        at = afterCode(line, at, runs)
      } else if line[at] == UInt8(ascii: "#"), mayPrecedeTag(line, at),
        let end = tagEnd(line, at + 1)
      {
        tags.append(String(decoding: line[(at + 1)..<end], as: UTF8.self))
        at = end
      } else {
        at += 1
      }
    }
    return tags
  }

  /// Where the last run of so many backticks begins, by their number: most runs of a line made to
  /// keep a reader busy have no pair, and are not looked for.
  private static func lastRuns(_ line: [UInt8]) -> [Int: Int] {
    var runs: [Int: Int] = [:]
    var at = 0
    while let open = line[at...].firstIndex(of: UInt8(ascii: "`")) {
      let run = line[open...].prefix { $0 == UInt8(ascii: "`") }.count
      runs[run] = open
      at = open + run
    }
    return runs
  }

  /// A code span ends at as many backticks as it begins with; a run without its pair is text.
  private static func afterCode(_ line: [UInt8], _ start: Int, _ runs: [Int: Int]) -> Int {
    let length = line[start...].prefix { $0 == UInt8(ascii: "`") }.count
    var at = start + length
    guard let last = runs[length], last >= at else { return at }
    while let open = line[at...].firstIndex(of: UInt8(ascii: "`")) {
      let run = line[open...].prefix { $0 == UInt8(ascii: "`") }.count
      at = open + run
      if run == length { return at }
    }
    return start + length
  }

  private static func mayPrecedeTag(_ line: [UInt8], _ at: Int) -> Bool {
    guard at > 0 else { return true }
    switch line[at - 1] {
    case 0x20, 0x09, UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "*"), UInt8(ascii: "~"),
      UInt8(ascii: ">"):
      return true
    case UInt8(ascii: "("): return at < 2 || line[at - 2] != UInt8(ascii: "]")
    case 0..<0x80: return false
    default:
      var start = at - 1
      while start > 0, line[start] & 0xC0 == 0x80 { start -= 1 }
      guard let (scalar, _) = scalarAt(line, start, at) else { return false }
      switch scalar.properties.generalCategory {
      case .spaceSeparator, .openPunctuation, .closePunctuation, .initialPunctuation,
        .finalPunctuation, .otherPunctuation, .dashPunctuation:
        return true
      default: return false
      }
    }
  }

  /// The end of a tag that begins with a letter; `/` makes levels, and signs at its end are not its.
  private static func tagEnd(_ line: [UInt8], _ start: Int) -> Int? {
    guard start < line.count, let (first, _) = scalarAt(line, start, line.count),
      first.properties.isAlphabetic
    else { return nil }
    var (at, end) = (start, start)
    while at < line.count, let (scalar, length) = scalarAt(line, at, line.count) {
      at += length
      if isLetterOrDigit(scalar) || scalar == "_" || isMark(scalar) {
        end = at
      } else if scalar != "-", scalar != "/" {
        break
      }
    }
    return end
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }
}
