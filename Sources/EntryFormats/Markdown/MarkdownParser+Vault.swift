// Marks of Obsidian that are plain text in CommonMark.

extension MarkdownParser {
  /// The events with the first line of each callout, `> [!note] Words`, as strong words. GitHub has
  /// callouts, too.
  static func withCallouts(_ events: [MarkdownEvent]) -> [MarkdownEvent] {
    var result: [MarkdownEvent] = []
    var index = 0
    while index < events.count {
      result.append(events[index])
      index += 1
      guard index > 1, events[index - 2].node == .quote, events[index - 2].isStart,
        case .paragraph = events[index - 1].node
      else { continue }
      let line = events[index...].prefix { event in
        if case .paragraph = event.node {
          false
        } else {
          ![.softBreak, .lineBreak].contains(event.node)
        }
      }
      let words = line.prefix { if case .text = $0.node { true } else { false } }
      guard
        let title = calloutTitle(
          MarkdownText.inlineText(of: words), hasMore: words.count < line.count)
      else { continue }
      // Emphasis that goes on in the next line cannot end within the title.
      let edges = line.filter { !isLeaf($0.node) }
      guard edges.count(where: \.isStart) * 2 == edges.count else { continue }
      result.append(MarkdownEvent(node: .strong, isStart: true))
      if !title.isEmpty { result.append(MarkdownEvent(node: .text(title), isStart: true)) }
      result += line[words.endIndex...]
      result.append(MarkdownEvent(node: .strong, isStart: false))
      index = line.endIndex
      if index < events.count, events[index].node == .softBreak {
        result.append(MarkdownEvent(node: .lineBreak, isStart: true))
        index += 1
      }
    }
    return result
  }

  /// The title of a callout whose first line begins with `text`; without one, its kind.
  private static func calloutTitle(_ text: String, hasMore: Bool) -> String? {
    guard text.hasPrefix("[!"), let end = text.firstIndex(of: "]") else { return nil }
    let kind = text[..<end].dropFirst(2)
    guard !kind.isEmpty, kind.allSatisfy({ $0.isLetter || $0 == "-" }) else { return nil }
    var title = text[end...].dropFirst()
    if title.first == "+" || title.first == "-" { title.removeFirst() }
    title = title.drop(while: \.isWhitespace)
    return title.isEmpty && !hasMore
      ? kind.prefix(1).uppercased() + kind.dropFirst() : String(title)
  }

  /// The events with `==words==` as highlights. As with `**`, no blank follows the first mark or
  /// precedes the second, and both are in the same element.
  static func withHighlights(_ events: [MarkdownEvent]) -> [MarkdownEvent] {
    let parts = events.flatMap { event in
      guard case .text(let text) = event.node, text.contains("==") else { return [event] }
      return pieces(of: text).map { MarkdownEvent(node: .text($0), isStart: true) }
    }
    guard parts.count > events.count || parts.contains(mark) else { return events }
    var result = parts
    /// In each open element, the place of a mark that may begin a highlight.
    var open: [Int?] = [nil]
    for (index, event) in parts.enumerated() {
      if event == mark {
        let last = open.count - 1
        if let begin = open[last], index > begin + 1, isWord(parts[index - 1], atEnd: true) {
          result[begin] = MarkdownEvent(node: .highlight, isStart: true)
          result[index] = MarkdownEvent(node: .highlight, isStart: false)
          open[last] = nil
        } else if index + 1 < parts.count, isWord(parts[index + 1], atEnd: false) {
          open[last] = index
        }
      } else if !isLeaf(event.node) {
        if event.isStart { open.append(nil) } else { open.removeLast() }
      }
    }
    return result
  }

  private static let mark = MarkdownEvent(node: .text("=="), isStart: true)

  /// True for an inline element, and for a text without a blank at that end; not for the edge of a
  /// block or a line.
  private static func isWord(_ event: MarkdownEvent, atEnd: Bool) -> Bool {
    switch event.node {
    case .text(let text): (atEnd ? text.last : text.first).map { !$0.isWhitespace } ?? false
    case .codeSpan, .emphasis, .strong, .strikethrough, .link, .image: true
    default: false
    }
  }

  /// A text split around each `==` that is not part of a longer row of signs.
  private static func pieces(of text: String) -> [String] {
    var pieces: [String] = []
    var plain = ""
    var remaining = text[...]
    while let character = remaining.first {
      let run = remaining.prefix { $0 == character }
      if character == "=", run.count == 2 {
        if !plain.isEmpty { pieces.append(plain) }
        pieces.append("==")
        plain = ""
      } else {
        plain += run
      }
      remaining = remaining[run.endIndex...]
    }
    if !plain.isEmpty { pieces.append(plain) }
    return pieces
  }
}
