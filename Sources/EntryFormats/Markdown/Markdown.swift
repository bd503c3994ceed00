/// What a piece of Markdown is; a list of ``MarkdownEvent`` says where each begins and ends.
enum MarkdownNode: Equatable {
  case document
  case quote
  /// `first` is the number of an ordered list's first item, `nil` for bullets.
  case list(first: Int?, isTight: Bool)
  /// `isDone` is `nil` for an item that is no task.
  case item(isDone: Bool?)
  case paragraph(isTight: Bool)
  case heading(Int)
  case rule
  case code(String, language: String)
  case html(String)
  case table([ColumnAlignment])
  case row(isHeader: Bool)
  case cell
  /// Numbered from 1 in the order of the references.
  case footnote(Int)
  case text(String)
  case softBreak
  case lineBreak
  case codeSpan(String)
  case inlineHTML(String)
  case emphasis
  case strong
  case strikethrough
  case link(String)
  case image(String)
  case footnoteReference(Int)
}

/// How a table's column is set.
enum ColumnAlignment: Equatable {
  case unset
  case left
  case centre
  case right
}

/// A step on the walk through a text: a flat list, so that no depth of nesting can exhaust a stack.
struct MarkdownEvent: Equatable {
  let node: MarkdownNode
  /// False when a node that holds others ends; a node that holds none only begins.
  let isStart: Bool
}

/// A text that was read.
struct MarkdownText {
  var events: [MarkdownEvent]
  /// The first line with anything on it, as it is written.
  private let firstLine: Substring

  /// Reads `text`; any text will do.
  init(_ text: String) {
    events = MarkdownParser.events(of: text)
    firstLine = text.drop { $0.isWhitespace }.prefix { !$0.isNewline }
  }

  /// Takes away what repeats the title at the top; answers what the text begins with.
  mutating func removeHeading(titled title: String) -> Opening {
    guard events.count > 2 else { return .other }
    let opening = events[1].node
    guard let end = events.firstIndex(where: { $0.node == opening && !$0.isStart }) else {
      return .other
    }
    let text = MarkdownText.inlineText(of: events[2..<end])
    switch opening {
    case .heading
    where MarkdownText.collapsedWhitespace(text) == MarkdownText.collapsedWhitespace(title):
      events.removeSubrange(1...end)
      return .heading
    case .paragraph:
      let line = text.prefix { !$0.isNewline }
      return MarkdownText.collapsedWhitespace(line) == MarkdownText.collapsedWhitespace(title)
        ? .line : .other
    case .list:
      // `3. Oktober` is a date and the title, whatever Markdown takes it for.
      let isTitle = [firstLine, Substring(firstParagraph.prefix { !$0.isNewline })]
        .contains {
          MarkdownText.collapsedWhitespace($0) == MarkdownText.collapsedWhitespace(title)
        }
      return isTitle ? .line : .other
    default: return .other
    }
  }

  private var firstParagraph: String {
    let isEdge = { (event: MarkdownEvent) in
      if case .paragraph = event.node { true } else { false }
    }
    guard let start = events.firstIndex(where: isEdge) else { return "" }
    return MarkdownText.inlineText(of: events[(start + 1)...].prefix { !isEdge($0) })
  }

  /// How a text begins, for whoever wants to set its title above it.
  enum Opening {
    /// With the title as a heading, which has been taken away.
    case heading
    /// With the title as its first line, which stays: a title above it would say it twice.
    case line
    case other
  }

  /// The words of inline events without their marks.
  static func inlineText(of events: some Sequence<MarkdownEvent>) -> String {
    var words = ""
    for event in events {
      switch event.node {
      case .text(let text), .codeSpan(let text), .inlineHTML(let text): words += text
      case .softBreak, .lineBreak: words += "\n"
      default: break
      }
    }
    return words
  }

  /// All words without their marks, a block a line; what is not shown to a reader is left out.
  var textWithoutMarks: String {
    var words = ""
    for event in events {
      switch event.node {
      case .text(let text), .codeSpan(let text): words += text
      case .code(let text, _),
        .html(let text) where !isComment(text):
        words += text + "\n"
      case .inlineHTML(let text) where !isComment(text): words += text
      case .softBreak, .lineBreak: words += " "
      case .paragraph, .heading, .row, .item: if !event.isStart { words += "\n" }
      case .cell: if !event.isStart { words += " " }
      default: break
      }
    }
    return words
  }

  private static func collapsedWhitespace(_ text: some StringProtocol) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
