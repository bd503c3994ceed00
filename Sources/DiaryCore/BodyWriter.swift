/// Puts a merged body together: words with blanks between them, and one break between two lines,
/// whichever texts they come from.
struct BodyWriter {
  private(set) var bytes: [UInt8] = []
  private let newline: [UInt8]
  /// The break that stands before the next word; `nil` inside a line.
  private var pending: (isParagraph: Bool, bytes: [UInt8])?
  private var isEmpty = true
  private var lastIsAlone = false

  /// `leading` is what stands before the first word.
  init(leading: [UInt8], newline: [UInt8]) {
    bytes = leading
    self.newline = newline
  }

  /// Whether the next word begins a line.
  var isAtLineStart: Bool { isEmpty || pending != nil }

  /// A break; of several without a word between them one stands, that of paragraphs.
  mutating func add(break bytes: [UInt8], isParagraph: Bool) {
    if let pending, pending.isParagraph || !isParagraph { return }
    pending = (isParagraph, bytes)
  }

  mutating func addBreak(isParagraph: Bool) {
    add(break: isParagraph ? newline + newline : newline, isParagraph: isParagraph)
  }

  /// A word; `gap` is what stands before it unless it begins a line.
  mutating func add(_ word: ArraySlice<UInt8>, gap: ArraySlice<UInt8>?, isAlone: Bool) {
    if isEmpty {
      isEmpty = false
    } else if let pending {
      bytes += pending.bytes
    } else {
      let gap = gap ?? [0x20]
      bytes += gap.isEmpty && !lastIsAlone && !isAlone ? [0x20] : gap
    }
    pending = nil
    bytes += word
    lastIsAlone = isAlone
  }

  /// Some tokens of one text as they stand there.
  mutating func add(_ range: Range<Int>, of text: BodyWords) {
    for index in range {
      let token = text.tokens[index]
      switch token.kind {
      case .word: add(text.spelling(index), gap: text.gap(index), isAlone: token.isAlone)
      case .lineBreak: add(break: Array(text.spelling(index)), isParagraph: false)
      case .paragraphBreak:
        if index == 0 {
          addBreak(isParagraph: true)
        } else {
          add(break: Array(text.spelling(index)), isParagraph: true)
        }
      case .end: break
      }
    }
  }

  /// The body with what stands after its last word.
  func finished(with trailing: [UInt8]) -> [UInt8] { bytes + trailing }
}
