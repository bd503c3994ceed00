import DiaryCore
import Foundation

/// Entries as one page that needs nothing else: its style, its pictures and its icons are in it. It
/// runs nothing and loads nothing, and its policy forbids a browser to do either.
///
/// - Parameters:
///   - entries: in the order of reading.
///   - language: a BCP 47 tag for dates and whatever else is not the writer's; `nil` if none is known.
///   - picture: the picture that an entry's link means, if the journal has one.
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

/// The name of a document: its only entry's title, else the first and the last.
package func joinedTitle(of entries: [EntrySummary]) -> String {
  guard let first = entries.first, let last = entries.last else { return "" }
  return entries.count > 1 ? "\(first.title) – \(last.title)" : first.title
}

/// What stands before the entries of such a page.
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

/// What stands behind them.
package let htmlPageEnd = "</main>\n</body>\n</html>\n"

/// An entry of such a page, the first of which has the number 1; its pictures are in it.
package func htmlArticle(
  of entry: ExportEntry, number: Int, picture: (String) -> EmbeddedPicture?
) -> String {
  htmlArticle(of: entry, prefix: "e\(number)-") { link in
    picture(link).flatMap { picture in
      picture.mediaType.map { "data:\($0);base64," + Data(picture.bytes).base64EncodedString() }
    }
  }
}

/// Nothing from anywhere: only the style whose digest is named, and pictures inside the page.
let pagePolicy =
  "default-src 'none'; style-src 'sha256-\(pageStyleDigest)'; img-src data:; "
  + "base-uri 'none'; form-action 'none'"

/// What surrounds an entry on a page: where its links lead, and how its tags are written.
package struct HTMLArticleContext {
  /// The address of the picture that a link means, if there is one.
  package var pictureAddress: (String) -> String?
  /// The address of the file or of the entry that a link leads to, if the page's reader has it.
  package var fileAddress: (String) -> String? = { _ in nil }
  /// The rank of the entry's title among the page's headings; 1 is the first.
  package var titleLevel = 1
  /// Whether pictures are loaded when they come into view.
  package var hasLazyPictures = false
  /// Whether it is XHTML: empty tags are closed, and no address is written that a strict reader refuses.
  package var isXML = false

  package init(pictureAddress: @escaping (String) -> String?) {
    self.pictureAddress = pictureAddress
  }

  var emptyTagEnd: String { isXML ? "/" : "" }

  /// An address of the web is written as it is, but in XHTML for one that is no URI after RFC 3986.
  func allowsAddress(_ address: String) -> Bool {
    guard isXML else { return true }
    guard let url = URL(string: address, encodingInvalidCharacters: false), !address.contains("[")
    else { return false }
    return url.scheme?.lowercased() == "mailto" ? address.count > 7 : url.host()?.isEmpty == false
  }
}

/// One entry as part of a page that has ``pageStyle``.
///
/// - Parameters:
///   - prefix: tells footnotes of several entries on one page apart.
///   - source: the address of the picture that a link means, if there is one.
package func htmlArticle(
  of entry: ExportEntry, prefix: String, source: (String) -> String?
) -> String {
  withoutActuallyEscaping(source) {
    htmlArticle(of: entry, prefix: prefix, in: HTMLArticleContext(pictureAddress: $0))
  }
}

/// The same where links may lead on. `anchor` is the name by which the page's address finds the entry.
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
    // A book's reader has its own drawings, or none.
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

/// The script tells the language where it can, so that a browser takes the right letters and breaks
/// lines as that language does.
private func language(of entry: ExportEntry) -> String? {
  var hasHangul = false
  for scalar in (entry.summary.title + entry.body.prefix(2000)).unicodeScalars {
    switch scalar.value {
    case 0x3041...0x30FF: return "ja"
    case 0xAC00...0xD7A3: hasHangul = true
    default: break
    }
  }
  return hasHangul ? "ko" : nil
}
