/// A body cut into words and the line breaks between them, numbered so that equal words of several
/// texts have equal numbers, however their characters are composed.
struct BodyWords {
  struct Token {
    enum Kind { case word, lineBreak, paragraphBreak, end }
    let kind: Kind
    /// Equal for equal words, and for breaks of one kind.
    let key: Int
    /// The word, or all that is blank between two lines.
    let range: Range<Int>
    /// Where the blanks before a word begin; `nil` for the first word of a line.
    var gapStart: Int?
    /// A Han or kana character: it needs no blank beside it.
    var isAlone = false
    /// Whether it has a letter or a digit.
    var hasLetters = false
    /// A break between two lines of one code block.
    var isInCode = false
    var isBreak: Bool { kind == .lineBreak || kind == .paragraphBreak }
  }

  /// A line with the break before it.
  struct Line {
    let tokens: Range<Int>
    /// Equal for lines of the same words, wherever they are indented.
    let key: Int
    /// Whether it lies in a fenced code block, or is its fence.
    let isCode: Bool
  }

  let bytes: [UInt8]
  /// A break, words and breaks in turn, and ``Token/Kind/end``. The first break stands for the text's
  /// beginning, and counts as one between paragraphs.
  private(set) var tokens: [Token] = []
  private(set) var lines: [Line] = []

  init(_ body: [UInt8], _ spellings: inout Spellings) {
    bytes = body
    let words = WordTokens(body).tokens
    var last = words.isEmpty ? 0 : addBreak(0..<words[0].start, isFirst: true)
    for (index, word) in words.enumerated() {
      var gap: Int? = index == 0 ? nil : last
      if index > 0, body[last..<word.start].contains(0x0A) {
        _ = addBreak(last..<word.start, isFirst: false)
        gap = nil
      }
      tokens.append(
        Token(
          kind: .word, key: spellings.number(body[word.start..<word.end]),
          range: word.start..<word.end, gapStart: gap, isAlone: word.isAlone,
          hasLetters: word.isWord))
      last = word.end
    }
    if words.isEmpty { _ = addBreak(0..<0, isFirst: true) }
    tokens.append(Token(kind: .end, key: Spellings.end, range: last..<body.count))
    addLines(&spellings)
  }

  /// The text of some tokens, with what stands between them.
  func bytes(_ range: Range<Int>) -> ArraySlice<UInt8> {
    guard let first = range.first, let last = range.last else { return [] }
    return bytes[tokens[first].range.lowerBound..<tokens[last].range.upperBound]
  }

  /// The blanks before a word; `nil` for the first word of a line.
  func gap(_ index: Int) -> ArraySlice<UInt8>? {
    let token = tokens[index]
    return token.gapStart.map { bytes[$0..<token.range.lowerBound] }
  }

  /// The blanks before the first of some tokens.
  func gap(before tokens: Range<Int>) -> ArraySlice<UInt8> { tokens.first.flatMap(gap) ?? [] }

  /// The word or the break itself.
  func spelling(_ index: Int) -> ArraySlice<UInt8> { bytes[tokens[index].range] }

  /// Adds a break and answers where it ends.
  private mutating func addBreak(_ range: Range<Int>, isFirst: Bool) -> Int {
    let isParagraph = isFirst || bytes[range].count { $0 == 0x0A } > 1
    tokens.append(
      Token(
        kind: isParagraph ? .paragraphBreak : .lineBreak,
        key: isParagraph ? Spellings.paragraphBreak : Spellings.lineBreak, range: range))
    return range.upperBound
  }

  private mutating func addLines(_ spellings: inout Spellings) {
    var code = EntryBodyLines(bytes[...])
    var known = code.next()
    var (start, wasCode) = (0, false)
    for index in tokens.indices.dropFirst() where tokens[index].kind != .word {
      if index > start + 1 {
        let word = tokens[start + 1].range.lowerBound
        while let line = known, line.range.upperBound <= word { known = code.next() }
        let isCode = known.map { $0.kind == .code || $0.kind == .fence } ?? false
        let key = spellings.number(line: tokens[(start + 1)..<index].map(\.key))
        lines.append(Line(tokens: start..<index, key: key, isCode: isCode))
        tokens[start].isInCode = isCode && wasCode
        wasCode = isCode
      }
      start = index
    }
  }
}

/// The numbers of words and lines, the same for all texts that are compared.
struct Spellings {
  static let lineBreak = 0
  static let paragraphBreak = 1
  static let end = 2
  private var asWritten: [ArraySlice<UInt8>: Int] = [:]
  /// Swift compares texts by their characters, whether composed or not.
  private var asRead: [String: Int] = [:]
  private var lines: [[Int]: Int] = [:]

  mutating func number(_ word: ArraySlice<UInt8>) -> Int {
    if let known = asWritten[word] { return known }
    let new = asRead.count + 3
    let text = String(decoding: word, as: UTF8.self)
    let number = asRead[text, default: new]
    if number == new { asRead[text] = new }
    asWritten[word] = number
    return number
  }

  mutating func number(line: [Int]) -> Int {
    let number = lines[line] ?? lines.count
    lines[line] = number
    return number
  }
}
