import DiaryCore
import Localization

/// The chips above an entry's text: star, date, tags, place and weather. Each tag is a link to its
/// entries. The others are buttons, unless the entry cannot be changed.
struct EntryChips {
  /// The entry; `nil` for a new one.
  let entry: PageEntry?
  let isFixed: Bool

  var markup: Markup {
    """
    <div id="chips" role="group" aria-label="\(localized("About this entry"))">
    \(star)\(date)\(tags)\(place)\(weather)</div>

    """
  }

  private var star: Markup {
    let isStarred = entry?.row.starred == true
    if isFixed { return isStarred ? chip("star", starMark()) : "" }
    return chip(
      "star", isStarred ? starMark() : "☆",
      "\(attribute: "aria-label", isStarred ? nil : localized("starred"))"
        + "\(attribute: "aria-pressed", "\(isStarred)")")
  }

  private var date: Markup {
    guard let row = entry?.row else { return "" }
    let text = [row.dateText ?? localized("No date"), row.time].compactMap(\.self)
    return chip(
      "date", "<time\(attribute: "datetime", row.date)>\(text.joined(separator: " · "))</time>",
      "\(attribute: "title", localized("Date and time"))")
  }

  private var tags: Markup {
    let links = (entry?.row.tags ?? []).map { tag -> Markup in
      "<a class=\"chip\" href=\"/?tag=\(percentEncoded(tag))\">#\(tag)</a>\n"
    }
    return "\(links)\(isFixed ? "" : chip("tags", "\(localized("+ Tag"))", " data-adds"))"
  }

  private var place: Markup {
    if let place = entry?.place {
      return chip("place", "\(place)", "\(attribute: "title", localized("Place"))")
    }
    return isFixed ? "" : chip("place", "\(localized("+ Place"))", " data-adds")
  }

  private var weather: Markup {
    guard let weather = entry?.row.weather else { return "" }
    let icon = weather.icon.map { icon -> Markup in
      "<svg class=\"icon\" aria-hidden=\"true\"><use href=\"#w-\(icon)\"/></svg>"
    }
    return "<span class=\"chip\">\(icon ?? "")\(weather.text)</span>\n"
  }

  private func chip(_ name: String, _ content: Markup, _ attributes: Markup = "") -> Markup {
    isFixed
      ? "<span class=\"chip\">\(content)</span>\n"
      : """
      <button type="button" class="chip" data-chip="\(name)"\(attributes)>\(content)</button>

      """
  }
}

/// The sheets in which date, tags and place are changed; the script fills and opens them.
func chipSheets() -> Markup {
  """
  <dialog id="set-date" class="sheet" aria-labelledby="set-date-title">
  <h2 id="set-date-title">\(localized("Date and time"))</h2>
  <form class="line" novalidate>
  <input type="date" aria-label="\(localized("Date"))" autocomplete="off" max="9999-12-31">
  <input type="time" aria-label="\(localized("Time"))" autocomplete="off">
  <button>\(localized("Set"))</button>
  </form>
  <p class="said" role="status"></p>
  \(cancelButton(localized("Cancel")))
  </dialog>
  <dialog id="set-tags" class="sheet" aria-labelledby="set-tags-title">
  <h2 id="set-tags-title">\(localized("Tags"))</h2>
  <div class="choices"></div>
  <form class="line">
  <input list="known-tags" aria-label="\(localized("Add a tag"))" \
  placeholder="\(localized("Add a tag"))" autocomplete="off" autocapitalize="off" maxlength="200" \
  enterkeyhint="done">
  <datalist id="known-tags"></datalist>
  <button>\(localized("Add"))</button>
  </form>
  <p class="said" role="status"></p>
  \(cancelButton(localized("Close")))
  </dialog>
  <dialog id="set-place" class="sheet" aria-labelledby="set-place-title">
  <h2 id="set-place-title">\(localized("Place"))</h2>
  <form class="line">
  <input aria-label="\(localized("Place"))" autocomplete="off" maxlength="200" enterkeyhint="done">
  <button>\(localized("Set"))</button>
  </form>
  <p class="said" role="status"></p>
  \(cancelButton(localized("Cancel")))
  </dialog>

  """
}
