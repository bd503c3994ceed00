import DiaryCore
import DiaryKit
import Localization

/// The screen of an existing or new entry: the entry for reading, and two fields for writing. The
/// script shows one of them; without it, the entry can be read.
struct WriteDocument {
  /// The text of a new entry's fields, and the templates that are offered.
  struct New {
    /// The names of the templates that are offered.
    var templates: [String]
    /// The template that the user has chosen; empty for the usual one.
    var template: String
    /// Its text.
    var text: TemplateText?
  }

  /// The entry; `nil` for a new one.
  var entry: PageEntry?
  /// The HTML of the entry from `EntryFormats`.
  var article: String?
  var new: New?
  /// The size of the largest file that the server takes, in bytes.
  var fileLimit = RequestLimits().file

  func html(for user: PageUser, _ assets: Assets) -> String {
    let row = entry?.row
    let isFixed = user.isReadOnly || entry?.readOnly != nil
    let text = entry.map { $0.editableTitle + $0.body } ?? ""
    let isReading = isFixed || text.contains { !$0.isWhitespace }
    var frame = PageFrame(
      user: user, assets: assets, title: row?.dateText ?? localized("New entry"),
      screen: "write", texts: PageTexts.writing, hasEntry: true)
    frame.dataAttributes = """
      \(attribute: "data-path", row?.path)\(attribute: "data-href", row?.href)\
      \(attribute: "data-template", new?.template)\
      \(attribute: "data-caret", caret.map(String.init))\
      \(attribute: "data-version", entry?.version)\(attribute: "data-held", entry?.heldBy)\
      \(flag: "data-fixed", if: isFixed)\(flag: "data-reading", if: isReading)\
      \(attribute: "data-file-limit", isFixed ? nil : String(fileLimit))
      """
    let edit: Markup =
      isFixed ? "" : "<button id=\"edit\" type=\"button\">\(localized("Edit"))</button>\n"
    return frame.document(
      """
      \(weatherIconSymbols())\
      <header class="bar">
      \(backLink(to: row))
      <h1>\(row?.dateText ?? localized("New entry"))\(weatherIcon(row?.weather))</h1>
      \(edit)<button id="done" type="button">\(localized("Done"))</button>
      \(iconButton("more", localized("More"), dotsIcon))
      <p id="status" role="status" aria-live="polite" data-state="clean"></p>
      </header>
      <main>
      <div id="notice" role="alert" hidden></div>
      \(entry?.readOnly.map { reason -> Markup in "<p class=\"card\">\(reason)</p>" } ?? "")\
      \(EntryChips(entry: entry, isFixed: isFixed).markup)\
      <div id="reading">
      \(Markup(rendered: article ?? ""))</div>
      <textarea id="title" rows="1" placeholder="\(localized("Title"))" \
      aria-label="\(localized("Title"))" autocomplete="off" enterkeyhint="next"\
      \(flag: "readonly", if: isFixed)>
      \(exactly: isFixed ? "" : entry?.editableTitle ?? new?.text?.title ?? "")</textarea>
      <textarea id="body" placeholder="\(localized("What happened?"))" \
      aria-label="\(localized("What happened?"))" autocomplete="off" autocapitalize="sentences" \
      spellcheck="true"\
      \(flag: "readonly", if: isFixed)>
      \(exactly: isFixed ? "" : entry?.body ?? new?.text?.body ?? "")</textarea>
      \(templates)\
      </main>
      <input id="picture" type="file" accept="image/*,audio/*,video/*,application/pdf" autocomplete="off" multiple hidden>
      \(dialogs(user))\(isFixed ? "" : chipSheets())
      """)
  }

  /// Where the caret is in the text of a template; `nil` if there is no text.
  private var caret: Int? {
    new?.text.flatMap { $0.body.allSatisfy(\.isWhitespace) ? nil : $0.caret }
  }

  /// The links to a new entry with the text of a template.
  private var templates: Markup {
    guard let new, !new.templates.isEmpty else { return "" }
    let links = new.templates.map { name -> Markup in
      "<a class=\"chip\" href=\"/new?template=\(percentEncoded(name))\">\(name)</a>\n"
    }
    return """
      <nav id="templates" aria-label="\(localized("Templates"))">
      \(links)</nav>

      """
  }
}
