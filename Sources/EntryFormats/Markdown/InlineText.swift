import DiaryCore

/// Collects the content of a block as styled texts.
struct InlineText {
  var isStyled = false
  private var texts: [StyledText] = []
  private var styles: [TextStyle] = [[]]
  /// The target of each open link or picture, and the number of texts before it.
  private var targets: [(target: String, start: Int)] = []

  private var style: TextStyle { styles[styles.count - 1] }

  mutating func push(_ style: TextStyle) { styles.append(self.style.union(style)) }
  mutating func pop() { if styles.count > 1 { styles.removeLast() } }

  /// Returns the collected texts and starts a new block.
  mutating func drain() -> [StyledText] {
    defer { texts = [] }
    return texts
  }

  /// Adds an event. Returns `false` if it is not inline content.
  mutating func handle(_ event: MarkdownEvent) -> Bool {
    switch event.node {
    case .text(let text): add(text)
    case .softBreak: texts.append(StyledText(text: " ", style: style))
    case .lineBreak: texts.append(StyledText(text: "\n", style: []))
    case .codeSpan(let text): add(isStyled ? text : "`\(text)`", .code)
    case .inlineHTML(let text): if !isComment(text) { add(text, .dim) }
    case .footnoteReference(let number): add("[\(number)]", .dim)
    case .emphasis: mark(event, .italic, plain: "")
    case .strong: mark(event, .bold, plain: "")
    case .strikethrough: mark(event, .strikethrough, plain: "~")
    case .highlight: mark(event, .highlight, plain: "==")
    case .link(let target): link(event, to: target)
    case .image(let target): picture(event, at: target)
    default: return false
    }
    return true
  }

  private mutating func add(_ text: String, _ style: TextStyle = []) {
    let safe = String(terminalText(text).map { $0.isNewline || $0 == "\t" ? " " : $0 })
    if !safe.isEmpty { texts.append(StyledText(text: safe, style: self.style.union(style))) }
  }

  private mutating func mark(_ event: MarkdownEvent, _ style: TextStyle, plain: String) {
    if !isStyled, !plain.isEmpty { add(plain) }
    event.isStart ? push(style) : pop()
  }

  private mutating func link(_ event: MarkdownEvent, to target: String) {
    if event.isStart {
      targets.append((target, texts.count))
      return push(.underline)
    }
    pop()
    guard let open = targets.popLast() else { return }
    let text = texts[open.start...].map(\.text).joined()
    // An address that is also the text of its link is not repeated.
    let address = target.hasPrefix("mailto:") ? String(target.dropFirst(7)) : target
    if address.isEmpty || terminalText(address) == text || target.hasSuffix("//" + text) {
      return
    }
    add(" (", .dim)
    add(target, .dim)
    add(")", .dim)
  }

  private mutating func picture(_ event: MarkdownEvent, at target: String) {
    if event.isStart {
      targets.append((target, texts.count))
      return add("[", .dim)
    }
    guard let open = targets.popLast() else { return }
    if texts.count == open.start + 1 {
      add(target)
      return add("]", .dim)
    }
    add("] (", .dim)
    add(target, .dim)
    add(")", .dim)
  }
}
