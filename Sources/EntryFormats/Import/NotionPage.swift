import DiaryCore
import Foundation
import Localization

extension ImportFormat {
  static let notion = ImportFormat(name: "notion", title: "Notion (Markdown & CSV)") { probe in
    let pages = probe.names.filter(isNotionPage)
    guard !probe.names.contains(where: { $0.hasPrefix(".obsidian/") }) else { return false }
    return !pages.isEmpty && 2 * pages.count > probe.names.count { $0.hasSuffix(".md") }
  } read: { files, options in
    var batch = ImportedBatch()
    let others = Set(files.names.filter { !$0.hasSuffix(".md") && !$0.hasSuffix(".csv") })
    for name in files.names {
      if name.lowercased().hasSuffix(".csv") { batch.addSkipped(localized("tables (CSV)")) }
      guard name.hasSuffix(".md") else { continue }
      try readImportFile(name, of: files) { bytes throws(ImportError) in
        let text = String(decoding: bytes, as: UTF8.self)
        batch.entries.append(readNotionPage(text, file: name, others, options, &batch))
      }
    }
    return batch
  }
}

/// Returns whether a name ends with the ID of a page of Notion: a blank and 32 hex digits.
func isNotionPage(_ name: String) -> Bool {
  guard name.hasSuffix(".md") else { return false }
  let id = name.dropLast(3).suffix(33)
  return id.count == 33 && id.first == " "
    && id.dropFirst().allSatisfy { $0.isHexDigit && !$0.isUppercase }
}

/// Reads a page: a heading, the properties of a database as lines `Name: value`, and the text. The
/// first property that is a date is the date.
private func readNotionPage(
  _ text: String, file: String, _ others: Set<String>, _ options: ImportOptions,
  _ batch: inout ImportedBatch
) -> ImportedEntry {
  var entry = ImportedEntry()
  entry.file = file
  let stem = ((file as NSString).lastPathComponent as NSString).deletingPathExtension
  let id = isNotionPage(file) ? String(stem.suffix(32)) : stem
  entry.sourceID = "notion/" + withSingleBlanks(id)
  let (title, below) = splitHeading(text.replacing("\r\n", with: "\n"))
  entry.title = title.isEmpty ? trimmed(stem.dropLast(isNotionPage(file) ? 33 : 0)) : title
  var lines = below.split(separator: "\n", omittingEmptySubsequences: false)[...]
  var properties: [HeaderLine] = []
  while let line = lines.first, let colon = line.firstRange(of: ": "),
    (1...40).contains(line[..<colon.lowerBound].count), line.first?.isLetter == true
  {
    properties.append(
      HeaderLine(
        name: String(line[..<colon.lowerBound]), value: trimmed(line[colon.upperBound...])))
    lines.removeFirst()
  }
  // Such lines belong to the text if no blank line ends them.
  if lines.first.map({ trimmed($0).isEmpty }) ?? true {
    // A header has no keys without a value, so such a line stays in the text.
    let empty = properties.filter(\.value.isEmpty).map { Substring($0.text) }
    entry.body = (empty + lines).joined(separator: "\n").withoutBlankEdges
    entry.headerLines = properties.filter { !$0.value.isEmpty }
    for property in entry.headerLines { addNotionProperty(property, to: &entry, options) }
  } else {
    entry.body = below.withoutBlankEdges
  }
  let folder = (file as NSString).deletingLastPathComponent
  for part in entry.body.split(separator: "](", omittingEmptySubsequences: false).dropFirst() {
    let target = String(part.prefix { $0 != ")" && !$0.isNewline })
    let path = (folder.isEmpty ? "" : folder + "/") + (target.removingPercentEncoding ?? target)
    guard others.contains(path), !entry.attachments.contains(where: { $0.names == [path] }) else {
      continue
    }
    entry.attachments.append(
      ImportedAttachment(
        names: [path], fileName: (path as NSString).lastPathComponent,
        placeholder: linkText(to: target, in: entry.body)))
  }
  if entry.body.contains(".md)") { batch.addSkipped(localized("links between pages of Notion")) }
  return entry
}

private func addNotionProperty(
  _ property: HeaderLine, to entry: inout ImportedEntry, _ options: ImportOptions
) {
  if ["tags", "tag", "labels", "label"].contains(property.name.lowercased()) {
    entry.tags += property.value.split(separator: ",").map { withSingleBlanks(String($0)) }
      .filter { !$0.isEmpty }
    return
  }
  if entry.date == nil, let date = property.date(in: options.zone) {
    (entry.date, entry.writtenDate) = (date, property.value)
    return
  }
  // The end of a range, and the name of a zone, have no place in the date, so the field is kept.
  var start = trimmed(property.value.prefix { $0 != "→" })
  if start.hasSuffix(")"), let bracket = start.lastIndex(of: "("),
    start[bracket...].dropFirst().dropLast().allSatisfy({ $0.isASCII && $0.isUppercase })
  {
    start = trimmed(start[..<bracket])
  }
  if entry.date == nil, start != property.value,
    let date = HeaderLine(name: property.name, value: start).date(in: options.zone)
  {
    (entry.date, entry.writtenDate) = (date, property.value)
  }
  entry.fields.append(ImportedField(property.key, .text(property.value)))
}
