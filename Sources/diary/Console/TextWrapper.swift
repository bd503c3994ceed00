import DiaryCore

/// Wraps Diary's own messages between words.
enum TextWrapper {
  /// The text in lines of at most `width` columns; all lines but the first are indented by `indent`
  /// blanks. A word that fits a line stays whole. A longer one, such as any Japanese or Chinese
  /// text, breaks anywhere.
  static func lines(of text: String, width: Int, indent: Int = 0) -> [String] {
    guard width > indent + 10, displayWidth(text) > width else { return [text] }
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = String(text.prefix { $0 == " " })
    var used = line.count
    var isLineEmpty = true
    func end() {
      while line.last == " " { line.removeLast() }
      lines.append(line)
      (line, used, isLineEmpty) = (margin, indent, true)
    }
    func add(_ part: String, _ columns: Int) {
      line += part
      used += columns
    }
    let words = text.dropFirst(used).split(separator: " ", omittingEmptySubsequences: false)
    for word in words {
      let needed = displayWidth(word)
      let gap = isLineEmpty ? 0 : 1
      if !isLineEmpty, used + gap + needed > width, needed <= width - indent { end() }
      if !isLineEmpty { add(" ", 1) }
      isLineEmpty = false
      guard used + needed > width else {
        add(String(word), needed)
        continue
      }
      for character in word {
        let columns = displayWidth(String(character))
        if used + columns > width { end() }
        add(String(character), columns)
        isLineEmpty = false
      }
    }
    end()
    return lines
  }
}
