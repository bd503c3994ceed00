/// A bash command line up to the cursor, split as bash splits it. bash passes the line as it was
/// typed, and the inserted text must fit the open quotes.
struct ShellLine {
  /// The words without their quotes. The last one is at the cursor and may be empty.
  private(set) var words: [String] = [""]
  /// The open quote at the cursor.
  private(set) var quote: Character?
  /// The number of characters of the last word before the part that bash replaces.
  private(set) var unreplacedCount = 0

  /// - Parameter breaks: `COMP_WORDBREAKS`, the characters at which bash splits a word.
  init(_ line: String, breaks: String) {
    var isInWord = false
    var rest = line[...]
    func isBreak(_ character: Character) -> Bool { breaks.contains(character) }
    while let character = rest.popFirst() {
      if let open = quote {
        if character == open {
          quote = nil
        } else if open == "\"", character == "\\", let next = rest.first, "\"\\$`".contains(next) {
          words[words.count - 1].append(rest.removeFirst())
        } else {
          words[words.count - 1].append(character)
        }
        continue
      }
      switch character {
      case " ", "\t", "\n":
        if isInWord { words.append("") }
        (isInWord, unreplacedCount) = (false, 0)
        continue
      case "'", "\"":
        quote = character
        unreplacedCount = words[words.count - 1].count
      case "\\":
        if let next = rest.popFirst() { words[words.count - 1].append(next) }
      default:
        words[words.count - 1].append(character)
        if isBreak(character) { unreplacedCount = words[words.count - 1].count }
      }
      isInWord = true
    }
  }

  /// The text that bash inserts for a candidate: without the part that stays, and quoted for the
  /// cursor. bash itself closes an open quote.
  func insertionText(for value: String) -> String {
    let text = value.dropFirst(unreplacedCount)
    switch quote {
    case "'": return String(text).replacing("'", with: "'\\''")
    case "\"":
      return String(text.flatMap { "\"\\$`".contains($0) ? ["\\", $0] : [$0] })
    default:
      let plain = "/._-+,@%"
      return String(
        text.flatMap { character -> [Character] in
          let isPlain =
            character.isLetter || character.isNumber || !character.isASCII
            || plain.contains(character)
          return isPlain ? [character] : ["\\", character]
        })
    }
  }
}
