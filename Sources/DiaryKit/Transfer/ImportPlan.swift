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
  /// The digest of the version that was imported last, for a file that keeps its bytes.
  let baseDigest: String?
}

/// An entry that is replaced by its merge.
struct PlannedUpdate {
  final class Displaced { var file: DisplacedFile? }
  let entry: PlannedEntry
  let currentBytes: [UInt8]
  let mergedBytes: [UInt8]
  /// The replaced file, which is discarded when the new text is saved.
  let displaced = Displaced()
}

/// Decides what happens to each item of an import. It writes nothing.
struct ImportPlan {
  private let journal: Journal
  private let presentEntries: PresentEntries
  private(set) var marks: Set<String>
  private(set) var new: [PlannedEntry] = []
  private(set) var changed: [PlannedEntry] = []
  var outcome = ImportOutcome()
  private var planned: Set<EntryPath> = []
  private var textCounts: [String: Int] = [:]
  private var numbers: [EntryPath: Int] = [:]
  private var seen: Set<String> = []
  private var seenDays: Set<Day> = []
  /// The digest of the version that was imported last, for each file that keeps its bytes.
  private var lastDigests: [String: String] = [:]

  init(_ journal: Journal, _ here: PresentEntries, _ marks: Set<String>) {
    self.journal = journal
    self.presentEntries = here
    self.marks = marks
    for mark in marks where mark.hasPrefix("file:") {
      guard let end = mark.lastIndex(of: "=") else { continue }
      lastDigests[String(mark[...end])] = String(mark[mark.index(after: end)...])
    }
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
    outcome.skipped.merge(part.batch.skipped, uniquingKeysWith: +)
    for item in part.batch.entries {
      if let date = item.date { seenDays.insert(date.date) }
      try add(item, of: part.source)
    }
  }

  private mutating func add(_ item: ImportedEntry, of source: ImportSource) throws {
    guard let name = item.sourceID else { return try addWithoutSourceID(item, of: source) }
    if item.path != nil { return try addFile(item, named: name, of: source) }
    if item.hasDateBasedID, let present = presentEntries.sources[name],
      present.digest != item.digest,
      try !isPossibleVersion(item, at: present.path)
    {
      return try add(item.withTitleInSourceID, of: source)
    }
    // An item that the source lists twice is one entry.
    guard seen.insert(name).inserted else {
      outcome.differences.append(
        localized("\(name) is in the source more than once; only the first one is used"))
      return
    }
    let mark = "source:" + name
    let wasImported = marks.contains(mark)
    let wasUndone = marks.remove(Journal.undoneMark + mark) != nil
    marks.insert(mark)
    if let present = presentEntries.sources[name] {
      if present.digest == item.digest {
        outcome.alreadyImported += 1
      } else {
        changed.append(try entry(item, at: present.path, of: source))
      }
    } else if wasImported || presentEntries.deletedSources.contains(name) && !wasUndone {
      outcome.deletedLocally += 1
    } else {
      new.append(try entry(item, at: nil, of: source))
    }
  }

  /// Returns whether an existing entry of the same time may be an earlier version of the item: it
  /// has its title or one of its lines.
  private func isPossibleVersion(_ item: ImportedEntry, at path: EntryPath) throws -> Bool {
    guard let file = try journal.folder.read(path) else { return true }
    let present = EntryText(file.bytes)
    if !item.title.isEmpty, present.string("title") == item.title { return true }
    func lines(_ text: String) -> Set<String> {
      Set(text.split(whereSeparator: \.isNewline).map { trimmed($0) }.filter { !$0.isEmpty })
    }
    let here = lines(present.body)
    return item.body.isEmpty && here.isEmpty || !here.isDisjoint(with: lines(item.body))
  }

  /// Adds a file that keeps its path and its bytes. No source key can be written into it, so this
  /// device remembers what it imported, and any device recognises a text that already exists.
  private mutating func addFile(
    _ item: ImportedEntry, named name: String, of source: ImportSource
  ) throws {
    let prefix = "file:" + name + "="
    let last = lastDigests[prefix].map { prefix + $0 }
    let path = item.path.flatMap { EntryPath($0) }
    if let last { marks.remove(last) }
    marks.insert(prefix + item.digest)
    if presentEntries.textCounts[contentDigest(item.bytes ?? []), default: 0] > 0 {
      outcome.alreadyImported += 1
    } else if let last, let path {
      let digest = String(last.dropFirst(prefix.count))
      if !journal.folder.hasFile(path) {
        outcome.deletedLocally += 1
      } else if digest == item.digest {
        outcome.alreadyImported += 1
      } else {
        changed.append(try entry(item, at: path, of: source, base: digest))
      }
    } else {
      new.append(try entry(item, at: nil, of: source))
    }
  }

  /// Adds an item without a source ID, which is identified by its text. Equal items in one file are
  /// separate items: each further one has its own mark.
  private mutating func addWithoutSourceID(_ item: ImportedEntry, of source: ImportSource) throws {
    let bytes = text(of: item, nil).bytes
    let plain = contentDigest(bytes)
    let whole = contentDigest(text(of: item, []).bytes)
    let twin = textCounts[plain, default: 0]
    textCounts[plain] = twin + 1
    let mark = contentDigest(bytes + Array("\(twin)".utf8))
    let present = max(
      presentEntries.textCounts[plain, default: 0], presentEntries.textCounts[whole, default: 0])
    let isKnown = marks.contains(mark) || present > twin
    marks.insert(mark)
    if isKnown {
      outcome.alreadyImported += 1
    } else {
      new.append(try entry(item, at: nil, of: source))
    }
  }

