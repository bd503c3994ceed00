import DiaryCore
import Foundation
import Localization

/// Reads jrnl's JSON export: `{"tags": …, "entries": [{"title", "body", "date", "time", "tags",
/// "starred"}]}`.
func readJrnlJSON(_ bytes: [UInt8], _ options: ImportOptions) throws(ImportError) -> ImportedBatch {
  var batch = ImportedBatch()
  try readEntries(of: bytes, under: "entries") { (value, line, error) throws(ImportError) in
    var entry = ImportedEntry()
    guard let day = value["date"]?.text else { throw error(localized("\"date\" is missing")) }
    entry.writtenDate = day + (value["time"]?.text.map { " " + $0 } ?? "")
    entry.date = EntryDate(reading: entry.writtenDate, zone: options.zone)
    guard entry.date != nil else {
      throw error(localized("\"date\" is \(entry.writtenDate), which is not a date"))
    }
    entry.title = value["title"]?.text ?? ""
    entry.body = value["body"]?.text ?? ""
    entry.isStarred = value["starred"]?.isTrue ?? false
    let tags = value["tags"]?.items.compactMap(\.text) ?? []
    entry.tags = tags.filter { $0.hasPrefix("@") || !entry.body.contains($0) }
      .map { String($0.drop { "@#".contains($0) }) }
    value.appendOtherFields(
      than: ["title", "body", "date", "time", "tags", "starred"], to: &entry)
    entry.line = line
    if !jrnlTags(entry.title + "\n" + entry.body, symbols: "@").isEmpty { batch.hasAtTags = true }
    batch.entries.append(entry)
  }
  return batch
}
