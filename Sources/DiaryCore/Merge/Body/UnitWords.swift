/// The words of a unit as a merge compares them: letters without case, punctuation and emphasis.
/// Words with digits, code, addresses, formulas, tags and struck-out text count byte for byte.
struct UnitWords {
  struct Word {
    let key: String
    let letters: Int
    /// Excludes the punctuation at the ends.
    let range: Range<Int>
  }

  private(set) var words: [Word] = []
  /// All letters without blanks; for code and for a unit without letters, the text as it is.
  private(set) var key = ""

  init(_ bytes: [UInt8], _ unit: BodyUnits.Unit) {
    if unit.kind == .code {
      key = "code " + UnitWords.plainText(bytes, unit)
      return
    }
    let slices = unit.kind == .tableHead ? unit.slices.prefix(1) : unit.slices[...]
    let isRow = unit.kind == .row || unit.kind == .tableHead
    let exact = ExactRanges(bytes, slices)
    for slice in slices {
      var at = slice.lowerBound
      while at < slice.upperBound {
        let start = at
        while at < slice.upperBound, !UnitWords.isWordBoundary(bytes, at, slice.upperBound, isRow) {
          at += 1
        }
        if start < at { addChunk(bytes, start..<at, isExact: exact.isOverlapping(start..<at)) }
        guard at < slice.upperBound else { break }
        if isRow, bytes[at] == UInt8(ascii: "|") {
          words.append(Word(key: "|", letters: 1, range: at..<(at + 1)))
          at += 1
        } else {
          at += scalarAt(bytes, at, slice.upperBound)?.length ?? 1
        }
      }
    }
    key = words.lazy.map(\.key).joined()
    if key.isEmpty { key = "text " + UnitWords.plainText(bytes, unit) }
  }

  /// The text of a unit's lines, with single line ends and without the indentation of the unit.
  static func plainText(_ bytes: [UInt8], _ unit: BodyUnits.Unit) -> String {
    let indentation = bytes[unit.linePrefix]
    let lines = unit.slices.map { slice in
      let line = bytes[slice]
      return line.starts(with: indentation) ? line.dropFirst(indentation.count) : line
    }
    return String(decoding: Array(lines.joined(separator: [0x0A])), as: UTF8.self)
  }

  private static func isWordBoundary(_ bytes: [UInt8], _ at: Int, _ end: Int, _ isRow: Bool) -> Bool
  {
    let byte = bytes[at]
    if byte < 0x80 { return byte <= 0x20 || (isRow && byte == UInt8(ascii: "|")) }
    guard byte >= 0xC2, let scalar = scalarAt(bytes, at, end)?.scalar else { return false }
    return scalar.properties.isWhitespace
  }

  private mutating func addChunk(_ bytes: [UInt8], _ chunk: Range<Int>, isExact: Bool) {
    var scalars: [(scalar: Unicode.Scalar, range: Range<Int>)] = []
    var at = chunk.lowerBound
    while at < chunk.upperBound {
      guard let (scalar, length) = scalarAt(bytes, at, chunk.upperBound) else { break }
      scalars.append((scalar, at..<(at + length)))
      at += length
    }
    if isExact || UnitWords.isExact(bytes[chunk]) {
      var remaining = scalars[...]
      while let last = remaining.last?.scalar, UnitWords.isTrailingPunctuation(last) {
        remaining.removeLast()
      }
      while let first = remaining.first?.scalar, UnitWords.isLeadingPunctuation(first) {
        remaining.removeFirst()
      }
      guard let first = remaining.first, let last = remaining.last else { return }
      let range = first.range.lowerBound..<last.range.upperBound
      let text = String(decoding: bytes[range], as: UTF8.self)
      words.append(Word(key: "\u{1}\(text)\u{2}", letters: remaining.count, range: range))
      return
    }
    var word = String.UnicodeScalarView()
    var range: Range<Int>?
    func close() {
      guard let found = range else { return }
      words.append(Word(key: String(word).lowercased(), letters: word.count, range: found))
      (word, range) = (String.UnicodeScalarView(), nil)
    }
    for (scalar, scalarRange) in scalars where !UnitWords.isPunctuation(scalar) {
      let isAlone = isHanOrKana(scalar)
      if isAlone || (word.last.map(isHanOrKana) ?? false && !UnitWords.isContinuation(scalar)) {
        close()
      }
      word.append(scalar)
      range = (range?.lowerBound ?? scalarRange.lowerBound)..<scalarRange.upperBound
    }
    close()
  }

  private static func isContinuation(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isMark || scalar.properties.generalCategory == .format
  }

  private static func isPunctuation(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
      .initialPunctuation, .finalPunctuation, .otherPunctuation:
      true
    default: false
    }
  }

  /// True for punctuation at the end of a word that is not part of it.
  private static func isTrailingPunctuation(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case ".", ",", ";", ":", "!", "?", "\"", "'", "”", "’", "“", ")", "]", "*", "_", "»", "。", "、",
      "！", "？", "」", "』", "…":
      true
    default: false
    }
  }

  private static func isLeadingPunctuation(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\"", "'", "„", "“", "‘", "(", "[", "*", "_", "«", "「", "『": true
    default: false
    }
  }

  private static func isExact(_ chunk: ArraySlice<UInt8>) -> Bool {
    if let first = chunk.first, first == UInt8(ascii: "#") || first == UInt8(ascii: "@") {
      return chunk.count > 1
    }
    var last: UInt8 = 0
    for byte in chunk {
      switch byte {
      case 0x30...0x39, UInt8(ascii: "`"), UInt8(ascii: "@"), UInt8(ascii: "$"): return true
      case UInt8(ascii: "~") where last == byte: return true
      case UInt8(ascii: "(") where last == UInt8(ascii: "]"): return true
      case UInt8(ascii: "/") where last == byte || last == UInt8(ascii: ":"): return true
      case UInt8(ascii: "["), UInt8(ascii: "]"):
        if last == byte { return true }
      default: break
      }
      last = byte
    }
    if chunk.contains(where: { $0 >= 0x80 }) {
      return String(decoding: chunk, as: UTF8.self).unicodeScalars
        .contains { $0.properties.numericType == .decimal || $0.properties.numericType == .digit }
    }
    return chunk.starts(with: Array("www.".utf8))
  }
}

/// The ranges of code in backticks and formulas in dollar signs, in a unit's lines.
private struct ExactRanges {
  private var ranges: [Range<Int>] = []

  init(_ bytes: [UInt8], _ slices: ArraySlice<Range<Int>>) {
    for sign in [UInt8(ascii: "`"), UInt8(ascii: "$")] {
      let positions = slices.flatMap { slice in slice.filter { bytes[$0] == sign } }
      guard positions.count > 1, let first = positions.first, let last = positions.last else {
        continue
      }
      ranges.append(first..<(last + 1))
    }
  }

  func isOverlapping(_ range: Range<Int>) -> Bool { ranges.contains { $0.overlaps(range) } }
}
