import CHTML
import DiaryCore
import Foundation
import Localization

/// Returns HTML as Markdown: headings, paragraphs, emphasis, lists, links, pictures, quotations,
/// code, tables and rules. libxml2 parses invalid HTML like a browser. Scripts, styles and pure
/// layout are omitted.
func markdown(html: String) throws(ImportError) -> String {
  try HTMLMarkdown.parse(html).markdown
}

/// Writes Markdown while libxml2 parses HTML.
final class HTMLMarkdown {
  /// An open element.
  struct Element {
    let name: String
    let attributes: [String: String]
    /// The text that is written at the element's end.
    var end = ""
    /// The length of ``result`` after the mark at the element's start.
    var contentStart = 0
    /// True if its text is collected in ``classTexts`` and not written.
    var isSeparate = false
  }

  private(set) var result = ""
  private(set) var openElements: [Element] = []
  /// The number of open elements whose text is omitted.
  private var omittedDepth = 0
  private var preDepth = 0
  private var lists: [(isOrdered: Bool, count: Int)] = []
  private var quoteDepth = 0
  private var needsBlank = false
  private var rowCount = 0
  /// The texts of elements with a separate class, with the class's name, in order.
  private(set) var classTexts: [(name: String, text: String)] = []
  /// The positions in ``classTexts`` of the open elements with a separate class.
  private var openClassTexts: [Int] = []
  /// The addresses of pictures, videos and audio files.
  private(set) var media: [String] = []
  /// Returns whether texts of this class are collected separately and omitted from the Markdown.
  var isSeparateClass: (String) -> Bool = { _ in false }

  /// The maximum depth of quotations and lists. Deeper ones are written at this depth.
  private static let maxDepth = 20
  /// The elements that start and end a paragraph.
  private static let blocks: Set<String> = [
    "address", "article", "aside", "blockquote", "caption", "center", "dd", "details", "div", "dl",
    "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
    "header", "main", "nav", "p", "pre", "section", "summary", "table",
  ]

  static func parse(
    _ html: String, isSeparateClass: @escaping (String) -> Bool = { _ in false }
  ) throws(ImportError) -> HTMLMarkdown {
    let writer = HTMLMarkdown()
    writer.isSeparateClass = isSeparateClass
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
    return writer
  }

  private static func instance(_ context: UnsafeMutableRawPointer?) -> HTMLMarkdown? {
    context.map { Unmanaged<HTMLMarkdown>.fromOpaque($0).takeUnretainedValue() }
  }

  /// The Markdown, without blank lines at its start and end and without consecutive blank lines.
  var markdown: String {
    var text = ""
    var blanks = 0
    for line in result.split(separator: "\n", omittingEmptySubsequences: false) {
      let isBlank = line.allSatisfy { $0 == " " || $0 == ">" }
      blanks = isBlank ? blanks + 1 : 0
      if blanks < 2 { text += line + "\n" }
    }
    return text.withoutBlankEdges
  }

  private func start(
    _ name: UnsafePointer<CChar>?, _ attributes: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) {
    guard let name else { return }
    var element = Element(name: String(cString: name), attributes: Self.dictionary(attributes))
    let names = (element.attributes["class"] ?? "").split(separator: " ").map(String.init)
    if names.contains(where: isSeparateClass) {
      classTexts.append((names.first(where: isSeparateClass) ?? "", ""))
      openClassTexts.append(classTexts.count - 1)
      omittedDepth += 1
      element.isSeparate = true
    }
    writeStart(&element)
    openElements.append(element)
  }

  private func writeStart(_ element: inout Element) {
    if Self.blocks.contains(element.name) { startBlock() }
    switch element.name {
    case "head", "script", "style", "title", "template": omittedDepth += 1
    case "ul", "ol":
      startBlock()
      lists.append((element.name == "ol", 0))
    case "table": rowCount = 0
    case "blockquote": quoteDepth += 1
    case "h1", "h2", "h3", "h4", "h5", "h6":
      write(String(repeating: "#", count: Int(String(element.name.last ?? "1")) ?? 1) + " ")
    case "li":
      startLine()
      let depth = min(max(0, lists.count - 1), Self.maxDepth)
      var mark = "- "
      if let list = lists.last, list.isOrdered {
        lists[lists.count - 1].count += 1
        mark = "\(lists[lists.count - 1].count). "
      }
      write(String(repeating: "  ", count: depth) + mark)
    case "br": breakLine()
    case "hr":
      startBlock()
      write("---")
      startBlock()
    case "pre":
      write("```\n")
      preDepth += 1
    case "b", "strong": openEmphasis("**", &element)
    case "i", "em": openEmphasis("*", &element)
    case "s", "strike", "del": openEmphasis("~~", &element)
    case "code", "tt", "kbd": if preDepth == 0 { openEmphasis("`", &element) }
    case "a":
      if let target = element.attributes["href"], !target.isEmpty, !target.hasPrefix("#") {
        write("[")
        element.end = "](" + target.replacing(" ", with: "%20") + ")"
      }
    case "img", "video", "audio", "source":
      guard let source = element.attributes["src"], !source.isEmpty else { break }
      if omittedDepth == 0 || element.name != "source" { media.append(source) }
      if source.hasPrefix("data:") { break }
      let alt = oneLine(element.attributes["alt"] ?? "")
      write("![" + alt + "](" + source.replacing(" ", with: "%20") + ")")
    case "tr": startLine()
    case "td", "th": write("| ")
    case "input":
      if element.attributes["type"] == "checkbox" {
        write(element.attributes["checked"] != nil ? "[x] " : "[ ] ")
      }
    default: break
    }
  }

