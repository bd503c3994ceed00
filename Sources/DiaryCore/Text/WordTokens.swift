/// A text, split into words and other tokens between blanks.
struct WordTokens {
  struct Token {
    var start: Int
    var end: Int
    /// True if it has a letter or a digit, and therefore counts.
    var isWord: Bool
    /// True for a Han or kana character, which needs no blank beside it.
    var isStandalone = false
  }

  let bytes: [UInt8]
  private(set) var tokens: [Token] = []
  var words: Int { tokens.reduce(0) { $0 + ($1.isWord ? 1 : 0) } }
  /// True if the next character belongs to the last token.
  private var isOpen = false

  /// Splits UTF-8. Invalid bytes become a token or a part of one.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    var at = 0
    while at < bytes.count {
      let byte = bytes[at]
      if byte < 0x80 {
        addASCII(byte, at)
        at += 1
      } else if let (scalar, length) = scalarAt(bytes, at, bytes.count) {
        add(scalar, at, at + length)
        at += length
      } else {
        extend(at, at + 1, isWord: false)
        at += 1
      }
    }
  }

  private mutating func addASCII(_ byte: UInt8, _ at: Int) {
    if byte == 0x20 || (0x09...0x0D).contains(byte) {
      isOpen = false
    } else {
      let isWord = byte.isDigit || byte.isLetter
      extend(at, at + 1, isWord: isWord)
    }
  }

  private mutating func add(_ scalar: Unicode.Scalar, _ start: Int, _ end: Int) {
    if (0xAC00...0xD7A3).contains(scalar.value) {
      extend(start, end, isWord: true)
    } else if scalar.properties.isWhitespace {
      isOpen = false
    } else if isHanOrKana(scalar) {
      tokens.append(Token(start: start, end: end, isWord: true, isStandalone: true))
      isOpen = false
    } else if !isOpen, scalar.isMark || scalar.isFormat, tokens.last?.end == start {
      tokens[tokens.count - 1].end = end
    } else {
      extend(start, end, isWord: isLetterOrDigit(scalar))
    }
  }

  private mutating func extend(_ start: Int, _ end: Int, isWord: Bool) {
    guard isOpen else {
      tokens.append(Token(start: start, end: end, isWord: isWord))
      isOpen = true
      return
    }
    tokens[tokens.count - 1].end = end
    if isWord { tokens[tokens.count - 1].isWord = true }
  }
}
