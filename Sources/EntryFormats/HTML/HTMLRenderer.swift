import Localization

/// Renders Markdown as inert HTML. Only the tags and attributes written here appear, and all of the
/// user's input is text.
struct HTMLRenderer {
  /// A prefix that distinguishes the footnotes of several entries on one page.
  let prefix: String
  /// The targets of links and pictures, and the form of tags.
  let context: HTMLArticleContext
  private var html = ""
  /// The end tag of each open node.
  private var endTags: [String] = []
  /// The current table: its alignments, and the cell's column.
  private var alignments: [ColumnAlignment] = []
  private var column = 0
  private var isInHeader = false
  private var isInFootnotes = false
  /// True if the next link's text is its own address, which need not be repeated on paper.
  private var isLinkTextAddress = false
  /// The number of references to each footnote, for the links back.
  private var referenceCounts: [Int: Int] = [:]
  /// The nesting depth inside a picture, whose text becomes an attribute.
  private var pictureDepth = 0
  private var pictureText = ""

  /// The deepest nesting that browsers draw. Deeper content is written without its tags.
  private static let maxDepth = 100

  init(prefix: String, context: HTMLArticleContext) {
    self.prefix = prefix
    self.context = context
  }

  /// Returns the HTML of a whole text.
  static func html(
    of text: MarkdownText, prefix: String, context: HTMLArticleContext
  ) -> String {
    var body = HTMLRenderer(prefix: prefix, context: context)
    for (index, event) in text.events.enumerated() {
      if case .link(let target) = event.node, event.isStart {
        let next = index + 1 < text.events.count ? text.events[index + 1].node : nil
        body.isLinkTextAddress =
          if case .text(let words) = next { target.hasSuffix(words) } else { false }
      }
      body.handle(event)
    }
    if body.isInFootnotes { body.html += "</ol>\n" }
    return body.html
  }

  private mutating func handle(_ event: MarkdownEvent) {
    if pictureDepth > 0 { return addPictureText(event) }
    guard event.isStart else { return close(event.node) }
    let lines = linesAttribute(of: event)
    switch event.node {
    case .document: open("", "")
    case .quote: open("<blockquote>\n", "</blockquote>\n")
    case .list(let first, _): openList(first)
    case .item(let isDone): openItem(isDone, lines)
    case .paragraph(let isTight): isTight ? open("", "\n") : open("<p\(lines)>", "</p>\n")
    case .heading(let level):
      let headingLevel = min(level + context.titleLevel, 6)
      open("<h\(headingLevel)\(lines)>", "</h\(headingLevel)>\n")
    case .rule: html += "<hr\(context.emptyTagEnd)>\n"
    case .code(let text, _):
      html += "<pre\(lines)><code>" + htmlText(text) + "</code></pre>\n"
    case .html(let text):
      if !isComment(text) {
        html += "<pre class=\"raw\"\(lines)>" + htmlText(text) + "</pre>\n"
      }
    case .table(let columns):
      alignments = columns
      open("<div class=\"wide\"><table>\n", "</tbody></table></div>\n", levels: 3)
    case .row(let isHeader):
      (column, isInHeader) = (0, isHeader)
      if isHeader {
        open("<thead><tr\(lines)>", "</tr></thead>\n<tbody>\n", levels: 2)
      } else {
        open("<tr\(lines)>", "</tr>\n", levels: 2)
      }
    case .cell: openCell()
    case .footnote(let number): openFootnote(number, lines)
    case .text(let text): html += htmlText(text)
    case .softBreak: html += "\n"
    case .lineBreak: html += "<br\(context.emptyTagEnd)>\n"
    case .codeSpan(let text): html += "<code>" + htmlText(text) + "</code>"
    case .inlineHTML(let text): if !isComment(text) { html += htmlText(text) }
    case .emphasis: open("<em>", "</em>")
    case .strong: open("<strong>", "</strong>")
    case .strikethrough: open("<del>", "</del>")
    case .highlight: open("<mark>", "</mark>")
    case .link(let target): openLink(target)
    case .image(let target): openPicture(target)
    case .footnoteReference(let number): writeFootnoteReference(number)
    }
  }

  /// The attribute with the lines of the text that a block shows.
  private func linesAttribute(of event: MarkdownEvent) -> String {
    guard let lines = event.lines, let shown = context.shownLines?(lines) else { return "" }
    return " data-lines=\"\(shown.lowerBound) \(shown.upperBound)\""
  }

  /// Opens a node. Each one needs an end tag, even an empty one, as the traversal ends each node.
  ///
  /// - Parameter levels: the depth of the node and of the nodes that must be in it. A table without
  ///   its rows, or a list without its items, is not valid.
  private mutating func open(_ tag: String, _ closer: String, levels: Int = 1) {
    let isTooDeep = endTags.count + levels - 1 > HTMLRenderer.maxDepth
    if !isTooDeep { html += tag }
    endTags.append(isTooDeep ? "" : closer)
  }

