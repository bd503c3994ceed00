import CHTML
import DiaryCore
import Foundation
import Localization

/// HTML as Markdown: headings, paragraphs, emphasis, lists, links, pictures, quotations, code,
/// tables and rules. libxml2 parses invalid HTML like a browser. Scripts, styles and pure layout are
/// omitted. Text is escaped where Markdown would read it as markup.
final class HTMLMarkdown {
  /// An element with a start tag, until its end tag.
  private struct Element {
    enum Effect { case none, block, mark, code, heading, link(String), pre }

    let name: String
    var effect = Effect.none
    /// True if its text and its elements are omitted.
    var isOmitted = false
    /// True if its text is collected in ``classTexts`` and not written.
    var isSeparate = false
    /// ``contentCount`` at its start.
    var contentStart = 0
  }

  /// A block that has started. Its content is in `blocks`, and in `line` since the last of them.
  private struct OpenBlock {
    enum Kind {
      case body, quote, item, pre, heading(Int), list(first: Int?), table, cell(columns: Int)
    }

    let kind: Kind
    var blocks: [HTMLBlock] = []
    var line = HTMLInline()
    /// The cells of each row of a table.
    var rows: [[[HTMLBlock]]] = []
    /// The text of a code block.
    var code = ""
    var language = ""
  }

  private var elements: [Element] = []
  private var open = [OpenBlock(kind: .body)]
  /// The open marks and links.
  private var marks: [HTMLInline.Mark] = []
  private var codeDepth = 0
  /// The number of open elements whose text is omitted.
  private var omittedDepth = 0
  /// The texts of elements with a separate class, with the class's name, in order.
  private(set) var classTexts: [(name: String, text: String)] = []
  /// The positions in ``classTexts`` of the open elements with a separate class.
  private var openClassTexts: [Int] = []
  /// The addresses of pictures, videos and audio files.
  private(set) var media: [String] = []
  /// The elements of the HTML, counted without regard to what is written for them.
  private(set) var structure = TextStructure()
  /// The number of words and pictures.
  private var contentCount = 0
  private var linkWords = ""
  private var isRowCounted = false
  private let isSeparateClass: (String) -> Bool

  /// The maximum depth of quotations and of lists. Deeper ones are written at this depth.
  private static let maxDepth = 20
  /// The elements that start and end a paragraph.
  private static let blocks: Set<String> = [
    "address", "article", "aside", "blockquote", "caption", "center", "dd", "details", "div", "dl",
    "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
    "header", "hr", "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "td",
    "th", "tr", "ul",
  ]
  private static let omitted: Set<String> = ["head", "script", "style", "template", "title"]

  private init(_ isSeparateClass: @escaping (String) -> Bool) {
    self.isSeparateClass = isSeparateClass
  }

  static func parse(
    _ html: String, isSeparateClass: @escaping (String) -> Bool = { _ in false }
  ) throws(ImportError) -> HTMLMarkdown {
    let writer = HTMLMarkdown(isSeparateClass)
    var bytes = Array(html.utf8)
    bytes.removeAll { $0 == 0 }
    guard bytes.count < Int(Int32.max) else {
      throw ImportError(line: 1, localized("a text of HTML is too long"))
    }
    let context = Unmanaged.passUnretained(writer).toOpaque()
    let code = bytes.withUnsafeBufferPointer { buffer in
      buffer.withMemoryRebound(to: CChar.self) { chars in
        diary_html_parse(
          chars.baseAddress, Int32(chars.count), context,
          { context, name, attributes in
            HTMLMarkdown.instance(context)?.start(name, attributes)
          }, { context, name in HTMLMarkdown.instance(context)?.end(name) },
          { context, text, length in HTMLMarkdown.instance(context)?.text(text, length) })
      }
    }
    guard code == 0 else {
      throw ImportError(line: 1, localized("HTML cannot be read: libxml2 is not installed"))
    }
    while writer.open.count > 1 { writer.endBlock() }
    writer.endLine()
    return writer
  }

  private static func instance(_ context: UnsafeMutableRawPointer?) -> HTMLMarkdown? {
    context.map { Unmanaged<HTMLMarkdown>.fromOpaque($0).takeUnretainedValue() }
  }

  /// The Markdown, without blank lines at its start and end.
  var markdown: String { HTMLBlock.lines(of: open[0].blocks).joined(separator: "\n") }

  // MARK: - Events