  private func end(_ name: UnsafePointer<CChar>?) {
    guard let name else { return }
    let text = String(cString: name)
    guard let element = openElements.last, element.name == text else { return }
    openElements.removeLast()
    switch text {
    case "head", "script", "style", "title", "template": omittedDepth -= 1
    case "ul", "ol":
      _ = lists.popLast()
      if lists.isEmpty { startBlock() }
    case "li": startLine()
    case "blockquote": quoteDepth -= 1
    case "pre":
      preDepth -= 1
      needsBlank = false
      startLine()
      write("```")
    case "td", "th": write(" ")
    case "tr":
      write("|")
      rowCount += 1
      if rowCount == 1 {
        let line = result.split(separator: "\n").last ?? ""
        let cells = max(1, line.count { $0 == "|" } - 1)
        write("\n|" + String(repeating: " --- |", count: cells))
      }
      startLine()
    default:
      if !element.end.isEmpty { closeEmphasis(element) }
    }
    if element.isSeparate {
      omittedDepth -= 1
      openClassTexts.removeLast()
    }
    if Self.blocks.contains(text) { startBlock() }
  }

  private func text(_ bytes: UnsafePointer<CChar>?, _ length: Int32) {
    guard let bytes, length > 0 else { return }
    let raw = UnsafeRawBufferPointer(start: bytes, count: Int(length))
    let text = String(decoding: raw, as: UTF8.self)
    if omittedDepth > 0 {
      if let position = openClassTexts.last { classTexts[position].text += text }
      return
    }
    if preDepth > 0 {
      if needsBlank, !result.hasSuffix("\n") { result += "\n" }
      needsBlank = false
      result += text
      return
    }
    var collapsed = ""
    for character in text {
      // A non-breaking space is a part of the word.
      if character.isWhitespace, character != "\u{A0}" {
        if collapsed.last != " " { collapsed.append(" ") }
      } else {
        collapsed.append(character)
      }
    }
    let isAtWordStart =
      result.isEmpty || result.hasSuffix("\n") || result.hasSuffix(" ") || needsBlank
    if isAtWordStart, collapsed.hasPrefix(" ") { collapsed.removeFirst() }
    guard !collapsed.isEmpty else { return }
    write(collapsed)
  }

  // MARK: - Writing

  private func write(_ text: String) {
    guard omittedDepth == 0 else { return }
    if needsBlank {
      needsBlank = false
      trimLine()
      if !result.isEmpty { result += result.hasSuffix("\n") ? "\n" : "\n\n" }
    }
    if quoteDepth > 0, result.isEmpty || result.hasSuffix("\n") {
      result += String(repeating: "> ", count: min(quoteDepth, Self.maxDepth))
    }
    result += text
  }

  /// Starts a block before the following text.
  private func startBlock() {
    guard omittedDepth == 0 else { return endSeparateWord() }
    if result.isEmpty { return }
    if let last = openElements.last, last.name == "li",
      result.hasSuffix("- ") || result.hasSuffix(". ")
    {
      return
    }
    needsBlank = true
  }

  /// Starts a line before the following text.
  private func startLine() {
    guard omittedDepth == 0 else { return endSeparateWord() }
    if needsBlank, lists.count < 2, rowCount == 0 { return }
    needsBlank = false
    trimLine()
    if !result.isEmpty, !result.hasSuffix("\n") { result += "\n" }
  }

  private func breakLine() {
    guard omittedDepth == 0 else { return endSeparateWord() }
    guard !needsBlank, !result.isEmpty else { return }
    trimLine()
    result += preDepth > 0 ? "\n" : "  \n"
  }

  /// Separates two words of a text that is collected in ``classTexts``.
  private func endSeparateWord() {
    if let position = openClassTexts.last { classTexts[position].text += " " }
  }

  private func trimLine() { while result.hasSuffix(" ") { result.removeLast() } }

  private func openEmphasis(_ mark: String, _ element: inout Element) {
    write(mark)
    (element.end, element.contentStart) = (mark, result.utf8.count)
  }

  /// Closes a mark before trailing blanks, as Markdown requires. An empty pair is removed.
  private func closeEmphasis(_ element: Element) {
    guard omittedDepth == 0 else { return }
    let mark = element.end
    if mark.hasPrefix("]") {
      write(mark)
      return
    }
    var blanks = ""
    while result.hasSuffix(" ") {
      result.removeLast()
      blanks += " "
    }
    if result.utf8.count == element.contentStart {
      result.removeLast(mark.count)
    } else {
      result += mark
    }
    result += blanks
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
