import DiaryCore
import Foundation

/// Returns entries as one self-contained page with its style, pictures and icons. It runs nothing
/// and loads nothing, and its policy forbids a browser to do either.
///
/// - Parameters:
///   - entries: in reading order.
///   - language: a BCP 47 tag for dates and other text by Diary; `nil` if unknown.
///   - picture: returns the picture of an entry's link, if the journal has one.
package func htmlPage(
  of entries: [ExportEntry], language: String?,
  picture: (ExportEntry, String) -> EmbeddedPicture?
) -> String {
  let articles = entries.enumerated().map { index, entry in
    htmlArticle(of: entry, number: index + 1) { picture(entry, $0) }
  }
  return htmlPageStart(titled: joinedTitle(of: entries.map(\.summary)), language: language)
    + articles.joined() + htmlPageEnd
}

/// Returns the title of a document: its only entry's title, or the first and the last.
package func joinedTitle(of entries: [EntrySummary]) -> String {
  guard let first = entries.first, let last = entries.last else { return "" }
  return entries.count > 1 ? "\(first.title) – \(last.title)" : first.title
}

/// Returns the part of such a page before the entries.
package func htmlPageStart(titled title: String, language: String?) -> String {
  let tag = language.map { " lang=\"\(htmlText($0))\"" } ?? ""
  return """
    <!DOCTYPE html>
    <html\(tag)>
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="\(pagePolicy)">
    <meta name="referrer" content="no-referrer">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(htmlText(terminalLine(title)))</title>
    <style>\(pageStyle)</style>
    </head>
    <body>
    <main>

    """
}

/// The part of such a page after the entries.
package let htmlPageEnd = "</main>\n</body>\n</html>\n"

/// Returns an entry of such a page with its pictures. The first entry has the number 1.
package func htmlArticle(
  of entry: ExportEntry, number: Int, picture: (String) -> EmbeddedPicture?
) -> String {
  htmlArticle(of: entry, prefix: "e\(number)-") { link in
    picture(link).flatMap(\.address)
  }
}

extension EmbeddedPicture {
  /// The picture as an address that contains it; `nil` if its type is unknown.
  package var address: String? {
    mediaType.map { "data:\($0);base64," + Data(bytes).base64EncodedString() }
  }
}

/// A policy that allows only the style with this digest, and pictures inside the page.
let pagePolicy =
  "default-src 'none'; style-src 'sha256-\(pageStyleDigest)'; img-src data:; "
  + "base-uri 'none'; form-action 'none'"

/// The element that plays a file.
package enum HTMLPlayer {
  case audio, video
}

/// The context of an entry on a page: the targets of its links, and the form of its tags.
package struct HTMLArticleContext {
  /// Returns the address of a link's picture, if there is one.
  package var pictureAddress: (String) -> String?
  /// Returns the address of a link's file or entry, if the page's reader has it.
  package var fileAddress: (String) -> String? = { _ in nil }
  /// The heading level of the entry's title on the page, from 1.
  package var titleLevel = 1
  /// Returns the player for a link's file, if it is sound or video.
  package var player: (String) -> HTMLPlayer? = { _ in nil }
  /// Returns the lines of the field in which a block is edited, for its lines in the Markdown.
  /// Without it, blocks carry no lines.
  package var shownLines: ((ClosedRange<Int>) -> ClosedRange<Int>)?
  /// True if pictures are loaded only when they become visible.
  package var hasLazyPictures = false
  /// True if it is XHTML: empty tags are closed, and invalid addresses are not written.
  package var isXML = false

  package init(pictureAddress: @escaping (String) -> String?) {
    self.pictureAddress = pictureAddress
  }

  var emptyTagEnd: String { isXML ? "/" : "" }

  /// Returns whether a web address may be written. XHTML allows only a URI after RFC 3986.
  func allowsAddress(_ address: String) -> Bool {
    guard isXML else { return true }
    guard let url = URL(string: address, encodingInvalidCharacters: false), !address.contains("[")
    else { return false }
    return url.scheme?.lowercased() == "mailto" ? address.count > 7 : url.host()?.isEmpty == false
  }
}

