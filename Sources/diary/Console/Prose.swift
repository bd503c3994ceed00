import DiaryCore

/// An entry's text as a terminal shows it: long lines broken between words, headings bold.
enum Prose {
  /// The body, line by line; what stands in a fence of code is left as it is.
  static func lines(of body: String, width: Int) -> [String] {
    var isCode = false
    return body.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
      let text = Console.shown(String(line))
      if text.hasPrefix("```") || text.hasPrefix("~~~") {
        isCode.toggle()
        return [text]
      }
      if isCode { return [text] }
      let lines = wrapped(text, width: width, indent: hanging(text))
      return isHeading(text) ? lines.map { Console.styled($0, .bold) } : lines
    }
  }

  /// The text in lines of at most `width` columns, the second and later ones behind `indent` blanks.
  /// Words stay whole where they fit a line; longer ones, as all of Japanese and Chinese, break
  /// anywhere.
  static func wrapped(_ text: String, width: Int, indent: Int = 0) -> [String] {
    guard width > indent + 10, displayWidth(text) > width else { return [text] }
    let margin = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = String(text.prefix { $0 == " " })
    var used = line.count
    var isBare = true
    func end() {
      while line.last == " " { line.removeLast() }
      lines.append(line)
      (line, used, isBare) = (margin, indent, true)
    }
    func add(_ part: String, _ columns: Int) {
      line += part
      used += columns
    }
    let words = text.dropFirst(used).split(separator: " ", omittingEmptySubsequences: false)
    for word in words {
      let needed = displayWidth(word)
      let gap = isBare ? 0 : 1
      if !isBare, used + gap + needed > width, needed <= width - indent { end() }
      if !isBare { add(" ", 1) }
      isBare = false
      guard used + needed > width else {
        add(String(word), needed)
        continue
      }
      for character in word {
        let columns = displayWidth(String(character))
        if used + columns > width { end() }
        add(String(character), columns)
        isBare = false
      }
    }
    end()
    return lines
  }

  /// How far the later lines of a paragraph, list item or quotation stand in.
  private static func hanging(_ text: String) -> Int {
    let blanks = text.prefix { $0 == " " }.count
    let rest = text.dropFirst(blanks)
    let number = rest.prefix(while: \.isNumber).count
    for mark in ["- [ ] ", "- [x] ", "- ", "* ", "+ ", "> "] where rest.hasPrefix(mark) {
      return blanks + mark.count
    }
    let isNumbered = number > 0 && number < 4 && rest.dropFirst(number).hasPrefix(". ")
    return isNumbered ? blanks + number + 2 : blanks
  }

  private static func isHeading(_ text: String) -> Bool {
    let marks = text.prefix { $0 == "#" }.count
    return (1...6).contains(marks) && text.dropFirst(marks).first == " "
  }
}
