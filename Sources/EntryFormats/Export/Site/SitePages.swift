import DiaryCore
import Foundation
import Localization

/// The texts of a site: its title and its date formats.
package struct SiteStrings: Sendable {
  /// The site's title.
  package var title: String
  /// A BCP 47 tag; `nil` if unknown.
  package var language: String?
  /// Formats a day, such as `Sat, Nov 21, 2026`.
  package var day: @Sendable (Day) -> String
  /// Formats a day's month, such as `November 2026`.
  package var month: @Sendable (Day) -> String
  /// Formats a day of any year, such as `November 21`.
  package var dayOfYear: @Sendable (Day) -> String
  /// Formats a month of any year, such as `November`.
  package var monthOfYear: @Sendable (Day) -> String

  package init(
    title: String, language: String?, day: @escaping @Sendable (Day) -> String,
    month: @escaping @Sendable (Day) -> String, dayOfYear: @escaping @Sendable (Day) -> String,
    monthOfYear: @escaping @Sendable (Day) -> String
  ) {
    self.title = title
    self.language = language
    self.day = day
    self.month = month
    self.dayOfYear = dayOfYear
    self.monthOfYear = monthOfYear
  }
}

/// The pages of a site, as text. ``SiteMap`` has their addresses. The parts of a page can be
/// written one after the other, so that no whole page is in memory.
package struct SitePages: Sendable {
  package let map: SiteMap
  package let strings: SiteStrings

  package init(map: SiteMap, strings: SiteStrings) {
    self.map = map
    self.strings = strings
  }

  /// Returns the start page: the newest entries, then the years.
  package func startPage() -> String {
    let newest = map.entries.prefix(50)
    var html = start(of: "index.html", titled: strings.title)
    html += rows(of: newest, from: "index.html", hasPreviews: true)
    html += heading(localized("Years"))
    html += linkList(
      map.years.map { ($0.name, "\($0.year)/index.html", $0.count) }
        + (map.undated.isEmpty ? [] : [(localized("Undated"), "undated.html", map.undated.count)]),
      from: "index.html")
    return html + end
  }

  /// Returns the page of a year: its months, and rows of all entries.
  package func page(of year: SiteMap.Year) -> String {
    let pageAddress = "\(year.year)/index.html"
    var html = start(of: pageAddress, titled: year.name)
    html += linkList(
      year.months.map { (strings.month($0.first), $0.page, $0.entries.count) }, from: pageAddress)
    for month in year.months {
      html += heading(strings.month(month.first), escapedLink(to: month.page, from: pageAddress))
      html += rows(of: month.entries, from: pageAddress, hasPreviews: false)
    }
    return html + end
  }

  /// Returns the part of a month's page before the entries.
  package func start(of month: SiteMap.Month) -> String {
    start(of: month.page, titled: strings.month(month.first))
  }

  /// Returns the part of a month's page after the entries: links to the next and previous month.
  package func end(of month: SiteMap.Month) -> String {
    var html = "<p class=\"turn\">"
    for other in [map.month(after: month), map.month(before: month)] {
      html += "<span>"
      if let other {
        let way = escapedLink(to: other.page, from: month.page)
        html += "<a href=\"\(way)\">\(htmlText(strings.month(other.first)))</a>"
      }
      html += "</span>"
    }
    return html + "</p>\n" + end
  }

  /// Returns the part of the page before the undated entries.
  package func startOfUndated() -> String {
    start(of: "undated.html", titled: localized("Undated"))
  }

  /// Returns the page of all tags.
  package func tagsPage() -> String {
    let pageAddress = "tags/index.html"
    return start(of: pageAddress, titled: localized("Tags"))
      + linkList(map.tags.map { ("#" + $0.tag, $0.page, $0.entries.count) }, from: pageAddress)
      + end
  }

  /// Returns the page of a tag with its entries.
  package func page(of tag: SiteMap.Tag) -> String {
    start(of: tag.page, titled: "#" + terminalLine(tag.tag))
      + rows(of: tag.entries, from: tag.page, hasPreviews: true) + end
  }

  /// Returns the page of the months of every year, with the days that have entries.
  package func daysPage() -> String {
    let pageAddress = "days/index.html"
    var html = start(of: pageAddress, titled: localized("On this day"))
    for month in map.calendar {
      for day in month.days.prefix(1) {
        html += heading(
          strings.monthOfYear(day.day), escapedLink(to: month.page, from: pageAddress))
      }
      html += linkList(
        month.days.map { ("\($0.day.components.day)", month.page + "#" + $0.anchor, nil) },
        from: pageAddress)
    }
    return html + end
  }

  /// Returns the page of a month of every year: the entries of all years for each of its days.
  package func page(of month: SiteMap.CalendarMonth) -> String {
    guard let first = month.days.first else { return "" }
    var html = start(of: month.page, titled: strings.monthOfYear(first.day))
    for day in month.days {
      let name = htmlText(strings.dayOfYear(day.day))
      html += "<h2 class=\"group\" id=\"\(day.anchor)\">\(name)</h2>\n"
      html += rows(of: day.entries, from: month.page, hasPreviews: true)
    }
    return html + end
  }

  /// The end of every page.
  package let end = "</main>\n</body>\n</html>\n"

  /// Returns the entry's texts for the search, as a part of a script.
  package func searchRow(of entry: ExportEntry) throws -> [UInt8] {
    let listed = entry.summary
    let day = listed.day
    let row = [
      terminalLine(listed.title), day.map(strings.day) ?? "", day?.description ?? "",
      map.address(of: listed.path).map { SiteMap.relativeLink(to: $0, from: "") } ?? "",
      terminalText(MarkdownText(entry.body).textWithoutMarks) + "\n"
        + listed.tags.map { "#" + $0 }.joined(separator: " "),
    ]
    return try EntryJSON.encoded(row).dropLast()
  }
}

