import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Localization

extension Entries {
  /// Removes entries. Unsaved text in them is saved first, so that every version can be restored.
  package func delete(_ paths: [EntryPath]) async throws -> SaveOutcome {
    try await journal.locked { locked in
      let draft = try await locked.startOperation(
        .delete, journal.history.subject(of: paths), paths, beforeSave: true)
      let ready = try paths.map { try deletableFile($0, draft.files) }
      let isFlushed = try await locked.saveUpcomingDeletions(of: ready.map(\.path))
      var removed: Set<EntryPath> = []
      do {
        for file in ready {
          try locked.saver.remove(file, syncs: !isFlushed)
          removed.insert(file.path)
        }
      } catch {
        // Files deleted before the error stay deleted; the others are saved as they are.
        let left = ready.map(\.path).filter { !removed.contains($0) }
        _ = try? await locked.saver.saveChanges(
          try await locked.saver.collectChanges(left, atStart: false))
        _ = try? await locked.saver.saveCommandChanges([], deleted: removed)
        throw error
      }
      return try await locked.saveCommandChanges([], deleted: removed, as: draft)
    }
  }

  /// The pictures and other files that only these entries show or link to. A deletion does not
  /// remove them.
  package func filesUsedOnly(by paths: [EntryPath]) throws -> [EntryPath] {
    let media = LinkedFileLookup(journal)
    var found: Set<EntryPath> = []
    for path in paths {
      found.formUnion(
        journal.changes.referencedFiles(in: try journal.folder.read(path), of: path, media).found)
    }
    return found.sorted().filter {
      !journal.changes.isReferenced($0, among: media, excluding: Set(paths))
    }
  }

  /// The entries among `paths` that are still blank and have never been saved.
  package func unwrittenEntries(among paths: [EntryPath]) async throws -> Set<EntryPath> {
    var found: Set<EntryPath> = []
    for path in paths {
      if try await journal.changes.isBlank(path),
        try await journal.repository.savedContent(path) == nil
      {
        found.insert(path)
      }
    }
    return found
  }

  private func deletableFile(
    _ path: EntryPath, _ files: EnteredFiles
  ) throws(DiaryError) -> SettledFile {
    switch files.refusals[path] {
    case .open:
      throw DiaryError(
        localized("\(path.text) is open in an editor, so nothing was deleted"),
        hint: localized("close it first"))
    case .notSaved(let reason), .emptiedByCrash(_, let reason):
      throw DiaryError(
        localized("\(path.text) \(reason); a deletion could not be undone"),
        hint: localized("if you are sure, remove it with `rm`"))
    default: return try files.seenFile(at: path)
    }
  }
}

extension LockedJournal {
  /// Saves the deletion of files together with `changes`, before the files are removed. A kill in
  /// between then leaves no missing file without a record. Returns true if the command's own save
  /// makes the removal durable; otherwise the caller syncs each file.
  func saveUpcomingDeletions(
    of paths: [EntryPath], with changes: UnsavedChanges? = nil,
    from source: SaveSource = .editor
  ) async throws -> Bool {
    var all =
      if let changes { changes } else { UnsavedChanges(scan: try await journal.changes.scan([])) }
    all.changes += paths.map { .delete($0) }
    _ = try await saver.saveChanges(all, from: source, beforeCommit: true)
    try await journal.repository.flushWrites()
    return try await journal.repository.canFlushFiles(on: journal.folder.devices(of: paths))
  }
}
