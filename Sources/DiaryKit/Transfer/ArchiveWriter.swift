import DiaryCore
import EntryFiles
import EntryFormats
import Foundation
import Localization
import ZipFiles

/// Writes entries into a zip archive: an EPUB book or a Day One export. Files are read in parts
/// while the archive is written.
struct ArchiveWriter {
  let source: ExportSource
  let zip: ZipWriter
  let options: ExportOptions
  let progress: (_ done: Int, _ of: Int) -> Void

  /// Writes a book and returns its number of entries. `entries` begin with the oldest.
  func writeBook(_ entries: [EntrySummary]) throws -> Int {
    let book = EPUBExport(entries, title: options.title, language: options.locale.tag) {
      options.locale.monthText(of: $0)
    }
    let time = zipTime(of: entries.last { $0.date != nil })
    func add(_ name: String, _ text: String, isPacked: Bool = true) throws {
      try zip.add(name, Array(text.utf8), time: time, isPacked: isPacked)
    }
    try add("mimetype", EPUBExport.mimetype, isPacked: false)
    try add("META-INF/container.xml", EPUBExport.container)
    let folder = EPUBExport.folder
    try add(folder + "style.css", EPUBExport.style)
    try add(folder + "nav.xhtml", book.navigationDocument())
    var pictures: [EntryPath: EPUBExport.Picture] = [:]
    var order: [EPUBExport.Picture] = []
    var done = 0
    for chapter in book.chapters {
      let text = try book.text(of: chapter) { listed, index in
        try Task.checkCancellation()
        let shown = try source.exportEntryWithFiles(listed)
        for file in shown.files where pictures[file.path] == nil {
          guard let picture = picture(file, order.count) else { continue }
          pictures[file.path] = picture
          order.append(picture)
          try addFile(file, as: folder + picture.name, time: time)
        }
        var context = HTMLArticleContext { link in
          PictureEmbedder.path(link, from: listed.path).flatMap { pictures[$0]?.name }
        }
        context.fileAddress = { link in
          PictureEmbedder.path(link, from: listed.path).flatMap { book.address(of: $0) }
        }
        context.isXML = true
        context.titleLevel = 2
        done += 1
        progress(done, entries.count)
        return htmlArticle(
          of: shown.entry, prefix: "e\(index + 1)-", anchor: "e\(index + 1)", in: context)
      }
      try add(folder + chapter.name + ".xhtml", text)
    }
    try add(folder + "book.opf", book.package(order))
    return entries.count
  }

  /// Returns a picture of the book. Unsupported types are skipped with a message.
  private func picture(_ file: ExportAttachment, _ number: Int) -> EPUBExport.Picture? {
    guard let type = file.mediaType, EPUBExport.mediaTypes.contains(type) else {
      source.addNotice(
        localized(
          "\(file.path.text) was skipped: an EPUB supports only PNG, JPEG and GIF pictures"))
      return nil
    }
    return EPUBExport.Picture(
      name: "p\(number + 1)." + (type == "image/jpeg" ? "jpg" : String(type.dropFirst(6))),
      mediaType: type)
  }

  /// Adds a file of the journal, which is read when the archive is written.
  func addFile(_ file: ExportAttachment, as name: String, time: ZipTime) throws {
    try zip.add(
      Array(name.utf8), size: file.size, time: time, isPacked: false,
      opening: source.journal.transfer.opener(file.path))
  }
}

extension ZipWriter {
  /// Adds a file outside of the journal, which is read when the archive is written.
  func add(_ name: String, file: String, time: ZipTime) throws {
    let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
    try add(Array(name.utf8), size: size, time: time, isPacked: true) {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
      return { offset, count in
        try file.seek(toOffset: UInt64(offset))
        return Array(try file.read(upToCount: count) ?? Data())
      }
    }
  }
}

extension Transfer {
  /// Returns a closure that opens a file of the journal for an archive.
  func opener(_ path: EntryPath) -> () throws -> ZipWriter.ChunkReader {
    {
      guard let file = try journal.folder.openFile(path) else { throw DiaryError.missingFile(path) }
      return { offset, count in try file.read(at: offset, count: count) }
    }
  }
}

/// Returns the entry's local date and time for an archive. The default is 1 January 1980.
func zipTime(of entry: EntrySummary?) -> ZipTime {
  guard let date = entry?.date else { return ZipTime(year: 1980, month: 1, day: 1) }
  let (year, month, day) = date.date.components
  return ZipTime(year: year, month: month, day: day, seconds: date.seconds ?? 0)
}
