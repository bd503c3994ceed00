import DiaryCore
import Foundation
import Localization

/// A book of entries as one page of HTML for a printer: a cover, and a chapter for each month, whose
/// name is above its pages. It loads nothing, and its policy forbids it.
package struct PrintedBook: Sendable {
  package let chapters: [BookChapter]
  private let title: String
  private let language: String?
  private let anchors: [EntryPath: String]

  /// - Parameters:
  ///   - entries: oldest first.
  ///   - language: a BCP 47 tag; `nil` if unknown.
  ///   - month: returns a day's month, such as `November 2026`.
  package init(
    _ entries: [EntrySummary], title: String, language: String?, month: (Day) -> String
  ) {
    chapters = BookChapter.chapters(of: entries, month: month)
    (self.title, self.language) = (title, language)
    anchors = Dictionary(
      uniqueKeysWithValues: entries.enumerated().map { ($1.path, "e\($0 + 1)") })
  }

  /// The address of an entry in the book.
  package func address(of path: EntryPath) -> String? { anchors[path].map { "#" + $0 } }

  /// The page up to the end of its cover.
  package var start: String {
    let tag = language.map { " lang=\"\(htmlText($0))\"" } ?? ""
    let dated = chapters.filter { $0.entries.first?.day != nil }
    let span = [dated.first, dated.last].compactMap { $0?.title }
    let times = Array(span.prefix(dated.count)).joined(separator: " – ")
    return """
      <!DOCTYPE html>
      <html\(tag)>
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
      style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
      <title>\(htmlText(terminalLine(title)))</title>
      <style>\(pageStyle)\(Self.style)\(chapters.map(Self.style).joined())</style>
      </head>
      <body>
      <main>
      <section class="cover">
      <h1>\(htmlText(terminalLine(title)))</h1>
      <p>\(htmlText(times))</p>
      </section>

      """
  }

  /// A chapter up to its first entry; each ends with ``chapterEnd``.
  package func start(of chapter: BookChapter) -> String {
    "<section class=\"chapter c\(chapter.name)\">\n<h1>\(htmlText(terminalLine(chapter.title)))</h1>\n"
  }

  package static let chapterEnd = "</section>\n"

  /// An entry of the book.
  package func article(of entry: ExportEntry, in context: HTMLArticleContext) -> String {
    let anchor = anchors[entry.summary.path] ?? ""
    var context = context
    context.titleLevel = 2
    return htmlArticle(of: entry, prefix: anchor + "-", anchor: anchor, in: context)
  }

  /// The size of the pages, their numbers, and what begins on a new one. The boxes at their edges
  /// are those of CSS Paged Media (https://www.w3.org/TR/css-page-3/).
  private static let style = """
      @page {
        size: A5; margin: 18mm 16mm 20mm;
        @top-center { font: 8.5pt serif; color: #5f5a53; }
        @bottom-center { content: counter(page); font: 8.5pt serif; color: #5f5a53; }
      }
      @page cover { @top-center { content: ""; } @bottom-center { content: ""; } }
      .cover { page: cover; padding-top: 55mm; text-align: center; }
      .cover h1 { font-size: 26pt; margin: 0 0 8mm; }
      .cover p { color: var(--soft); }
      .chapter { break-before: page; }
      .chapter > h1 { font-size: 17pt; margin: 0 0 10mm; text-align: center; }
      article h2 { font-size: 13pt; margin: .35rem 0 .7rem; }

    """

  /// The name of a chapter above its pages.
  private static func style(of chapter: BookChapter) -> String {
    // Any character may be in a name; of these, each has a meaning in CSS or in HTML.
    let name = terminalLine(chapter.title).map { letter in
      "\\\"<&".contains(letter)
        ? "\\" + String(letter.unicodeScalars.first?.value ?? 0, radix: 16) + " " : String(letter)
    }.joined()
    let page = "c" + chapter.name
    return "@page \(page) { @top-center { content: \"\(name)\"; } } .\(page) { page: \(page); }\n"
  }
}
