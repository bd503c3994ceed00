import DiaryCore
import EntryFiles
import EntryFormats
import Foundation
import Localization

/// A file that belongs to a planned entry.
struct PlannedFile {
  let source: ImportSource
  /// The file's name in the source.
  let name: String
  /// The bytes, if the source contains them within the entry.
  let data: [UInt8]?
  /// The path in the journal.
  let path: EntryPath
  let isPicture: Bool

  /// Passes the bytes to the closure in pieces.
  func fill(_ receive: (UnsafeRawBufferPointer) throws -> Void) throws {
    if let data { try data.withUnsafeBytes(receive) } else { try source.read(name, receive) }
  }
}

/// An entry as the import will write it.
struct PlannedEntry {
  let item: ImportedEntry
  let path: EntryPath
  let bytes: [UInt8]
  let files: [PlannedFile]
  /// The record of the import, once it is saved.
  let mark: ImportMark
  /// True if the journal has the entry already.
  let isUpdate: Bool
}

/// An item whose entry the journal has already, and whose mark is new or has changed.
struct RecognizedItem {
  struct Text {
    let path: EntryPath
    let bytes: [UInt8]
    let digest: String
  }
  let mark: ImportMark
  /// The mark at the time of the plan.
  let known: ImportMark?
  /// The source's text, if the mark does not name it yet.
  let text: Text?
}

/// An entry that is replaced by its merge.
struct PlannedUpdate {
  final class Result {
    var displaced: DisplacedFile?
    /// True if the file could not be replaced.
    var isLeftOut = false
  }
  let entry: PlannedEntry
  let file: SettledFile
  let mergedBytes: [UInt8]
  /// The result, with the replaced file, which is discarded when the new text is saved.
  let result = Result()
}

/// Decides what happens to each item of an import. It writes nothing.
struct ImportPlan {
  let journal: Journal
  let duplicates: ImportDuplicates
  /// The marks at the time of the plan.
  let marks: ImportMarks
  /// The paths of entries that a mark names.
  let markedPaths: Set<EntryPath>
  var new: [PlannedEntry] = []
  var changed: [PlannedEntry] = []
  var recognized: [RecognizedItem] = []
  var outcome = ImportOutcome()
  private var planned: Set<EntryPath> = []
  var textCounts: [String: Int] = [:]
  private var numbers: [EntryPath: Int] = [:]
  var seen: Set<String> = []
  private var seenDays: Set<Day> = []

  init(_ journal: Journal, _ here: ImportDuplicates, _ marks: ImportMarks) {
    self.journal = journal
    self.duplicates = here
    self.marks = marks
    markedPaths = Set(marks.all.values.filter { $0.absence == nil }.compactMap(\.entryPath))
  }

  /// The first and last day of the items, and the number of days.
  var days: (first: Day, last: Day, count: Int)? {
    guard let first = seenDays.min(), let last = seenDays.max() else { return nil }
    return (first, last, seenDays.count)
  }

  /// The paths of the files that the import will create.
  var newPaths: [EntryPath] { new.flatMap { [$0.path] + $0.files.map(\.path) } }

  mutating func add(_ part: ImportReading.Part) throws {
    if !outcome.formats.contains(part.format.title) { outcome.formats.append(part.format.title) }
    outcome.notices += part.batch.notices
    outcome.notices += part.source.skippedLinks.map {
      localized("\($0) is a link and was not followed")
    }
    if part.batch.hasAtTags { outcome.hasAtTags = true }
    outcome.skipped.merge(part.batch.skipped, uniquingKeysWith: +)
    for item in part.batch.entries {
      if let date = item.date { seenDays.insert(date.date) } else { outcome.undated += 1 }
      if item.isTagged { outcome.tagged += 1 }
      try add(item, of: part.source)
    }
  }

