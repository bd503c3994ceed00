import Localization

/// The dialogs of every screen; the script fills and opens them.
func dialogs(_ user: PageUser) -> Markup {
  """
  <dialog id="sheet" class="sheet" aria-labelledby="sheet-title">
  <h2 id="sheet-title" class="unseen">\(localized("More"))</h2>
  <div class="choices"></div>
  \(cancelButton(localized("Cancel")))
  </dialog>
  <dialog id="share" class="sheet" aria-labelledby="share-title">
  <h2 id="share-title">\(localized("Share"))</h2>
  <div class="choices">
  <button type="button" data-do="app">\(localized("Another app…"))</button>
  <button type="button" data-do="text">\(localized("Copy text"))</button>
  <button type="button" data-do="md">\(localized("Copy Markdown"))</button>
  <a data-do="html" download>\(localized("Save as page"))</a>
  <a data-do="mail">\(localized("Mail"))</a>
  <button type="button" data-do="print">\(localized("Print"))</button>
  </div>
  \(cancelButton(localized("Cancel")))
  </dialog>
  <dialog id="alert" role="alertdialog" aria-labelledby="alert-title" aria-describedby="alert-text">
  <h2 id="alert-title"></h2>
  <p id="alert-text"></p>
  <div class="answers">
  <button type="button" class="cancel" value="cancel">\(localized("Cancel"))</button>
  <button type="button" class="delete" value="yes">\(localized("Delete"))</button>
  </div>
  </dialog>
  \(keysSheet(user))\
  <p id="toast" role="status" aria-live="polite"></p>

  """
}

func cancelButton(_ text: String) -> Markup {
  "<button type=\"button\" class=\"cancel\" value=\"cancel\">\(text)</button>"
}

/// The keys of all screens, which `?` shows.
private func keysSheet(_ user: PageUser) -> Markup {
  let reading: [(keys: String, text: String)] = [
    ("/", localized("Search")), ("↓ ↑", localized("Go through the list")),
    ("Enter", localized("Open the entry")), ("j k", localized("Next and previous entry")),
    ("f", localized("Show only the text, or all again")),
    ("s", localized("Share")), ("g", localized("Calendar")),
    ("Esc", localized("Leave the field, close, go back")),
  ]
  let writing: [(keys: String, text: String)] = [
    ("n", localized("New entry")), ("e", localized("Edit")),
    ("Delete", localized("Delete the entry")),
    ("Ctrl S", localized("Save now")), ("Ctrl B, I, K", localized("Bold, italic, link")),
    ("Tab, Shift Tab", localized("Indent the list item, or move it back")),
  ]
  let rows = (reading + (user.isReadOnly ? [] : writing)).map { key -> Markup in
    "<dt>\(key.keys)</dt><dd>\(key.text)</dd>\n"
  }
  return """
    <dialog id="keys" class="sheet" aria-labelledby="keys-title">
    <h2 id="keys-title">\(localized("Keys"))</h2>
    <dl>
    \(rows)</dl>
    \(cancelButton(localized("Close")))
    </dialog>

    """
}

/// The dialog for the place of the weather. Sends nothing until a button is pressed.
func weatherSheet() -> Markup {
  """
  <dialog id="weather" class="sheet" aria-labelledby="weather-title">
  <h2 id="weather-title">\(localized("Weather"))</h2>
  <p>\(localized(
    "New entries get the weather of your place. Only the position, rounded to about 1 km, is sent to the weather provider."))</p>
  <div class="choices">
  <button type="button" data-do="here">\(localized("Use this device's place"))</button>
  </div>
  <form class="line">
  <input id="place" aria-label="\(localized("Place"))" placeholder="\(localized("Or a town"))" \
  autocomplete="off" maxlength="100">
  <button>\(localized("Set"))</button>
  </form>
  <p class="said" role="status"></p>
  <div class="choices">
  <button type="button" data-do="off">\(localized("No weather"))</button>
  </div>
  \(cancelButton(localized("Close")))
  </dialog>

  """
}
