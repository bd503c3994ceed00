import DiaryCore
import EntryFiles
import Foundation
import Localization
import Synchronization

/// The input of `diary new`.
package struct NewEntry: Sendable {
  /// The title; `nil` if none was given.
  package var title: String?
  /// The body; `nil` to write it in an editor.
  package var message: String?
  /// The date; `nil` for now.
  package var date: EntryDate?
  /// The writer's time zone; `nil` for the machine's.
  var zone: TimeZone?
  /// Without `#`.
  package var tags: [String] = []
  /// The name of a template, or a file path with a slash in it; `nil` for the settings' template.
  package var template: String?
  /// A place name, or coordinates as people write them.
  package var place: String?
  /// Files to copy beside the entry, as the command line names them.
  package var attachments: [String] = []

  /// Title and body in place of the template's, as a page edits them; `nil` for the template's own.
  var edited: (title: String, body: String)?
  /// True for an entry of a page. Weather is not awaited, and the file is named when editing ends.
  var isForPage = false

  /// A plain new entry.
  package init() {}

  /// True if the user gave no input.
  var hasNoInput: Bool {
    title == nil && message == nil && date == nil && tags.isEmpty && place == nil
      && attachments.isEmpty
  }
}

/// An entry that a command has created and not saved yet.
package struct DraftEntry: Sendable {
  /// Its file.
  package var path: EntryPath
  /// The files that were copied beside it.
  package var attachments: [EntryPath]
  /// The line at which the editor opens the entry, from 1.
  package var line: Int
  /// True if the user gave a title, a date, tags, a place or files.
  package var hasInput: Bool
  /// Warnings about steps that failed (the weather), to be printed once.
  package var notes: [String]
}

/// The result of editing an entry in an editor.
package enum EditResult: Sendable {
  /// The new entry was not edited, and has been removed.
  case blank
  /// An editor that is not known to wait exited within two seconds, and the file is unchanged. It
  /// has probably opened its own window.
  case editorForked(EntryPath)
  case written(EntryPath, SaveOutcome)
}

extension Entries {
  /// Creates the file of a new entry from its template, with date, weather and name. Saves nothing.
  package func createDraft(_ new: NewEntry) async throws -> DraftEntry {
    let given = [new.title, new.message, new.place, new.edited?.title, new.edited?.body]
    for text in given.compactMap(\.self) + new.tags {
      try Entries.refuseFaults(
        of: text, hint: localized("no entry was created; remove it and try again"))
    }
    let date = try date(of: new)
    var notes: [String] = []
    let template = try dailyNoteTemplate(for: new, of: date, into: &notes) ?? template(for: new)
    let files = try new.attachments.map(attachment)
    let weather = await weatherForNewEntry(new, date: date, into: &notes)
    let rendered = template.render(values(for: new, date: date, weather: weather.text))
    var text = EntryText(rendered.bytes)
    if let edited = new.edited {
      text = EntryText(
        try editable(text, dated: date).bytes(title: edited.title, body: edited.body))
    }
    if [.toml, .json, .unreadable].contains(text.headerKind),
      new.title ?? new.place != nil
        || new.date != nil || !new.tags.isEmpty
    {
      notes.append(
        localized(
          "Diary cannot write the header format of the template \(template.name), so title, date, "
            + "tags and place were not added"))
    }
    if let message = new.message {
      if let cursor = rendered.cursor { try text.insert(message, at: cursor) }
      // Remove the blank lines at the template's end, where an editor's cursor would be.
      text = text.withoutTrailingBlankLines
      if rendered.cursor == nil { try text.append(paragraph: message) }
    }
    let line =
      rendered.cursor.map { place in rendered.bytes[..<place].count { $0 == 0x0A } + 1 }
      ?? text.editorLine
    let (filled, isWeatherQueued) = (text, weather.isOwed)
    let finalNotes = notes
    return try await journal.locked { locked in
      try locked.createFile(
        filled, with: files, of: new, date: date, isWeatherQueued: isWeatherQueued, line: line,
        notes: finalNotes)
    }
  }

