import DiaryCore
import EntryFiles
import EntryFormats
import Localization

/// The comparison of an item with the journal by its source ID, so that a second import makes no
/// entry twice.
extension ImportPlan {
  /// Decides if an item is new, changed, imported before, or deleted here since.
  mutating func add(_ item: ImportedEntry, of source: ImportSource) throws {
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
    // This device also recognizes an entry that has another day since.
    let day = last == prefix + item.digest ? nil : item.date?.date
    if presentEntries.hasText(item.bytes ?? [], on: day) {
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
    let present = max(presentEntries.textCount(plain), presentEntries.textCount(whole))
    let isKnown = marks.contains(mark) || present > twin
    marks.insert(mark)
    if isKnown {
      outcome.alreadyImported += 1
    } else {
      new.append(try entry(item, at: nil, of: source))
    }
  }
}