  mutating func entry(
    _ item: ImportedEntry, _ id: String, at present: EntryPath?, of source: ImportSource
  ) throws -> PlannedEntry {
    let path = try present ?? freePath(for: item)
    planned.insert(path)
    let origin = Self.originFields(of: item)
    var item = item
    var files: [PlannedFile] = []
    for attachment in item.attachments {
      let name =
        attachment.data != nil
        ? attachment.names.first : source.file(matching: attachment.names, relativeTo: item.file)
      guard let name else {
        outcome.differences.append(
          localized(
            "\(path.text): \(attachment.names.first ?? attachment.fileName) is not in the source"))
        continue
      }
      let file = try plannedCopy(of: attachment, name, beside: path, of: source, item.hasFixedPath)
      if !files.contains(where: { $0.path == file.path }) { files.append(file) }
      replaceLink(to: attachment, by: Entries.link(to: file.path, in: path), in: &item)
    }
    for field in item.fields { outcome.extraFields[field.key, default: 0] += 1 }
    var mark = ImportMark(id: id, digest: item.sourceID.map { _ in item.digest }, path: path)
    mark.source = item.path == nil ? nil : source.location
    return PlannedEntry(
      item: item, path: path, bytes: text(of: item, origin).bytes, files: files, mark: mark,
      isUpdate: present != nil)
  }

  private func replaceLink(
    to attachment: ImportedAttachment, by link: String, in item: inout ImportedEntry
  ) {
    // Links of a file that keeps its bytes are not changed.
    if item.hasFixedPath { return }
    if !attachment.placeholder.isEmpty, let range = item.body.range(of: attachment.placeholder) {
      item.body.replaceSubrange(range, with: Self.link(link, withWordsOf: attachment.placeholder))
    } else if !item.body.contains(link) {
      item.body = item.body.isEmpty ? link : item.body.trimmedAtEnd + "\n\n" + link
    }
  }

  /// Returns a link with the words of the link that it replaces, if that has any.
  private static func link(_ link: String, withWordsOf old: String) -> String {
    guard let start = old.range(of: "["), let end = old.range(of: "]("),
      let newStart = link.range(of: "["), let newEnd = link.range(of: "](", options: .backwards),
      start.upperBound < end.lowerBound
    else { return link }
    return String(
      link[..<newStart.upperBound] + old[start.upperBound..<end.lowerBound]
        + link[newEnd.lowerBound...])
  }

  /// Returns the copy of an attachment: beside the entry, under the first name that is free or has
  /// the same bytes.
  private mutating func plannedCopy(
    of attachment: ImportedAttachment, _ name: String, beside path: EntryPath,
    of source: ImportSource, _ keepsPath: Bool
  ) throws -> PlannedFile {
    let fileName = Self.safeName(attachment.fileName)
    let wanted =
      (keepsPath ? EntryPath(attachment.fileName) : nil) ?? path.sibling(fileName.utf8)
    let origin = source.displayPath + "\0" + name
    let target = try wanted?.firstFreePath { target in
      if planned.contains(target) { return copySources[target] == origin }
      guard journal.folder.hasFile(target) else { return true }
      return try attachment.data.map { try journal.folder.read(target)?.bytes == $0 }
        ?? hasSameBytes(target, name, of: source)
    }
    guard let target else {
      throw DiaryError(
        localized("cannot find a free file name for the attachment \(wanted?.name ?? fileName)"))
    }
    planned.insert(target)
    copySources[target] = origin
    return PlannedFile(
      source: source, name: name, data: attachment.data, path: target,
      isPicture: isPictureName(target.name))
  }

  /// The source file from which each planned copy is made.
  private var copySources: [EntryPath: String] = [:]

  /// Returns whether a file of the journal has the same bytes as one of the source.
  private func hasSameBytes(_ path: EntryPath, _ name: String, of source: ImportSource) throws
    -> Bool
  {
    guard let file = try journal.folder.openFile(path), file.size == source.size(of: name) else {
      return false
    }
    var offset = 0
    var isSame = true
    try source.read(name) { piece in
      guard isSame else { return }
      isSame = try file.read(at: offset, count: piece.count).elementsEqual(piece)
      offset += piece.count
    }
    return isSame
  }

