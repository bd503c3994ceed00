import DiaryCore
import Foundation
import Localization

/// A book of entries: EPUB 3.2 (https://www.w3.org/publishing/epub32/) with a chapter for each
/// month, oldest first.
package struct EPUBExport: Sendable {
  /// A picture of the book.
  package struct Picture: Sendable {
    /// The picture's file in ``folder``.
    package let name: String
    package let mediaType: String

    package init(name: String, mediaType: String) {
      self.name = name
      self.mediaType = mediaType
    }
  }

  /// The folder of all files except the first two.
  package static let folder = "EPUB/"
  /// The content of the first file, which is not compressed.
  package static let mimetype = "application/epub+zip"
  /// The content of `META-INF/container.xml`, which refers to the package document.
  package static let container = """
    <?xml version="1.0" encoding="UTF-8"?>
    <container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
    <rootfiles>
    <rootfile full-path="EPUB/book.opf" media-type="application/oebps-package+xml"/>
    </rootfiles>
    </container>

    """
  /// The style of the book. The reader's program decides on fonts, sizes and colours.
  package static let style = """
    article + article { margin-top: 3em; }
    header p { margin: 0; font-size: .875em; opacity: .75; }
    h1, h2, h3, h4, h5, h6 { line-height: 1.3; break-after: avoid; }
    article:lang(ko) { word-break: keep-all; }
    img { max-width: 100%; height: auto; }
    table { border-collapse: collapse; }
    th, td { padding: .3em .6em; border-bottom: 1px solid; text-align: start; vertical-align: top; }
    .left { text-align: left; } .centre { text-align: center; } .right { text-align: right; }
    pre { white-space: pre-wrap; }
    blockquote { margin-inline: 1em 0; padding-inline-start: 1em; border-inline-start: 3px solid; }
    .task { list-style: none; }
    .box::before { content: "\\2610\\00A0"; } .box[aria-checked="true"]::before { content: "\\2611\\00A0"; }
    footer { margin-top: 1em; font-size: .875em; opacity: .75; }
    .weather { margin-inline-end: 1em; }

    """
  /// The picture types that every reader of EPUB 3.2 supports, without SVG, which has rules of its
  /// own.
  package static let mediaTypes: Set<String> = ["image/png", "image/jpeg", "image/gif"]

  package let title: String
  package let language: String
  package let chapters: [BookChapter]
  /// The date of the newest entry, for the book's modification date.
  private let newest: EntryDate?
  private let identifier: String
  private let addresses: [EntryPath: String]

  /// - Parameters:
  ///   - entries: oldest first.
  ///   - month: returns a day's month, such as `November 2026`.
  package init(
    _ entries: [EntrySummary], title: String, language: String?, month: (Day) -> String
  ) {
    self.title = title
    self.language = language ?? "und"
    newest = entries.compactMap(\.date).max { $0.instant < $1.instant }
    // Equal entries give equal identifiers.
    let names = entries.map { "\($0.path.text)\n\($0.date?.description ?? "")" }
    let identity = ([title] + names).joined(separator: "\n")
    let digits = Array(contentID(Array(identity.utf8)).lowercased())
    // A UUID with custom content (RFC 9562, version 8).
    identifier =
      String(digits[0..<8]) + "-" + String(digits[8..<12]) + "-8" + String(digits[13..<16]) + "-8"
      + String(digits[17..<20]) + "-" + String(digits[20..<32])
    chapters = BookChapter.chapters(of: entries, month: month)
    addresses = Dictionary(
      uniqueKeysWithValues: chapters.flatMap { chapter in
        chapter.entries.enumerated().map { ($1.path, chapter.name + ".xhtml#e\($0 + 1)") }
      })
  }

  /// Returns the address of an entry in the book.
  package func address(of path: EntryPath) -> String? { addresses[path] }

  /// Returns `book.opf`: the metadata of the book and the list of its files.
  package func package(_ pictures: [Picture]) -> String {
    let files =
      chapters.enumerated().map { index, chapter in
        "<item id=\"c\(index)\" href=\"\(chapter.name).xhtml\" media-type=\"application/xhtml+xml\"/>\n"
      }
      + pictures.enumerated().map { index, picture in
        "<item id=\"p\(index)\" href=\"\(picture.name)\" media-type=\"\(picture.mediaType)\"/>\n"
      }
    let order = chapters.indices.map { "<itemref idref=\"c\($0)\"/>\n" }
    let moment = newest.flatMap { EntryDate(instant: $0.instant, offset: 0) }
    let modified =
      moment.map { String($0.description.prefix(10)) + "T" + clock($0) + "Z" }
      ?? "2000-01-01T00:00:00Z"
    return validXML(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" \
      xml:lang="\(htmlText(language))">
      <metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
      <dc:identifier id="id">urn:uuid:\(identifier)</dc:identifier>
      <dc:title>\(htmlText(terminalLine(title)))</dc:title>
      <dc:language>\(htmlText(language))</dc:language>
      <meta property="dcterms:modified">\(modified)</meta>
      </metadata>
      <manifest>
      <item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
      <item id="style" href="style.css" media-type="text/css"/>
      \(files.joined())</manifest>
      <spine>
      <itemref idref="nav"/>
      \(order.joined())</spine>
      </package>

      """)
  }

  /// Returns `nav.xhtml`: the table of contents.
  package func navigationDocument() -> String {
    let lines = chapters.map {
      "<li><a href=\"\($0.name).xhtml\">\(htmlText(terminalLine($0.title)))</a></li>\n"
    }
    return validXML(
      start(titled: title, " xmlns:epub=\"http://www.idpf.org/2007/ops\"")
        + "<nav epub:type=\"toc\" id=\"toc\">\n<h1>\(htmlText(terminalLine(title)))</h1>\n<ol>\n"
        + lines.joined() + "</ol>\n</nav>\n</body>\n</html>\n")
  }

  /// Returns a chapter's file. `article` returns the part of each entry.
  package func text(
    of chapter: BookChapter, _ article: (EntrySummary, Int) throws -> String
  ) rethrows -> String {
    var text = start(titled: chapter.title)
    text += "<h1>\(htmlText(terminalLine(chapter.title)))</h1>\n"
    for (index, entry) in chapter.entries.enumerated() { text += try article(entry, index) }
    return validXML(text + "</body>\n</html>\n")
  }

  private func start(titled title: String, _ attributes: String = "") -> String {
    let tag = htmlText(language)
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE html>
      <html xmlns="http://www.w3.org/1999/xhtml"\(attributes) xml:lang="\(tag)" lang="\(tag)">
      <head>
      <title>\(htmlText(terminalLine(title)))</title>
      <link rel="stylesheet" type="text/css" href="style.css"/>
      </head>
      <body>

      """
  }

  private func clock(_ date: EntryDate) -> String {
    date.seconds == nil ? "00:00:00" : String(date.description.dropFirst(11).prefix(8))
  }

  /// Returns the text without the two characters that UTF-8 allows and XML 1.0 does not. Control
  /// characters are already written as escapes.
  private func validXML(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { $0.value & 0xFFFE == 0xFFFE && $0.value < 0x10000 })
    else { return text }
    var kept = String.UnicodeScalarView()
    kept.append(contentsOf: text.unicodeScalars.filter { $0.value & 0xFFFE != 0xFFFE })
    return String(kept)
  }
}