  private func start(
    _ name: UnsafePointer<CChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) {
    guard let name else { return }
    var element = Element(name: String(cString: name))
    let attributes = Self.dictionary(attributes)
    let isBlock = Self.blocks.contains(element.name)
    if isBlock { separate() }
    let names = (attributes["class"] ?? "").split(separator: " ").map(String.init)
    if let separateName = names.first(where: isSeparateClass) {
      classTexts.append((separateName, ""))
      openClassTexts.append(classTexts.count - 1)
      element.isSeparate = true
      omittedDepth += 1
    }
    if Self.omitted.contains(element.name) {
      element.isOmitted = true
      omittedDepth += 1
    }
    element.contentStart = contentCount
    if omittedDepth > 0 {
      if element.name == "br" { separate() }
      if ["img", "video", "audio"].contains(element.name) { addMedia(attributes) }
    } else {
      element.effect = effect(of: element.name, attributes)
    }
    elements.append(element)
  }

  private func end(_ name: UnsafePointer<CChar>?) {
    guard let name, let element = elements.last, element.name == String(cString: name) else {
      return
    }
    elements.removeLast()
    let hasContent = contentCount > element.contentStart
    switch element.effect {
    case .none: break
    case .block: endBlock()
    case .heading:
      if hasContent { structure.headings += 1 }
      endBlock()
    case .pre:
      if hasContent { structure.codeBlocks += 1 }
      endBlock()
    case .code: codeDepth -= 1
    case .mark: closeMark()
    case .link(let address):
      // Markdown makes a link of an address by itself.
      if hasContent, withSingleBlanks(linkWords) != address { structure.links += 1 }
      closeMark()
    }
    if element.isSeparate {
      omittedDepth -= 1
      openClassTexts.removeLast()
    }
    if element.isOmitted { omittedDepth -= 1 }
    if Self.blocks.contains(element.name) { separate() }
  }

  private func text(_ bytes: UnsafePointer<CChar>?, _ length: Int32) {
    guard let bytes, length > 0 else { return }
    let raw = UnsafeRawBufferPointer(start: bytes, count: Int(length))
    let text = String(decoding: raw, as: UTF8.self)
    if omittedDepth > 0 {
      if let position = openClassTexts.last { classTexts[position].text += text }
      return
    }
    if text.contains(where: { !$0.isBlank }) { contentCount += 1 }
    if marks.contains(where: \.isLink) { linkWords += text }
    if isInCodeBlock {
      open[open.count - 1].code += text
    } else {
      open[open.count - 1].line.append(text, isCode: codeDepth > 0, in: marks)
    }
  }

  // MARK: - Elements

  private func effect(of name: String, _ attributes: [String: String]) -> Element.Effect {
    switch name {
    case "li": structure.items += 1
    case "tr": isRowCounted = false
    case "td", "th":
      if !isRowCounted { structure.rows += 1 }
      isRowCounted = true
    case "br": breakLine()
    case "img", "video", "audio", "source":
      if addMedia(attributes), let source = attributes["src"] {
        structure.pictures += 1
        contentCount += 1
        // The bytes of an address of data are no file.
        if !source.hasPrefix("data:") {
          append(.picture(withSingleBlanks(attributes["alt"] ?? ""), markdownTarget(source)))
        }
      }
    case "input" where attributes["type"] == "checkbox":
      append(.checkbox(attributes["checked"] != nil))
    case "code", "tt", "kbd", "samp":
      if name == "code", isInCodeBlock { setLanguage(attributes) }
      codeDepth += 1
      return .code
    case "a":
      guard let target = attributes["href"], !target.isEmpty, !target.hasPrefix("#"),
        !marks.contains(where: \.isLink)
      else { return .none }
      linkWords = ""
      openMark(.link(markdownTarget(target)))
      return .link(target)
    case "b", "strong": return emphasis("**")
    case "i", "em": return emphasis("*")
    case "s", "strike", "del": return emphasis("~~")
    default: break
    }
    return startBlock(name, attributes)
  }

  private func emphasis(_ sign: String) -> Element.Effect {
    let mark = HTMLInline.Mark.emphasis(sign)
    guard !isInCodeBlock, !marks.contains(mark) else { return .none }
    openMark(mark)
    return .mark
  }

  /// Starts the block of an element, unless it is nested too deeply.
  private func startBlock(_ name: String, _ attributes: [String: String]) -> Element.Effect {
    guard !isInCodeBlock else { return .none }
    let kind: OpenBlock.Kind
    switch name {
    case "blockquote": kind = .quote
    case "ul": kind = .list(first: nil)
    case "ol": kind = .list(first: attributes["start"].flatMap { Int($0) } ?? 1)
    case "li": kind = .item
    case "pre": kind = .pre
    case "h1", "h2", "h3", "h4", "h5", "h6":
      kind = .heading(Int(String(name.last ?? "1")) ?? 1)
    case "table": kind = .table
    case "tr":
      if case .table = open[open.count - 1].kind { open[open.count - 1].rows.append([]) }
      return .none
    case "td", "th":
      guard case .table = open[open.count - 1].kind else { return .none }
      kind = .cell(columns: min(max(1, attributes["colspan"].flatMap { Int($0) } ?? 1), 50))
    case "hr":
      open[open.count - 1].blocks.append(.lines(["---"]))
      return .none
    default: return .none
    }
    guard mayStart(kind) else { return .none }
    open.append(OpenBlock(kind: kind))
    if name == "pre" { setLanguage(attributes) }
    return name == "pre" ? .pre : name.hasPrefix("h") ? .heading : .block
  }

