import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import GitHistory
import Localization

/// The result of a rename.
package struct RenameOutcome: Sendable {
  /// The entry's new path.
  package var path: EntryPath
  /// True if the entry has a new date, and the weather of the old one.
  package var hasOldWeather = false
  /// The entries whose links were updated.
  package var updated: [EntryPath]
  /// Files that still link to the old path: notes that are not entries, and entries that are open
  /// or cannot be rewritten.
  package var filesWithStaleLinks: [EntryPath]
  /// The save.
  package var save: SaveOutcome
}

extension Entries {
  /// Gives an entry a new title, a new date, or both, and the matching file name, and updates the
  /// relative links to it and its own. Notes that are not entries, and entries that cannot be
  /// rewritten, are not changed; those that link to it are only returned.
  ///
  /// - Parameter when: the new date as the user writes it.
  package func rename(
    _ path: EntryPath, to title: String? = nil, on when: String? = nil
  ) async throws -> RenameOutcome {
    if let title, title.allSatisfy(\.isWhitespace) {
      throw DiaryError(
        localized("the new title is blank, so \(path.text) keeps its title"), kind: .usage,
        hint: localized("`diary rename REF TITLE…`"))
    }
    try Entries.refuseFaults(
      of: title ?? "", hint: localized("\(path.text) keeps its title; remove it and try again"))
    _ = try await journal.catalog.updateIndex()
    return try await journal.locked { locked in
      // Save unsaved text as a separate version before any file moves.
      let linking = try journal.changes.entriesMentioning(path.stem)
      let draft = try await locked.startOperation(
        title == nil ? .move : .rename, journal.history.subject(of: [path]), [path] + linking,
        beforeSave: true)
      let file = try draft.files.file(at: path)
      let present = EntryText(try file.requiredBytes())
      let date = try when.map { try self.date($0, for: present, at: path) }
      let target = try self.target(of: path, title: title, date: date)
      // Displaced files are removed after the save: a power failure could keep their removal and
      // lose the new names.
      var replaced: [DisplacedFile] = []
      defer { for file in replaced { file.discard() } }
      let old = try await locked.saver.rewrite(file, syncsName: false) { text in
        if let date, let key = date.key, date.isChanged {
          try text.set(key, .text(date.new.description))
        }
        guard let title else { return }
        if text.headerKind == .none, text.setHeading(title) { return }
        try text.set("title", .text(title))
      }
      if let old { replaced.append(old) }
      let renamed: EntryPath
      do { renamed = try locked.move(path, to: target) } catch {
        // The old header is written back.
        let changed = try await locked.saver.enter([path], beforeSave: true).file(at: path)
        if let aside = try locked.saver.replace(changed, with: present.bytes) {
          replaced.append(aside)
        }
        _ = try await locked.saver.saveCommandChanges([path])
        throw error
      }
      if renamed != path { try locked.saver.follow([path: renamed]) }
      if renamed.folder != path.folder { journal.folder.removeEmptyFolders(above: path) }
      if date != nil { try locked.followDates(of: [renamed]) }
      let (updated, notUpdated) =
        renamed == path
        ? ([], [])
        : await locked.updateLinks(in: linking, draft.files, from: path, to: renamed, &replaced)
      let outcome = try await locked.saveCommandChanges(
        [renamed] + updated, deleted: renamed == path ? [] : [path], as: draft)
      let others = renamed == path ? [] : otherNotes(linkingTo: path)
      return RenameOutcome(
        path: renamed, hasOldWeather: date?.isChanged == true && present.value("weather") != nil,
        updated: updated, filesWithStaleLinks: notUpdated + others, save: outcome)
    }
  }

