import CMark
import DiaryCore

/// Parses Markdown with cmark-gfm. The result is a flat list of values, and every C node is freed
/// before the call returns.
enum MarkdownParser {
  private static let extensions = ["table", "strikethrough", "autolink", "tasklist"]

  static func events(of text: String) -> [MarkdownEvent] {
    let text = withVisibleFootnotes(text)
    let options = CMARK_OPT_FOOTNOTES | CMARK_OPT_STRIKETHROUGH_DOUBLE_TILDE
    guard
      let document = MarkdownDocument.parse(
        Array(text.utf8), extensions: extensions, options: options)
    else { return [] }
    defer { cmark_node_free(document) }
    return withHighlights(withCallouts(walk(document)))
  }

  /// Returns the text with a backslash before each footnote that the library would leave out: one
  /// without a reference, and the second one of a name.
  private static func withVisibleFootnotes(_ text: String) -> String {
    // Every text that is shown comes here, and hardly any has footnotes.
    guard text.utf8.contains(UInt8(ascii: "^")) else { return text }
    var names: [String: Int] = [:]
    for part in text.split(separator: "[^", omittingEmptySubsequences: false).dropFirst() {
      names[part.prefix { $0 != "]" }.lowercased(), default: 0] += 1
    }
    guard !names.isEmpty else { return text }
    var lines = text.split(omittingEmptySubsequences: false) { ["\n", "\r\n", "\r"].contains($0) }
    var definitions: [(line: Int, name: String)] = []
    for (index, line) in lines.enumerated() {
      let bare = line.drop { $0 == " " }
      guard bare.hasPrefix("[^"), line.count - bare.count < 4,
        let end = bare.firstIndex(of: "]"), bare[end...].hasPrefix("]:")
      else { continue }
      definitions.append((index, bare[..<end].dropFirst(2).lowercased()))
    }
    guard !definitions.isEmpty else { return text }
    let literal = literalLines(of: text)
    definitions.removeAll { literal.contains($0.line) }
    let counts = Dictionary(grouping: definitions, by: \.name).mapValues(\.count)
    var seen: Set<String> = []
    for (line, name) in definitions
    where !seen.insert(name).inserted || names[name] == counts[name] {
      lines[line] = Substring(lines[line].replacing("[^", with: "\\[^", maxReplacements: 1))
    }
    return lines.joined(separator: "\n")
  }

  /// The lines, from 0, of blocks of code or HTML.
  private static func literalLines(of text: String) -> Set<Int> {
    var lines: Set<Int> = []
    guard let document = MarkdownDocument.parse(Array(text.utf8), extensions: extensions) else {
      return lines
    }
    defer { cmark_node_free(document) }
    guard let steps = cmark_iter_new(document) else { return lines }
    defer { cmark_iter_free(steps) }
    while cmark_iter_next(steps) != CMARK_EVENT_DONE {
      guard let node = cmark_iter_get_node(steps),
        [CMARK_NODE_CODE_BLOCK, CMARK_NODE_HTML_BLOCK].contains(cmark_node_get_type(node))
      else { continue }
      // The library's last line of a block is not always its own.
      let first = Int(cmark_node_get_start_line(node)) - 1
      var (length, offset, character) = (CInt(0), CInt(0), CChar(0))
      let isFenced = cmark_node_get_fenced(node, &length, &offset, &character) != 0
      let count = literal(node).utf8.count { $0 == UInt8(ascii: "\n") }
      lines.formUnion(first..<(first + count + (isFenced ? 1 : 0)))
    }
    return lines
  }

  private static func walk(_ document: OpaquePointer) -> [MarkdownEvent] {
    var events: [MarkdownEvent] = []
    guard let steps = cmark_iter_new(document) else { return [] }
    defer { cmark_iter_free(steps) }
    // The end of a node must have the same value as its start.
    var open: [MarkdownNode] = []
    var footnotes = 0
    while true {
      let step = cmark_iter_next(steps)
      guard step != CMARK_EVENT_DONE, let node = cmark_iter_get_node(steps) else { return events }
      // The library ends the reference of a footnote, although it is a leaf.
      if step == CMARK_EVENT_EXIT, cmark_node_get_type(node) == CMARK_NODE_FOOTNOTE_REFERENCE {
        continue
      }
      if step == CMARK_EVENT_EXIT {
        guard let node = open.popLast() else { continue }
        events.append(MarkdownEvent(node: node, isStart: false))
        continue
      }
      let value = value(of: node, &footnotes)
      events.append(MarkdownEvent(node: value, isStart: true, lines: lines(of: node, value)))
      if !isLeaf(value) { open.append(value) }
    }
  }

  private static func lines(
    of node: OpaquePointer, _ value: MarkdownNode
  ) -> ClosedRange<Int>? {
    var (first, last) = (
      Int(cmark_node_get_start_line(node)), Int(cmark_node_get_end_line(node))
    )
    switch value {
    case .row(isHeader: true):
      guard let table = cmark_node_parent(node) else { return nil }
      (first, last) = (headLine(ofTable: table), headLine(ofTable: table))
    case .paragraph:
      // The library gives the lines of text right above a table to the table.
      if first < 1, let table = cmark_node_next(node), isTable(table) {
        (first, last) = (
          Int(cmark_node_get_start_line(table)), headLine(ofTable: table) - 1
        )
      }
    case .item, .heading, .code, .html, .row, .footnote: break
    default: return nil
    }
    return first < 1 ? nil : first...max(first, last)
  }

