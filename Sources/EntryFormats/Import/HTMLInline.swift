import DiaryCore

/// The text of a paragraph of HTML, with its marks, links and pictures.
struct HTMLInline {
  enum Mark: Equatable {
    /// `*`, `**` or `~~`.
    case emphasis(String)
    case link(String)

    var isLink: Bool { if case .link = self { true } else { false } }
  }

  enum Token: Equatable {
    case text(String)
    case code(String)
    case open(Mark)
    case close(Mark)
    case picture(String, String)
    case checkbox(Bool)
    case lineBreak
  }

  private var tokens: [Token] = []
  /// True if a blank would be the first character of a line, or the second blank.
  private var endsWithBlank = true

  var endsWithBreak: Bool { tokens.last == .lineBreak }

  // MARK: - Collecting

  /// Appends a text. White space becomes single blanks, but a non-breaking space is a part of its
  /// word.
  mutating func append(_ text: String, isCode: Bool, in marks: [Mark]) {
    var collapsed = ""
    for scalar in text.unicodeScalars {
      let isBlank = scalar.properties.isWhitespace && scalar != "\u{A0}"
      if isBlank, endsWithBlank { continue }
      collapsed.unicodeScalars.append(isBlank ? " " : scalar)
      endsWithBlank = isBlank
    }
    if !collapsed.isEmpty { add(isCode ? .code(collapsed) : .text(collapsed), in: marks) }
  }

  mutating func append(_ token: Token, in marks: [Mark]) {
    if token == .lineBreak {
      // A line break at the start of a paragraph has no effect.
      guard !tokens.isEmpty else { return }
      endsWithBlank = true
    } else if case .checkbox = token {
      endsWithBlank = true
    } else {
      endsWithBlank = false
    }
    add(token, in: marks)
  }

  /// A mark that is open at the start of the paragraph is opened before its first text.
  private mutating func add(_ token: Token, in marks: [Mark]) {
    if tokens.isEmpty { tokens = marks.map { .open($0) } }
    // The parser splits texts at entities. The text is removed, so that it is not copied each time.
    if case .text(let more) = token, case .text(var text)? = tokens.last {
      tokens.removeLast()
      text += more
      tokens.append(.text(text))
    } else {
      tokens.append(token)
    }
  }

  mutating func open(_ mark: Mark) { if !tokens.isEmpty { tokens.append(.open(mark)) } }
  mutating func close(_ mark: Mark) { if !tokens.isEmpty { tokens.append(.close(mark)) } }

  // MARK: - Writing

  /// The lines of the paragraph, without blanks at their ends. `marks` are still open.
  func lines(closing marks: [Mark]) -> [String] {
    guard !tokens.isEmpty else { return [] }
    let all = tokens + marks.reversed().map { .close($0) }
    var order = Self.movingBlanks(all, outOf: { if case .close = $0 { true } else { false } })
    order = Self.movingBlanks(
      order.reversed(), outOf: { if case .open = $0 { true } else { false } }
    ).reversed()
    var marked = Self.withoutEmptyMarks(order)
    // A mark that is removed changes what is beside another one.
    for _ in 0..<4 where Self.repairMarks(&marked) {}
    var text = Self.written(marked)
    if marked.contains(where: { Self.sign(of: $0) != nil }),
      !Self.hasSameWords(text, as: marked, after: "x ")
    {
      // Marks beside one another can be ambiguous, as in `a***b***c`. The words stay.
      marked.removeAll { Self.sign(of: $0) != nil }
      text = Self.written(marked)
    }
    if text.hasPrefix("["), !Self.hasSameWords(text, as: marked, after: "") {
      // `[` and a later `]:` in code begin the definition of a link, which shows nothing.
      marked = marked.map { if case .code(let text) = $0 { .text(text) } else { $0 } }
      text = Self.written(marked)
    }
    var lines: [String] = []
    for part in text.split(separator: "\n") {
      var line = part.drop { $0 == " " }
      while line.last == " " { line.removeLast() }
      if !line.allSatisfy(\.isBlank) { lines.append(String(line)) }
    }
    return lines
  }

