import DiaryCore
import Foundation
import Localization

extension ImportFormat {
  static let orgRoam = ImportFormat(name: "org-roam", title: "org-roam") { probe in
    probe.names.filter { $0.lowercased().hasSuffix(".org") }.prefix(50).contains {
      isOrgRoam(probe.beginning(of: $0))
    }
  } read: { files, options in
    var batch = ImportedBatch()
    for name in files.names where name.lowercased().hasSuffix(".org") {
      try readImportFile(name, of: files) { bytes throws(ImportError) in
        batch.entries.append(
          readOrgNote(String(decoding: bytes, as: UTF8.self), file: name, options))
      }
    }
    return batch
  }
}

/// Returns whether a file begins with properties that have an ID, and has a title.
private func isOrgRoam(_ text: String) -> Bool {
  let head = orgHead(of: text)
  return head.properties["id"] != nil && head.keywords["title"] != nil
}

/// The lines above the text: properties and keywords (`#+title: …`), with their names in lower case.
private func orgHead(
  of text: String
) -> (properties: [String: String], keywords: [String: String], body: String) {
  var (properties, keywords): ([String: String], [String: String]) = ([:], [:])
  var lines = text.replacing("\r\n", with: "\n").split(
    separator: "\n", omittingEmptySubsequences: false)[...]
  var isInDrawer = false
  while let line = lines.first.map({ trimmed($0) }) {
    let isKeyword = line.hasPrefix("#+") && !line.lowercased().hasPrefix("#+begin")
    let parts = line.drop { $0 == "#" || $0 == "+" || $0 == ":" }
      .split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let (key, value) = (parts.first?.lowercased() ?? "", trimmed(parts.count > 1 ? parts[1] : ""))
    if line == ":PROPERTIES:" {
      isInDrawer = true
    } else if line == ":END:" {
      isInDrawer = false
    } else if isInDrawer {
      properties[key] = value
    } else if isKeyword {
      keywords[key] = keywords[key].map { $0 + " " + value } ?? value
    } else if !line.isEmpty {
      break
    }
    lines.removeFirst()
  }
  return (properties, keywords, lines.joined(separator: "\n"))
}

/// Reads a note: one file is one entry. Its date is in a keyword, in its title (a daily note) or in
/// the file's name, `20250301120000-title.org`.
private func readOrgNote(
  _ text: String, file: String, _ options: ImportOptions
) -> ImportedEntry {
  var entry = ImportedEntry()
  entry.file = file
  let (properties, keywords, body) = orgHead(of: text)
  let stem = ((file as NSString).lastPathComponent as NSString).deletingPathExtension
  entry.sourceID = "org-roam/" + oneLine(properties["id"] ?? file)
  let title = keywords["title"] ?? ""
  let isDaily = EntryDate(reading: title, zone: options.zone) != nil
  entry.title = isDaily ? EntryDate.words(afterDateIn: title) : title
  let written = [keywords["date"] ?? "", isDaily ? title : "", stem].map {
    String($0.drop { "<[".contains($0) })
  }
  for text in written where entry.date == nil {
    guard let date = EntryDate(reading: text, zone: options.zone) else { continue }
    (entry.date, entry.writtenDate) = (date, text)
  }
  let tags = (keywords["filetags"] ?? "") + " " + (keywords["roam_tags"] ?? "")
  entry.tags = tags.split { $0 == ":" || $0.isBlank || $0 == "\"" }.map(String.init)
  for (key, value) in properties.sorted(by: { $0.key < $1.key }) where key != "id" {
    if !value.isEmpty { entry.fields.append(ImportedField(headerKey(key), .text(value))) }
  }
  let read = ["title", "date", "filetags", "roam_tags", "startup", "options"]
  for (key, value) in keywords.sorted(by: { $0.key < $1.key }) where !read.contains(key) {
    if !value.isEmpty { entry.fields.append(ImportedField(headerKey(key), .text(value))) }
  }
  entry.body = markdown(org: body).withoutBlankEdges
  return entry
}