  /// Returns a file name that is not hidden and has only plain characters.
  private static func safeName(_ name: String) -> String {
    var safe = ""
    for character in (name as NSString).lastPathComponent {
      let isFine = character.isLetter || character.isNumber || "-_. ()".contains(character)
      safe.append(isFine ? character : "-")
    }
    safe = String(safe.drop { $0 == "." || $0 == " " }.suffix(120))
    return safe.isEmpty ? "file" : safe
  }

  private mutating func freePath(for item: ImportedEntry) throws -> EntryPath {
    let (folder, taken) = (journal.folder, planned)
    func isFree(_ path: EntryPath) -> Bool { !taken.contains(path) && !folder.hasFile(path) }
    if let itemPath = item.path.flatMap({ EntryPath($0) }), !itemPath.isHidden,
      let free = itemPath.firstFreePath(where: isFree)
    {
      return free
    }
    guard let date = item.date else {
      // The title names an entry without a date; a dated folder would give it a date.
      let stem = slug(of: item.title)
      let wanted = EntryPath((stem.isEmpty ? "undated" : stem) + ".md")
      guard let free = wanted?.firstFreePath(where: isFree) else {
        throw DiaryError(localized("cannot find a free file name for \(item.title)"))
      }
      return free
    }
    let isUntitled = item.title.allSatisfy(\.isWhitespace)
    let plain = text(of: item, nil)
    let title = isUntitled ? journal.entries.title(of: plain, dated: date) ?? "" : item.title
    return try journal.entries.freePath(title: title, date: date, numbers: &numbers) { !isFree($0) }
  }

  /// Returns the entry's file: known data in the header, and the unchanged body. Without `origin`,
  /// the header has only title and date.
  func text(
    of item: ImportedEntry, _ origin: [(key: String, value: FieldValue)]?
  ) -> EntryText {
    if let bytes = item.bytes { return EntryText(bytes) }
    var fields: [(key: String, value: FieldValue)] = []
    if !item.title.isEmpty { fields.append(("title", .text(item.title))) }
    if let date = item.date { fields.append(("date", .text(date.description))) }
    if let origin {
      if let weather = item.weather?.text(in: journal.settings.units) {
        fields.append(("weather", .text(weather)))
      }
      if !item.tags.isEmpty { fields.append(("tags", .list(item.tags))) }
      if let place = item.place { fields.append(("place", .text(place))) }
      if item.isStarred { fields.append(("starred", .text("true"))) }
      // Two values under one key would become one, so the second key gets a number.
      var (keys, numbers): (Set<String>, [String: Int]) = ([], [:])
      for field in item.fields {
        let key = Self.freeKey(field.key)
        var (name, number) = (key, numbers[key.lowercased(), default: 1])
        while !keys.insert(name.lowercased()).inserted {
          number += 1
          name = key + "_\(number)"
        }
        numbers[key.lowercased()] = number
        fields.append((name, field.value))
      }
      fields += origin
    }
    let body = item.body.utf8.last == UInt8(ascii: "\n") ? item.body : item.body + "\n"
    return EntryText(fields: fields, body: body)
  }

  private static func originFields(of item: ImportedEntry) -> [(key: String, value: FieldValue)] {
    guard let source = item.sourceID else { return [] }
    return [(Transfer.sourceKey, .text(source)), (Transfer.digestKey, .text(item.digest))]
  }

  /// Returns a key that has no other meaning to Diary.
  private static func freeKey(_ key: String) -> String {
    let reservedKeys =
      EntryText.dateKeys + EntryText.tagKeys
      + ["title", "weather", "place", "starred", Transfer.sourceKey, Transfer.digestKey]
    return reservedKeys.contains(key.lowercased()) ? "original_" + key : key
  }

  /// Counts the planned entries for a dry run; nothing is read back from disk.
  mutating func countWithoutWriting() {
    for entry in new {
      outcome.sourceTally = outcome.sourceTally + ImportOutcome.tally(of: entry)
      outcome.otherFiles += entry.files.count { !$0.isPicture }
      outcome.compareStructure(of: entry)
    }
    outcome.added = new.map(\.path)
    outcome.updated = changed.map(\.path)
  }
}

extension String {
  /// The string without white space at its end.
  fileprivate var trimmedAtEnd: String {
    var text = Substring(self)
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }
}
