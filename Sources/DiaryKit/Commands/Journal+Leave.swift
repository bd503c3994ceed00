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

/// The result of `diary leave`.
package struct LeaveOutcome: Sendable {
  /// The save before the removal.
  package var save: SaveOutcome
  /// The files in `.diary/` that stay: Diary did not write them, or cannot save their text.
  package var remaining: [EntryPath] = []
  /// The names of the sealed remotes, which stay with their keys.
  package var sealedRemotes: [String] = []
  /// The files of keys that were inside of the journal.
  package var movedKeys: [String] = []
}

extension Journal {
  /// Removes everything that Diary added: its service, list file, settings, local config and
  /// `.git/diary`. The entries and the repository stay. It begins only when nothing is unfinished,
  /// and removes only bytes that Diary made or that a commit has. After a kill it can be repeated.
  ///
  /// - Parameter saves: the treatment of the refs that contain the single saves of each sitting.
  package func leave(_ saves: SavesRemoval) async throws -> LeaveOutcome {
    try await locked { journal in
      // Held, so that neither a watcher nor a sync starts meanwhile.
      let other = EncryptedFolder(self.root).lockableFile
      guard let watch = try ProcessLock(self.watchLockPath, on: other) else {
        throw DiaryError(
          localized("a watcher is running in \(self.root)"),
          hint: localized("stop it first: interrupt it, or stop its service"))
      }
      guard let sync = try ProcessLock(self.stateFolder + "/sync.lock") else {
        throw DiaryError(
          localized("another diary process is syncing \(self.root)"),
          hint: localized("wait for it to end, then try again"))
      }
      defer { withExtendedLifetime((watch, sync)) {} }
      var outcome = LeaveOutcome(save: try await journal.saveFinally())
      if saves == .dropIfRedundant { try await self.refuseLosingVersions() }
      try await WatchInstallation(of: self).remove()
      try journal.removeListFile()
      let files = try await journal.removableSettings()
      var last = try await journal.saver.saveDeletions(files.map(\.path))
      for file in files { _ = try? self.folder.remove(file.path, expecting: file.bytes) }
      try await journal.saver.endSitting(into: &last)
      if let waiting = last.deferReason { throw DiaryError.leaveDeferred(by: waiting) }
      try await self.repository.removeLocalLines()
      try await self.mergeDriver.removeMergeDriver()
      if saves != .keep { try await self.repository.removeSavesRefs() }
      outcome.remaining = journal.remainingFiles()
      outcome.sealedRemotes = try await self.repository.remotes().filter { $0.sealedURL != nil }
        .map(\.name)
      outcome.movedKeys = try SealedKeys(self.environment, of: self).moveOutOfJournal()
      // The folder that makes this a journal is removed last, so that a killed run can be repeated.
      try FileManager.default.removeItem(atPath: self.stateFolder)
      rmdir(self.root + "/.diary/templates")
      rmdir(self.root + "/.diary")
      EncryptedFolder(self.root).forget(self.environment)
      return outcome
    }
  }
}

