import DiaryCore
import DiaryKit
import EntryFormats
import Localization

/// An entry for reading and printing. It needs no script.
struct ReadDocument {
  var row: EntryRow
  /// The HTML of the entry from `EntryFormats`.
  var article: String

  func html(for user: PageUser, _ assets: Assets) -> String {
    var frame = PageFrame(
      user: user, assets: assets, title: row.dateText ?? localized("Diary"), screen: "read",
      texts: PageTexts.shared, hasEntry: true)
    frame.dataAttributes = "\(attribute: "data-path", row.path)\(attribute: "data-href", row.href)"
    let edit: Markup = "<a id=\"edit\" href=\"\(row.href)\">\(localized("Edit"))</a>"
    let star: Markup = row.starred ? "<p>\(starMark())</p>\n" : ""
    return frame.document(
      """
      <nav class="bar">
      \(backLink())
      \(user.isReadOnly ? "" : edit)
      \(iconButton("more", localized("More"), dotsIcon))
      </nav>
      <main>
      \(star)\
      \(Markup(rendered: article))</main>
      \(dialogs(user))
      """)
  }
}