  private static func isTable(_ node: OpaquePointer) -> Bool {
    cmark_node_get_type_string(node).map { String(cString: $0) } == "table"
  }

  /// The line of a table's head, two lines above its first row.
  private static func headLine(ofTable table: OpaquePointer) -> Int {
    let row = cmark_node_first_child(table).flatMap { cmark_node_next($0) }
    return row.map { Int(cmark_node_get_start_line($0)) - 2 }
      ?? Int(cmark_node_get_end_line(table)) - 1
  }

  /// Returns whether a node is a leaf. Leaves have no exit event, as the iterator's manual says.
  static func isLeaf(_ node: MarkdownNode) -> Bool {
    switch node {
    case .rule, .code, .html, .text, .softBreak, .lineBreak, .codeSpan, .inlineHTML,
      .footnoteReference:
      true
    default: false
    }
  }

  private static func value(of node: OpaquePointer, _ footnotes: inout Int) -> MarkdownNode {
    switch cmark_node_get_type(node) {
    // These types have no name in the library.
    case CMARK_NODE_FOOTNOTE_DEFINITION:
      footnotes += 1
      return .footnote(footnotes)
    case CMARK_NODE_FOOTNOTE_REFERENCE: return .footnoteReference(Int(literal(node)) ?? 0)
    default: return namedValue(of: node)
    }
  }

  private static func namedValue(of node: OpaquePointer) -> MarkdownNode {
    // The types of the extensions are C variables, which Swift cannot read safely. Their names are
    // constant.
    switch name(of: node) {
    case "document": .document
    case "block_quote": .quote
    case "list": list(node)
    case "item": .item(isDone: nil)
    case "tasklist": .item(isDone: cmark_gfm_extensions_get_tasklist_item_checked(node))
    case "paragraph": .paragraph(isTight: isTight(node))
    case "heading": .heading(Int(cmark_node_get_heading_level(node)))
    case "thematic_break": .rule
    case "code_block":
      .code(
        literal(node),
        language: string(cmark_node_get_fence_info(node)).prefix { !$0.isWhitespace }.description)
    case "html_block": .html(literal(node))
    case "table": table(node)
    case "table_header", "table_row":
      .row(isHeader: cmark_gfm_extensions_get_table_row_is_header(node) != 0)
    case "table_cell": .cell
    case "softbreak": .softBreak
    case "linebreak": .lineBreak
    case "code": .codeSpan(literal(node))
    case "html_inline": inlineHTML(literal(node))
    case "emph": .emphasis
    case "strong": .strong
    case "strikethrough": .strikethrough
    case "link": .link(string(cmark_node_get_url(node)))
    case "image": .image(string(cmark_node_get_url(node)))
    default: .text(literal(node))
    }
  }

  private static func list(_ node: OpaquePointer) -> MarkdownNode {
    let isOrdered = cmark_node_get_list_type(node) == CMARK_ORDERED_LIST
    return .list(
      first: isOrdered ? Int(cmark_node_get_list_start(node)) : nil,
      isTight: cmark_node_get_list_tight(node) != 0)
  }

  private static func isTight(_ paragraph: OpaquePointer) -> Bool {
    guard let parent = cmark_node_parent(paragraph), let list = cmark_node_parent(parent) else {
      return false
    }
    return cmark_node_get_type(list) == CMARK_NODE_LIST && cmark_node_get_list_tight(list) != 0
  }

  private static func table(_ node: OpaquePointer) -> MarkdownNode {
    let count = Int(cmark_gfm_extensions_get_table_columns(node))
    guard let alignments = cmark_gfm_extensions_get_table_alignments(node) else {
      return .table([])
    }
    return .table(
      (0..<count).map { column in
        switch alignments[column] {
        case UInt8(ascii: "l"): .left
        case UInt8(ascii: "c"): .centre
        case UInt8(ascii: "r"): .right
        default: .unset
        }
      })
  }

  /// Returns a line break for `<br>`, the only way to write one inside a table.
  private static func inlineHTML(_ tag: String) -> MarkdownNode {
    let bare = tag.lowercased().filter { !$0.isWhitespace }
    return bare == "<br>" || bare == "<br/>" ? .lineBreak : .inlineHTML(tag)
  }

  private static func name(of node: OpaquePointer) -> String {
    string(cmark_node_get_type_string(node))
  }

  private static func literal(_ node: OpaquePointer) -> String {
    string(cmark_node_get_literal(node))
  }

  private static func string(_ text: UnsafePointer<CChar>?) -> String {
    text.map { String(cString: $0) } ?? ""
  }
}

/// True if raw HTML is only a comment, which is not shown to readers.
func isComment(_ html: String) -> Bool {
  let text = html.drop(while: \.isWhitespace)
  guard text.hasPrefix("<!--") else { return false }
  guard let end = text.firstRange(of: "-->") else { return false }
  return text[end.upperBound...].allSatisfy(\.isWhitespace)
}