  /// Moves blanks and line breaks before a mark behind it, because Markdown does not close a mark
  /// after a blank, or open one before it in the reversed order.
  private static func movingBlanks(_ tokens: [Token], outOf isMark: (Token) -> Bool) -> [Token] {
    // In the reversed order, the last character of a text is its first one.
    let isReversed = isMark(.open(.link("")))
    var result: [Token] = []
    for token in tokens {
      guard isMark(token) else {
        result.append(token)
        continue
      }
      var moved: [Token] = []
      while let last = result.last {
        if last == .lineBreak || last == .text(" ") {
          moved.append(result.removeLast())
        } else if case .text(let text) = last, (isReversed ? text.first : text.last) == " " {
          result[result.count - 1] = .text(
            String(isReversed ? text.dropFirst() : text.dropLast()))
          moved.append(.text(" "))
        } else {
          break
        }
      }
      result.append(token)
      result += moved.reversed()
    }
    return result
  }

  /// Removes marks around nothing, and joins a mark that ends where the same one begins.
  private static func withoutEmptyMarks(_ tokens: [Token]) -> [Token] {
    var result: [Token] = []
    for token in tokens {
      switch token {
      case .close(let mark) where result.last == .open(mark): result.removeLast()
      case .open(let mark) where !mark.isLink && result.last == .close(mark): result.removeLast()
      default: result.append(token)
      }
    }
    return result
  }

  /// Moves punctuation at the edge of a mark out of it, or removes the mark, if Markdown would read
  /// its signs as text: between a letter and punctuation. Returns whether a mark was removed.
  private static func repairMarks(_ tokens: inout [Token]) -> Bool {
    var open: [Int] = []
    var isChanged = false
    for index in tokens.indices {
      if case .open(let mark) = tokens[index], !mark.isLink { open.append(index) }
      guard case .close(let mark) = tokens[index], !mark.isLink, let start = open.popLast() else {
        continue
      }
      if !mayOpen(&tokens, start) || !mayClose(&tokens, index) {
        tokens[start] = .text("")
        tokens[index] = .text("")
        isChanged = true
      }
    }
    return isChanged
  }

  /// Returns whether Markdown reads the marks as marks, and not as words. After a word, the text
  /// begins no other block than a paragraph.
  private static func hasSameWords(
    _ text: String, as tokens: [Token], after start: String
  ) -> Bool {
    var words = start
    for token in tokens {
      switch token {
      case .text(let text), .code(let text), .picture(let text, _): words += text
      case .checkbox(let isDone): words += isDone ? "[x]" : "[]"
      case .open, .close, .lineBreak: break
      }
    }
    let shown = MarkdownText(start + text.replacing("\n", with: " ")).textWithoutMarks
    return shown.filter { !$0.isWhitespace } == words.filter { !$0.isWhitespace }
  }

  private static func mayClose(_ tokens: inout [Token], _ index: Int) -> Bool {
    for _ in 0..<4 {
      let (before, after) = (edge(tokens, index, -1), edge(tokens, index, 1))
      if !before.isWhitespace,
        !isPunctuation(before) || after.isWhitespace || isPunctuation(after)
      {
        return true
      }
      guard case .text(let text) = tokens[index - 1], text.count > 1, index + 1 < tokens.count,
        case .text(let next) = tokens[index + 1]
      else { return false }
      tokens[index - 1] = .text(String(text.dropLast()))
      tokens[index + 1] = .text(String(before) + next)
    }
    return false
  }

  private static func mayOpen(_ tokens: inout [Token], _ index: Int) -> Bool {
    for _ in 0..<4 {
      let (before, after) = (edge(tokens, index, -1), edge(tokens, index, 1))
      if !after.isWhitespace,
        !isPunctuation(after) || before.isWhitespace || isPunctuation(before)
      {
        return true
      }
      guard case .text(let text) = tokens[index + 1], text.count > 1, index > 0,
        case .text(let last) = tokens[index - 1]
      else { return false }
      tokens[index + 1] = .text(String(text.dropFirst()))
      tokens[index - 1] = .text(last + String(after))
    }
    return false
  }

  /// The character beside a mark, as it is written; a blank at the edge of the paragraph. Beside
  /// `*`, the parser looks past other asterisks and past `~`.
  private static func edge(_ tokens: [Token], _ index: Int, _ step: Int) -> Character {
    let own = sign(of: tokens[index])
    var index = index + step
    while tokens.indices.contains(index) {
      switch tokens[index] {
      case .text(let text): if let sign = step < 0 ? text.last : text.first { return sign }
      case .code: return "`"
      case .picture: return step < 0 ? ")" : "!"
      case .open(.link): return "["
      case .close(.link): return step < 0 ? ")" : "]"
      case .lineBreak, .checkbox: return " "
      case .open(.emphasis), .close(.emphasis):
        if own == "~", sign(of: tokens[index]) == "*" { return "*" }
      }
      index += step
    }
    return " "
  }

