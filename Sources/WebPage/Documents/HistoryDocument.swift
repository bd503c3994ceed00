import DiaryCore
import DiaryKit
import Localization

/// The versions of an entry, newest first, or the content of one version.
struct HistoryDocument {
  /// A version and a summary of its change.
  struct Version {
    let commit: String
    let time: String
    let change: String
    let isDeletion: Bool
  }

  /// The version that is displayed.
  struct DisplayedVersion {
    let commit: String
    let time: String
    let article: String
  }

  var row: EntryRow
  var versions: [Version] = []
  var isCutOff = false
  var shown: DisplayedVersion?

  func html(for user: PageUser, _ assets: Assets) -> String {
    var frame = PageFrame(
      user: user, assets: assets, title: localized("History"), screen: "history",
      texts: PageTexts.shared, hasEntry: shown != nil)
    frame.dataAttributes = """
      \(attribute: "data-path", row.path)\(attribute: "data-href", row.href)\
      \(attribute: "data-commit", shown?.commit)
      """
    let name = String(row.href.dropFirst(3))
    let back = shown == nil ? row.href : "/h/" + name
    let restore: Markup =
      user.isReadOnly || shown == nil
      ? "" : "<button id=\"restore\" type=\"button\">\(localized("Restore"))</button>"
    return frame.document(
      """
      <nav class="bar">
      <a id="back" href="\(back)"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M15 4l-8 8 8 8"/></svg>\
      <span>\(shown == nil ? row.title : localized("History"))</span></a>
      \(shown.map { shown -> Markup in "<p class=\"when\">\(shown.time)</p>" } ?? "")\(restore)
      </nav>
      <main>
      \(shown.map { Markup(rendered: $0.article) } ?? list(name))</main>
      \(dialogs(user))
      """)
  }

  private func list(_ name: String) -> Markup {
    let rows = versions.map { version -> Markup in
      let text: Markup = "<b>\(version.time)</b><span>\(version.change)</span>"
      return version.isDeletion
        ? "<li class=\"version\">\(text)</li>\n"
        : "<li class=\"version\"><a href=\"/h/\(name)?at=\(version.commit)\">\(text)</a></li>\n"
    }
    let cutOffNotice: Markup =
      isCutOff ? "<p>\(localized("Older versions are not in this clone."))</p>" : ""
    return
      "<h1>\(localized("History"))</h1>\n<ul class=\"versions\">\n\(rows)</ul>\n\(cutOffNotice)"
  }
}