  /// The date of a new entry: the given one, or now.
  func date(of new: NewEntry) throws(DiaryError) -> EntryDate {
    let moment = journal.now
    let offset =
      new.zone?.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment)))
      ?? journal.utcOffset(at: moment)
    let date = new.date ?? EntryDate(instant: moment, offset: offset)
    guard let date else { throw DiaryError(localized("the clock shows a year outside 1 to 9999")) }
    return date
  }

  /// The values of a template's placeholders in a new entry.
  func values(for new: NewEntry, date: EntryDate, weather: String?) -> TemplateValues {
    TemplateValues(
      title: new.title, date: date, weather: weather, place: new.place, tags: new.tags,
      dayStartsAt: journal.settings.dayStartsAt, weekdayNames: journal.environment.weekdayNames)
  }

  /// Saves an entry that needs no editor, with the files that were copied beside it.
  package func saveDraft(_ draft: DraftEntry) async throws -> SaveOutcome {
    try await journal.locked { locked in
      try await locked.saveCommandChanges(
        [draft.path] + draft.attachments, as: journal.history.newEntryOperation(draft.path))
    }
  }

  /// Saves the files copied beside a new entry before its editor opens. `edit` saves only the text.
  package func saveAttachments(of draft: DraftEntry) async throws {
    guard !draft.attachments.isEmpty else { return }
    _ = try await journal.locked { try await $0.saver.saveCommandChanges(draft.attachments) }
  }

  /// The title of a text without a given title, for its file name; `nil` if only the file name
  /// would give one.
  func title(of text: EntryText, dated date: EntryDate) -> String? {
    let untitled = layout(journal.settings.layout)?.path(
      title: nil, date: date, day: date.day(startingAt: journal.settings.dayStartsAt))
    guard let untitled else { return nil }
    let title = Entry(path: untitled, text: text, settings: journal.settings, zone: journal.zone)
      .title
    return title == untitled.stem ? nil : title
  }

  /// The first free path that the layout gives an entry. `numbers` has the last number of each name
  /// (see ``PathTemplate``).
  func freePath(
    title: String?, date: EntryDate, numbers: inout [EntryPath: Int],
    isTaken: (EntryPath) -> Bool
  ) throws -> EntryPath {
    let pattern =
      title == nil ? journal.settings.dailyNote ?? journal.settings.layout : journal.settings.layout
    guard let layout = layout(pattern) else {
      throw DiaryError(localized("the layout \(pattern) gives no file name"))
    }
    let day = date.day(startingAt: journal.settings.dayStartsAt)
    return layout.path(title: title, date: date, day: day, numbers: &numbers, isTaken: isTaken)
  }

  /// The template to use: the journal's own, the user's, a built-in one, or a file. A web page
  /// cannot name a file.
  func template(for new: NewEntry) throws -> Template {
    let name = new.template ?? journal.settings.template
    if !new.isForPage, new.template?.contains("/") == true {
      let bytes = try journal.environment.contents(of: name)
      try Self.refuseFaults(in: bytes, ofTemplate: name)
      return Template(name: name, text: String(decoding: bytes, as: UTF8.self))
    }
    guard
      let template = try Template.find(
        named: name, in: journal.folder,
        personal: journal.environment.configDirectory + "/templates",
        builtIn: builtInTemplates)
    else {
      throw DiaryError(
        localized("there is no template named \"\(name)\""),
        hint: localized("templates: \(templateNames.joined(separator: ", "))"))
    }
    try Self.refuseFaults(in: Array(template.text.utf8), ofTemplate: name)
    return template
  }

  private static func refuseFaults(in bytes: [UInt8], ofTemplate name: String) throws(DiaryError) {
    guard let fault = TextFault(in: bytes) else { return }
    throw DiaryError(
      localized(
        "the template \(name) has \(fault.reason) in line \(fault.line), column \(fault.column)"),
      hint: localized("remove it with an editor, then try again"))
  }

  /// The names of the available templates; of the built-in ones, those in the user's language.
  package var templateNames: [String] {
    Template.names(
      in: journal.folder, personal: journal.environment.configDirectory + "/templates",
      builtIn: offeredTemplates)
  }

  /// The weather for a new entry, with a timeout of one second.
  private func weatherForNewEntry(
    _ new: NewEntry, date: EntryDate, into notes: inout [String]
  ) async -> (text: String?, isOwed: Bool) {
    guard journal.settings.weatherProvider != .off else { return (nil, false) }
    if new.isForPage { return (nil, journal.settings.place != nil) }
    guard journal.settings.place != nil else {
      if await isFirstNotice("weather-hint") {
        notes.append(localized("weather is off; `diary weather on \"PLACE\"` turns it on"))
      }
      return (nil, false)
    }
    var namedPlace: Place?
    if let name = new.place {
      namedPlace = Place(coordinates: name) ?? journal.state.places.read()[name.lowercased()]
      if namedPlace == nil, name.lowercased() != journal.settings.place?.name?.lowercased() {
        namedPlace = try? await journal.weather.geocode(name, seconds: 1).first
      }
    }
    guard let place = namedPlace ?? (new.place == nil ? journal.settings.place : nil) else {
      notes.append(localized("no weather: cannot find the place \(new.place ?? "")"))
      return (nil, false)
    }
    // Weather of other days is fetched only on request (`weather fill`, `weather stamp`).
    guard abs(date.instant - journal.now) <= 86_400 else { return (nil, false) }
    do {
      let text = try await journal.weather.weatherText(at: date.instant, place: place, seconds: 1)
      return (text, text == nil)
    } catch {
      if await isFirstNotice("weather-trouble") {
        notes.append(localized("\(DiaryError(error).message); Diary will add it later"))
      }
      return (nil, true)
    }
  }

  /// Returns true at the first call with this name on this device.
  func isFirstNotice(_ name: String) async -> Bool {
    guard !journal.state.upkeep.read().notices.contains(name) else { return false }
    let isFirst = try? await journal.locked { locked in
      var isFirst = false
      try locked.update(locked.journal.state.upkeep) {
        isFirst = $0.notices.insert(name).inserted
      }
      return isFirst
    }
    return isFirst ?? true
  }
}