extension LockedJournal {
  /// Saves everything, and throws if anything stays unfinished that only Diary can finish.
  fileprivate func saveFinally() async throws -> SaveOutcome {
    try await saver.recoverTemporaryFiles(
      journal.folder.scan(EntryMatcher(settings: journal.settings)), quietFor: 0)
    var outcome = try await saver.saveAll()
    // A file may have been written during the commit.
    for _ in 0..<2 where try await !saver.collectAllChanges().changes.isEmpty {
      let first = outcome
      outcome = try await saver.saveAll()
      outcome.saved = first.saved + outcome.saved
      outcome.commit = outcome.commit ?? first.commit
    }
    if let waiting = outcome.deferReason { throw DiaryError.leaveDeferred(by: waiting) }
    if !outcome.stagedByUser.isEmpty {
      throw DiaryError(
        localized("you have staged changes that are not committed"),
        details: outcome.stagedByUser.prefix(5).map(\.text),
        hint: localized("commit or unstage it, then run `diary leave` again; nothing was changed"))
    }
    if !outcome.missing.isEmpty {
      throw DiaryError(
        counted(
          outcome.missing.count,
          "saved file is missing from the folder; Diary did not record a deletion.",
          "saved files are missing from the folder; Diary did not record a deletion."),
        details: outcome.missing.prefix(5).map(\.text),
        hint: localized(
          "`diary restore --missing` brings them back; if you deleted them, use "
            + "`diary save --deletions`"))
    }
    if try !journal.state.unfinishedImport.load().isEmpty {
      throw DiaryError(
        localized("an import was interrupted"),
        hint: localized("import it again, then run `diary leave` again; nothing was changed"))
    }
    let unfinished = try await unfinishedFiles(outcome)
    guard unfinished.isEmpty else {
      throw DiaryError(
        counted(
          unfinished.count, "file is not saved or not up to date",
          "files are not saved or not up to date"),
        details: unfinished.prefix(5).map { "\($0.path.text) \($0.reason)" },
        hint: localized("finish that, then run `diary leave` again; nothing was changed"))
    }
    for path in journal.changes.blankEntries.keys.compactMap({ EntryPath($0) }) {
      try saver.removeBlank(path)
    }
    for file in try await journal.catalog.ignoredFiles() {
      let bytes = try journal.folder.read(file.path)?.bytes
      if let bytes, try await !journal.repository.isSaved(bytes, at: file.path) {
        outcome.skipped.append(file)
      }
    }
    return outcome
  }

  /// The files with text that a later save or sync would take, with the reasons.
  private func unfinishedFiles(_ outcome: SaveOutcome) async throws -> [SkippedFile] {
    let found = try await saver.collectAllChanges()
    let refused = outcome.skipped.filter { !found.skipped.contains($0) }
    let files = try await journal.changes.states(in: found, refused: refused).compactMap { state in
      state.unfinished.map { SkippedFile(path: state.path, reason: $0) }
    }
    let displaced = try journal.changes.displacedFiles(quietFor: 0).map {
      SkippedFile(path: $0.path, reason: localized("is open in an editor"))
    }
    return files + found.skippedFolders + displaced
  }

  fileprivate func removeListFile() throws {
    guard let list = journal.settings.indexFile, !journal.settings.indexIsCommitted,
      let file = try journal.folder.read(list), ListFile.matches(file.bytes[...])
    else { return }
    _ = try journal.folder.remove(list, expecting: file.bytes)
  }

  /// The settings and templates in `.diary/` whose bytes on disk are committed.
  fileprivate func removableSettings() async throws -> [(path: EntryPath, bytes: [UInt8])] {
    let classifier = PathClassifier(journal)
    var files: [(path: EntryPath, bytes: [UInt8])] = []
    for path in try await journal.repository.headEntries().keys
    where classifier.kind(of: path) == .settings {
      guard let bytes = try journal.folder.read(path)?.bytes,
        try await journal.repository.isSaved(bytes, at: path)
      else {
        continue
      }
      files.append((path, bytes))
    }
    return files.sorted { $0.path < $1.path }
  }

  /// The files below `.diary/`.
  fileprivate func remainingFiles() -> [EntryPath] {
    let names = FileManager.default.enumerator(atPath: journal.root + "/.diary")?.compactMap {
      $0 as? String
    }
    return (names ?? []).compactMap { EntryPath(".diary/" + $0) }.filter {
      journal.folder.hasFile($0)
    }
    .sorted()
  }
}

extension DiaryError {
  fileprivate static func leaveDeferred(by reason: DeferReason) -> DiaryError {
    DiaryError(
      localized("the last saves are not committed yet: \(reason.message)"),
      hint: localized("finish that in git, then run `diary leave` again; nothing was changed"))
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
