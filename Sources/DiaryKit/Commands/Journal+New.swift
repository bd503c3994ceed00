import DiaryCore
import EntryFiles
import Foundation
import Localization

/// What `diary new` is asked for.
package struct NewEntry: Sendable {
  /// The title; `nil` when none was given.
  package var title: String?
  /// The body, when it needs no editor.
  package var message: String?
  /// When it is dated; `nil`: now.
  package var date: EntryDate?
  /// Without `#`.
  package var tags: [String] = []
  /// The name of a template, or the path of a file with a slash in it; `nil`: the settings'.
  package var template: String?
  /// A name, or coordinates as people write them.
  package var place: String?
  /// Files to copy beside the entry, as the command line names them.
  package var attachments: [String] = []

  /// It is begun on a page: its weather is not waited for, and its file gets its name when it is left.
  var isForPage = false

  /// A plain new entry.
  package init() {}

  /// Whether the user has said nothing yet.
  var hasNoInput: Bool {
    title == nil && message == nil && date == nil && tags.isEmpty && place == nil
      && attachments.isEmpty
  }
}

/// An entry that a command has begun.
package struct DraftEntry: Sendable {
  /// Its file.
  package var path: EntryPath
  /// The files that were copied beside it.
  package var attachments: [EntryPath]
  /// The line at which the editor should open it, 1 for the first.
  package var line: Int
  /// Whether the user gave it a title, a date, tags, a place or files.
  package var hasInput: Bool
  /// What could not be done by the way (the weather), to be told once.
  package var notes: [String]
}

/// What came of an entry after its editor let go.
package enum EditResult: Sendable {
  /// It was left as it was made, and has been removed.
  case blank
  /// An editor that is not known to wait came back within two seconds, and the file is untouched: it
  /// has probably opened a window of its own.
  case editorForked(EntryPath)
  case written(EntryPath, SaveOutcome)
}

