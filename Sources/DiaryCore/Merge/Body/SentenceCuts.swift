/// The positions at which a paragraph is split: after sentences, and at line ends unless the line
/// is only wrapped. In doubt, a piece is larger: at worst, two versions of too much are kept, but
/// half a sentence never gets the end of another.
struct SentenceCuts {
  private let scalars: [Unicode.Scalar]
  /// The byte offset of each scalar.
  private let offsets: [Int]
  private let isQuote: Bool
  private let hasSmallSentences: Bool
  /// Scalars after which no split is allowed: the first list for code, links and emphasis, the
  /// second for sentence ends in quotation marks and brackets.
  private var isUncuttable: [Bool]
  private var isQuoted: [Bool]

  /// The positions of hard line breaks.
  private var hardBreaks: Set<Int> = []

  /// `lines` are the paragraph's lines without indentation and trailing blanks. `isHard` is true
  /// for the lines that end with a hard break.
  init(
    _ bytes: [UInt8], lines: [Range<Int>], isHard: [Bool], isQuote: Bool,
    hasSmallSentences: Bool = false
  ) {
    self.hasSmallSentences = hasSmallSentences
    var scalars: [Unicode.Scalar] = []
    var offsets: [Int] = []
    for (index, line) in lines.enumerated() {
      if index > 0 {
        if isHard[index - 1] { hardBreaks.insert(scalars.count) }
        scalars.append("\n")
        offsets.append(lines[index - 1].upperBound)
      }
      var at = line.lowerBound
      while at < line.upperBound {
        guard let (scalar, length) = scalarAt(bytes, at, line.upperBound) else { break }
        scalars.append(scalar)
        offsets.append(at)
        at += length
      }
    }
    self.scalars = scalars
    self.offsets = offsets + [lines.last?.upperBound ?? 0]
    self.isQuote = isQuote
    isUncuttable = Array(repeating: false, count: scalars.count)
    isQuoted = isUncuttable
    markUncuttableRanges()
  }

  /// The pieces, each as a list of byte ranges within lines.
  func pieces() -> [[Range<Int>]] {
    var pieces: [[Range<Int>]] = []
    var slices: [Range<Int>] = []
    var start = 0
    func close(_ end: Int, endsPiece: Bool) {
      var (first, last) = (start, end)
      while first < last, isBlank(first) { first += 1 }
      while last > first, isBlank(last - 1) { last -= 1 }
      if first < last { slices.append(offsets[first]..<offsets[last]) }
      if endsPiece, !slices.isEmpty {
        pieces.append(slices)
        slices = []
      }
    }
    var at = 0
    while at < scalars.count {
      if scalars[at] == "\n" {
        close(at, endsPiece: !isWrapped(at))
        start = at + 1
      } else if !isQuote, let end = sentenceEnd(at) {
        close(end, endsPiece: true)
        start = end
        at = end - 1
      }
      at += 1
    }
    close(scalars.count, endsPiece: true)
    return pieces
  }

  private func isBlank(_ index: Int) -> Bool {
    scalars[index] != "\n" && scalars[index].properties.isWhitespace
  }

  // MARK: Sentences

  /// The end of the sentence whose stop is here, inside a line; `nil` if no sentence ends here.
  private func sentenceEnd(_ at: Int) -> Int? {
    guard isStop(at), at == 0 || !isStop(at - 1), let end = stopEnd(at) else { return nil }
    guard end < scalars.count, scalars[end] != "\n", !isQuoted[end - 1],
      !isUncuttable[end - 1]
    else {
      return nil
    }
    var next = end
    while next < scalars.count, isBlank(next) { next += 1 }
    guard next < scalars.count, scalars[next] != "\n" else { return nil }
    let properties = scalars[next].properties
    if properties.numericType == .decimal { return nil }
    if properties.isLowercase, !hasSmallSentences { return nil }
    // The words after a quotation may name the speaker, unless the quotation ends with a full stop.
    if isQuoted[at], scalars[at] != "." || !properties.isUppercase { return nil }
    let isWide = isWideStop(scalars[at])
    if next == end {
      // A particle or a comma directly after the quotation mark continues the sentence.
      guard isWide else { return nil }
      let wasClosed = !isStop(end - 1)
      if wasClosed, properties.isAlphabetic || isComma(scalars[next]) { return nil }
    }
    return end
  }

