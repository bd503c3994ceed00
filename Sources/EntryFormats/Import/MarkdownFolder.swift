import DiaryCore
import Foundation
import Localization

/// Reads a folder of Markdown files, as from Obsidian, Logseq or Joplin's front matter export.
/// Every file is an entry with its path and its exact bytes. Linked files are included.
func readMarkdownFolder(
  _ files: any ImportFiles, program: String, _ options: ImportOptions
) throws -> ImportedBatch {
  var batch = ImportedBatch()
  let others = files.names.filter { !$0.lowercased().hasSuffix(".md") && !$0.hasPrefix(".") }
  let byLast = Dictionary(grouping: others) { ($0 as NSString).lastPathComponent }
  for name in files.names {
    let ending = (name as NSString).pathExtension.lowercased()
    guard ending == "md" || ending == "markdown", !isProgramFile(name) else { continue }
    var entry = ImportedEntry()
    entry.bytes = try files.text(of: name)
    if name.lowercased().hasPrefix("templates/"), entry.bytes?.contains(UInt8(ascii: "{")) == true {
      batch.addSkipped(localized("templates"))
      continue
    }
    (entry.file, entry.path) = (name, name)
    entry.sourceID = program + "/" + name
    if let path = EntryPath(name) {
      let text = EntryText(entry.bytes ?? [])
      let read = Entry(path: path, text: text, settings: Settings(), zone: options.zone)
      (entry.date, entry.title) = (read.date, read.title)
    }
    let body = String(decoding: entry.bytes ?? [], as: UTF8.self)
    entry.attachments = linkedFiles(in: body, of: name, among: byLast)
    batch.entries.append(entry)
  }
  return batch
}

/// Returns whether a file belongs to the program's own settings and is not an entry.
private func isProgramFile(_ name: String) -> Bool {
  let parts = name.split(separator: "/").map(String.init)
  return parts.contains { $0.hasPrefix(".") }
    || parts.first == "logseq" && parts.count > 1
      && parts[1] != "journals" && parts[1] != "pages"
}

/// Returns the files, other than Markdown, that a text names by a path in a link or by a name in
/// `[[…]]`. `others` contains them by their last path component.
private func linkedFiles(
  in body: String, of name: String, among others: [String: [String]]
) -> [ImportedAttachment] {
  guard !others.isEmpty else { return [] }
  let folder = (name as NSString).deletingLastPathComponent
  var found: [String] = []
  for part in body.split(whereSeparator: { "()[]<>|\"'#?\n\r".contains($0) })
  where part.contains(".") {
    let text = trimmed(part)
    let target = text.removingPercentEncoding ?? text
    let same = others[(target as NSString).lastPathComponent] ?? []
    guard !same.isEmpty else { continue }
    // If several files have the name, the path decides, then the first in the list.
    let path = folder + "/" + target
    let file =
      same.first { path.hasSuffix($0) && !target.contains("..") }
      ?? same.first { target.hasSuffix($0) || $0.hasSuffix(target) } ?? same[0]
    if !found.contains(file) { found.append(file) }
  }
  return found.map { ImportedAttachment(names: [$0], fileName: $0) }
}

