import DiaryCore
import EntryFiles
import Localization
import Synchronization

/// A page's changes of what an entry carries beside its text. `nil` leaves a field as it is.
package struct FieldChanges: Sendable {
  package var isStarred: Bool?
  /// All tags of the header.
  package var tags: [String]?
  /// The date as the user writes it, for `diary rename --date`.
  package var date: String?
  /// The place; empty for none.
  package var place: String?

  package init(
    isStarred: Bool? = nil, tags: [String]? = nil, date: String? = nil, place: String? = nil
  ) {
    (self.isStarred, self.tags, self.date, self.place) = (isStarred, tags, date, place)
  }
}

/// The result of changing fields for a page.
package enum FieldsOutcome: Sendable {
  /// The fields are on disk and durably saved. `renamed`: the move to another date.
  case changed(EditableEntry, renamed: RenameOutcome?)
  /// The entry was deleted.
  case deleted
  /// A program has the entry open and would not notice its replacement. Nothing was written.
  case held(by: String)
  /// Diary does not change the header. The value is the reason.
  case refused(String)
}

extension PageEditing {
  /// Changes fields of an entry as the commands `star`, `add --tag` and `rename --date` do, and never
  /// its text. Tags that were added or removed elsewhere since `version` stay so.
  package func change(
    _ path: EntryPath, _ changes: FieldChanges, from version: String
  ) async throws -> FieldsOutcome {
    for text in [changes.date, changes.place].compactMap(\.self) + (changes.tags ?? []) {
      try Entries.refuseFaults(
        of: text, hint: localized("nothing was changed; remove it and try again"))
    }
    guard PathClassifier(journal).kind(of: path) == .entry, journal.folder.hasFile(path) else {
      return .deleted
    }
    if let holder = journal.holder(of: path) { return .held(by: holder) }
    if let reason = try await editable(path).readOnlyReason { return .refused(reason) }
    let base = await baseText(version, at: path).map { EntryText($0) }
    do {
      // The date is the one that a user can get wrong: then nothing else is changed either.
      var renamed: RenameOutcome?
      if let date = changes.date { renamed = try await move(path, to: date) }
      let path = renamed?.path ?? path
      if let isStarred = changes.isStarred {
        _ = try await journal.entries.star([path], isStarred)
      }
      if changes.tags != nil || changes.place != nil {
        try await journal.entries.setHeader(
          path, tags: changes.tags, place: changes.place, since: base)
      }
      return .changed(try await editable(path), renamed: renamed)
    } catch let error as FrontMatterError {
      return .refused(error.description)
    }
  }
  /// Moves an entry to another date. One that is still being written on a page stays so.
  private func move(_ path: EntryPath, to date: String) async throws -> RenameOutcome {
    let renamed = try await journal.entries.rename(path, on: date)
    journal.servedTexts.withLock {
      if let version = $0.drafts.removeValue(forKey: path) { $0.drafts[renamed.path] = version }
    }
    return renamed
  }
}
