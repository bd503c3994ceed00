import DiaryCore
import DiaryKit
import Localization

/// The list: the newest entries by month, or search hits.
struct ListDocument {
  /// The number of rows in the document; the script loads more.
  static let initialRowCount = 30
  /// The number of rows above the cards.
  static let rowsAboveCards = 3

  /// The part of the list that the address asks for, and its rows.
  var request = ListRequest()
  var part: ListResponse
  /// The row that the browser shows first.
  var addressedRow: String?
  /// The entries of this day in earlier years.
  var sameDay: [EntryRow] = []
  /// True if the user has not decided yet whether entries get the weather.
  var asksForWeather = false

  private var rows: [EntryRow] { part.rows }

  func html(for user: PageUser, _ assets: Assets) -> String {
    var frame = PageFrame(
      user: user, assets: assets, title: localized("Diary"), screen: "list",
      texts: PageTexts.list)
    frame.dataAttributes = """
      \(attribute: "data-previous", part.previous)\(attribute: "data-next", part.next)
      """
    let new: Markup = """
      <a id="new" href="/new" aria-label="\(localized("New entry"))" title="\(localized("New entry"))">\
      <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 4v16M4 12h16"/></svg></a>
      """
    return frame.document(
      """
      \(weatherIconSymbols())\
      <header class="bar">
      <h1>\(localized("Diary"))</h1>
      \(iconButton("dates", localized("Calendar"), calendarIcon))
      \(iconButton("more", localized("More"), dotsIcon))
      \(user.isReadOnly ? "" : new)
      </header>
      <main>
      <form id="find" role="search" action="/">
      <svg viewBox="0 0 24 24" aria-hidden="true"><path d="M16 16l5 5M18 10.5a7.5 7.5 0 1 1-15 0 7.5 7.5 0 0 1 15 0z"/></svg>
      <input id="search" type="search" name="q" value="\(request.words ?? "")" maxlength="200" \
      placeholder="\(localized("Search"))" aria-label="\(localized("Search"))" autocomplete="off" \
      enterkeyhint="search">
      </form>
      <div id="notice" role="status" hidden></div>
      \(chips)\
      <p id="none" role="status">\(message)</p>
      \(link("newer", localized("Newer entries"), "before", part.previous))\
      <div id="rows">
      \(monthSections(user))</div>
      \(link("older", localized("Older entries"), "after", part.next))</main>
      <aside id="unopened">\(localized("No entry is open."))</aside>
      \(dialogs(user))\(user.isReadOnly ? "" : weatherSheet())\(calendarSheet)\
      <template id="row">\(row(nil))</template>
      <template id="controls"><button class="more plain" type="button" tabindex="-1">\
      <svg viewBox="0 0 24 24" aria-hidden="true">\(dotsIcon)</svg></button>\
      <div><button class="share" type="button">\(localized("Share"))</button>\
      \(user.isReadOnly ? "" : deleteButton)</div></template>

      """)
  }

  private var deleteButton: Markup {
    "<button class=\"delete\" type=\"button\">\(localized("Delete"))</button>"
  }

  /// How many hits there are, or why there are no rows.
  private var message: String {
    if let words = request.words {
      return rows.isEmpty
        ? localized("No entries contain “\(terminalLine(words))”")
        : part.total.map { localized("Entries found: \("\($0)")") } ?? ""
    }
    guard rows.isEmpty else { return "" }
    return request.isWhole
      ? localized("No entries yet. Tap + to write the first one.") : localized("No entries")
  }

  /// The filters of the address, as `name=value`.
  private var filters: [(name: String, value: String, text: String)] {
    let filter = request.filter
    return [
      request.tag.map { ("tag", $0, "#" + terminalLine($0)) },
      filter.isStarred ? ("starred", "1", "★ " + localized("starred")) : nil,
      filter.since.map { ("from", $0.description, localized("from \($0.description)")) },
      filter.until.map { ("to", $0.description, localized("to \($0.description)")) },
    ].compactMap(\.self)
  }

  private func address(_ fields: [(name: String, value: String)]) -> String {
    let fields = fields.map { "\($0.name)=\(percentEncoded($0.value))" }
    return "/" + (fields.isEmpty ? "" : "?") + fields.joined(separator: "&")
  }

  /// Each filter as a link that ends it.
  private var chips: Markup {
    guard !filters.isEmpty else { return "" }
    let links = filters.map { filter -> Markup in
      let others = filters.filter { $0.name != filter.name }.map { ($0.name, $0.value) }
      return """
        <a class="chip" href="\(address(others))" \
        aria-label="\(localized("Remove the filter: \(filter.text)"))">\(filter.text) ✕</a>

        """
    }
    return "<nav id=\"filters\">\n\(links)</nav>\n"
  }

  private func link(_ id: StaticString, _ text: String, _ name: String, _ cursor: String?) -> Markup
  {
    let words = request.words.map { [("q", $0)] } ?? []
    let fields = filters.map { ($0.name, $0.value) } + words + [(name, cursor ?? "")]
    return """
      <a id="\(Markup(rendered: "\(id)"))" class="edge" href="\(address(fields))"\
      \(flag: "hidden", if: cursor == nil)>\(text)</a>

      """
  }

  private var weatherCard: Markup {
    """
    <li id="ask-weather" class="card"><p>\(localized("Add the weather to new entries?"))</p>
    <button type="button" class="yes">\(localized("Set up…"))</button>
    <button type="button" class="no">\(localized("No"))</button></li>

    """
  }