extension LockedJournal {
  fileprivate func createFile(
    _ text: EntryText, with files: [(name: String, bytes: [UInt8])], of new: NewEntry,
    date: EntryDate, isWeatherQueued: Bool, line: Int, notes: [String]
  ) throws -> DraftEntry {
    var text = text
    var copies: [EntryPath] = []
    let isSavedNext = new.message != nil
    // An entry for an editor is named when the editor closes. A daily note has a fixed name.
    let isNamedByText = isSavedNext && journal.settings.dailyNote == nil && !new.isForPage
    let title =
      (new.isForPage ? nil : new.title)
      ?? (isNamedByText ? journal.entries.title(of: text, dated: date) : nil)
    let rules = PathClassifier(journal)
    let path = try createEntry(title: title, date: date, syncsName: !isSavedNext) { path in
      guard rules.kind(of: path) == .entry else {
        throw DiaryError(
          localized(
            "a new entry would be \(path.text), which the settings do not count as an entry"),
          hint: localized(
            "no entry was created; check `layout`, `entries.include` and `entries.exclude`"))
      }
      // This runs again only if another program took the name. The copies exist already.
      guard copies.isEmpty else { return text.bytes }
      for file in files {
        let copy = try self.attach(file.bytes, named: file.name, to: path)
        copies.append(copy)
        try text.append(paragraph: Entries.link(to: copy, in: path))
      }
      return text.bytes
    }
    if new.message == nil, new.attachments.isEmpty {
      try saver.recordBlank(text.bytes, at: path, whileRunning: !new.hasNoInput)
    }
    if isWeatherQueued {
      try update(journal.state.queuedStamps) {
        $0.append(QueuedStamp(path: path.text, moment: date.instant))
      }
    }
    return DraftEntry(
      path: path, attachments: copies, line: line, hasInput: !new.hasNoInput, notes: notes)
  }

  /// Creates an entry's file under the first free name of the layout. Without `syncsName` the
  /// caller saves it next, which makes its name durable.
  func createEntry(
    title: String?, date: EntryDate, syncsName: Bool, bytes: (EntryPath) throws -> [UInt8]
  ) throws -> EntryPath {
    var numbers: [EntryPath: Int] = [:]
    for _ in 0..<100 {
      let path = try journal.entries.freePath(title: title, date: date, numbers: &numbers) { path in
        journal.folder.hasFile(path)
          || journal.servedTexts.withLock { $0.formerNames.contains(path) }
      }
      if try journal.folder.createIfFree(path, bytes(path), syncsName: syncsName) { return path }
    }
    let day = date.day(startingAt: journal.settings.dayStartsAt)
    throw DiaryError(localized("cannot find a free file name for an entry of \(day)"))
  }
}
