import DiaryCore
import DiaryKit
import Localization

/// The list: the newest entries by month, or search hits.
struct ListDocument {
  /// The number of rows in the document; the script loads more.
  static let initialRowCount = 30

  var rows: [EntryRow]
  /// The entries of this day in earlier years.
  var sameDay: [EntryRow] = []
  /// The cursor of the next rows; `nil` at the end.
  var next: String?
  /// The search text; `nil` for the whole list.
  var query: String?
  /// True if the user has not decided yet whether entries get the weather.
  var asksForWeather = false

  func html(for user: PageUser, _ assets: Assets) -> String {
    var frame = PageFrame(
      user: user, assets: assets, title: localized("Diary"), screen: "list",
      texts: PageTexts.list)
    frame.dataAttributes = "\(attribute: "data-next", next)"
    let new: Markup = """
      <a id="new" href="/new" aria-label="\(localized("New entry"))" title="\(localized("New entry"))">\
      <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 4v16M4 12h16"/></svg></a>
      """
    return frame.document(
      """
      \(weatherIconSymbols())\
      <header class="bar">
      <h1>\(localized("Diary"))</h1>
      \(user.isReadOnly ? "" : iconButton("more", localized("More"), dotsIcon))
      \(user.isReadOnly ? "" : new)
      </header>
      <main>
      <form id="find" role="search" action="/">
      <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M16 16l5 5M18 10.5a7.5 7.5 0 1 1-15 0 7.5 7.5 0 0 1 15 0z"/></svg>
      <input id="search" type="search" name="q" value="\(query ?? "")" maxlength="200" \
      placeholder="\(localized("Search"))" aria-label="\(localized("Search"))" autocomplete="off" \
      enterkeyhint="search">
      </form>
      <div id="notice" role="status" hidden></div>
      \(asksForWeather && !user.isReadOnly ? weatherCard : "")\
      \(query == nil ? sameDaySection : "")\
      <div id="rows">
      \(monthSections)</div>
      <p id="none" role="status">\(emptyMessage)</p>
      \(olderLink)</main>
      \(dialogs(user))\
      <template id="row">\(ListDocument.row(nil))</template>
      <template id="controls"><button class="more plain" type="button" tabindex="-1">\
      <svg viewBox="0 0 24 24" aria-hidden="true">\(dotsIcon)</svg></button>\
      <div><button class="share" type="button">\(localized("Share"))</button>\
      \(user.isReadOnly ? "" : deleteButton)</div></template>

      """)
  }

  private var deleteButton: Markup {
    "<button class=\"delete\" type=\"button\">\(localized("Delete"))</button>"
  }

  private var emptyMessage: String {
    if let query, rows.isEmpty { return localized("No entries contain “\(terminalLine(query))”") }
    return rows.isEmpty ? localized("No entries yet. Tap + to write the first one.") : ""
  }

  private var olderLink: Markup {
    guard let next, query == nil else { return "" }
    return "<a id=\"older\" href=\"/?after=\(next)\">\(localized("Older entries"))</a>\n"
  }

  private var weatherCard: Markup {
    """
    <aside id="ask-weather" class="card"><p>\(localized("Add the weather to new entries?"))</p>
    <button type="button" class="yes">\(localized("Set up…"))</button>
    <button type="button" class="no">\(localized("No"))</button></aside>

    """
  }

  private var sameDaySection: Markup {
    guard !sameDay.isEmpty else { return "" }
    return """
      <section id="same-day" class="card"><h2>\(localized("On this day"))</h2>
      <ul>\(sameDay.map { ListDocument.row($0) })</ul></section>

      """
  }

  /// The rows in sections by month; search hits are in one section, in their own order.
  private var monthSections: [Markup] {
    var parts: [Markup] = []
    var remainder = rows[...]
    while let first = remainder.first {
      let month = query == nil ? first.month ?? localized("No date") : ""
      let isSame = { (row: EntryRow) in query != nil || row.month == first.month }
      let part = remainder.prefix(while: isSame)
      remainder = remainder.dropFirst(part.count)
      let heading: Markup = month.isEmpty ? "" : "<h2>\(month)</h2>"
      parts.append(
        """
        <section data-month="\(month)">\(heading)<ul>
        \(part.map { ListDocument.row($0) })</ul></section>

        """)
    }
    return parts
  }

  /// A row; without an entry, the template that the script fills.
  static func row(_ row: EntryRow?) -> Markup {
    let time = row?.dateText.map { text -> Markup in
      "<time\(attribute: "datetime", row?.date)>\(text)</time>"
    }
    let star: Markup = row?.starred == false ? "" : starMark()
    return """
      <li class="row"\(attribute: "data-path", row?.path)><a href="\(row?.href ?? "")">\
      <b>\(row?.title ?? "")</b><span>\(star)\(time ?? (row == nil ? "<time></time>" : ""))\
      \(weatherIcon(row?.weather))<i>\(row.map(excerpt) ?? "")</i></span></a></li>

      """
  }

  private static func excerpt(_ row: EntryRow) -> Markup {
    guard let match = row.match else { return "\(row.preview)" }
    let units = Array(match.line.utf16)
    var parts: [Markup] = []
    var next = 0
    for mark in match.marks {
      parts.append("\(String(decoding: units[next..<mark[0]], as: UTF16.self))")
      parts.append("<mark>\(String(decoding: units[mark[0]..<mark[1]], as: UTF16.self))</mark>")
      next = mark[1]
    }
    return "\(parts)\(String(decoding: units[next...], as: UTF16.self))"
  }
}