  /// The last entry of this day, with links to those of the years before it.
  private var sameDayCard: Markup {
    guard let first = sameDay.first else { return "" }
    let year = { (row: EntryRow) in String(row.day?.prefix(4) ?? "") }
    var years = [year(first)]
    let links = sameDay.compactMap { row -> Markup? in
      guard years.last != year(row) else { return nil }
      years.append(year(row))
      return "<a href=\"\(row.href)\">\(year(row))</a>\n"
    }
    let others: Markup = links.isEmpty ? "" : "<p>\(links)</p>"
    return """
      <li id="same-day" class="card"><h3>\(localized("On this day"))</h3>
      <a href="\(first.href)">\(date(first))<b>\(first.title)</b>\
      <i>\(first.preview)</i>\(thumbnail(of: first))</a>
      \(others)</li>

      """
  }

  /// The rows in sections by month; search hits are in one section, in their own order.
  private func monthSections(_ user: PageUser) -> [Markup] {
    let isSearch = request.words != nil
    let cards: Markup = "\(sameDayCard)\(asksForWeather && !user.isReadOnly ? weatherCard : "")"
    let cardRow = min(ListDocument.rowsAboveCards, rows.count) - 1
    var parts: [Markup] = []
    var remainder = rows[...]
    while let first = remainder.first {
      let month = isSearch ? "" : first.month ?? localized("No date")
      let part = remainder.prefix { isSearch || $0.month == first.month }
      remainder = remainder.dropFirst(part.count)
      let heading: Markup = month.isEmpty ? "" : "<h2>\(month)</h2>"
      let items = part.indices.map { "\(row(part[$0]))\($0 == cardRow ? cards : "")" as Markup }
      parts.append(
        """
        <section data-month="\(month)"\(attribute: "data-date", isSearch ? nil : first.day)>\
        \(heading)<ul>
        \(items)</ul></section>

        """)
    }
    return parts
  }

  /// A row; without an entry, the template that the script fills.
  private func row(_ row: EntryRow?) -> Markup {
    let isTemplate = row == nil
    let time = isTemplate ? "" : row?.time
    let clock = time.map { "<span>\($0)</span>" as Markup } ?? ""
    let day: Markup =
      isTemplate || row?.number != nil
      ? """
      <time\(attribute: "datetime", row?.date)><b>\(row?.number.map { "\($0)" } ?? "")</b>\
      <em>\(row?.weekday ?? "")</em>\(clock)</time>
      """ : ""
    let star: Markup = row?.starred == false ? "" : starMark()
    let sky: Markup =
      isTemplate || row?.starred == true || row?.weather?.icon != nil
      ? "<span class=\"sky\">\(star)\(weatherIcon(row?.weather))</span>" : ""
    let words = row.map { marked($0.match?.line ?? $0.preview, $0.match?.marks ?? []) } ?? ""
    let excerpt: Markup = isTemplate || !words.html.isEmpty ? "<i>\(words)</i>" : ""
    let end: Markup = "\(row.flatMap { $0.number == nil ? date($0) : nil } ?? "")\(tags(of: row))"
    let small: Markup = isTemplate || !end.html.isEmpty ? "<small>\(end)</small>" : ""
    let isAddressed = row != nil && row?.href == addressedRow
    return """
      <li class="row"\(attribute: "id", isAddressed ? "at" : nil)><a href="\(row?.href ?? "")">\
      \(day)<b>\(row.map { marked($0.title, $0.titleMarks ?? []) } ?? "")</b>\(sky)\(excerpt)\(small)\(isTemplate ? thumbnailImage(nil) : thumbnail(of: row))</a></li>

      """
  }

  private func thumbnail(of row: EntryRow?) -> Markup {
    row?.picture.map { thumbnailImage($0) } ?? ""
  }

  private func date(_ row: EntryRow) -> Markup {
    guard let text = row.dateText else { return "" }
    return "<time\(attribute: "datetime", row.date)>\(text)</time> "
  }

  private func tags(of row: EntryRow?) -> String {
    row?.tags.map { "#" + $0 }.joined(separator: " ") ?? ""
  }

  /// A line with the words of a search marked.
  private func marked(_ line: String, _ marks: [[Int]]) -> Markup {
    let units = Array(line.utf16)
    var parts: [Markup] = []
    var next = 0
    for mark in marks {
      parts.append("\(String(decoding: units[next..<mark[0]], as: UTF16.self))")
      parts.append("<mark>\(String(decoding: units[mark[0]..<mark[1]], as: UTF16.self))</mark>")
      next = mark[1]
    }
    return "\(parts)\(String(decoding: units[next...], as: UTF16.self))"
  }

  /// The calendar of a year, which the script fills.
  private var calendarSheet: Markup {
    """
    <dialog id="calendar" class="sheet" aria-labelledby="year">
    <header>\(yearButton("before", localized("Previous year"), "M15 4l-8 8 8 8"))\
    <h2 id="year" aria-live="polite"></h2>\
    \(yearButton("next", localized("Next year"), "M9 4l8 8-8 8"))</header>
    <div class="months"></div>
    \(cancelButton(localized("Cancel")))
    </dialog>

    """
  }

  private func yearButton(_ name: String, _ label: String, _ drawing: String) -> Markup {
    """
    <button type="button" class="\(name)" aria-label="\(label)">\
    <svg viewBox="0 0 24 24" aria-hidden="true"><path d="\(drawing)"/></svg></button>
    """
  }
}

private let calendarIcon: Markup = "<path d=\"M4 6h16v14H4zM4 10.5h16M8 3.5v4M16 3.5v4\"/>"
