import DiaryCore
import Foundation
import Localization

/// Reads a folder of Markdown files, as from Obsidian, Logseq or Joplin's front matter export.
/// Every file is an entry with its path and its exact bytes. Linked files are included.
func readMarkdownFolder(
  _ files: any ImportFiles, program: String, _ options: ImportOptions
) throws -> ImportedBatch {
  var batch = ImportedBatch()
  let others = files.names.filter { !isMarkdown($0) && !$0.hasPrefix(".") }
  let byLast = Dictionary(grouping: others) { ($0 as NSString).lastPathComponent }
  let isLogseq = files.names.contains("logseq/config.edn")
  for name in files.names where isMarkdown(name) && !isProgramFile(name, isLogseq) {
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
      entry.hasOwnTags = !read.tags.isEmpty
      if isDrawing(text, name) {
        batch.addSkipped(localized("drawings of Excalidraw"))
        continue
      }
    }
    let body = String(decoding: entry.bytes ?? [], as: UTF8.self)
    entry.attachments = linkedFiles(in: body, of: name, among: byLast)
    batch.entries.append(entry)
  }
  return batch
}

private func isMarkdown(_ name: String) -> Bool {
  ["md", "markdown"].contains((name as NSString).pathExtension.lowercased())
}

/// Returns whether a file belongs to the program's own settings and is not an entry.
private func isProgramFile(_ name: String, _ isLogseq: Bool) -> Bool {
  let parts = name.split(separator: "/").map(String.init)
  return parts.contains { $0.hasPrefix(".") }
    || isLogseq && parts.first == "logseq" && parts.count > 1
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
  for part in linkTargets(in: body) where part.contains(".") {
    let text = trimmed(part)
    let target = text.removingPercentEncoding ?? text
    let same = others[lastComponent(target)] ?? []
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

/// Returns the parts of a text between the signs of links. Because these signs may also be in the
/// name of a file, the whole targets of `[words](target)` and `[[target]]` are added.
private func linkTargets(in body: String) -> [Substring] {
  var targets = body.split { $0.isNewline || "()[]<>|\"'#?".contains($0) }
  for part in body.split(separator: "](", omittingEmptySubsequences: false).dropFirst() {
    if part.hasPrefix("<") {
      targets.append(part.dropFirst().prefix { $0 != ">" && !$0.isNewline })
      continue
    }
    var depth = 0
    targets.append(
      part.prefix {
        depth += $0 == "(" ? 1 : $0 == ")" ? -1 : 0
        return depth >= 0 && !$0.isNewline
      })
  }
  for part in body.split(separator: "[[", omittingEmptySubsequences: false).dropFirst() {
    targets.append(part.prefix { $0 != "]" && $0 != "|" && !$0.isNewline })
  }
  return targets
}

/// Reads Joplin's raw export: Markdown files with properties at their end, and `resources`.
func readJoplinRaw(_ files: any ImportFiles, _ options: ImportOptions) throws -> ImportedBatch {
  var batch = ImportedBatch()
  var tags: [String: String] = [:]
  var tagsOfNotes: [String: [String]] = [:]
  var resources: [String: (title: String, ending: String)] = [:]
  var folders: [String: String] = [:]
  var notes: [(ImportedEntry, id: String, parent: String)] = []
  for name in files.names where name.hasSuffix(".md") {
    let text = String(decoding: try files.text(of: name), as: UTF8.self)
    let (title, body, properties) = joplinParts(text)
    let id = properties["id"] ?? ""
    switch properties["type_"] {
    case "1" where properties["encryption_applied"] == "1":
      batch.addSkipped(localized("encrypted notes of Joplin"))
    case "1":
      var entry = ImportedEntry()
      (entry.file, entry.title, entry.body) = (name, withSingleBlanks(title), body)
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
    case "2": folders[id] = withSingleBlanks(title)
    case "4": resources[id] = (withSingleBlanks(title), properties["file_extension"] ?? "")
    case "5": tags[id] = withSingleBlanks(title)
    case "6":
      tagsOfNotes[properties["note_id"] ?? "", default: []].append(properties["tag_id"] ?? "")
    default: batch.addSkipped(localized("Joplin items of another kind"))
    }
  }
  for (entry, id, parent) in notes {
    var entry = entry
    entry.tags = tagsOfNotes[id, default: []].compactMap { tags[$0] }
    if let folder = folders[parent] {
      entry.fields.insert(ImportedField("notebook", .text(folder)), at: 0)
    }
    for resource in linkedResources(in: entry.body) {
      guard let info = resources[resource] else { continue }
      let file = resource + (info.ending.isEmpty ? "" : "." + info.ending)
      let title = info.title.isEmpty ? file : info.title
      let hasEnding = !(title as NSString).pathExtension.isEmpty || info.ending.isEmpty
      entry.attachments.append(
        ImportedAttachment(
          names: ["resources/" + file, "resources/" + resource, file],
          fileName: hasEnding ? title : title + "." + info.ending,
          placeholder: linkText(to: ":/" + resource, in: entry.body)))
    }
    entry.attachments.sort { ($0.fileName, $0.names[0]) < ($1.fileName, $1.names[0]) }
    batch.entries.append(entry)
  }
  return batch
}

/// Returns the IDs after `:/` in a note of Joplin.
private func linkedResources(in body: String) -> Set<String> {
  let parts = body.split(separator: ":/", omittingEmptySubsequences: false)
  return Set(parts.dropFirst().map { part in String(part.prefix { $0.isLetter || $0.isNumber }) })
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
