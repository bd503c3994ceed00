import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Localization

extension Journal {
  /// Removes entries. Unsaved text in them is saved first, so that every version can be restored.
  package func delete(_ paths: [EntryPath]) async throws -> SaveOutcome {
    for path in paths where isOpenInEditor(path) {
      throw DiaryError(
        localized("\(path.text) is open in an editor, so nothing was deleted"),
        hint: localized("close it first"))
    }
    return try await withJournalLock {
      let found = try await self.collectChanges(paths, atStart: false)
      if let left = found.skipped.first {
        throw DiaryError(
          localized("\(left.path.text) \(left.reason), so a deletion cannot be undone"),
          hint: localized("if you are sure, remove it with `rm`"))
      }
      let draft = try await self.startOperation(
        .delete, self.subject(of: paths), paths, beforeSave: true)
      let (ready, refusal) = try await self.deletableFiles(paths)
      let isFlushed = try await self.saveUpcomingDeletions(of: ready.map(\.path))
      var removed: Set<EntryPath> = []
      do {
        for file in ready {
          try self.remove(file, syncs: !isFlushed)
          removed.insert(file.path)
        }
        if let refusal { throw refusal }
      } catch {
        // Files deleted before the error stay deleted; the others are saved as they are.
        let left = ready.map(\.path).filter { !removed.contains($0) }
        _ = try? await self.saveChanges(try await self.collectChanges(left, atStart: false))
        _ = try? await self.saveCommandChanges([], deleted: removed)
        throw error
      }
      return try await self.saveCommandChanges([], deleted: removed, as: draft)
    }
  }

  /// Saves the deletion of files together with `changes`, before the files are removed. A kill in
  /// between then leaves no missing file without a record. Returns true if the command's own save
  /// makes the removal durable; otherwise the caller syncs each file.
  func saveUpcomingDeletions(
    of paths: [EntryPath], with changes: PendingChanges? = nil,
    from source: SaveSource = .editor
  ) async throws -> Bool {
    var all = if let changes { changes } else { PendingChanges(scan: try await scan([])) }
    all.changes += paths.map { .delete($0) }
    _ = try await saveChanges(all, from: source, beforeCommit: true)
    try await repository.flushWrites()
    return try await repository.canFlushFiles(on: folder.devices(of: paths))
  }

  /// The pictures and other files that only these entries show or link to. A deletion does not
  /// remove them.
  package func filesUsedOnly(by paths: [EntryPath]) throws -> [EntryPath] {
    let media = MediaFiles(self)
    var found: Set<EntryPath> = []
    for path in paths {
      found.formUnion(referencedFiles(in: try folder.read(path), of: path, media).found)
    }
    return found.sorted().filter { !isReferenced($0, among: media, excluding: Set(paths)) }
  }

  /// The entries among `paths` that are still blank and have never been saved.
  package func unwrittenEntries(among paths: [EntryPath]) async throws -> Set<EntryPath> {
    var found: Set<EntryPath> = []
    for path in paths {
      if try await isBlank(path), try await repository.savedContent(path) == nil {
        found.insert(path)
      }
    }
    return found
  }

  private typealias DeletionTarget = (path: EntryPath, bytes: [UInt8]?)

  /// The entries whose last content is saved, up to the first that is not, with its error.
  private func deletableFiles(_ paths: [EntryPath]) async throws -> ([DeletionTarget], DiaryError?)
  {
    var ready: [DeletionTarget] = []
    for path in paths {
      let bytes = try folder.read(path)?.bytes
      if let bytes, try await !isRestorable(bytes, at: path) {
        let refusal = DiaryError(
          localized("\(path.text) is not in the repository, so a deletion cannot be undone"),
          hint: localized("does git ignore it? If you are sure, remove it with `rm`"))
        return (ready, refusal)
      }
      ready.append((path, bytes))
    }
    return (ready, nil)
  }

  private func remove(_ file: DeletionTarget, syncs: Bool) throws {
    guard let bytes = file.bytes else { return }
    try folder.remove(
      file.path, expecting: bytes, displacedDirectory: stateFolder, syncs: syncs)?.discard()
    folder.removeEmptyFolders(above: file.path)
  }

  /// True if these bytes are blank, or the path's last version on the saves ref or branch.
  private func isRestorable(_ bytes: [UInt8], at path: EntryPath) async throws -> Bool {
    if isBlankText(bytes, path) { return true }
    return try await repository.isSaved(bytes, at: path)
  }

  private func isBlankText(_ bytes: [UInt8], _ path: EntryPath) -> Bool {
    blankEntries[path.text].map { Array($0.utf8) == bytes } ?? false
  }
}