  /// The position after the stops that begin here and their closing marks. `nil` for an
  /// abbreviation, a number or an ellipsis.
  private func stopEnd(_ at: Int) -> Int? {
    var end = at
    var dots = 0
    var isEllipsis = false
    while end < scalars.count, isStop(end) {
      if scalars[end] == "." { dots += 1 }
      if scalars[end] == "…" { isEllipsis = true }
      end += 1
    }
    if dots == end - at, dots > 1 { isEllipsis = true }
    let isPlain = dots == 1 && end - at == 1
    if isPlain, isAbbreviation(before: at) { return nil }
    while end < scalars.count {
      if isCloser(scalars[end]) || isSuperscript(scalars[end]) || isEmoji(scalars[end]) {
        end += 1
      } else if let note = noteEnd(end) {
        end = note
      } else {
        break
      }
    }
    // Emoji after a sentence belong to it.
    var emojiEnd = end
    while emojiEnd < scalars.count, isBlank(emojiEnd) || isEmoji(scalars[emojiEnd]) {
      emojiEnd += 1
      if isEmoji(scalars[emojiEnd - 1]) { end = emojiEnd }
    }
    return isEllipsis && end < scalars.count && scalars[end] != "\n" ? nil : end
  }

  /// The end of a reference to a footnote, such as `[^1]`, that begins here.
  private func noteEnd(_ at: Int) -> Int? {
    guard at + 1 < scalars.count, scalars[at] == "[", scalars[at + 1] == "^" else { return nil }
    let end = scalars[at...].firstIndex { $0 == "]" || $0.properties.isWhitespace }
    return end.flatMap { scalars[$0] == "]" ? $0 + 1 : nil }
  }

  /// The start of a footnote's reference that ends here.
  private func noteStart(before end: Int) -> Int? {
    guard end > 0, scalars[end - 1] == "]" else { return nil }
    var at = end - 2
    while at >= 0, !["[", "]"].contains(scalars[at]), !scalars[at].properties.isWhitespace {
      at -= 1
    }
    return at >= 0 && scalars[at] == "[" && scalars[at + 1] == "^" ? at : nil
  }

  private func isAbbreviation(before dot: Int) -> Bool {
    var stop = dot
    while stop > 0, isCloser(scalars[stop - 1]) { stop -= 1 }
    var start = stop
    while start > 0, !isBlank(start - 1), scalars[start - 1] != "\n",
      !isOpener(scalars[start - 1])
    {
      start -= 1
    }
    let word = scalars[start..<stop]
    if word.isEmpty { return true }
    if let isFinal = SentenceCuts.isFinalNumber(word) { return !isFinal }
    if word.contains(".") { return true }
    if word.count == 1, let only = word.first {
      return only.properties.isAlphabetic && !isWide(only)
    }
    var text = String.UnicodeScalarView()
    text.append(contentsOf: word)
    return SentenceCuts.abbreviations.contains(String(text).lowercased())
  }

  // MARK: Lines

  /// True if the line that ends here continues in the next one.
  private func isWrapped(_ end: Int) -> Bool {
    if isUncuttable[end] { return true }
    var start = end
    while start > 0, scalars[start - 1] != "\n" { start -= 1 }
    let next = end + 1
    guard start < end, next < scalars.count else { return false }
    if hardBreaks.contains(end) { return false }
    if hasSentenceEnd(start..<end) || hasTimePrefix(scalars[next...]) { return false }
    let width = displayWidth(text(start..<end))
    return width >= 60 || (width >= 30 && scalars[next].properties.isLowercase)
  }

  /// True if a text ends with a stop, with or without closing marks after it.
  static func hasFinalStop(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let cuts = SentenceCuts(bytes, lines: [0..<bytes.count], isHard: [false], isQuote: false)
    return cuts.hasSentenceEnd(0..<cuts.scalars.count)
  }

  private func hasSentenceEnd(_ line: Range<Int>) -> Bool {
    var at = line.upperBound
    while at > line.lowerBound {
      if let note = noteStart(before: at), note >= line.lowerBound {
        at = note
      } else if isCloser(scalars[at - 1]) || isSuperscript(scalars[at - 1])
        || isEmoji(scalars[at - 1]) || isBlank(at - 1)
      {
        at -= 1
      } else {
        break
      }
    }
    guard at > line.lowerBound, isStop(at - 1) else { return false }
    while at > line.lowerBound, isStop(at - 1) { at -= 1 }
    let isPlain = scalars[at] == "." && (at + 1 == line.upperBound || !isStop(at + 1))
    return !(isPlain && isAbbreviation(before: at))
  }

