import DiaryCore
import Foundation
import Localization

/// Reads an entry of Apple's Journal: a page of HTML in `Entries`, named by its date, with its
/// pictures in `Resources`.
func readAppleJournal(
  _ bytes: [UInt8], file: String, _ options: ImportOptions
) throws(ImportError) -> ImportedEntry {
  var entry = ImportedEntry()
  entry.file = file
  let stem = ((file as NSString).lastPathComponent as NSString).deletingPathExtension
  let written = stem.prefix { $0.isNumber || $0 == "-" }
  guard let date = EntryDate(reading: written, zone: options.zone) else {
    throw ImportError(line: 1, localized("the file's name does not begin with a date"))
  }
  entry.date = EntryDate(wallClock: date.date, seconds: nil, zone: options.zone)
  entry.writtenDate = stem
  entry.sourceID = "applejournal/" + withSingleBlanks(stem)
  let page = try HTMLMarkdown.parse(String(decoding: bytes, as: UTF8.self)) { name in
    name == "pageHeader" || name == "title" || name.hasPrefix("gridItemOverlay")
      || name.hasPrefix("activity") || name.hasPrefix("media")
  }
  for (name, text) in page.classTexts {
    let fieldText = withSingleBlanks(text)
    guard !fieldText.isEmpty, name != "pageHeader" else { continue }
    if name == "title", entry.title.isEmpty {
      entry.title = fieldText
    } else {
      entry.fields.append(ImportedField(headerKey(name), .text(fieldText)))
    }
  }
  // Several cards of one kind become one list.
  var fields: [ImportedField] = []
  for field in entry.fields where !fields.contains(where: { $0.key == field.key }) {
    let texts = entry.fields.filter { $0.key == field.key }.compactMap { field -> String? in
      if case .text(let text) = field.value { text } else { nil }
    }
    fields.append(
      ImportedField(field.key, texts.count == 1 ? .text(texts[0]) : .list(texts)))
  }
  entry.fields = fields
  entry.setBody(page)
  for address in page.media where !address.hasPrefix("data:") {
    let path = address.removingPercentEncoding ?? address
    let name = lastComponent(path)
    let token = linkText(to: markdownTarget(address), in: entry.body)
    if entry.attachments.contains(where: { $0.names.first == path }) { continue }
    entry.attachments.append(
      ImportedAttachment(names: [path, "Resources/" + name], fileName: name, placeholder: token))
  }
  return entry
}
