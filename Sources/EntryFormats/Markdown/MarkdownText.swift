/// The kind of a Markdown node. A list of ``MarkdownEvent`` contains the start and end of each.
enum MarkdownNode: Equatable {
  case document
  case quote
  /// An ordered list has the number of its first item in `first`, a bullet list has `nil`.
  case list(first: Int?, isTight: Bool)
  /// `isDone` is `nil` for an item that is not a task.
  case item(isDone: Bool?)
  case paragraph(isTight: Bool)
  case heading(Int)
  case rule
  case code(String, language: String)
  case html(String)
  case table([ColumnAlignment])
  case row(isHeader: Bool)
  case cell
  /// A footnote, numbered from 1 in the order of the references.
  case footnote(Int)
  case text(String)
  case softBreak
  case lineBreak
  case codeSpan(String)
  case inlineHTML(String)
  case emphasis
  case strong
  case strikethrough
  /// `==words==`, as in Obsidian.
  case highlight
  case link(String)
  case image(String)
  case footnoteReference(Int)
}

/// The alignment of a table's column.
enum ColumnAlignment: Equatable {
  case unset
  case left
  case centre
  case right
}

/// One step of the traversal of a text, a flat list: deep nesting cannot exhaust the stack.
struct MarkdownEvent: Equatable {
  let node: MarkdownNode
  /// True at the start of a node, false at the end of a node with children. A leaf only starts.
  let isStart: Bool
  /// The lines of the text, from 1, in which a block begins and ends. Lists and quotes have none.
  var lines: ClosedRange<Int>?
}

/// A parsed Markdown text.
struct MarkdownText {
  var events: [MarkdownEvent]
  /// The first line that is not blank, as it is written.
  private let firstLine: Substring

  /// Parses `text`. Any text is valid.
  init(_ text: String) {
    events = MarkdownParser.events(of: text)
    firstLine = text.drop { $0.isWhitespace }.prefix { !$0.isNewline }
  }

  /// Removes a heading that repeats the title at the top. Returns how the text begins.
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
      // `3. Oktober` is a date and the title, although Markdown reads it as a list.
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

  /// The beginning of a text, for callers that write its title above it.
  enum Opening {
    /// The text began with the title as a heading, which was removed.
    case heading
    /// The first line is the title and was not removed. A title above it would repeat it.
    case line
    case other
  }

  /// Returns the text of inline events without their marks.
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

  /// The whole text without marks, one block per line. Comments are omitted.
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
