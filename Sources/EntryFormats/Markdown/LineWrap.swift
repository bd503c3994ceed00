import DiaryCore

/// Wraps text into lines of a given width in columns.
///
/// A line breaks at blanks, and between Han and kana characters, which are written without blanks.
/// It never breaks before a closing mark. A word that is wider than a line is split.
struct LineWrap {
  private let width: Int
  private var lines: [[StyledText]] = []
  private var line: [StyledText] = []
  private var used = 0
  /// The current word, which is not in a line yet. It may have several styles.
  private var word: [StyledText] = []
  private var wordWidth = 0
  /// The last character of the word. It is stored, because to find it in a text of flags is slow:
  /// all flags before it must be read.
  private var lastCharacter: Character?
  private var blank: StyledText?

  private init(width: Int) { self.width = max(1, width) }

  /// Returns the lines of `texts`. A newline in them starts a new line.
  static func lines(of texts: [StyledText], width: Int) -> [[StyledText]] {
    var wrap = LineWrap(width: width)
    for text in texts {
      for character in text.text { wrap.add(character, text.style) }
    }
    wrap.endLine()
    return wrap.lines
  }

  private mutating func add(_ character: Character, _ style: TextStyle) {
    if character == "\n" { return endLine() }
    if character == " " || character == "\t" {
      endWord()
      blank = StyledText(text: " ", style: style)
      return
    }
    let columns = character.utf8.count == 1 ? 1 : displayWidth(String(character))
    if let lastCharacter, !word.isEmpty,
      LineWrap.isWordByItself(character) || LineWrap.isWordByItself(lastCharacter),
      !LineWrap.closing.contains(character), !LineWrap.opening.contains(lastCharacter)
    {
      endWord()
    }
    if wordWidth + columns > width { endWord() }
    append(character, style, to: &word)
    lastCharacter = character
    wordWidth += columns
  }

  private mutating func endWord() {
    guard !word.isEmpty else { return }
    let gap = blank == nil || line.isEmpty ? 0 : 1
    if used + gap + wordWidth > width, !line.isEmpty {
      lines.append(line)
      (line, used) = ([], 0)
    } else if gap == 1, let blank {
      append(" ", blank.style, to: &line)
      used += 1
    }
    for text in word {
      if line.last?.style == text.style {
        line[line.count - 1].text += text.text
      } else {
        line.append(text)
      }
    }
    used += wordWidth
    (word, wordWidth, blank) = ([], 0, nil)
  }

  private mutating func endLine() {
    endWord()
    lines.append(line)
    (line, used, blank) = ([], 0, nil)
  }

  private func append(_ character: Character, _ style: TextStyle, to texts: inout [StyledText]) {
    if texts.last?.style == style {
      texts[texts.count - 1].text.append(character)
    } else {
      texts.append(StyledText(text: String(character), style: style))
    }
  }

  /// True for characters that are words by themselves: Han and kana.
  private static func isWordByItself(_ character: Character) -> Bool {
    guard let value = character.unicodeScalars.first?.value else { return false }
    switch value {
    case 0x2E80...0x2FDF, 0x3001...0x303F, 0x3041...0x30FF, 0x31C0...0x31FF, 0x3400...0x9FFF,
      0xF900...0xFAFF, 0xFF00...0xFF60, 0x20000...0x3FFFD:
      return true
    default: return false
    }
  }

  private static let closing = Set(
    "、。，．！？：；）］｝」』】》〉〕〗…ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ,.!?:;)]}")
  private static let opening = Set("（［｛「『【《〈〔〖([{")
}
