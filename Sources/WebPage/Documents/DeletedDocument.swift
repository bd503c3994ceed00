import DiaryKit
import Localization

/// The entries that were deleted lately, and the next undo and redo.
struct DeletedDocument {
  /// A deleted entry.
  struct Row {
    let row: EntryRow
    /// The time of the deletion.
    let time: String
  }

  /// An operation that can be undone or redone.
  struct Step {
    let id: String
    let text: String
    let time: String
  }

  var rows: [Row]
  var undo: Step?
  var redo: Step?

  func html(for user: PageUser, _ assets: Assets) -> String {
    let frame = PageFrame(
      user: user, assets: assets, title: localized("Deleted entries"), screen: "deleted",
      texts: PageTexts.past)
    let nothing: Markup =
      rows.isEmpty
      ? "<p id=\"none\">\(localized("No entries were deleted in the last 30 days."))</p>\n" : ""
    return frame.document(
      """
      <nav class="bar">
      \(backLink())
      </nav>
      <main>
      <h1>\(localized("Deleted entries"))</h1>
      \(user.isReadOnly ? "" : step(undo, localized("Undo")) + step(redo, localized("Redo")))\
      <ul class="versions">
      \(rows.map { row($0, user) })</ul>
      \(nothing)</main>
      \(dialogs(user))
      """)
  }

  private func step(_ step: Step?, _ action: String) -> Markup {
    guard let step else { return "" }
    return """
      <div class="card"><p>\(step.text)<br><small>\(step.time)</small></p>
      <button class="step" type="button" data-step="\(step.id)">\(action)</button></div>

      """
  }

  private func row(_ deleted: Row, _ user: PageUser) -> Markup {
    let row = deleted.row
    let button: Markup =
      user.isReadOnly
      ? ""
      : """
      <button class="restore" type="button" data-href="\(row.href)"\
      \(attribute: "aria-label", localized("Restore") + ": " + row.title)>\(localized("Restore"))</button>
      """
    return """
      <li class="version"><a href="/h/\(String(row.href.dropFirst(3)))"><b>\(row.title)</b>\
      <span>\(row.dateText ?? "")</span><i class="excerpt">\(row.preview)</i>\
      <small>\(localized("deleted \(deleted.time)"))</small></a>\(button)</li>

      """
  }
}