extension Journal {
  /// Makes the file of a new entry: template, stamp, name. It is not saved yet.
  package func createDraft(_ new: NewEntry) async throws -> DraftEntry {
    for text in [new.title, new.message, new.place].compactMap(\.self) + new.tags {
      try Journal.refuseFaults(
        of: text, hint: localized("no entry was created; remove it and try again"))
    }
    let template = try template(for: new)
    let files = try new.attachments.map(attachment)
    let moment = now
    let date = new.date ?? EntryDate(instant: moment, offset: utcOffset(at: moment))
    guard let date else { throw DiaryError(localized("the clock shows a year outside 1 to 9999")) }
    var notes: [String] = []
    let weather = await weatherForNewEntry(new, date: date, into: &notes)
    let values = TemplateValues(
      title: new.title, date: date, weather: weather.text, place: new.place, tags: new.tags,
      dayStartsAt: settings.dayStartsAt, weekdayNames: environment.weekdayNames)
    let rendered = template.render(values)
    var text = EntryText(rendered.bytes)
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
      // The blank lines that a template ends with are where an editor's cursor would stand.
      text = text.withoutTrailingBlankLines
      if rendered.cursor == nil { try text.append(paragraph: message) }
    }
    let line =
      rendered.cursor.map { place in rendered.bytes[..<place].count { $0 == 0x0A } + 1 }
      ?? text.editorLine
    let (filled, isWeatherPending) = (text, weather.isOwed)
    let finalNotes = notes
    return try await withJournalLock {
      try self.createFile(
        filled, with: files, of: new, date: date, isWeatherPending: isWeatherPending, line: line,
        notes: finalNotes)
    }
  }

  /// Saves an entry that needs no editor, with what was copied beside it.
  package func saveDraft(_ draft: DraftEntry) async throws -> SaveOutcome {
    try await withJournalLock {
      try await self.saveCommandChanges(
        [draft.path] + draft.attachments, as: self.newEntryOperation(draft.path))
    }
  }

  /// Saves what was copied beside a new entry, before its editor opens: `edit` saves the text alone.
  package func saveAttachments(of draft: DraftEntry) async throws {
    guard !draft.attachments.isEmpty else { return }
    _ = try await withJournalLock { try await self.saveCommandChanges(draft.attachments) }
  }

  private func createFile(
    _ text: EntryText, with files: [(name: String, bytes: [UInt8])], of new: NewEntry,
    date: EntryDate, isWeatherPending: Bool, line: Int, notes: [String]
  ) throws -> DraftEntry {
    var text = text
    var copies: [EntryPath] = []
    let isSavedNext = new.message != nil
    // What an editor is to write gets its name when the editor closes; the note of a day has one.
    let isNamedByText = isSavedNext && settings.dailyNote == nil && !new.isForPage
    let title =
      (new.isForPage ? nil : new.title) ?? (isNamedByText ? self.title(of: text, dated: date) : nil)
    let path = try createEntry(title: title, date: date, syncsName: !isSavedNext) { path in
      // Another name is tried only when this one was taken meanwhile; the copies are there already.
      guard copies.isEmpty else { return text.bytes }
      for file in files {
        let copy = try self.attach(file.bytes, named: file.name, beside: path)
        copies.append(copy)
        try text.append(paragraph: Journal.link(to: copy.name))
      }
      return text.bytes
    }
    if new.message == nil, new.attachments.isEmpty {
      try recordBlank(text.bytes, at: path, whileRunning: !new.hasNoInput)
    }
    if isWeatherPending {
      try queuedStamps.update { $0.append(QueuedStamp(path: path.text, moment: date.instant)) }
    }
    return DraftEntry(
      path: path, attachments: copies, line: line, hasInput: !new.hasNoInput, notes: notes)
  }

  /// What a text without a given title is called, for the name of its file; `nil` where only that
  /// name would tell.
  func title(of text: EntryText, dated date: EntryDate) -> String? {
    let untitled = layout(settings.layout)?.path(
      title: nil, date: date, day: date.day(startingAt: settings.dayStartsAt))
    guard let untitled else { return nil }
    let title = Entry(path: untitled, text: text, settings: settings, zone: zone).title
    return title == untitled.stem ? nil : title
  }

  /// Creates an entry's file under the first free name that the layout gives.
  /// Without `syncsName` it is saved next, which makes its name durable.
  func createEntry(
    title: String?, date: EntryDate, syncsName: Bool, bytes: (EntryPath) throws -> [UInt8]
  ) throws -> EntryPath {
    var numbers: [EntryPath: Int] = [:]
    return try createEntry(
      title: title, date: date, numbers: &numbers, syncsName: syncsName, bytes: bytes)
  }

  /// The same for one of many entries; `numbers` as in ``PathTemplate``.
  func createEntry(
    title: String?, date: EntryDate, numbers: inout [EntryPath: Int], syncsName: Bool,
    bytes: (EntryPath) throws -> [UInt8]
  ) throws -> EntryPath {
    for _ in 0..<100 {
      let path = try freePath(title: title, date: date, numbers: &numbers) { folder.hasFile($0) }
      if try folder.createIfFree(path, bytes(path), syncsName: syncsName) { return path }
    }
    let day = date.day(startingAt: settings.dayStartsAt)
    throw DiaryError(localized("cannot find a free file name for an entry of \(day)"))
  }

  /// The first free path that the layout gives an entry; `numbers` as in ``PathTemplate``.
  func freePath(
    title: String?, date: EntryDate, numbers: inout [EntryPath: Int],
    isTaken: (EntryPath) -> Bool
  ) throws -> EntryPath {
    let pattern = title == nil ? settings.dailyNote ?? settings.layout : settings.layout
    guard let layout = layout(pattern) else {
      throw DiaryError(localized("the layout \(pattern) names no file"))
    }
    let day = date.day(startingAt: settings.dayStartsAt)
    return layout.path(title: title, date: date, day: day, numbers: &numbers, isTaken: isTaken)
  }

  /// The template that is meant: the journal's own, the personal one, a built-in one, or a file. No page
  /// names a file.
  func template(for new: NewEntry) throws -> Template {
    let name = new.template ?? settings.template
    if !new.isForPage, new.template?.contains("/") == true {
      let bytes = try environment.contents(of: name)
      try Self.refuseFaults(in: bytes, ofTemplate: name)
      return Template(name: name, text: String(decoding: bytes, as: UTF8.self))
    }
    guard
      let template = try Template.find(
        named: name, in: folder, personal: environment.configDirectory + "/templates",
        builtIn: builtInTemplates)
    else {
      throw DiaryError(
        localized("there is no template named \(name)"),
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

  /// The names of all templates that can be had here.
  package var templateNames: [String] {
    Template.names(
      in: folder, personal: environment.configDirectory + "/templates", builtIn: builtInTemplates)
  }

  /// The weather for a new entry, waited for at most a second.
  private func weatherForNewEntry(
    _ new: NewEntry, date: EntryDate, into notes: inout [String]
  ) async -> (text: String?, isOwed: Bool) {
    guard settings.weatherProvider != .off else { return (nil, false) }
    if new.isForPage { return (nil, settings.place != nil) }
    guard settings.place != nil else {
      if isFirstNotice("weather-hint") {
        notes.append(localized("weather is off; `diary weather on \"PLACE\"` turns it on"))
      }
      return (nil, false)
    }
    var namedPlace: Place?
    if let name = new.place {
      namedPlace = Place(coordinates: name) ?? knownPlaces.read()[name.lowercased()]
      if namedPlace == nil, name.lowercased() != settings.place?.name?.lowercased() {
        namedPlace = try? await geocode(name, seconds: 1).first
      }
    }
    guard let place = namedPlace ?? (new.place == nil ? settings.place : nil) else {
      notes.append(localized("no weather: cannot find the place \(new.place ?? "")"))
      return (nil, false)
    }
    // Something older than the consent is asked for only by `weather fill` and `weather stamp`.
    guard abs(date.instant - now) <= 86_400 else { return (nil, false) }
    do {
      let text = try await weatherText(at: date.instant, place: place, seconds: 1)
      return (text, text == nil)
    } catch {
      if isFirstNotice("weather-trouble") {
        notes.append(localized("\(DiaryError(error).message); Diary will add it later"))
      }
      return (nil, true)
    }
  }

  /// Whether something is to be told for the first time on this device.
  func isFirstNotice(_ name: String) -> Bool {
    let flag = StateFile<Bool>("told-" + name + ".json", in: stateFolder, defaultValue: false)
    guard !flag.read() else { return false }
    try? flag.write(true)
    return true
  }
}
