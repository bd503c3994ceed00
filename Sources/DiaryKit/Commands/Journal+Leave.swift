import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Glibc
import Localization

/// The treatment of the saves refs in `diary leave`.
package enum SavesRemoval: Sendable {
  /// Removes them, unless they contain versions that exist nowhere else.
  case dropIfRedundant
  /// Removes them, and with them the versions that exist nowhere else.
  case drop
  /// Leaves them in the repository.
  case keep
}

extension Journal {
  /// Removes everything that Diary added: its settings folder, list file, local config and
  /// `.git/diary`. The entries and the repository stay. Unsaved changes are saved first.
  ///
  /// - Parameter saves: the treatment of the refs that contain the single saves of each sitting.
  package func leave(_ saves: SavesRemoval) async throws -> SaveOutcome {
    guard runningWatcher == nil else {
      throw DiaryError(
        localized("a watcher is running in \(root)"),
        hint: localized("stop it first: interrupt it, or stop its service"))
    }
    let outcome = try await save()
    if let waiting = outcome.deferReason {
      throw DiaryError(
        localized("the last saves are not committed yet: \(DeferredCommit.message(for: waiting))"),
        hint: localized("finish that in git, then run `diary leave` again; nothing was changed"))
    }
    if !outcome.stagedByUser.isEmpty {
      throw DiaryError(
        localized("you have staged changes that are not committed"),
        details: outcome.stagedByUser.prefix(5).map(\.text),
        hint: localized("commit or unstage it, then run `diary leave` again; nothing was changed"))
    }
    if saves == .dropIfRedundant { try await refuseLosingVersions() }
    try await withJournalLock {
      if let list = self.settings.indexFile, let file = try self.folder.read(list),
        GeneratedList.matches(file.bytes[...]), !self.settings.indexIsCommitted
      {
        _ = try self.folder.remove(list, expecting: file.bytes)
      }
      let shared = try await self.repository.headEntries().keys.filter {
        $0.text.hasPrefix(".diary/")
      }
      for path in shared { _ = try self.folder.remove(path, expecting: nil) }
      if let config = EntryPath(".diary/config.yml") {
        _ = try? self.folder.remove(config, expecting: nil)
        self.folder.removeEmptyFolders(above: config)
      }
      rmdir(self.root + "/.diary/templates")
      rmdir(self.root + "/.diary")
      var last = try await self.saveDeletions(Array(shared))
      try await self.endSitting(into: &last)
      try await self.repository.removeLocalLines()
      try await self.repository.removeLocalConfig(Journal.mergeDriverKeys)
      if saves != .keep { try await self.repository.removeSavesRefs() }
    }
    try? FileManager.default.removeItem(atPath: stateFolder)
    return outcome
  }
}

extension Journal {
  /// Throws if versions would be lost. Those between two commits, and those committed on a deleted
  /// branch, exist only on the saves refs.
  private func refuseLosingVersions() async throws {
    let held = try await repository.savesOnlyFiles()
    guard !held.isEmpty else { return }
    let count = held.reduce(0) { $0 + $1.versionCount }
    var details = held.prefix(5).map { file in
      "\(file.path.text): \(counted(file.versionCount, "version", "versions"))"
    }
    if held.count > 5 { details.append(localized("and \(held.count - 5) more files")) }
    throw DiaryError(
      localized(
        "only the autosaves contain \(counted(count, "version", "versions")) of "
          + "\(counted(held.count, "file", "files"))"),
      details: details,
      hint: localized(
        "`diary leave --keep-saves` keeps them, `diary leave --drop-saves` deletes them; "
          + "nothing was removed"))
  }
}
