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
  func join(_ old: String?, _ value: String) -> String { old.map { $0 + " " + value } ?? value }
  var lines = text.replacing("\r\n", with: "\n").split(
    separator: "\n", omittingEmptySubsequences: false)[...]
  while let line = lines.first.map({ trimmed($0) }) {
    if let drawer = orgDrawer(lines) {
      for (key, value) in drawer.properties { properties[key] = join(properties[key], value) }
      lines = drawer.below
      continue
    } else if let (key, value) = orgKeyword(line) {
      keywords[key] = join(keywords[key], value)
    } else if !line.isEmpty {
      break
    }
    lines.removeFirst()
  }
  return (properties, keywords, lines.joined(separator: "\n"))
}

/// The properties of the drawer that begins with the first line, and the lines below it. `nil` if
/// there is none: a drawer without an end, or with another line than `:KEY: value`, is text.
private func orgDrawer(
  _ lines: ArraySlice<Substring>
) -> (properties: [(key: String, value: String)], below: ArraySlice<Substring>)? {
  guard trimmed(lines.first ?? "").uppercased() == ":PROPERTIES:" else { return nil }
  var properties: [(key: String, value: String)] = []
  for index in lines.indices.dropFirst() {
    let line = trimmed(lines[index])
    if line.uppercased() == ":END:" { return (properties, lines[(index + 1)...]) }
    let key = line.prefix { !$0.isBlank }
    guard key.count > 2, key.hasPrefix(":"), key.hasSuffix(":") else { return nil }
    properties.append(
      (key.dropFirst().dropLast().lowercased(), trimmed(line[key.endIndex...])))
  }
  return nil
}

/// The name and the value of a keyword; `nil` for a block or text.
private func orgKeyword(_ line: String) -> (key: String, value: String)? {
  guard line.hasPrefix("#+"), !line.lowercased().hasPrefix("#+begin"),
    let colon = line.firstIndex(of: ":")
  else { return nil }
  let key = line[..<colon].dropFirst(2)
  guard !key.isEmpty, !key.contains(where: \.isBlank) else { return nil }
  return (key.lowercased(), trimmed(line[line.index(after: colon)...]))
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
  entry.sourceID = "org-roam/" + withSingleBlanks(properties["id"] ?? file)
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
  var read = ["title", "filetags", "roam_tags", "startup", "options"]
  // More words than the date stay.
  if EntryDate(reading: written[0], zone: options.zone) != nil,
    EntryDate.words(afterDateIn: written[0]).isEmpty
  {
    read.append("date")
  }
  for (key, value) in keywords.sorted(by: { $0.key < $1.key }) where !read.contains(key) {
    if !value.isEmpty { entry.fields.append(ImportedField(headerKey(key), .text(value))) }
  }
  entry.body = markdown(org: body).withoutBlankEdges
  return entry
}