  private static func sign(of token: Token) -> Character? {
    switch token {
    case .open(.emphasis(let sign)), .close(.emphasis(let sign)): sign.first
    default: nil
    }
  }

  private static func isPunctuation(_ character: Character) -> Bool {
    character.isPunctuation || character.isASCII && character.isSymbol
  }

  private static func written(_ tokens: [Token]) -> String {
    var result = ""
    var isInLink = false
    for token in joined(tokens) {
      switch token {
      case .text(let text): result += escaped(text, isInLink: isInLink)
      case .code(let text): result += codeSpan(text)
      case .open(.emphasis(let sign)), .close(.emphasis(let sign)): result += sign
      case .open(.link):
        // With an exclamation mark the link would be a picture.
        if result.last == "!" {
          result.removeLast()
          result += "\\!"
        }
        result += "["
        isInLink = true
      case .close(.link(let target)):
        result += "](\(target))"
        isInLink = false
      case .picture(let words, let target):
        result += "![" + escaped(words, isInLink: true) + "](\(target))"
      case .checkbox(let isDone): result += isDone ? "[x] " : "[ ] "
      case .lineBreak: result += "\n"
      }
    }
    return result
  }

  /// Joins texts, and code, that follow one another.
  private static func joined(_ tokens: [Token]) -> [Token] {
    var result: [Token] = []
    for token in tokens where token != .text("") {
      switch (result.last, token) {
      case (.text(var text), .text(let more)):
        result.removeLast()
        text += more
        result.append(.text(text))
      case (.code(var text), .code(let more)):
        result.removeLast()
        text += more
        result.append(.code(text))
      default: result.append(token)
      }
    }
    return result
  }

  private static func codeSpan(_ text: String) -> String {
    guard text.contains(where: { $0 != " " }) else { return text }
    // In a table, a pipe needs a backslash, and code cannot have one before it.
    if text.contains("\\|") { return escaped(text, isInLink: true) }
    let fence = String(repeating: "`", count: longestRun(of: "`", in: text) + 1)
    let isPadded =
      text.hasPrefix("`") || text.hasSuffix("`") || text.hasPrefix(" ") && text.hasSuffix(" ")
    return isPadded ? fence + " " + text + " " + fence : fence + text + fence
  }

  /// Returns a text with a backslash before each sign that Markdown would read as markup. An address
  /// is unchanged, because a backslash would become a part of it.
  private static func escaped(_ text: String, isInLink: Bool) -> String {
    guard text.contains(where: { "\\`*_[]<&~".contains($0) }) else { return text }
    let characters = Array(text)
    var result = ""
    var index = 0
    while index < characters.count {
      let (before, character) = (index > 0 ? characters[index - 1] : nil, characters[index])
      if !isInLink, "hw".contains(character), !(before?.isLetter ?? false),
        isAddress(characters[index...])
      {
        let end =
          characters[index...].firstIndex { $0.isWhitespace || $0 == "<" } ?? characters.endIndex
        result += String(characters[index..<end])
        index = end
        continue
      }
      // A blank at the end may be removed.
      let isLast = index + 1 == characters.count || characters[(index + 1)...] == [" "]
      let after = isLast ? nil : characters[index + 1]
      if needsEscape(character, before, after, isInLink)
        || character == "&" && isEntity(characters[index...])
      {
        result.append("\\")
      }
      result.append(character)
      index += 1
    }
    return result
  }

  private static func needsEscape(
    _ character: Character, _ before: Character?, _ after: Character?, _ isInLink: Bool
  ) -> Bool {
    func isWord(_ character: Character?) -> Bool {
      character.map { $0.isLetter || $0.isNumber } ?? false
    }
    return switch character {
    case "`", "[": true
    case "]": isInLink
    case "\\": after.map { $0 == " " || $0.isASCII && ($0.isPunctuation || $0.isSymbol) } ?? true
    case "*": before != " " || after != " "
    case "_": !(isWord(before) && isWord(after))
    case "~": before == "~" || after == "~" || before == nil || after == nil
    case "<": after.map { $0.isLetter || "/!?".contains($0) } ?? true
    default: false
    }
  }

  private static func isAddress(_ text: ArraySlice<Character>) -> Bool {
    ["http://", "https://", "www."].contains { text.starts(with: $0) }
  }

  private static func isEntity(_ text: ArraySlice<Character>) -> Bool {
    let name = text.dropFirst().prefix(32).prefix { $0.isLetter || $0.isNumber || $0 == "#" }
    return !name.isEmpty && text.dropFirst(name.count + 1).first == ";"
  }
}
