import Localization

/// Markdown as HTML that can do nothing but be read: only tags and attributes written here appear,
/// every word of the writer is text.
struct HTMLRenderer {
  /// Tells footnotes of several entries on one page apart.
  let prefix: String
  /// Where its links and pictures lead, and how its tags are written.
  let frame: HTMLFrame
  private var html = ""
  /// What closes each open node.
  private var closers: [String] = []
  /// The tables around the walk: alignments, and the cell's place in its row.
  private var alignments: [ColumnAlignment] = []
  private var column = 0
  private var isInHeader = false
  private var isInFootnotes = false
  /// Whether the link that comes is its own address, which paper need not repeat.
  private var isBare = false
  /// The links that an entry has to a footnote, for the way back.
  private var called: [Int: Int] = [:]
  /// Inside a picture's words, which belong into an attribute.
  private var pictureDepth = 0
  private var pictureWords = ""

  /// No browser draws deeper nesting; what lies deeper is kept without its frames.
  private static let deepest = 100

  init(prefix: String, frame: HTMLFrame) {
    self.prefix = prefix
    self.frame = frame
  }

  /// The HTML of a whole text.
  static func html(
    of text: MarkdownText, prefix: String, frame: HTMLFrame
  ) -> String {
    var body = HTMLRenderer(prefix: prefix, frame: frame)
    for (index, event) in text.events.enumerated() {
      if case .link(let target) = event.node, event.isBeginning {
        let next = index + 1 < text.events.count ? text.events[index + 1].node : nil
        body.isBare = if case .text(let words) = next { target.hasSuffix(words) } else { false }
      }
      body.take(event)
    }
    if body.isInFootnotes { body.html += "</ol>\n" }
    return body.html
  }

  private mutating func take(_ event: MarkdownEvent) {
    if pictureDepth > 0 { return takePictureWords(event) }
    guard event.isBeginning else { return close(event.node) }
    switch event.node {
    case .document: open("", "")
    case .quote: open("<blockquote>\n", "</blockquote>\n")
    case .list(let first, _): openList(first)
    case .item(let isDone): openItem(isDone)
    case .paragraph(let isTight): isTight ? open("", "\n") : open("<p>", "</p>\n")
    case .heading(let level):
      let rank = min(level + frame.rank, 6)
      open("<h\(rank)>", "</h\(rank)>\n")
    case .rule: html += "<hr\(frame.closing)>\n"
    case .code(let text, _): html += "<pre><code>" + htmlText(text) + "</code></pre>\n"
    case .html(let text):
      if !isComment(text) { html += "<pre class=\"raw\">" + htmlText(text) + "</pre>\n" }
    case .table(let columns):
      alignments = columns
      open("<div class=\"wide\"><table>\n", "</tbody></table></div>\n")
    case .row(let isHeader):
      (column, isInHeader) = (0, isHeader)
      if isHeader {
        open("<thead><tr>", "</tr></thead>\n<tbody>\n")
      } else {
        open("<tr>", "</tr>\n")
      }
    case .cell: openCell()
    case .footnote(let number): openFootnote(number)
    case .text(let text): html += htmlText(text)
    case .softBreak: html += "\n"
    case .lineBreak: html += "<br\(frame.closing)>\n"
    case .codeSpan(let text): html += "<code>" + htmlText(text) + "</code>"
    case .inlineHTML(let text): if !isComment(text) { html += htmlText(text) }
    case .emphasis: open("<em>", "</em>")
    case .strong: open("<strong>", "</strong>")
    case .strikethrough: open("<del>", "</del>")
    case .link(let target): openLink(target)
    case .image(let target): openPicture(target)
    case .footnoteReference(let number): callFootnote(number)
    }
  }

  /// Every opening has a closing, if only an empty one, for the walk ends each node.
  private mutating func open(_ tag: String, _ closer: String) {
    let isTooDeep = closers.count > HTMLRenderer.deepest
    if !isTooDeep { html += tag }
    closers.append(isTooDeep ? "" : closer)
  }

  private mutating func close(_ node: MarkdownNode) {
    if case .cell = node { column += 1 }
    html += closers.popLast() ?? ""
  }

  private mutating func openList(_ first: Int?) {
    guard let first else { return open("<ul>\n", "</ul>\n") }
    open(first == 1 ? "<ol>\n" : "<ol start=\"\(first)\">\n", "</ol>\n")
  }

  private mutating func openItem(_ isDone: Bool?) {
    guard let isDone else { return open("<li>", "</li>\n") }
    let box =
      "<span class=\"box\" role=\"checkbox\" aria-disabled=\"true\" aria-checked=\"\(isDone)\""
      + " aria-label=\"\(htmlText(localized("task")))\"></span>"
    open("<li class=\"task\">" + box, "</li>\n")
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

  private mutating func openLink(_ target: String) {
    let address: String
    switch LinkTarget(target) {
    case .address(let found):
      guard frame.takes(found) else { return open("", "") }
      address = found
    case .file(let file):
      guard let found = frame.file(file) else { return open("", "") }
      return open("<a href=\"\(htmlText(found))\">", "</a>")
    case .refused: return open("", "")
    }
    let name = isBare ? " class=\"bare\"" : ""
    open("<a\(name) href=\"\(htmlText(address))\" rel=\"noopener noreferrer\">", "</a>")
  }

  private mutating func openFootnote(_ number: Int) {
    if !isInFootnotes { html += "<ol class=\"notes\">\n" }
    isInFootnotes = true
    let back =
      called[number] == nil ? "" : "<a class=\"back\" href=\"#\(prefix)r\(number)\">↩</a>"
    open("<li id=\"\(prefix)n\(number)\">", back + "</li>\n")
  }

  private mutating func callFootnote(_ number: Int) {
    let isFirst = called[number] == nil
    called[number, default: 0] += 1
    let anchor = isFirst ? " id=\"\(prefix)r\(number)\"" : ""
    html += "<sup\(anchor)><a href=\"#\(prefix)n\(number)\">\(number)</a></sup>"
  }

  private mutating func openPicture(_ target: String) {
    pictureDepth = 1
    pictureWords = ""
    closers.append(target)
  }

  private mutating func takePictureWords(_ event: MarkdownEvent) {
    if case .image = event.node { pictureDepth += event.isBeginning ? 1 : -1 }
    if pictureDepth == 0 { return closePicture(closers.popLast() ?? "") }
    pictureWords += MarkdownText.words(of: CollectionOfOne(event))
  }

  private mutating func closePicture(_ target: String) {
    let words = htmlText(pictureWords.isEmpty ? target : pictureWords)
    switch LinkTarget(target) {
    case .address(let address) where frame.takes(address):
      html += "<a href=\"\(htmlText(address))\" rel=\"noopener noreferrer\">\(words)</a>"
    case .file(let file):
      if let address = frame.picture(file) {
        html +=
          "<img alt=\"\(htmlText(pictureWords))\"\(frame.isLazy ? " loading=\"lazy\"" : "")"
          + " src=\"\(htmlText(address))\"\(frame.closing)>"
      } else if let address = frame.file(file) {
        html += "<a href=\"\(htmlText(address))\">\(words)</a>"
      } else {
        html += "<span class=\"missing\">\(words)</span>"
      }
    case .address, .refused: html += "<span class=\"missing\">\(words)</span>"
    }
  }
}
