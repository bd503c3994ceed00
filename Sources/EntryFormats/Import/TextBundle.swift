import DiaryCore
import Foundation
import Localization

extension ImportFormat {
  static let textBundle = ImportFormat(name: "textbundle", title: "TextBundle (Bear, Ulysses)") {
    probe in
    !textBundles(in: probe.names).isEmpty
  } read: { files, options in
    var batch = ImportedBatch()
    for (folder, text) in textBundles(in: files.names) {
      var info = JSONValue.null
      try readImportFile(folder + "info.json", of: files) { bytes throws(ImportError) in
        var reader = try JSONReader(bytes)
        info = try reader.value()
      }
      try readImportFile(text, of: files) { bytes throws(ImportError) in
        let others = files.names.filter { $0.hasPrefix(folder + "assets/") }
        let words = String(decoding: bytes, as: UTF8.self)
        guard let entry = readTextBundle(words, text, info, others, options) else {
          batch.addSkipped(localized("notes in the trash"))
          return
        }
        batch.entries.append(entry)
      }
    }
    return batch
  }
}

/// Returns the folders with a text and an `info.json`, each with its text. A folder is empty or ends
/// with `/`.
private func textBundles(in names: [String]) -> [(folder: String, text: String)] {
  let all = Set(names)
  return names.compactMap { name in
    let last = (name as NSString).lastPathComponent
    let folder = String(name.dropLast(last.count))
    return (last as NSString).deletingPathExtension == "text" && all.contains(folder + "info.json")
      ? (folder, name) : nil
  }
}

/// Reads a bundle. Bear writes the note's own data into the information; other programs have none.
/// `nil` for a note in the trash.
private func readTextBundle(
  _ text: String, _ file: String, _ info: JSONValue, _ others: [String], _ options: ImportOptions
) -> ImportedEntry? {
  var entry = ImportedEntry()
  entry.file = file
  let bear = info["net.shinyfrog.bear"]
  if bear?["trashed"] == .number("1") || bear?["trashed"]?.isTrue == true { return nil }
  let bundle = (file as NSString).deletingLastPathComponent
  let name = ((bundle as NSString).lastPathComponent as NSString).deletingPathExtension
  (entry.title, entry.body) = splitHeading(text.replacing("\r\n", with: "\n"))
  if entry.title.isEmpty { entry.title = name }
  entry.sourceID = "textbundle/" + withSingleBlanks(bear?["uniqueIdentifier"]?.text ?? bundle)
  let written = bear?["creationDate"]?.text ?? info["creationDate"]?.text
  if let written, let date = EntryDate(reading: written, zone: options.zone) {
    (entry.date, entry.writtenDate) = (
      EntryDate(instant: date.instant, zone: options.zone), written
    )
  }
  entry.isStarred = bear?["pinned"] == .number("1") || bear?["pinned"]?.isTrue == true
  for other in others {
    let last = (other as NSString).lastPathComponent
    let encoded = last.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? last
    let targets = ["assets/" + encoded, "assets/" + last]
    let link = targets.lazy.map { linkText(to: $0, in: entry.body) }.first { !$0.isEmpty }
    entry.attachments.append(
      ImportedAttachment(names: [other], fileName: last, placeholder: link ?? ""))
  }
  return entry
}