/// Returns one entry as a part of a page with ``pageStyle``.
///
/// - Parameters:
///   - prefix: distinguishes the footnotes of several entries on one page.
///   - source: returns the address of a link's picture, if there is one.
package func htmlArticle(
  of entry: ExportEntry, prefix: String, source: (String) -> String?
) -> String {
  withoutActuallyEscaping(source) {
    htmlArticle(of: entry, prefix: prefix, in: HTMLArticleContext(pictureAddress: $0))
  }
}

/// Returns one entry with links that may lead to other pages. `anchor` is its fragment identifier.
package func htmlArticle(
  of entry: ExportEntry, prefix: String, anchor: String? = nil, in context: HTMLArticleContext
) -> String {
  var text = MarkdownText(entry.body)
  let opening = text.removeHeading(titled: entry.summary.title)
  let body = HTMLRenderer.html(of: text, prefix: prefix, context: context)
  let name = anchor.map { " id=\"\(htmlText($0))\"" } ?? ""
  let language = language(of: entry).map {
    " lang=\"\($0)\"" + (context.isXML ? " xml:lang=\"\($0)\"" : "")
  }
  return "<article\(name)\(language ?? "") dir=\"auto\">\n"
    + header(of: entry, hasTitle: opening != .line, context) + body
    + footer(of: entry) + "</article>\n"
}

private func header(of entry: ExportEntry, hasTitle: Bool, _ context: HTMLArticleContext) -> String
{
  var html = "<header>\n"
  if let words = entry.dateText {
    let moment = entry.summary.date.map { " datetime=\"\(htmlText($0.description))\"" } ?? ""
    html += "<p class=\"date\"><time\(moment)>\(htmlText(terminalLine(words)))</time></p>\n"
  }
  if hasTitle {
    html +=
      "<h\(context.titleLevel)>\(htmlText(terminalLine(entry.summary.title)))</h\(context.titleLevel)>\n"
  }
  var metadata: [String] = []
  if let words = entry.weatherText {
    // A reader of books has its own drawings, or none.
    let condition = context.isXML ? nil : entry.summary.weather?.condition
    let icon = condition.map { weatherIconSVG($0, isNight: entry.isNight) }
    metadata.append(
      "<span class=\"weather\">\(icon ?? "")\(htmlText(terminalLine(words)))</span>")
  }
  if let place = entry.place {
    metadata.append("<span class=\"place\">\(htmlText(terminalLine(place)))</span>")
  }
  if !metadata.isEmpty { html += "<p class=\"about\">\(metadata.joined(separator: "\n"))</p>\n" }
  return html + "</header>\n"
}

private func footer(of entry: ExportEntry) -> String {
  guard !entry.summary.tags.isEmpty else { return "" }
  let tags = entry.summary.tags.map { "<span>#\(htmlText(terminalLine($0)))</span>" }
  return "<footer>" + tags.joined(separator: " ") + "</footer>\n"
}

/// Returns the language, if the script of most of the text identifies it, so that a browser uses its
/// letters and its rules for line breaks.
private func language(of entry: ExportEntry) -> String? {
  // A character of these scripts counts as two Latin letters.
  var (kana, han, hangul, latin) = (0, 0, 0, 0)
  for scalar in (entry.summary.title + entry.body.prefix(2000)).unicodeScalars {
    switch scalar.value {
    // The dot and the long sound also occur in Korean and Chinese texts.
    case 0x30FB, 0x30FC: break
    case 0x3041...0x30FF: kana += 2
    case 0xAC00...0xD7A3: hangul += 2
    case 0x4E00...0x9FFF: han += 2
    case 0x41...0x5A, 0x61...0x7A, 0xC0...0x24F: latin += 1
    default: break
    }
  }
  if hangul > kana, hangul > latin { return "ko" }
  return kana > hangul && kana + han > latin ? "ja" : nil
}
