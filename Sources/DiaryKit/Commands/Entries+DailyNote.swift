import DiaryCore
import EntryFiles
import Localization

extension Entries {
  /// The existing note of a day, if the settings define one file a day for untitled text, as
  /// Obsidian and Logseq do; `nil` otherwise.
  func existingDailyNote(of date: EntryDate) -> EntryPath? {
    dailyNotePath(of: date).flatMap { journal.folder.hasFile($0) ? $0 : nil }
  }

  /// The path of a day's note, existing or not.
  func dailyNotePath(of date: EntryDate) -> EntryPath? {
    journal.settings.dailyNote.flatMap { layout($0) }?.path(
      title: nil, date: date, day: date.day(startingAt: journal.settings.dayStartsAt))
  }

  /// The template that Obsidian's settings name for daily notes, with the placeholders of Obsidian
  /// filled in. `nil` if the new entry is no such note, if the user chose another template, or if it
  /// is no text, which is noted.
  func dailyNoteTemplate(
    for new: NewEntry, of date: EntryDate, into notes: inout [String]
  ) -> Template? {
    guard new.title == nil, new.template == nil, journal.settings.isVault,
      journal.settings.template == Settings().template, let note = dailyNotePath(of: date),
      let path = FolderDetection.obsidianTemplate(journal.folder)
    else { return nil }
    guard let bytes = (try? journal.folder.read(path))??.bytes, TextFault(in: bytes) == nil,
      EntryText(bytes).encoding == .utf8, !EntryText(bytes).isDamaged
    else {
      notes.append(localized("the template \(path.text) of the vault cannot be read as text"))
      return nil
    }
    let formats = MomentFormat(
      date: date, day: date.day(startingAt: journal.settings.dayStartsAt),
      names: journal.environment.calendarNames)
    return Template(
      name: path.text,
      text: formats.filling(String(decoding: bytes, as: UTF8.self), title: note.stem))
  }

  /// A layout, with the names of months and days in the user's language if it needs them.
  func layout(_ pattern: String) -> PathTemplate? {
    guard var layout = PathTemplate(pattern) else { return nil }
    if layout.hasCalendarNames { layout.names = journal.environment.calendarNames }
    return layout
  }

  /// The existing daily note that a new entry without a title belongs to.
  package func dailyNote(for new: NewEntry) throws -> EntryPath? {
    guard new.title == nil, journal.settings.dailyNote != nil else { return nil }
    guard
      let date = new.date
        ?? EntryDate(instant: journal.now, offset: journal.utcOffset(at: journal.now)),
      let note = existingDailyNote(of: date)
    else { return nil }
    guard new.tags.isEmpty, new.place == nil, new.template == nil, new.attachments.isEmpty else {
      throw DiaryError(
        localized(
          "\(note.text) already exists, so it cannot get tags, a place, a template or files"),
        hint: localized("give a title to create a separate entry, or `diary edit \(note.text)`"))
    }
    return note
  }
}