  /// The new date of an entry. A day alone keeps its time, a time alone its day, and both its zone.
  private func date(_ when: String, for text: EntryText, at path: EntryPath) throws -> NewDate {
    func written(_ key: String) -> EntryDate? {
      text.string(key).flatMap { EntryDate(written: $0, zone: journal.zone) }
    }
    let old = Entry.date(of: text, path: path, zone: journal.zone).date
    let key = EntryText.dateKeys.first { written($0) != nil }
    let isNameAlone = key == nil && path.impliedDay != nil
    var zone = journal.zone
    // An entry from elsewhere keeps the offset of there.
    if let old, old.seconds != nil,
      EntryDate(wallClock: old.date, seconds: old.seconds, zone: zone).offset != old.offset
    {
      zone = TimeZone(secondsFromGMT: old.offset) ?? zone
    }
    guard let expression = journal.catalog.dateExpression(when, zone: zone) else {
      throw journal.catalog.invalidDate(when)
    }
    let dayStart = journal.settings.dayStartsAt
    /// The moment of a diary's day at a time.
    func moment(_ day: Day, _ seconds: Int?) -> EntryDate {
      let isNextMorning = seconds.map { $0 < dayStart } ?? false
      return EntryDate(wallClock: isNextMorning ? day.adding(1) : day, seconds: seconds, zone: zone)
    }
    var new: EntryDate
    switch (expression, expression.entryDate(zone: zone)) {
    case (_, nil): throw DiaryError.longDate(when)
    case (.moment, let given?):
      new = given
      // A time alone can follow any day.
      if case .moment? = journal.catalog.dateExpression("2000-01-01 " + when, zone: zone) {
        guard let old else {
          throw DiaryError(
            localized("\(path.text) has no date, so a time alone is not enough"), kind: .usage,
            hint: localized("such as 2026-11-21, \"2026-11-21 18:00\", yesterday"))
        }
        new = moment(old.day(startingAt: dayStart), given.seconds)
      }
      guard !isNameAlone else {
        throw DiaryError(
          localized("only the file name of \(path.text) has a date, and a name has no time"),
          kind: .usage, hint: localized("give a day alone, or write `date:` into its header"))
      }
    case (_, let given?): new = moment(given.date, old?.seconds)
    }
    return NewDate(old: old, new: new, key: isNameAlone ? nil : key ?? "date")
  }

  /// The path of an entry with a new title, a new date, or both.
  private func target(
    of path: EntryPath, title: String?, date: NewDate?
  ) throws -> (path: EntryPath, isDayNote: Bool) {
    // The note of a day keeps its name: the program that made it looks for that.
    let named = path.impliedDay.map { EntryDate(wallClock: $0, seconds: nil, zone: journal.zone) }
    let isDailyNote = named.flatMap(dailyNotePath) == path
    let titled = isDailyNote ? path : title.flatMap { titledPath(path, $0) } ?? path
    guard let date else { return (titled, false) }
    let dayStart = journal.settings.dayStartsAt
    let day = date.new.day(startingAt: dayStart)
    let oldDays = [titled.impliedDay, date.old?.day(startingAt: dayStart)].compactMap(\.self)
    let layouts = [journal.settings.dailyNote, journal.settings.layout].compactMap { pattern in
      pattern.flatMap { layout($0) }
    }
    let moved = layouts.lazy.compactMap { layout in
      oldDays.lazy.compactMap {
        layout.path(movedFrom: titled, dated: date.old, of: $0, to: date.new, of: day)
      }.first
    }.first
    // A file that is elsewhere stays in its folder.
    let target =
      moved
      ?? titled.replacingDayInName(with: day).map { ($0, titled.isDateOnlyName) }
      ?? (titled, false)
    if date.key == nil, target.path.impliedDay != day {
      throw DiaryError(
        localized("the date of \(path.text) is in the names of its folders"),
        hint: localized("move the file to another folder yourself; Diary records the move"))
    }
    if let reason = journal.changes.awayReason(at: target.path) {
      throw DiaryError("\(target.path.text) \(reason)")
    }
    if target.isDayNote, target.path != path, journal.folder.hasFile(target.path) {
      throw DiaryError.taken(target.path)
    }
    return target
  }

