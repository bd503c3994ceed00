import Localization

/// The pictures of the entries by month, newest first; each leads to its entry.
struct PicturesDocument {
  /// The number of pictures in a document, after which it ends with a link to the older ones.
  static let pictureCount = 120

  /// An entry and the pictures that it shows.
  struct Item {
    let row: EntryRow
    let pictures: [EntryRow.Picture]
  }

  var items: [Item] = []
  /// The cursor of the last entry, if there are older ones.
  var next: String?

  func html(for user: PageUser, _ assets: Assets) -> String {
    let frame = PageFrame(
      user: user, assets: assets, title: localized("Pictures"), screen: "pictures")
    let nothing: Markup = "<p id=\"none\">\(localized("No entry shows a picture."))</p>\n"
    let older = next.map { cursor -> Markup in
      "<a class=\"edge\" href=\"/pictures?after=\(cursor)\">\(localized("Older pictures"))</a>\n"
    }
    return frame.document(
      """
      <nav class="bar">
      \(backLink())
      </nav>
      <main>
      <h1>\(localized("Pictures"))</h1>
      \(items.isEmpty ? nothing : "")\(months)\(older ?? "")</main>
      \(dialogs(user))
      """)
  }

  private var months: [Markup] {
    var parts: [Markup] = []
    var rest = items[...]
    while let first = rest.first {
      let month = rest.prefix { $0.row.month == first.row.month }
      rest = rest.dropFirst(month.count)
      let pictures = month.flatMap { item in item.pictures.map { link($0, item.row) } }
      parts.append(
        """
        <section><h2>\(first.row.month ?? localized("No date"))</h2>
        <ul class="grid">
        \(pictures)</ul></section>

        """)
    }
    return parts
  }

  private func link(_ picture: EntryRow.Picture, _ row: EntryRow) -> Markup {
    let name = [row.title, row.dateText].compactMap(\.self).joined(separator: ", ")
    return """
      <li><a href="\(row.href)">\(thumbnailImage(picture, name))</a></li>

      """
  }
}

/// A small picture; the script makes it if there is none yet. Its box has its size before.
func thumbnailImage(_ picture: EntryRow.Picture?, _ name: String = "") -> Markup {
  let made = picture?.isMade == true ? picture?.thumbnail : nil
  let missing = picture?.isMade == false ? picture?.thumbnail : nil
  return """
    <img class="thumbnail" alt="\(name)" loading="lazy"\(attribute: "src", made)\
    \(attribute: "data-thumbnail", missing)>
    """
}