/// Reads Joplin's raw export: Markdown files with properties at their end, and `resources`.
func readJoplinRaw(_ files: any ImportFiles, _ options: ImportOptions) throws -> ImportedBatch {
  var batch = ImportedBatch()
  var tags: [String: String] = [:]
  var tagged: [(note: String, tag: String)] = []
  var resources: [String: (title: String, ending: String)] = [:]
  var folders: [String: String] = [:]
  var notes: [(ImportedEntry, id: String, parent: String)] = []
  for name in files.names where name.hasSuffix(".md") {
    let text = String(decoding: try files.text(of: name), as: UTF8.self)
    let (title, body, properties) = joplinParts(text)
    let id = properties["id"] ?? ""
    switch properties["type_"] {
    case "1":
      var entry = ImportedEntry()
      (entry.file, entry.title, entry.body) = (name, oneLine(title), body)
      let written = properties["user_created_time"] ?? properties["created_time"] ?? ""
      guard let utc = EntryDate(reading: written, zone: .gmt) else {
        throw ImportError(line: 1, localized("\"created_time\" is \(written), which is not a date"))
          .inFile(name)
      }
      entry.date = EntryDate(instant: utc.instant, zone: options.zone)
      entry.writtenDate = written
      entry.sourceID = "joplin/" + id
      // Joplin writes 0 if there is no place.
      let (latitude, longitude) = (
        Double(properties["latitude"] ?? "") ?? 0, Double(properties["longitude"] ?? "") ?? 0
      )
      if latitude != 0 || longitude != 0 { entry.place = coordinates(latitude, longitude) }
      for key in ["author", "source_url"] {
        if let value = properties[key], !value.isEmpty {
          entry.fields.append(ImportedField(key, .text(value)))
        }
      }
      if properties["is_todo"] == "1" {
        let isDone = (properties["todo_completed"] ?? "0") != "0"
        entry.fields.append(ImportedField("todo", .text(isDone ? "done" : "open")))
      }
      notes.append((entry, id, properties["parent_id"] ?? ""))
    case "2": folders[id] = oneLine(title)
    case "4": resources[id] = (oneLine(title), properties["file_extension"] ?? "")
    case "5": tags[id] = oneLine(title)
    case "6": tagged.append((properties["note_id"] ?? "", properties["tag_id"] ?? ""))
    default: batch.addSkipped(localized("Joplin items of another kind"))
    }
  }
  for (entry, id, parent) in notes {
    var entry = entry
    entry.tags = tagged.filter { $0.note == id }.compactMap { tags[$0.tag] }
    if let folder = folders[parent] {
      entry.fields.insert(ImportedField("notebook", .text(folder)), at: 0)
    }
    for (resource, info) in resources where entry.body.contains(":/" + resource) {
      let file = resource + (info.ending.isEmpty ? "" : "." + info.ending)
      let title = info.title.isEmpty ? file : info.title
      let hasEnding = !(title as NSString).pathExtension.isEmpty || info.ending.isEmpty
      entry.attachments.append(
        ImportedAttachment(
          names: ["resources/" + file, "resources/" + resource, file],
          fileName: hasEnding ? title : title + "." + info.ending,
          placeholder: linkText(to: ":/" + resource, in: entry.body)))
    }
    entry.attachments.sort { $0.fileName < $1.fileName }
    batch.entries.append(entry)
  }
  return batch
}

/// Returns the whole link `[words](target)` or `![words](target)`, or an empty text.
func linkText(to target: String, in body: String) -> String {
  guard let targetRange = body.range(of: "(" + target),
    let end = body[targetRange.upperBound...].firstIndex(of: ")"),
    let open = body[..<targetRange.lowerBound].lastIndex(of: "["),
    !body[open..<targetRange.lowerBound].contains("\n")
  else { return "" }
  let start =
    open > body.startIndex && body[body.index(before: open)] == "!"
    ? body.index(before: open) : open
  return String(body[start...end])
}

/// Returns title, text and the properties at the end of an item of Joplin's raw export.
private func joplinParts(_ text: String) -> (String, String, [String: String]) {
  var lines = text.replacing("\r\n", with: "\n").split(
    separator: "\n", omittingEmptySubsequences: false)
  var properties: [String: String] = [:]
  while lines.last?.isEmpty == true { lines.removeLast() }
  while let line = lines.last, !line.isEmpty {
    lines.removeLast()
    let colon = line.firstIndex(of: ":") ?? line.endIndex
    properties[String(line[..<colon])] = trimmed(line[colon...].dropFirst())
  }
  let title = String(lines.first ?? "")
  let body = lines.dropFirst().joined(separator: "\n").withoutBlankEdges
  return (title, body, properties)
}