  private func text(_ range: Range<Int>) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars[range])
    return String(text)
  }

  // MARK: Ranges without splits

  private mutating func markUncuttableRanges() {
    var brackets: [(scalar: Unicode.Scalar, at: Int)] = []
    var quotes: [(closers: String, at: Int)] = []
    var marks: [String: Int] = [:]
    var straight: Int?
    var at = 0
    while at < scalars.count {
      let scalar = scalars[at]
      var run = at + 1
      while run < scalars.count, scalars[run] == scalar { run += 1 }
      switch scalar {
      case "\\": run = min(at + 2, scalars.count)
      case "`":
        if let end = codeEnd(at, run - at) {
          for index in at..<end { isUncuttable[index] = true }
          run = end
        }
      case "*", "_", "~":
        let mark = String(repeating: String(scalar), count: run - at)
        let opens = run < scalars.count && !isSpace(run)
        if let start = marks[mark], !isSpace(at - 1) {
          for index in start..<at { isUncuttable[index] = true }
          marks[mark] = nil
        } else if opens {
          marks[mark] = at
        }
      case "[":
        brackets.append((scalar, at))
        run = at + 1
      case "]":
        run = at + 1
        if let open = brackets.last {
          brackets.removeLast()
          var end = at
          if run < scalars.count, scalars[run] == "(", let close = linkTargetEnd(run) {
            end = close
            run = close + 1
          }
          for index in open.at..<end { isUncuttable[index] = true }
        }
      case "\"":
        run = at + 1
        if let start = straight {
          for index in start..<at { isQuoted[index] = true }
          straight = nil
        } else {
          straight = at
        }
      default:
        run = at + 1
        if let open = quotes.last, open.closers.unicodeScalars.contains(scalar) {
          quotes.removeLast()
          for index in open.at..<at { isQuoted[index] = true }
        } else if let closers = SentenceCuts.closers[scalar] {
          quotes.append((closers, at))
        }
      }
      at = run
    }
  }

  private static let closers: [Unicode.Scalar: String] = [
    "(": ")", "（": "）", "„": "“”", "“": "”", "«": "»", "「": "」", "『": "』", "〈": "〉", "《": "》",
    "【": "】", "‚": "‘",
  ]

  private func isSpace(_ index: Int) -> Bool {
    index < 0 || scalars[index].properties.isWhitespace
  }

  private func codeEnd(_ start: Int, _ length: Int) -> Int? {
    var at = start + length
    while at < scalars.count {
      guard scalars[at] == "`" else {
        at += 1
        continue
      }
      var end = at
      while end < scalars.count, scalars[end] == "`" { end += 1 }
      if end - at == length { return end }
      at = end
    }
    return nil
  }

  private func linkTargetEnd(_ start: Int) -> Int? {
    var depth = 0
    for at in start..<scalars.count {
      if scalars[at] == "(" { depth += 1 }
      if scalars[at] == ")" {
        depth -= 1
        if depth == 0 { return at }
      }
      if scalars[at] == "\n" { return nil }
    }
    return nil
  }

  // MARK: Character classes

  private func isStop(_ index: Int) -> Bool {
    switch scalars[index] {
    case ".", "!", "?", "…", "。", "！", "？", "｡", "।", "॥", "۔", "؟", "።", "។", "။": true
    // The Greek question mark, which is a semicolon elsewhere.
    case ";", "\u{37E}": index > 0 && (0x370...0x3FF).contains(scalars[index - 1].value)
    default: false
    }
  }

  private func isSuperscript(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "¹", "²", "³", "⁰", "\u{2074}"..."\u{2079}": true
    default: false
    }
  }

  private func isWideStop(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "。", "！", "？", "｡": true
    default: false
    }
  }

  private func isWide(_ scalar: Unicode.Scalar) -> Bool {
    isHanOrKana(scalar) || (0xAC00...0xD7A3).contains(scalar.value)
  }

  private func isComma(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case ",", "、", "，", ";", ":", "；", "：": true
    default: false
    }
  }

  private func isCloser(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\"", "'", "”", "’", "“", "‘", "»", "«", ")", "]", "」", "』", "）", "］", "〉", "》", "】", "*",
      "_":
      true
    default: false
    }
  }

  private func isOpener(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\"", "'", "„", "“", "‘", "»", "«", "(", "[", "「", "『", "（", "*", "_": true
    default: false
    }
  }

  private func isEmoji(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isEmojiPresentation || scalar.value == 0xFE0F || scalar.value == 0x200D
      || (scalar.value > 0x2000 && scalar.properties.isEmoji)
  }
}

/// True if more sentences of a text begin with a small letter than with a capital one.
func hasSmallSentences(_ text: [UInt8]) -> Bool {
  var balance = 0
  var isAfterStop = false
  for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
    if isAfterStop, scalar.properties.isLowercase { balance += 1 }
    if isAfterStop, scalar.properties.isUppercase { balance -= 1 }
    let isStop = ".!?".unicodeScalars.contains(scalar)
    isAfterStop = isStop || isAfterStop && scalar.properties.isWhitespace
  }
  return balance > 0
}
