import DiaryCore

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
  let titles = entries.map(\.listed.title)
  let name = titles.count > 1 ? "\(titles[0]) – \(titles[titles.count - 1])" : titles.first ?? ""
  let tag = language.map { " lang=\"\(htmlText($0))\"" } ?? ""
  var page = """
    <!DOCTYPE html>
    <html\(tag)>
    <head>
    <meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="\(pagePolicy)">
    <meta name="referrer" content="no-referrer">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>\(htmlText(terminalLine(name)))</title>
    <style>\(pageStyle)</style>
    </head>
    <body>
    <main>

    """
  for (index, entry) in entries.enumerated() {
    page += article(entry, prefix: "e\(index + 1)-", picture)
  }
  return page + "</main>\n</body>\n</html>\n"
}

/// Nothing from anywhere: only the style whose digest is named, and pictures inside the page.
let pagePolicy =
  "default-src 'none'; style-src 'sha256-\(pageStyleDigest)'; img-src data:; "
  + "base-uri 'none'; form-action 'none'"

private func article(
  _ entry: ExportEntry, prefix: String, _ picture: (ExportEntry, String) -> EmbeddedPicture?
) -> String {
  var text = MarkdownText(entry.body)
  let opening = text.removeHeading(titled: entry.listed.title)
  let body = withoutActuallyEscaping(picture) { picture in
    HTMLRenderer.html(of: text, prefix: prefix) { picture(entry, $0) }
  }
  let language = language(of: entry).map { " lang=\"\($0)\"" } ?? ""
  return "<article\(language) dir=\"auto\">\n" + header(of: entry, hasTitle: opening != .line)
    + body
    + footer(of: entry) + "</article>\n"
}

private func header(of entry: ExportEntry, hasTitle: Bool) -> String {
  var html = "<header>\n"
  if let words = entry.dateText {
    let moment = entry.listed.date.map { " datetime=\"\(htmlText($0.description))\"" } ?? ""
    html += "<p class=\"date\"><time\(moment)>\(htmlText(terminalLine(words)))</time></p>\n"
  }
  if hasTitle { html += "<h1>\(htmlText(terminalLine(entry.listed.title)))</h1>\n" }
  var about: [String] = []
  if let words = entry.weatherText {
    let icon = entry.listed.weather?.condition.map { weatherDrawing($0, isNight: entry.isNight) }
    about.append(
      "<span class=\"weather\">\(icon ?? "")\(htmlText(terminalLine(words)))</span>")
  }
  if let place = entry.place {
    about.append("<span class=\"place\">\(htmlText(terminalLine(place)))</span>")
  }
  if !about.isEmpty { html += "<p class=\"about\">\(about.joined(separator: "\n"))</p>\n" }
  return html + "</header>\n"
}

private func footer(of entry: ExportEntry) -> String {
  guard !entry.listed.tags.isEmpty else { return "" }
  let tags = entry.listed.tags.map { "<span>#\(htmlText(terminalLine($0)))</span>" }
  return "<footer>" + tags.joined(separator: " ") + "</footer>\n"
}

/// The script tells the language where it can, so that a browser takes the right letters and breaks
/// lines as that language does.
private func language(of entry: ExportEntry) -> String? {
  var hasHangul = false
  for scalar in (entry.listed.title + entry.body.prefix(2000)).unicodeScalars {
    switch scalar.value {
    case 0x3041...0x30FF: return "ja"
    case 0xAC00...0xD7A3: hasHangul = true
    default: break
    }
  }
  return hasHangul ? "ko" : nil
}
