import DiaryCore
import DiaryKit
import Localization

/// The writing screen of an existing or new entry.
struct WriteDocument {
  /// The entry; `nil` for a new one.
  var entry: PageEntry?

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
      </main>
      <input id="picture" type="file" accept="image/*" autocomplete="off" multiple hidden>
      \(dialogs(user))
      """)
  }
}
