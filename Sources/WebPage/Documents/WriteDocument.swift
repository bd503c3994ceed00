import DiaryCore
import DiaryKit
import Localization

/// The writing screen of an existing or new entry.
struct WriteDocument {
  /// The entry; `nil` for a new one.
  var entry: PageEntry?

  /// The buttons above an on-screen keyboard, while the text has the focus.
  private var marks: Markup {
    let buttons: [(name: String, label: String, lines: Markup)] = [
      (
        "bold", localized("Bold"),
        "<path d=\"M7 5h6a3.5 3.5 0 0 1 0 7H7zM7 12h7a3.5 3.5 0 0 1 0 7H7z\"/>"
      ),
      ("italic", localized("Italic"), "<path d=\"M10 5h7M7 19h7M14 5l-4 14\"/>"),
      (
        "list", localized("List"), "<path d=\"M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01\"/>"
      ),
      ("task", localized("Task"), "<path d=\"M4 4h16v16H4zM8 12l3 3 5-6\"/>"),
      ("quote", localized("Quote"), "<path d=\"M5 5v14M10 8h9M10 12h9M10 16h6\"/>"),
      (
        "link", localized("Link"),
        "<path d=\"M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1\"/>"
      ),
    ]
    return """
      <div id="marks" role="toolbar" aria-label="\(localized("Format"))">\
      \(buttons.map { button -> Markup in
        """
        <button type="button" value="\(button.name)" aria-label="\(button.label)">\
        <svg viewBox="0 0 24 24" aria-hidden="true">\(button.lines)</svg></button>
        """
      })</div>

      """
  }

  func html(for user: PageUser, _ assets: Assets) -> String {
    let row = entry?.row
    let isFixed = user.isReadOnly || entry?.readOnly != nil
    var frame = PageFrame(
      user: user, assets: assets, title: row?.dateText ?? localized("New entry"),
      screen: "write", texts: PageTexts.writing)
    frame.dataAttributes = """
      \(attribute: "data-path", row?.path)\(attribute: "data-href", row?.href)\
      \(attribute: "data-version", entry?.version)\(attribute: "data-held", entry?.heldBy)\
      \(flag: "data-fixed", if: isFixed)
      """
    frame.noScriptAddress = row.map { "/r/" + $0.href.dropFirst(3) }
    return frame.document(
      """
      \(weatherIconSymbols())\
      <header class="bar">
      \(backLink())
      <h1>\(row?.dateText ?? localized("New entry"))\(weatherIcon(row?.weather))</h1>
      <button id="done" type="button" hidden>\(localized("Done"))</button>
      \(iconButton("more", localized("More"), dotsIcon))
      <p id="status" role="status" aria-live="polite" data-state="clean"></p>
      </header>
      <main>
      <div id="notice" role="alert" hidden></div>
      \(entry?.readOnly.map { reason -> Markup in "<p class=\"card\">\(reason)</p>" } ?? "")\
      <textarea id="title" rows="1" placeholder="\(localized("Title"))" \
      aria-label="\(localized("Title"))" autocomplete="off" enterkeyhint="next"\
      \(flag: "readonly", if: isFixed)>
      \(exactly: row == nil ? "" : entry?.editableTitle ?? "")</textarea>
      <textarea id="body" placeholder="\(localized("What happened?"))" \
      aria-label="\(localized("What happened?"))" autocomplete="off" autocapitalize="sentences" \
      spellcheck="true"\
      \(flag: "readonly", if: isFixed)>
      \(exactly: entry?.body ?? "")</textarea>
      \(isFixed ? "" : marks)</main>
      <input id="picture" type="file" accept="image/*" autocomplete="off" multiple hidden>
      \(dialogs(user))
      """)
  }
}
