import DiaryCore
import EntryFormats
import Foundation
import Localization

/// Writes a site: pages for a browser that need no server, with the files that entries show. A
/// month is written entry by entry, so that only one entry is in memory.
struct SiteWriter {
  let folder: FolderWriter
  let title: String
  private var source: ExportSource { folder.source }

  init(folder: FolderWriter, title: String) {
    self.folder = folder
    self.title = title
  }

  /// Writes the site and returns its number of entries.
  func write(_ entries: [EntrySummary]) throws -> Int {
    // `entries` begin with the oldest, a page of the site with the newest.
    let map = SiteMap(entries.reversed())
    let locale = source.locale
    let pages = SitePages(
      map: map,
      strings: SiteStrings(
        title: title, language: locale.tag, day: { locale.text(of: $0) },
        month: { locale.monthText(of: $0) }, dayOfYear: { locale.dayOfYearText(of: $0) },
        monthOfYear: { locale.monthOfYearText(of: $0) }))
    try write(siteStyle, to: "style.css")
    try write(siteScript, to: "search.js")
    try write(pages.startPage(), to: "index.html")
    try write(pages.tagsPage(), to: "tags/index.html")
    for tag in map.tags { try write(pages.page(of: tag), to: tag.page) }
    try write(pages.daysPage(), to: "days/index.html")
    for month in map.calendar { try write(pages.page(of: month), to: month.page) }
    var writer = EntryPageWriter(folder: folder, pages: pages, count: entries.count)
    for year in map.years {
      try Task.checkCancellation()
      try write(pages.page(of: year), to: "\(year.year)/index.html")
      try writer.startSearchPart(year.year)
      for month in year.months {
        try writer.write(
          month.entries, to: month.page, start: pages.start(of: month), end: pages.end(of: month))
      }
      try writer.finishSearchPart()
    }
    if !map.undated.isEmpty {
      try writer.startSearchPart("undated")
      try writer.write(
        map.undated, to: "undated.html", start: pages.startOfUndated(), end: pages.end)
      try writer.finishSearchPart()
    }
    return entries.count
  }

  private func write(_ text: String, to name: String) throws {
    guard let path = EntryPath(name) else { return }
    try folder.write(to: path) { try $0.write(Array(text.utf8)) }
  }
}

/// Writes the pages with full entries, the files that they show, and the search data.
private struct EntryPageWriter {
  let folder: FolderWriter
  let pages: SitePages
  let count: Int
  private var done = 0
  /// The files that are already copied.
  private var copied: Set<EntryPath> = []
  private var search: ExportFile?
  private var isFirstRow = true

  init(folder: FolderWriter, pages: SitePages, count: Int) {
    self.folder = folder
    self.pages = pages
    self.count = count
  }

  /// Starts a part of the search data: a script, as a page on disk may load nothing else.
  mutating func startSearchPart(_ name: String) throws {
    guard let path = EntryPath("search/\(name).js") else { return }
    search = try folder.createFile(path)
    isFirstRow = true
    try search?.write(Array("diaryTexts([\n".utf8))
  }

  mutating func finishSearchPart() throws {
    try search?.write(Array("\n]);\n".utf8))
    try search?.close(flushing: false)
    search = nil
  }

  mutating func write(
    _ entries: [EntrySummary], to name: String, start: String, end: String
  ) throws {
    guard let path = EntryPath(name) else { return }
    let page = try folder.createFile(path)
    try page.write(Array(start.utf8))
    for listed in entries {
      try Task.checkCancellation()
      let (entry, attachments) = try folder.source.exportEntryWithFiles(listed)
      let files = try copy(attachments)
      let anchor = pages.map.anchor(of: listed.path)
      try page.write(
        Array(
          htmlArticle(
            of: entry, prefix: anchor + "-", anchor: anchor,
            in: context(of: listed.path, on: name, files)
          ).utf8))
      try search?.write(
        Array((isFirstRow ? "" : ",\n").utf8) + (try pages.searchRow(of: entry)))
      isFirstRow = false
      done += 1
      folder.progress(done, count)
    }
    try page.write(Array(end.utf8))
    try page.close(flushing: false)
  }

  /// Returns the link targets of an entry on its page.
  private func context(
    of entry: EntryPath, on page: String, _ files: [EntryPath: ExportAttachment]
  ) -> HTMLArticleContext {
    func address(_ link: String, isPicture: Bool) -> String? {
      guard let path = PictureEmbedder.path(link, from: entry) else { return nil }
      if let file = files[path] {
        guard !isPicture || file.mediaType != nil else { return nil }
        return SiteMap.relativeLink(to: "files/" + path.text, from: page)
      }
      return isPicture
        ? nil : pages.map.address(of: path).map { SiteMap.relativeLink(to: $0, from: page) }
    }
    var context = HTMLArticleContext { address($0, isPicture: true) }
    context.fileAddress = { address($0, isPicture: false) }
    context.titleLevel = 2
    context.hasLazyPictures = true
    return context
  }

  private mutating func copy(
    _ attachments: [ExportAttachment]
  ) throws -> [EntryPath: ExportAttachment] {
    var files: [EntryPath: ExportAttachment] = [:]
    for file in attachments where file.path.isText {
      files[file.path] = file
      guard copied.insert(file.path).inserted,
        let target = EntryPath("files/" + file.path.text)
      else { continue }
      try folder.write(to: target) { target in
        try folder.source.read(file) { try target.write($0) }
      }
    }
    return files
  }
}
