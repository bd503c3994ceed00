import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import Localization

extension Journal {
  /// Appends a paragraph to today's newest entry, making it when there is none.
  ///
  /// - Parameters:
  ///   - target: the entry to append to instead.
  ///   - withTime: put the clock's `HH:MM` before it.
  package func add(
    _ paragraph: String, to target: EntryPath?, withTime: Bool
  ) async throws -> (path: EntryPath, outcome: SaveOutcome) {
    try Journal.refuseFaults(
      of: paragraph, hint: localized("nothing was added; remove it and try again"))
    let moment = now
    let clock = EntryDate(instant: moment, offset: offset(at: moment))?.clock ?? ""
    let paragraph = withTime ? clock + " " + paragraph : paragraph
    var path = target
    if path == nil {
      _ = try await refresh()
      path = try newestOfToday()
    }
    if path == nil, let date = EntryDate(instant: moment, offset: offset(at: moment)) {
      path = existingDailyNote(of: date)
    }
    guard let path else {
      var new = NewEntry()
      new.message = paragraph
      let begun = try await begin(new)
      let outcome = try await saveDraft(begun)
      return (begun.path, outcome)
    }
    guard !isHeld(path) else {
      throw DiaryError(
        localized("\(path.text) is open in an editor, so nothing was added"),
        details: [localized("the text: \(paragraph)")],
        hint: localized("write it in the editor, or close the editor and try again"))
    }
    let outcome = try await exclusively {
      let act = try await self.begin(.add, self.subject(of: [path]), [path])
      let old = try self.append(paragraph, to: path)
      // Not every disk has the new name before the old file is gone: the save comes between the two.
      defer { old?.discard() }
      return try await self.saveCommandChanges([path], as: act)
    }
    return (path, outcome)
  }

  /// Today's newest entry; of several of the same second, the one that was written last.
  private func newestOfToday() throws -> EntryPath? {
    let entries = try catalog.list(ListFilter(since: today, until: today))
    let newest = entries.prefix { $0.date?.instant == entries.first?.date?.instant }
    return newest.map { ($0.path, (try? folder.stamp($0.path))?.modified ?? 0) }
      .max { ($0.1, $0.0) < ($1.1, $1.0) }?.0
  }

  /// Answers what stood there, for the caller to discard when the save has made the new name durable.
  private func append(_ paragraph: String, to path: EntryPath) throws -> DisplacedFile? {
    for _ in 0..<10 {
      guard let file = try folder.read(path) else {
        throw DiaryError(
          localized("\(path.text) is gone"), details: [localized("the text: \(paragraph)")])
      }
      var text = EntryText(file.bytes)
      try Journal.refuseDamage(in: text, of: path)
      try text.append(paragraph: paragraph)
      do {
        if case .done(let aside) = try folder.replace(
          path, expecting: file.bytes, with: text.bytes, asideDirectory: stateFolder,
          allowPlainRename: true, syncsName: false)
        {
          return aside
        }
      } catch {
        var error = DiaryError(error)
        error.details.append(localized("the text: \(paragraph)"))
        throw error
      }
    }
    throw DiaryError(
      localized("\(path.text) keeps changing, so nothing was added"),
      details: [localized("the text: \(paragraph)")])
  }
}
