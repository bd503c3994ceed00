import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import Localization

extension Entries {
  /// Appends a paragraph to the newest entry of a day, or to its daily note if the settings define
  /// one. Creates the entry if there is none.
  ///
  /// - Parameters:
  ///   - addition: the content to add: `message`, tags, files, and a place if the entry has none.
  ///     Its `date` selects the day, today by default. A time that it has is put before a paragraph in
  ///     an entry that exists.
  ///   - target: the entry to append to instead.
  ///   - withTime: true to put the time as `HH:MM` before the paragraph.
  package func add(
    _ addition: NewEntry, to target: EntryPath?, withTime: Bool
  ) async throws -> (path: EntryPath, outcome: SaveOutcome) {
    var addition = addition
    for text in [addition.message, addition.place].compactMap(\.self) + addition.tags {
      try Entries.refuseFaults(
        of: text, hint: localized("nothing was added; remove it and try again"))
    }
    let now = EntryDate(instant: journal.now, offset: journal.utcOffset(at: journal.now))
    var path = target
    if path == nil, journal.settings.dailyNote != nil {
      path = (addition.date ?? now).flatMap(existingDailyNote)
    } else if path == nil {
      _ = try await journal.catalog.updateIndex()
      path = try newestEntry(
        of: addition.date?.day(startingAt: journal.settings.dayStartsAt) ?? journal.today)
    }
    // A new entry has the time that was given in its header.
    if withTime || (path != nil && addition.date?.clock != nil), let message = addition.message,
      !message.allSatisfy(\.isWhitespace)
    {
      addition.message = ((addition.date?.clock ?? now?.clock).map { $0 + " " } ?? "") + message
    }
    guard let path else {
      addition.message = addition.message ?? ""
      let draft = try await createDraft(addition)
      let outcome = try await saveDraft(draft)
      return (draft.path, outcome)
    }
    let files = try addition.attachments.map(attachment)
    let added = addition
    let outcome = try await journal.locked { locked in
      let draft = try await locked.startOperation(.add, journal.history.subject(of: [path]), [path])
      let file = try appendableFile(path, added, draft.files)
      var copies: [EntryPath] = []
      for file in files {
        copies.append(try locked.attach(file.bytes, named: file.name, to: path))
      }
      let old: DisplacedFile?
      do { old = try await locked.append(added, copies, to: file) } catch {
        for (copy, file) in zip(copies, files) {
          _ = try? journal.folder.remove(copy, expecting: file.bytes)
        }
        throw error
      }
      // The displaced file is removed after the save: a power failure could keep its removal and
      // lose the new name.
      defer { old?.discard() }
      return try await locked.saveCommandChanges([path] + copies, as: draft)
    }
    return (path, outcome)
  }

  /// The newest entry of a day. Of several with the same time, the one that was modified last.
  private func newestEntry(of day: Day) throws -> EntryPath? {
    let entries = try journal.indexDatabase.list(ListFilter(since: day, until: day))
    let newest = entries.prefix { $0.date?.instant == entries.first?.date?.instant }
    return newest.map { ($0.path, (try? journal.folder.signature(of: $0.path))?.modified ?? 0) }
      .max { ($0.1, $0.0) < ($1.1, $1.0) }?.0
  }

  private func appendableFile(
    _ path: EntryPath, _ addition: NewEntry, _ files: EnteredFiles
  ) throws(DiaryError) -> SettledFile {
    do throws(DiaryError) {
      if case .open = files.refusals[path] {
        throw DiaryError(
          localized("\(path.text) is open in an editor, so nothing was added"),
          hint: localized("write it in the editor, or close the editor and try again"))
      }
      let file = try files.file(at: path)
      _ = try file.requiredBytes()
      return file
    } catch {
      throw error.quoting(addition)
    }
  }

  /// Adds the missing tags and the place to the entry's header.
  fileprivate func addHeaderFields(
    _ addition: NewEntry, to text: inout EntryText, at path: EntryPath
  ) throws {
    let entry = Entry(path: path, text: text, settings: journal.settings, zone: journal.zone)
    let known = Set(entry.tags.map { $0.lowercased() })
    let tags = addition.tags.filter { !known.contains($0.lowercased()) }
    if !tags.isEmpty { try text.set("tags", .list(text.headerTags + tags)) }
    guard let place = addition.place, place != entry.place else { return }
    if let other = entry.place {
      throw DiaryError(
        localized("\(path.text) already has a place: \(other)"), kind: .usage,
        hint: localized("change it with `diary edit`; nothing was added"))
    }
    try text.set("place", .text(place))
  }
}

extension LockedJournal {
  /// Returns the displaced file, for the caller to discard when a save has made the name durable.
  fileprivate func append(
    _ addition: NewEntry, _ copies: [EntryPath], to file: SettledFile
  ) async throws -> DisplacedFile? {
    do {
      return try await saver.rewrite(file, syncsName: false) { text in
        try journal.entries.addHeaderFields(addition, to: &text, at: file.path)
        if let paragraph = addition.message { try text.append(paragraph: paragraph) }
        for copy in copies { try text.append(paragraph: Entries.link(to: copy, in: file.path)) }
      }
    } catch {
      throw DiaryError(error).quoting(addition)
    }
  }
}

extension DiaryError {
  /// The error with the text that was not added, which would otherwise be lost.
  fileprivate func quoting(_ addition: NewEntry) -> DiaryError {
    guard let message = addition.message else { return self }
    var error = self
    error.details.append(localized("the text: \(message)"))
    return error
  }
}