  private mutating func close(_ node: MarkdownNode) {
    if case .cell = node { column += 1 }
    html += endTags.popLast() ?? ""
  }

  private mutating func openList(_ first: Int?) {
    guard let first else { return open("<ul>\n", "</ul>\n", levels: 2) }
    open(first == 1 ? "<ol>\n" : "<ol start=\"\(first)\">\n", "</ol>\n", levels: 2)
  }

  private mutating func openItem(_ isDone: Bool?, _ lines: String) {
    guard let isDone else { return open("<li\(lines)>", "</li>\n") }
    let box =
      "<span class=\"box\" role=\"checkbox\" aria-disabled=\"true\" aria-checked=\"\(isDone)\""
      + " aria-label=\"\(htmlText(localized("task")))\"></span>"
    open("<li class=\"task\"\(lines)>" + box, "</li>\n")
  }

  private mutating func openCell() {
    let tag = isInHeader ? "th" : "td"
    let side: String =
      switch column < alignments.count ? alignments[column] : .unset {
      case .unset: ""
      case .left: " class=\"left\""
      case .centre: " class=\"centre\""
      case .right: " class=\"right\""
      }
    open("<\(tag)\(side)>", "</\(tag)>")
  }

  /// True inside a link, in which HTML allows no other link.
  private var isInLink: Bool { endTags.contains { $0.hasPrefix("</a>") } }

  private mutating func openLink(_ target: String) {
    let address: String
    switch LinkTarget(target) {
    case .address(let found):
      guard context.allowsAddress(found) else { return open("", "") }
      address = found
    case .file(let file):
      guard let found = context.fileAddress(file) else { return open("", "") }
      return open("<a href=\"\(htmlText(found))\">", "</a>" + player(file, at: found, ""))
    case .refused: return open("", "")
    }
    let name = isLinkTextAddress ? " class=\"bare\"" : ""
    open("<a\(name) href=\"\(htmlText(address))\" rel=\"noopener noreferrer\">", "</a>")
  }

  /// The player for a file, if it is sound or video. Links cannot contain one.
  private func player(_ file: String, at address: String, _ label: String) -> String {
    guard let element = context.player(file), !isInLink else { return "" }
    let name = label.isEmpty ? "" : " aria-label=\"\(label)\""
    return "<\(element) controls preload=\"metadata\"\(name)"
      + " src=\"\(htmlText(address))\"></\(element)>"
  }

  private mutating func openFootnote(_ number: Int, _ lines: String) {
    if !isInFootnotes { html += "<ol class=\"notes\">\n" }
    isInFootnotes = true
    let back =
      referenceCounts[number] == nil ? "" : "<a class=\"back\" href=\"#\(prefix)r\(number)\">↩</a>"
    open("<li id=\"\(prefix)n\(number)\"\(lines)>", back + "</li>\n")
  }

  private mutating func writeFootnoteReference(_ number: Int) {
    let isFirst = referenceCounts[number] == nil
    referenceCounts[number, default: 0] += 1
    let anchor = isFirst ? " id=\"\(prefix)r\(number)\"" : ""
    html +=
      isInLink
      ? "<sup\(anchor)>\(number)</sup>"
      : "<sup\(anchor)><a href=\"#\(prefix)n\(number)\">\(number)</a></sup>"
  }

  private mutating func openPicture(_ target: String) {
    pictureDepth = 1
    pictureText = ""
    endTags.append(target)
  }

  private mutating func addPictureText(_ event: MarkdownEvent) {
    if case .image = event.node { pictureDepth += event.isStart ? 1 : -1 }
    if pictureDepth == 0 { return closePicture(endTags.popLast() ?? "") }
    pictureText += MarkdownText.inlineText(of: CollectionOfOne(event))
  }

  private mutating func closePicture(_ target: String) {
    let text = htmlText(pictureText.isEmpty ? target : pictureText)
    switch LinkTarget(target) {
    case .address(let address) where context.allowsAddress(address) && !isInLink:
      html += "<a href=\"\(htmlText(address))\" rel=\"noopener noreferrer\">\(text)</a>"
    case .file(let file):
      let address = context.fileAddress(file)
      if let address, context.player(file) != nil, !isInLink {
        html += player(file, at: address, text)
      } else if let address = context.pictureAddress(file) {
        html +=
          "<img alt=\"\(htmlText(pictureText))\"\(context.hasLazyPictures ? " loading=\"lazy\"" : "")"
          + " src=\"\(htmlText(address))\"\(context.emptyTagEnd)>"
      } else if let address, !isInLink {
        html += "<a href=\"\(htmlText(address))\">\(text)</a>"
      } else {
        html += "<span class=\"missing\">\(text)</span>"
      }
    case .address(let address) where context.allowsAddress(address): html += text
    case .address, .refused: html += "<span class=\"missing\">\(text)</span>"
    }
  }
}