  private func mayStart(_ kind: OpenBlock.Kind) -> Bool {
    let (quotes, lists) = open.reduce(into: (0, 0)) { depths, block in
      if case .quote = block.kind { depths.0 += 1 }
      if case .list = block.kind { depths.1 += 1 }
    }
    return switch kind {
    case .quote: quotes < Self.maxDepth
    case .list: lists < Self.maxDepth
    // Each of them is a part of a block that is counted above, except nested tables.
    default: open.count < 5 * Self.maxDepth
    }
  }

  /// Ends the innermost block.
  private func endBlock() {
    endLine()
    let block = open.removeLast()
    func add(_ blocks: [HTMLBlock]) { open[open.count - 1].blocks += blocks }
    switch block.kind {
    case .body: break
    case .quote: if !block.blocks.isEmpty { add([.quote(block.blocks)]) }
    case .item: add([.item(block.blocks)])
    case .list(let first): add(HTMLBlock.list(of: block.blocks, first: first))
    case .heading(let level): add(HTMLBlock.heading(level, block.blocks))
    case .pre: add(HTMLBlock.code(block.code, block.language) + block.blocks)
    case .table: add(block.blocks + HTMLBlock.table(block.rows))
    case .cell(let columns):
      let last = open.count - 1
      if open[last].rows.isEmpty { open[last].rows.append([]) }
      let row = open[last].rows.count - 1
      open[last].rows[row].append(block.blocks)
      for _ in 1..<columns { open[last].rows[row].append([]) }
    }
  }

  private var isInCodeBlock: Bool {
    if case .pre = open[open.count - 1].kind { true } else { false }
  }

  /// Separates what follows from the text before it: by a paragraph, or by a line of code.
  private func separate() {
    if omittedDepth > 0 {
      // The words of a text that is collected in ``classTexts`` stay apart.
      if let position = openClassTexts.last { classTexts[position].text += " " }
    } else if isInCodeBlock {
      let code = open[open.count - 1].code
      if !code.isEmpty, !code.hasSuffix("\n") { open[open.count - 1].code += "\n" }
    } else {
      endLine()
    }
  }

  private func breakLine() {
    if isInCodeBlock {
      open[open.count - 1].code += "\n"
    } else if open[open.count - 1].line.endsWithBreak {
      endLine()
    } else {
      append(.lineBreak)
    }
  }

  /// Makes a paragraph of the text since the last block.
  private func endLine() {
    let last = open.count - 1
    let lines = open[last].line.lines(closing: marks)
    open[last].line = HTMLInline()
    if !lines.isEmpty { open[last].blocks.append(.paragraph(lines)) }
  }

  private func append(_ token: HTMLInline.Token) {
    open[open.count - 1].line.append(token, in: marks)
  }

  private func openMark(_ mark: HTMLInline.Mark) {
    open[open.count - 1].line.open(mark)
    marks.append(mark)
  }

  private func closeMark() {
    if let mark = marks.popLast() { open[open.count - 1].line.close(mark) }
  }

  @discardableResult private func addMedia(_ attributes: [String: String]) -> Bool {
    guard let source = attributes["src"], !source.isEmpty else { return false }
    media.append(source)
    return true
  }

  private func setLanguage(_ attributes: [String: String]) {
    let names = (attributes["class"] ?? "").split(separator: " ")
    guard let name = names.first(where: { $0.hasPrefix("language-") }) else { return }
    open[open.count - 1].language = String(name.dropFirst(9).filter { $0 != "`" })
  }

  private static func dictionary(
    _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) -> [String: String] {
    guard var next = attributes else { return [:] }
    var read: [String: String] = [:]
    while let name = next.pointee {
      next += 1
      read[String(cString: name)] = next.pointee.map { String(cString: $0) } ?? ""
      next += 1
    }
    return read
  }
}

/// Returns an address as the target of a link in Markdown.
func markdownTarget(_ address: String) -> String {
  let printable = trimmed(address).utf8.filter { $0 > 0x1F && $0 != 0x7F }
  let encoded = percentEncoded(printable) { !" ()<>\\`|".utf8.contains($0) }
  return String(decoding: encoded, as: UTF8.self)
}