  /// The path after a new title. A date at the start of the old name stays. `nil` if the whole name
  /// stays.
  private func titledPath(_ path: EntryPath, _ title: String) -> EntryPath? {
    let titleSlug = slug(of: title)
    let dated = path.stem.prefix { $0.isNumber || $0 == "-" || $0 == "_" }
    let prefix = String(dated).trimmingCharacters(in: CharacterSet(charactersIn: "-_"))
    let isDated = EntryPath(prefix + ".md")?.impliedDay != nil
    let date =
      isDated ? prefix.prefix(10).trimmingCharacters(in: CharacterSet(charactersIn: "-_")) : ""
    let stem = [date, titleSlug].filter { !$0.isEmpty }.joined(separator: "-")
    guard !titleSlug.isEmpty, stem != path.stem else { return nil }
    let titled = path.sibling((stem + "." + path.fileExtension).utf8)
    // A day in another form would be lost with the name.
    guard let day = path.impliedDay, titled?.impliedDay != day else { return titled }
    return path.sibling("\(day)-\(titleSlug).\(path.fileExtension)".utf8)
  }

  /// The Markdown files that are not entries and have links to `old`.
  private func otherNotes(linkingTo old: EntryPath) -> [EntryPath] {
    let rules = EntryMatcher(settings: journal.settings)
    let notes = journal.folder.scan(EntryMatcher(settings: Settings())).entries.map(\.path)
      .filter { !rules.isEntry($0) }
    let linking = concurrentMap(notes) { [folder = journal.folder] note in
      guard let text = try? folder.read(note) else { return false }
      // Any other name works: the question is whether a link would change.
      return old.sibling("-".utf8).flatMap {
        EntryText(text.bytes).rewritingLinks(in: note, from: old, to: $0)
      } != nil
    }
    return zip(notes, linking).filter(\.1).map(\.0)
  }
}

/// A new date of an entry.
private struct NewDate {
  /// `nil` if it was undated.
  var old: EntryDate?
  var new: EntryDate
  /// The key of the header; `nil` if the file name alone has the date.
  var key: String?
  var isChanged: Bool { old != new }
}

extension DiaryError {
  fileprivate static func taken(_ note: EntryPath) -> DiaryError {
    DiaryError(
      localized("that day already has its note, \(note.text)"),
      hint: localized("to move the text there: `diary add --to \(shellWord(note.text))`"))
  }
}

extension LockedJournal {
  /// Moves a file to its new name, or to the first free numbered one. The note of a day has no
  /// other name.
  fileprivate func move(
    _ path: EntryPath, to target: (path: EntryPath, isDayNote: Bool)
  ) throws -> EntryPath {
    func moves(to name: EntryPath) throws -> Bool {
      try name == path || journal.folder.moveIfFree(path, to: name, syncsNames: false)
    }
    if target.isDayNote {
      guard try moves(to: target.path) else { throw DiaryError.taken(target.path) }
      return target.path
    }
    guard let moved = try target.path.firstFreePath(where: moves) else {
      throw DiaryError(localized("cannot find a free file name for \(target.path.text)"))
    }
    return moved
  }

  /// Updates the links to a moved entry, and its own. The move is done, so an entry that cannot be
  /// rewritten does not end the rename.
  fileprivate func updateLinks(
    in linking: [EntryPath], _ files: EnteredFiles, from old: EntryPath, to new: EntryPath,
    _ replaced: inout [DisplacedFile]
  ) async -> (updated: [EntryPath], notUpdated: [EntryPath]) {
    var (updated, notUpdated): ([EntryPath], [EntryPath]) = ([], [])
    func change(_ text: EntryText, in path: EntryPath) -> EntryText? {
      let own =
        path == new
        ? text.rewritingOwnLinks(from: old, to: new) { journal.folder.hasFile($0) } : nil
      return (own ?? text).rewritingLinks(in: path, from: old, to: new) ?? own
    }
    for path in linking.filter({ $0 != old }) + [new] {
      do {
        // A file that is refused may link to the old path, too.
        guard let bytes = try journal.folder.read(path)?.bytes,
          change(EntryText(bytes), in: path) != nil
        else { continue }
        let file =
          try path == new
          ? await saver.enter([new], beforeSave: true).file(at: new) : files.file(at: path)
        let aside = try await saver.rewrite(file, syncsName: false) { text in
          text = change(text, in: path) ?? text
        }
        if let aside { replaced.append(aside) }
        if path != new { updated.append(path) }
      } catch {
        notUpdated.append(path)
      }
    }
    return (updated, notUpdated)
  }
}
