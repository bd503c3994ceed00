import DiaryCore
import Localization

/// A document with an error message.
struct MessageDocument {
  /// The message, and a hint for the user.
  var what: String
  var hint: String?
  /// True if the user is signed in, so that the document links to the list.
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
