import DiaryCore
import Localization

/// What is said instead of a document that cannot be had.
struct MessageDocument {
  /// What happened, and what can be done about it.
  var what: String
  var hint: String?
  /// Whether the reader is signed in, so that the list can be offered.
  var hasList = true

  func html(for language: UserLanguage, _ assets: Assets) -> String {
    let list: Markup = hasList ? "<p><a href=\"/\">\(localized("Diary"))</a></p>" : ""
    let page: Markup = """
      <!DOCTYPE html>
      <html lang="\(language.textLanguage)">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
      <meta name="color-scheme" content="light dark">
      <title>\(localized("Diary"))</title>
      <link rel="stylesheet" href="\(assets.address(of: "page.css"))">
      <link rel="icon" href="\(assets.address(of: "icon.svg"))" type="image/svg+xml">
      </head>
      <body class="message">
      <main>
      <h1>\(what)</h1>
      <p>\(hint ?? "")</p>
      \(list)
      </main>
      </body>
      </html>

      """
    return page.html
  }
}
