/// Two versions of one stretch that both stay: what they share once, the rest one after the other,
/// in an order that the words alone decide.
struct KeptVersions {
  /// Some tokens of a text.
  struct Version {
    let text: BodyWords
    let range: Range<Int>
    /// Paragraphs, each with the break before it; a code block is in one piece.
    let paragraphs: [Range<Int>]
  }

  private let first: Version
  private let second: Version
  /// Whether words of the base gave way to both; else both were added at one place.
  private let isRewrite: Bool
  /// Whether the stretch fills whole lines, and whole paragraphs.
  private let isWhole: Bool
  private let isParagraph: Bool
  /// Whether the writer should look.
  private(set) var keptBoth = false

  init(_ a: Version, _ b: Version, isRewrite: Bool, isWhole: Bool, isParagraph: Bool) {
    (first, second) = a.precedes(b) ? (a, b) : (b, a)
    self.isRewrite = isRewrite
    self.isWhole = isWhole
    self.isParagraph = isParagraph
  }

  mutating func write(to writer: inout BodyWriter) {
    var numbers: [[Int]: Int] = [:]
    let (ours, theirs) = (first.keys(&numbers), second.keys(&numbers))
    let common = alignedPairs(ours, theirs)
    // A paragraph that both have at different places stays where the first has it.
    var moved: [Int: Int] = [:]
    for key in ours { moved[key, default: 0] += 1 }
    for pair in common { moved[ours[pair.first], default: 0] -= 1 }
    var (at, otherAt) = (0, 0)
    for pair in common + [(ours.count, theirs.count)] {
      let rest = (otherAt..<pair.second).filter { index in
        guard let count = moved[theirs[index]], count > 0 else { return true }
        moved[theirs[index]] = count - 1
        return false
      }
      write(
        first.paragraphs[at..<pair.first], rest.map { second.paragraphs[$0] }[...], to: &writer)
      if pair.first < ours.count { write([first.paragraphs[pair.first]], of: first, to: &writer) }
      (at, otherAt) = (pair.first + 1, pair.second + 1)
    }
  }

  private mutating func write(
    _ ours: ArraySlice<Range<Int>>, _ theirs: ArraySlice<Range<Int>>, to writer: inout BodyWriter
  ) {
    guard let x = ours.first, let y = theirs.first else {
      write(ours, of: first, to: &writer)
      write(theirs, of: second, to: &writer)
      return
    }
    let (mine, other) = (first.words(ours), second.words(theirs))
    if mine.holds(other) {
      write(ours, of: first, to: &writer)
    } else if other.holds(mine) {
      write(theirs, of: second, to: &writer)
    } else if isRewrite, ours.count == 1, theirs.count == 1,
      let pairs = similar(first.keys(x), second.keys(y))
    {
      write(x, y, sharing: pairs, to: &writer)
    } else {
      write(ours, of: first, to: &writer)
      separate(second, y, &writer)
      write(theirs, of: second, to: &writer)
      if isRewrite || !(isWhole || first.isLines(x) || second.isLines(y)) { keptBoth = true }
    }
  }

  /// Word by word, where most words are the same.
  private mutating func write(
    _ x: Range<Int>, _ y: Range<Int>, sharing pairs: [(first: Int, second: Int)],
    to writer: inout BodyWriter
  ) {
    var (at, otherAt) = (x.lowerBound, y.lowerBound)
    for pair in pairs + [(x.count, y.count)] {
      let (one, other) = (
        at..<(x.lowerBound + pair.first), otherAt..<(y.lowerBound + pair.second)
      )
      writer.add(one, of: first.text)
      if !one.isEmpty, !other.isEmpty { keptBoth = true }
      writer.add(other, of: second.text)
      if one.upperBound < x.upperBound {
        writer.add(one.upperBound..<(one.upperBound + 1), of: first.text)
      }
      (at, otherAt) = (one.upperBound + 1, other.upperBound + 1)
    }
  }

  private func write(
    _ paragraphs: ArraySlice<Range<Int>>, of version: Version, to writer: inout BodyWriter
  ) {
    for paragraph in paragraphs {
      if version.text.tokens[paragraph.lowerBound].kind == .word, isWhole, !writer.isAtLineStart {
        writer.addBreak(isParagraph: isParagraph)
      }
      writer.add(paragraph, of: version.text)
    }
  }

  private func separate(_ version: Version, _ range: Range<Int>, _ writer: inout BodyWriter) {
    if isWhole, version.text.tokens[range.lowerBound].kind == .word, !writer.isAtLineStart {
      writer.addBreak(isParagraph: isParagraph)
    }
  }

  private func similar(_ ours: [Int], _ theirs: [Int]) -> [(first: Int, second: Int)]? {
    let pairs = alignedPairs(ours, theirs)
    return 2 * pairs.count >= max(ours.count, theirs.count) ? pairs : nil
  }
}

extension BodyWords {
  /// A stretch of this text as a version.
  func version(_ range: Range<Int>) -> KeptVersions.Version {
    var paragraphs: [Range<Int>] = []
    var start = range.lowerBound
    for index in range.dropFirst()
    where tokens[index].kind == .paragraphBreak && !tokens[index].isInCode {
      paragraphs.append(start..<index)
      start = index
    }
    if start < range.upperBound { paragraphs.append(start..<range.upperBound) }
    return KeptVersions.Version(text: self, range: range, paragraphs: paragraphs)
  }
}

extension KeptVersions.Version {
  /// What continues a line comes before what begins one, and that before a new paragraph; then the
  /// bytes decide, so that lines that begin with a time of day fall into their order.
  fileprivate func precedes(_ other: Self) -> Bool {
    let (mine, theirs) = (level, other.level)
    guard mine == theirs else { return mine < theirs }
    return !other.bytes.lexicographicallyPrecedes(bytes)
  }

  private var level: Int {
    switch text.tokens[range.lowerBound].kind {
    case .word, .end: 0
    case .lineBreak: 1
    case .paragraphBreak: 2
    }
  }

  private var bytes: ArraySlice<UInt8> { text.bytes(range) }

  /// A number for each paragraph, equal for equal words.
  fileprivate func keys(_ numbers: inout [[Int]: Int]) -> [Int] {
    paragraphs.map { paragraph in
      let words = words([paragraph])
      let number = numbers[words] ?? numbers.count
      numbers[words] = number
      return number
    }
  }

  fileprivate func keys(_ range: Range<Int>) -> [Int] { text.tokens[range].map(\.key) }

  fileprivate func words(_ paragraphs: ArraySlice<Range<Int>>) -> [Int] {
    paragraphs.flatMap { text.tokens[$0].lazy.filter { !$0.isBreak }.map(\.key) }
  }

  /// Whether the range begins or ends with a break.
  fileprivate func isLines(_ range: Range<Int>) -> Bool {
    text.tokens[range.lowerBound].isBreak || text.tokens[range.upperBound - 1].isBreak
  }
}

extension [Int] {
  /// Whether the other words stand at this list's beginning or end.
  fileprivate func holds(_ other: [Int]) -> Bool {
    starts(with: other) || reversed().starts(with: other.reversed())
  }
}
