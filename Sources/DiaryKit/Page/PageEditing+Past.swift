import DiaryCore
import Foundation
import GitHistory
import Localization

extension JournalOperation {
  /// Identifies the operation by its time and its commit.
  package var id: String { "\(at)-\(after ?? before ?? "")" }
}

extension PageEditing {
  /// The operation that `diary undo` would undo, and the one that `diary redo` would redo.
  package func nextSteps() throws -> (undo: JournalOperation?, redo: JournalOperation?) {
    let all = try journal.history.operations()
    return (all.last { !$0.isUndone }, all.last.flatMap { $0.isUndone ? $0 : nil })
  }

  /// Undoes the operation with an ``JournalOperation/id``, or redoes it if it is undone. Throws if
  /// it is not the next one any more.
  package func reverseStep(_ id: String) async throws {
    let next = try nextSteps()
    guard let operation = [next.undo, next.redo].compactMap(\.self).first(where: { $0.id == id })
    else {
      throw DiaryError(
        localized("another operation happened in the meantime"), kind: .usage,
        hint: localized("reload the page"))
    }
    _ = try await journal.history.undo(try await journal.history.undoPlan(for: operation))
  }

  /// Where a command, a sync or another program has moved an entry in the last 30 days; `nil` if it
  /// was not moved. An entry that was deleted on purpose was not, whatever came after it.
  package func newPath(of path: EntryPath) async throws -> EntryPath? {
    let found = try await journal.repository.newPath(of: path, since: journal.now - 30 * 86_400)
    guard let found, journal.folder.hasFile(found) else { return nil }
    let last = try journal.history.operations().last { operation in
      !operation.isUndone && operation.files.contains { $0.path == path }
    }
    return last?.command == .delete ? nil : found
  }

  /// The entry at a path, or the one that is missing there or of ``recentlyDeleted()``; `nil` without
  /// one.
  package func entryOrDeleted(at path: EntryPath) async throws -> EntryLookup? {
    if let entry = try await journal.catalog.summary(at: path) { return .current(entry) }
    let missing = try await journal.catalog.missingEntryVersions()
    return try await (missing + recentlyDeleted()).first { $0.entry.path == path }
      .map(EntryLookup.deleted)
  }

  /// The entries deleted in the last 30 days, the newest deletion first, at most 500.
  package func recentlyDeleted() async throws -> [DeletedEntry] {
    var filter = ListFilter()
    filter.limit = 500
    return try await journal.history.deleted(filter, since: journal.now - 30 * 86_400)
  }
}
