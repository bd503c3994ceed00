import Crypto
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
        context.isXML = true
        context.titleLevel = 2
        done += 1
        progress(done, entries.count)
        return htmlArticle(of: shown.entry, prefix: "e\(index + 1)-", in: context)
      }
      try add(folder + chapter.name, text)
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

  /// Writes a Day One export and returns its number of entries. The entries are first written to a
  /// temporary file, which must not exist yet.
  func writeDayOne(_ entries: [EntrySummary], temporaryPath: String) throws -> Int {
    let json = try ExportFile(at: temporaryPath, displayPath: "Journal.json")
    var count = 0
    var addedNames: Set<String> = []
    try json.write(Array(DayOneExport.delimiters.start.utf8))
    for (index, listed) in entries.enumerated() {
      try Task.checkCancellation()
      let entry = try source.wholeEntry(listed)
      let media = source.shouldIncludeAttachments ? try media(of: entry) : [:]
      let object = try DayOneExport.entry(
        entry, zone: zone(of: entry), media: entry.attachments.compactMap { media[$0.path] }
      ) { link in PictureEmbedder.path(link, from: listed.path).flatMap { media[$0] } }
      if let object {
        try json.write((count > 0 ? Array(DayOneExport.delimiters.between.utf8) : []) + object)
        count += 1
        for file in entry.attachments {
          guard let medium = media[file.path], let name = medium.name,
            addedNames.insert(name).inserted
          else { continue }
          try addFile(file, as: name, time: zipTime(of: listed))
        }
      } else {
        source.addNotice(
          localized("\(listed.path.text) was skipped: it has no date, and Day One needs one"))
      }
      progress(index + 1, entries.count)
    }
    try json.write(Array(DayOneExport.delimiters.end.utf8))
    try json.close(flushing: false)
    try zip.add(
      "Journal.json", file: temporaryPath, time: zipTime(of: entries.last { $0.date != nil }))
    return count
  }

  /// Returns the entry's files that Day One supports, by path.
  private func media(of entry: WholeEntry) throws -> [EntryPath: DayOneExport.Medium] {
    var media: [EntryPath: DayOneExport.Medium] = [:]
    for file in entry.attachments {
      var hash = Insecure.MD5()
      try source.read(file) { hash.update(data: $0) }
      let medium = DayOneExport.Medium(md5: hexadecimal(hash.finalize()), file: file)
      if medium.name == nil {
        source.addNotice(
          localized(
            "\(file.path.text) was skipped: Day One does not support such files"))
      } else {
        media[file.path] = medium
      }
    }
    return media
  }

  /// Returns the entry's time zone by a name that Day One accepts: the header's, or the journal's
  /// if it had the entry's offset at that time, else a fixed offset.
  private func zone(of entry: WholeEntry) -> String {
    guard let date = entry.summary.date else { return "GMT" }
    let moment = Date(timeIntervalSince1970: Double(date.instant))
    let named = entry.text.string("timezone")
    for zone in [named.flatMap { TimeZone(identifier: $0) }, source.journal.zone].compactMap(\.self)
    where zone.secondsFromGMT(for: moment) == date.offset {
      return zone.identifier
    }
    return TimeZone(secondsFromGMT: date.offset)?.identifier ?? "GMT"
  }

  /// Adds a file of the journal, which is read when the archive is written.
  private func addFile(_ file: ExportAttachment, as name: String, time: ZipTime) throws {
    try zip.add(
      Array(name.utf8), size: file.size, time: time, isPacked: false,
      opening: source.journal.opener(file.path))
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

extension Journal {
  /// Returns a closure that opens a file of the journal for an archive.
  func opener(_ path: EntryPath) -> () throws -> ZipWriter.ChunkReader {
    {
      guard let file = try self.folder.openFile(path) else {
        throw DiaryError(localized("the file \(path.text) no longer exists"), kind: .nothingFound)
      }
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