  // MARK: - Entries

  private mutating func entry(
    _ item: ImportedEntry, at present: EntryPath?, of source: ImportSource, base: String? = nil
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
      replaceLink(to: attachment, by: file.path, in: &item)
    }
    for field in item.fields { outcome.extraFields[field.key, default: 0] += 1 }
    return PlannedEntry(
      item: item, path: path, bytes: text(of: item, origin).bytes, files: files, baseDigest: base)
  }

  private func replaceLink(
    to attachment: ImportedAttachment, by path: EntryPath, in item: inout ImportedEntry
  ) {
    let link = Journal.link(to: path.name)
    // Links of a file that keeps its bytes are not changed.
    if item.hasFixedPath { return }
    if !attachment.placeholder.isEmpty, let range = item.body.range(of: attachment.placeholder) {
      item.body.replaceSubrange(range, with: link)
    } else if !item.body.contains(link) {
      item.body = item.body.isEmpty ? link : item.body.trimmedAtEnd + "\n\n" + link
    }
  }

  /// Returns the copy of an attachment: beside the entry, under the first name that is free or has
  /// the same bytes.
  private mutating func plannedCopy(
    of attachment: ImportedAttachment, _ name: String, beside path: EntryPath,
    of source: ImportSource, _ keepsPath: Bool
  ) throws -> PlannedFile {
    let wanted = keepsPath ? EntryPath(attachment.fileName) : nil
    let fileName = wanted?.name ?? Self.safeName(attachment.fileName)
    let folder = wanted.map(\.folder) ?? path.folder
    let stem = (fileName as NSString).deletingPathExtension
    let ending = (fileName as NSString).pathExtension
    for number in 1...10_000 {
      let free = number == 1 ? fileName : "\(stem)-\(number)" + (ending.isEmpty ? "" : ".\(ending)")
      guard let target = folder?.appending(free.utf8) ?? EntryPath(free) else { break }
      let isSame =
        planned.contains(target) ? copySources[target] == source.displayPath + "\0" + name : nil
      if isSame == false { continue }
      if isSame == nil, journal.folder.hasFile(target) {
        let isHeld =
          try attachment.data.map { try journal.folder.read(target)?.bytes == $0 }
          ?? hasSameBytes(target, name, of: source)
        if !isHeld { continue }
      }
      planned.insert(target)
      copySources[target] = source.displayPath + "\0" + name
      return PlannedFile(
        source: source, name: name, data: attachment.data, path: target,
        isPicture: isPictureName(free))
    }
    throw DiaryError(localized("cannot find a free file name for the attachment \(fileName)"))
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
    let folder = journal.folder
    if let itemPath = item.path.flatMap({ EntryPath($0) }), !itemPath.isHidden {
      if !planned.contains(itemPath), !folder.hasFile(itemPath) { return itemPath }
      for number in 2...10_000 {
        let name = itemPath.stem + "-\(number).md"
        guard let free = itemPath.folder?.appending(name.utf8) ?? EntryPath(name) else { break }
        if !planned.contains(free), !folder.hasFile(free) { return free }
      }
    }
    let taken = planned
    guard let date = item.date else {
      // The title names an entry without a date; a dated folder would give it a date.
      let stem = item.title.isEmpty ? "undated" : slug(of: item.title)
      for number in 1...10_000 {
        let name = (number == 1 ? stem : stem + "-\(number)") + ".md"
        if let free = EntryPath(name), !taken.contains(free), !folder.hasFile(free) { return free }
      }
      throw DiaryError(localized("cannot find a free file name for \(item.title)"))
    }
    let isUntitled = item.title.allSatisfy(\.isWhitespace)
    let plain = text(of: item, nil)
    let title = isUntitled ? journal.title(of: plain, dated: date) ?? "" : item.title
    return try journal.freePath(title: title, date: date, numbers: &numbers) {
      taken.contains($0) || folder.hasFile($0)
    }
  }

  /// Returns the entry's file: known data in the header, and the unchanged body. Without `origin`,
  /// the header has only title and date.
  private func text(
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
      var numbers: [String: Int] = [:]
      for field in item.fields {
        let key = Self.freeKey(field.key)
        let number = numbers[key.lowercased(), default: 0] + 1
        numbers[key.lowercased()] = number
        fields.append((number == 1 ? key : key + "_\(number)", field.value))
      }
      fields += origin
    }
    let body = item.body.utf8.last == UInt8(ascii: "\n") ? item.body : item.body + "\n"
    return EntryText(fields: fields, body: body)
  }

  private static func originFields(of item: ImportedEntry) -> [(key: String, value: FieldValue)] {
    guard let source = item.sourceID else { return [] }
    return [(Journal.sourceKey, .text(source)), (Journal.digestKey, .text(item.digest))]
  }

  /// Returns a key that has no other meaning to Diary.
  private static func freeKey(_ key: String) -> String {
    let reservedKeys =
      EntryText.dateKeys + EntryText.tagKeys
      + ["title", "weather", "place", "starred", Journal.sourceKey, Journal.digestKey]
    return reservedKeys.contains(key.lowercased()) ? "original_" + key : key
  }

  /// Counts the planned entries for a dry run; nothing is read back from disk.
  mutating func countWithoutWriting() {
    for entry in new {
      outcome.sourceTally = outcome.sourceTally + ImportOutcome.tally(of: entry)
      outcome.otherFiles += entry.files.count { !$0.isPicture }
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