extension SitePages {
  private func start(of page: String, titled title: String) -> String {
    let root = String(repeating: "../", count: page.split(separator: "/").count - 1)
    let tag = strings.language.map { " lang=\"\(htmlText($0))\"" } ?? ""
    let name = title == strings.title ? title : title + " – " + strings.title
    func link(_ address: String, _ text: String, _ attributes: String = "") -> String {
      let isHere = address == page ? " aria-current=\"page\"" : ""
      return "<a\(attributes) href=\"\(root)\(address)\"\(isHere)>\(htmlText(text))</a>"
    }
    return """
      <!DOCTYPE html>
      <html\(tag)>
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(sitePolicy)">
      <meta name="referrer" content="no-referrer">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>\(htmlText(terminalLine(name)))</title>
      <link rel="stylesheet" href="\(root)style.css">
      <script src="\(root)search.js" defer></script>
      </head>
      <body data-root="\(root)" data-parts="\(map.searchParts.joined(separator: " "))" \
      data-days="\(map.calendar.map(\.name).joined(separator: " "))" \
      data-none="\(htmlText(localized("No entry matches.")))" \
      data-found="\(htmlText(localized("Entries found: \("#")")))">
      <nav class="top">
      \(link("index.html", terminalLine(strings.title), " class=\"home\""))
      \(link("tags/index.html", localized("Tags")))
      \(link("days/index.html", localized("On this day"), " id=\"today\""))
      </nav>
      <div class="search" id="search" role="search" hidden>
      <label>\(htmlText(localized("Search"))) <input type="search" autocomplete="off"></label>
      <p role="status"></p>
      </div>
      <main>
      <h1 class="page-title">\(htmlText(terminalLine(title)))</h1>

      """
  }

  private func heading(_ text: String, _ address: String? = nil) -> String {
    let escapedText = htmlText(terminalLine(text))
    return "<h2 class=\"group\">"
      + (address.map { "<a href=\"\($0)\">\(escapedText)</a>" } ?? escapedText) + "</h2>\n"
  }

  private func linkList(
    _ links: [(text: String, page: String, count: Int?)], from page: String
  ) -> String {
    guard !links.isEmpty else { return "" }
    return "<ul class=\"jump\">\n"
      + links.map { link in
        let count = link.count.map { " <small>\($0)</small>" } ?? ""
        return "<li><a href=\"\(escapedLink(to: link.page, from: page))\">"
          + "\(htmlText(terminalLine(link.text)))\(count)</a></li>\n"
      }.joined() + "</ul>\n"
  }

  private func rows(
    of entries: some Collection<EntrySummary>, from page: String, hasPreviews: Bool
  ) -> String {
    guard !entries.isEmpty else { return "" }
    return "<ol class=\"rows\">\n"
      + entries.map { entry in
        let way = map.address(of: entry.path).map { escapedLink(to: $0, from: page) } ?? ""
        let time = entry.day.map {
          "<time datetime=\"\($0)\">\(htmlText(terminalLine(strings.day($0))))</time>"
        }
        let isRepeated = terminalLine(entry.preview).hasPrefix(terminalLine(entry.title))
        let preview =
          hasPreviews && !entry.preview.isEmpty && !isRepeated
          ? "<span class=\"preview\" dir=\"auto\">\(htmlText(terminalLine(entry.preview)))</span>"
          : ""
        return
          "<li><a href=\"\(way)\">\(time ?? "<span></span>")<span class=\"row-title\" dir=\"auto\">"
          + "\(htmlText(terminalLine(entry.title)))</span>\(preview)</a></li>\n"
      }.joined() + "</ol>\n"
  }

  /// Returns the link from one page to another address of the site, escaped for an attribute.
  private func escapedLink(to place: String, from page: String) -> String {
    htmlText(SiteMap.relativeLink(to: place, from: page))
  }
}

/// A policy that allows only files of the site's own folder: `'self'` is the site's server, `file:`
/// a folder on disk.
private let sitePolicy =
  "default-src 'none'; style-src 'self' file:; script-src 'self' file:; img-src 'self' file:; "
  + "base-uri 'none'; form-action 'none'"
