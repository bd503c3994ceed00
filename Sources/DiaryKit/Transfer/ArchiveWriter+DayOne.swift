import Crypto
import DiaryCore
import EntryFormats
import Foundation
import Localization
import ZipFiles

extension ArchiveWriter {
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
}
