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
    if item.hasDateBasedID, let present = duplicates.sources[name],
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
    let id = "source:" + name
    let last = marks[id]
    let present = duplicates.sources[name]
    if let path = present?.path ?? last.flatMap(presentPath) {
      if present?.digest ?? last?.digest == item.digest {
        try recognize(item, id, at: path, of: source)
      } else {
        changed.append(try entry(item, id, at: path, of: source))
      }
    } else if last?.absence != .undone,
      last != nil || duplicates.deletedSources.contains(name)
    {
      outcome.deletedLocally += 1
    } else {
      new.append(try entry(item, id, at: nil, of: source))
    }
  }

  /// The path of a mark, if the entry is still there.
  private func presentPath(_ mark: ImportMark) -> EntryPath? {
    guard mark.absence == nil, let path = mark.entryPath, journal.folder.hasFile(path) else {
      return nil
    }
    return path
  }

  /// Counts an item that the journal has already. Its mark gets what it lacks: the entry's path,
  /// and the source's text as the base of a later merge.
  private mutating func recognize(
    _ item: ImportedEntry, _ id: String, at path: EntryPath, of source: ImportSource
  ) throws {
    outcome.alreadyImported += 1
    var mark = marks[id] ?? ImportMark(id: id)
    (mark.path, mark.absence) = (path.percentEncoded, nil)
    mark.digest = mark.digest ?? item.digest
    if item.path != nil { mark.source = source.location }
    let hasText = mark.blob != nil && mark.digest == item.digest
    guard !hasText || mark != marks[id] else { return }
    var text: RecognizedItem.Text?
    if !hasText {
      // A text without an entry to write has no differences to report.
      let former = outcome
      let bytes = try item.bytes ?? entry(item, id, at: path, of: source).bytes
      outcome = former
      text = RecognizedItem.Text(path: path, bytes: bytes, digest: item.digest)
    }
    recognized.append(RecognizedItem(mark: mark, known: marks[id], text: text))
  }

  /// The mark of a file. Two folders may have different files of one name, as daily notes have: the
  /// one that was imported from elsewhere is the same only if it may be an earlier version.
  private func markID(
    of item: ImportedEntry, named name: String, of source: ImportSource
  ) throws -> String {
    let ids = (1...).lazy.map { "file:" + name + ($0 == 1 ? "" : "\n\($0)") }
    let known = ids.prefix { marks[$0] != nil || seen.contains($0) }.filter { !seen.contains($0) }
    if let own = known.first(where: { marks[$0]?.source == source.location }) { return own }
    let same = try known.first { id in
      guard let mark = marks[id], mark.source != nil, mark.digest != item.digest,
        let path = presentPath(mark)
      else { return true }
      return try isPossibleVersion(item, at: path)
    }
    return same ?? ids.first { marks[$0] == nil && !seen.contains($0) } ?? "file:" + name
  }

  /// Returns whether an existing entry may be an earlier version of the item: it has its title or
  /// one of its lines.
  private func isPossibleVersion(_ item: ImportedEntry, at path: EntryPath) throws -> Bool {
    guard let file = try journal.folder.read(path) else { return true }
    let present = EntryText(file.bytes)
    if !item.title.isEmpty, present.string("title") == item.title { return true }
    let new = item.bytes.map { EntryText($0).body } ?? item.body
    func lines(_ text: String) -> Set<String> {
      Set(text.split(whereSeparator: \.isNewline).map { trimmed($0) }.filter { !$0.isEmpty })
    }
    let here = lines(present.body)
    return new.isEmpty && here.isEmpty || !here.isDisjoint(with: lines(new))
  }

  /// Adds a file that keeps its path and its bytes. No source key can be written into it, so this
  /// device remembers what it imported, and any device recognises a text that already exists.
  private mutating func addFile(
    _ item: ImportedEntry, named name: String, of source: ImportSource
  ) throws {
    let id = try markID(of: item, named: name, of: source)
    seen.insert(id)
    let bytes = item.bytes ?? []
    let last = marks[id].flatMap { $0.absence == .undone ? nil : $0 }
    if let last, let path = presentPath(last) {
      // A file that cannot be read is refused when it is entered.
      if last.digest == item.digest || (try? journal.folder.read(path))??.bytes == bytes {
        try recognize(item, id, at: path, of: source)
      } else {
        changed.append(try entry(item, id, at: path, of: source))
      }
      return
    }
    let itemPath = item.path.flatMap { EntryPath($0) }
    // This device also recognizes an entry that has another day since.
    let day = last?.digest == item.digest ? nil : item.date?.date
    if let path = path(of: item.digest, on: day, preferring: itemPath, for: last) {
      try recognize(item, id, at: path, of: source)
      return
    }
    guard let last else { return new.append(try entry(item, id, at: nil, of: source)) }
    if let digest = last.digest, digest != contentDigest([]).prefix(16),
      let path = path(of: digest, on: nil, preferring: nil, for: last)
    {
      // It was moved, and no save has recorded that.
      changed.append(try entry(item, id, at: path, of: source))
    } else if last.path == nil, let itemPath, journal.folder.hasFile(itemPath) {
      // A mark of an earlier version of Diary has no path.
      if last.digest == item.digest {
        outcome.alreadyImported += 1
      } else {
        changed.append(try entry(item, id, at: itemPath, of: source))
      }
    } else {
      outcome.deletedLocally += 1
    }
  }

  /// The entry with a text. The entry of another mark is none for an item that has a mark.
  private func path(
    of digest: String, on day: Day?, preferring path: EntryPath?, for mark: ImportMark?
  ) -> EntryPath? {
    let found = duplicates.paths(of: digest, on: day).filter {
      mark == nil || !markedPaths.contains($0)
    }
    return found.first { $0 == path } ?? found.first
  }

  /// Adds an item without a source ID, which is identified by its text. Equal items in one file are
  /// separate items: each further one has its own mark.
  private mutating func addWithoutSourceID(_ item: ImportedEntry, of source: ImportSource) throws {
    let bytes = text(of: item, nil).bytes
    let plain = contentDigest(bytes)
    let whole = contentDigest(text(of: item, []).bytes)
    let twin = textCounts[plain, default: 0]
    textCounts[plain] = twin + 1
    let id = contentDigest(bytes + Array("\(twin)".utf8))
    let present =
      [plain, whole].map { duplicates.paths(of: $0, on: nil) }
      .max { $0.count < $1.count } ?? []
    let isMarked = marks[id].map { $0.absence != .undone } ?? false
    guard isMarked || present.count > twin else {
      return new.append(try entry(item, id, at: nil, of: source))
    }
    outcome.alreadyImported += 1
    guard !isMarked else { return }
    let mark = ImportMark(id: id, path: present[twin])
    recognized.append(RecognizedItem(mark: mark, known: marks[id], text: nil))
  }
}
