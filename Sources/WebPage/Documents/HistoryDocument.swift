import DiaryCore
import DiaryKit
import Localization

/// The versions of an entry, newest first, or one version: what it changed, or its text.
struct HistoryDocument {
  /// A version and a summary of its change.
  struct Version {
    let commit: String
    let time: String
    let change: String
    /// The first words that were added or removed.
    let excerpt: [WordDiff.Part]
    let isDeletion: Bool
  }

  /// The version that is displayed.
  struct DisplayedVersion {
    let commit: String
    let time: String
    let title: String
    let article: String
    /// The differences to the version before; `nil` for the first version.
    let changes: (header: WordDiff, body: WordDiff)?
    /// True to show its text instead of its changes.
    let showsText: Bool
  }

  var row: EntryRow
  var versions: [Version] = []
  var isCutOff = false
  /// True if the entry was deleted.
  var isDeleted = false
  var shown: DisplayedVersion?

  /// The entry's path in addresses.
  private var name: String { String(row.href.dropFirst(3)) }

  func html(for user: PageUser, _ assets: Assets) -> String {
    var frame = PageFrame(
      user: user, assets: assets, title: localized("History"), screen: "history",
      texts: PageTexts.past, hasEntry: shown != nil)
    frame.dataAttributes = """
      \(attribute: "data-path", row.path)\(attribute: "data-href", row.href)\
      \(attribute: "data-commit", shown?.commit)
      """
    let back = shown != nil ? "/h/" + name : isDeleted ? "/deleted" : row.href
    let title =
      shown != nil ? localized("History") : isDeleted ? localized("Deleted entries") : row.title
    let restore: Markup =
      user.isReadOnly || shown == nil
      ? "" : "<button class=\"restore\" type=\"button\">\(localized("Restore"))</button>"
    return frame.document(
      """
      <nav class="bar">
      <a id="back" href="\(back)"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M15 4l-8 8 8 8"/></svg>\
      <span>\(title)</span></a>
      \(restore)
      </nav>
      <main>
      \(shown.map(content) ?? list)</main>
      \(dialogs(user))
      """)
  }

  private var list: Markup {
    let rows = versions.map { version -> Markup in
      let text: Markup = """
        <b>\(version.time)</b><span>\(version.change)</span>\(excerpt(version.excerpt))
        """
      return version.isDeletion
        ? "<li class=\"version\">\(text)</li>\n"
        : "<li class=\"version\"><a href=\"/h/\(name)?at=\(version.commit)\">\(text)</a></li>\n"
    }
    let cutOffNotice: Markup =
      isCutOff ? "<p>\(localized("Older versions are not in this clone."))</p>" : ""
    return
      "<h1>\(localized("History"))</h1>\n<ul class=\"versions\">\n\(rows)</ul>\n\(cutOffNotice)"
  }

  private func excerpt(_ parts: [WordDiff.Part]) -> Markup {
    parts.isEmpty ? "" : "<i class=\"excerpt\">\(parts.map(markup))</i>"
  }

  private func content(_ shown: DisplayedVersion) -> Markup {
    let time: Markup = "<p class=\"when\">\(shown.time)</p>\n"
    guard let changes = shown.changes else { return time + Markup(rendered: shown.article) }
    let address = "/h/\(name)?at=\(shown.commit)"
    func view(_ address: String, _ name: String, _ isShown: Bool) -> Markup {
      "<a href=\"\(address)\"\(attribute: "aria-current", isShown ? "page" : nil)>\(name)</a>"
    }
    let views: Markup = """
      \(time)<p class="views">\(view(address, localized("Changes"), !shown.showsText))\
      \(view(address + "&as=text", localized("Text"), shown.showsText))</p>

      """
    if shown.showsText { return views + Markup(rendered: shown.article) }
    let isSame = { (diff: WordDiff) in
      diff.parts.allSatisfy { if case .same = $0 { true } else { false } }
    }
    let header: Markup =
      isSame(changes.header)
      ? "" : "<pre class=\"header\">\(changes.header.parts.map(markup))</pre>\n"
    return """
      \(views)<article class="changes">
      <h1>\(shown.title)</h1>
      \(header)<div>\(changes.body.parts.map(markup))</div>
      </article>

      """
  }

  /// A part without the returns of line ends, which a reader does not see.
  private func markup(of part: WordDiff.Part) -> Markup {
    func shown(_ text: String) -> String {
      String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\r" }))
    }
    return switch part {
    case .same(let text): "\(shown(text))"
    case .added(let text): "<ins>\(shown(text))</ins>"
    case .removed(let text): "<del>\(shown(text))</del>"
    }
  }
}
