import DiaryCore
import EntryFiles
import FolderWatch
import Foundation
import GitHistory
import Localization

/// A commit on the user's branch.
package struct SavedCommit: Sendable {
  /// The commit id in hex.
  package var id: String
  /// The subject and the list of files.
  package var message: String
  /// The subject in the user's language.
  package var subject: String
  /// The paths in the commit.
  package var paths: [EntryPath]
}

/// The result of `diary save`, or of the save at the end of a command.
package struct SaveOutcome: Sendable {
  /// The paths whose current text was saved now.
  package var saved: [EntryPath] = []
  /// The saved paths that are deleted.
  package var deleted: Set<EntryPath> = []
  /// The new path of each moved file; both paths are in ``saved``.
  package var moved: [EntryPath: EntryPath] = [:]
  /// The commit on the branch, if there was one.
  package var commit: SavedCommit?
  /// Entries that were saved without text from a sync and now contain it again, because an editor's
  /// old buffer and a deliberate deletion look the same.
  package var remergedEntries: [EntryPath] = []
  /// Entries from which the user deleted text of a sync after it had come back once.
  package var deletedAgain: [EntryPath] = []
  /// Paths that the user has staged. They are not part of Diary's commits.
  package var stagedByUser: [EntryPath] = []
  /// True if a watcher is running and makes the commit.
  package var isLeftToWatcher = false
  /// The reason the commit is deferred, if it is. The text is saved in any case.
  package var deferReason: DeferReason?
  /// Entries that are absent from the disk without evidence of a deletion.
  package var missing: [EntryPath] = []
  /// Files that were not saved, with the reasons.
  package var skipped: [SkippedFile] = []
  /// True if the system could not read one of the skipped files or folders.
  package var hasUnreadable = false
  /// Pictures that an entry embeds and that are not in the journal.
  package var missingPictures: [SkippedFile] = []
  /// Copies of saved files that a sync program made. They are neither entries nor saved.
  package var conflictCopies: [ConflictCopy] = []
  /// Entries that were not saved, because git ignores them.
  package var ignored: [EntryPath] = []
  /// Files that a command wrote and that were saved although git ignores them, with the rule.
  package var savedDespiteIgnore: [SkippedFile] = []
  /// Files that were written while they were read. They are saved when they have settled.
  package var stillChanging: [EntryPath] = []
  /// A message about a repair of git's damaged index.
  package var indexRepairMessage: String?
  /// True if checkouts of a sync wait.
  var hasWaitingCheckouts = false

  /// Adds the outcome of another portion of the same save.
  mutating func add(_ part: SaveOutcome) {
    saved += part.saved
    deleted.formUnion(part.deleted)
    moved.merge(part.moved) { $1 }
    remergedEntries += part.remergedEntries
    deletedAgain += part.deletedAgain
    missing += part.missing
    skipped += part.skipped
    hasUnreadable = hasUnreadable || part.hasUnreadable
    missingPictures += part.missingPictures
    ignored += part.ignored
    stillChanging += part.stillChanging
    savedDespiteIgnore += part.savedDespiteIgnore
    hasWaitingCheckouts = hasWaitingCheckouts || part.hasWaitingCheckouts
  }
}

extension Journal {
  /// Saves everything that has changed and ends the sitting.
  ///
  /// - Parameter deletions: true if the missing files were deleted on purpose.
  package func save(deletions: Bool = false) async throws -> SaveOutcome {
    try await locked { try await $0.saver.saveAll(deletions: deletions) }
  }
}

extension Saver {
  /// As ``Journal/save(deletions:)``.
  func saveAll(deletions: Bool = false) async throws -> SaveOutcome {
    let walk = journal.folder.scan(
      EntryMatcher(settings: journal.settings), includesOthers: true)
    await cleanUpIfDue(walk)
    try? await recoverTemporaryFiles(walk)
    let found = try await collectAllChanges(
      in: walk, deletions: deletions ? .confirmed : .verify)
    var outcome = try await saveChanges(found, beforeCommit: true)
    if deletions { try await acceptFolders() }
    do { try await endSitting(into: &outcome) } catch {
      await syncAfterError(found.written)
      throw error
    }
    let checkout = try await integration.applyCheckouts()
    try await discard(checkout.displaced)
    try await integration.recordReviews()
    // `list` rescans anyway; the list file can use the scan from the start of this save.
    _ = try await journal.catalog.updateIndex(checkout.checkedOut.isEmpty ? walk : nil)
    try journal.catalog.writeListFile()
    outcome.conflictCopies = try await journal.checkouts.conflictCopies(in: walk)
    return outcome
  }

  /// Saves the changes that a command has just made, and ends the sitting if no watcher is running.
  /// The files are saved even if git ignores them: no user text stays unsaved because of a pattern,
  /// and git ignores no file that it tracks. Files that cannot go to the branch stay on the saves
  /// ref; `status` shows the reason.
  ///
  /// - Parameters:
  ///   - others: paths that an earlier part of the command saved, for the commit; `nil` if another
  ///     part follows, and the sitting stays open.
  ///   - progress: called with the number of saved paths after each portion.
  func saveCommandChanges(
    _ paths: [EntryPath], deleted: Set<EntryPath> = [], committing others: [EntryPath]? = [],
    from source: SaveSource = .command, message: String? = nil, progress: (Int) -> Void = { _ in }
  ) async throws -> SaveOutcome {
    do {
      return try await saveAndEndSitting(paths, deleted, others, source, message, progress)
    } catch {
      await syncAfterError(paths)
      throw error
    }
  }

  private func saveAndEndSitting(
    _ paths: [EntryPath], _ deleted: Set<EntryPath>, _ others: [EntryPath]?,
    _ source: SaveSource, _ message: String?, _ progress: (Int) -> Void
  ) async throws -> SaveOutcome {
    let ignored = try await journal.repository.ignoredPaths(among: paths)
    let isWatched = journal.runningWatcher != nil
    let endsSitting = others != nil && !isWatched
    var outcome = SaveOutcome()
    var pathsToCommit = Set(paths).union(deleted).union(others ?? [])
    let portions = portions(of: paths)
    var saved = 0
    for (index, portion) in portions.enumerated() {
      let isLast = index == portions.count - 1
      let found = try await collectChanges(
        portion + (isLast ? Array(deleted) : []), atStart: false, deletions: .explicit(deleted),
        notIgnored: Set(portion))
      // Files that the save skips are synced here, so that they are durable too.
      syncFiles(Set(portion).subtracting(found.written).sorted())
      let part = try await saveChanges(found, from: source, beforeCommit: endsSitting && isLast)
      if index == 0 { outcome = part } else { outcome.add(part) }
      // Files that an entry refers to are saved and committed with it.
      pathsToCommit.formUnion(found.changes.map(\.path))
      saved += portion.count
      progress(saved)
      // Other changes are left to the next list or complete save.
      if !isLast {
        _ = try await journal.catalog.updateIndex(only: portion)
        // Release the memory of this portion before the next one.
        releaseMemory()
      }
      if isLast {
        if !ignored.isEmpty {
          outcome.savedDespiteIgnore = await journal.catalog.ignoreReasons(for: ignored.sorted())
        }
        if index > 0 { releaseMemory() }
        if endsSitting {
          try await endSitting(into: &outcome, only: pathsToCommit.sorted(), message: message)
        }
        _ = try await journal.catalog.updateIndex(only: portion + deleted)
      }
    }
    outcome.isLeftToWatcher = isWatched
    if !deleted.isEmpty { try await recordFolders(of: deleted) }
    try journal.catalog.writeListFile()
    return outcome
  }

  /// The paths, in order, in portions of about 8 MB: the files of a portion are in memory together,
  /// and again while they are packed. Up to 16 MB in total is one portion.
  private func portions(of paths: [EntryPath]) -> [[EntryPath]] {
    guard paths.count > 1 else { return [paths] }
    let sizes = paths.map { ((try? journal.folder.signature(of: $0)) ?? nil)?.size ?? 0 }
    guard sizes.reduce(0, +) > 16 << 20 else { return [paths] }
    var portions: [[EntryPath]] = [[]]
    var size: Int64 = 0
    for (path, fileSize) in zip(paths, sizes) {
      if size + fileSize > 8 << 20, !portions[portions.count - 1].isEmpty {
        portions.append([])
        size = 0
      }
      portions[portions.count - 1].append(path)
      size += fileSize
    }
    return portions
  }

  /// Saves the deletion of files that a command is about to remove. If the command is then killed,
  /// the files do not count as missing.
  @discardableResult
  func saveDeletions(_ paths: [EntryPath]) async throws -> SaveOutcome {
    let changes = paths.map { FileChange.delete($0) }
    return try await saveChanges(
      UnsavedChanges(scan: try await journal.changes.scan([]), changes: changes))
  }

  /// Saves the changes on the saves ref, durably: working file, objects, ref. With `beforeCommit`
  /// they become durable with the sitting's commit, which must follow.
  func saveChanges(
    _ changes: UnsavedChanges, from source: SaveSource = .editor, beforeCommit: Bool = false
  ) async throws -> SaveOutcome {
    do {
      let outcome = try await writeChanges(changes, source, beforeCommit)
      if !beforeCommit { try await journal.repository.endFlush() }
      return outcome
    } catch {
      await syncAfterError(changes.written)
      throw error
    }
  }

  /// Ends a failed save: it is unknown what was stored, so the files themselves are synced.
  private func syncAfterError(_ paths: [EntryPath]) async {
    try? await journal.repository.abandonFlush()
    syncFiles(paths)
  }

  /// Syncs these files to disk. If one is missing, the others are synced nevertheless.
  func syncFiles(_ paths: [EntryPath]) {
    if (try? journal.folder.sync(paths)) == nil {
      for path in paths { try? journal.folder.sync(path) }
    }
  }

  private func writeChanges(
    _ found: UnsavedChanges, _ source: SaveSource, _ beforeCommit: Bool
  ) async throws -> SaveOutcome {
    var outcome = SaveOutcome()
    outcome.missing = found.missing
    outcome.skipped = found.skipped
    outcome.hasUnreadable = found.hasUnreadable
    outcome.missingPictures = found.scan.missingPictures
    outcome.stillChanging = found.stillChanging
    outcome.ignored = found.ignored
    outcome.moved = found.moved
    outcome.deleted = Set(found.changes.filter(\.isDeletion).map(\.path))
    outcome.hasWaitingCheckouts = found.scan.checkouts.contains(where: \.isWaiting)
    guard !found.changes.isEmpty else { return outcome }
    let written = found.written
    if try await !journal.repository.canFlushFiles(on: journal.folder.devices(of: written)) {
      syncFiles(written)
    }
    try await integration.recordMovesByGit()
    try follow(found.moved)
    let result = try await integration.reconcile(
      found.changes, moved: found.moved, with: journal.state.checkouts.load(),
      from: source)
    do {
      outcome.saved = try await writeSave(result.direct, beforeCommit: beforeCommit)
    } catch let error as GitError where result.direct.count > 1 {
      // Each single save decides again how it becomes durable.
      syncFiles(written)
      try await saveIndividually(result.direct, after: error, into: &outcome)
    }
    try await integration.saveOldBuffers(result, into: &outcome)
    try followImports(
      moves: [:], deleted: outcome.deleted.filter { found.moved[$0] == nil },
      restored: source == .restore ? written : [])
    try await recordFolders(of: found.changes.map(\.path))
    return outcome
  }

  /// Writes one save. Returns the paths whose text was not saved before.
  func writeSave(
    _ changes: [FileChange], message: String? = nil, beforeCommit: Bool = false
  ) async throws -> [EntryPath] {
    if changes.isEmpty { return [] }
    let moment = journal.now
    let save = try await journal.repository.save(
      changes, message: message ?? saveSummary(changes), at: moment,
      offsetMinutes: journal.utcOffset(at: moment) / 60,
      beforeCommit: beforeCommit)
    return save?.paths.compactMap(journal.gitLocation.journalPath) ?? []
  }

  /// Saves the changes one by one, so that a file that git refuses does not block the others.
  /// Throws if the first three are refused: the files are not the cause (full disk, no access).
  private func saveIndividually(
    _ changes: [FileChange], after first: GitError, into outcome: inout SaveOutcome
  ) async throws {
    var failures = 0
    for (index, change) in changes.enumerated() {
      do {
        outcome.saved += try await writeSave([change])
      } catch let error as GitError {
        failures += 1
        if failures == index + 1, failures == min(3, changes.count) { throw first }
        outcome.skipped.append(
          SkippedFile(
            path: change.path, reason: localized("cannot be saved by git: \(error.detail)")))
      }
    }
  }

  /// Writes one commit on the branch with the changes that only the saves ref has.
  ///
  /// - Parameter isWhole: true to commit also a file that cannot be read now or is newer than its
  ///   save, as it was saved. Otherwise it stays pending.
  func endSitting(
    into outcome: inout SaveOutcome, only paths: [EntryPath]? = nil, message: String? = nil,
    isWhole: Bool = false, timeout: Double = 10
  ) async throws {
    try await integration.recordMovesByGit()
    let messageBox = MessageBox()
    var result = try await commitSitting(paths, message, isWhole, timeout, messageBox)
    if result.isBlockedByIndex {
      outcome.indexRepairMessage = try await repairGitIndex()
      if outcome.indexRepairMessage != nil {
        result = try await commitSitting(paths, message, isWhole, timeout, messageBox)
      }
    }
    switch result {
    case .committed(let id, let paths, let held):
      let (message, subject) = messageBox.texts
      outcome.commit = SavedCommit(
        id: id.description, message: message, subject: subject, paths: paths)
      outcome.stagedByUser = held
      try removeBlankRecords(paths)
    case .nothing(let held): outcome.stagedByUser = held
    case .deferred(let reason): outcome.deferReason = reason
    }
    try await recordDeferral(outcome.deferReason)
  }

  /// Makes one attempt.
  private func commitSitting(
    _ paths: [EntryPath]?, _ messageText: String?, _ isWhole: Bool, _ timeout: Double,
    _ messageBox: MessageBox
  ) async throws -> SittingOutcome {
    let moment = journal.now
    let (zone, settings) = (journal.zone, journal.settings)
    // Not the scan's content: pending files may have been merged or checked out since.
    let saved = try await integration.savedContents(ofAll: isWhole)
    return try await journal.repository.commitSitting(
      paths, read: { [journal] path in try saved[path] ?? journal.changes.contentToCommit(path) },
      message: { changes in
        if let messageText {
          let subject = messageText.prefix { $0 != "\n" }
          return messageBox.set(messageText, subject: String(subject))
        }
        let files = changedFiles(changes, settings: settings, zone: zone)
        return messageBox.set(commitMessage(files), subject: commitSubject(files))
      },
      at: moment, offsetMinutes: journal.utcOffset(at: moment) / 60, timeout: .seconds(timeout))
  }

  private func removeBlankRecords(_ paths: [EntryPath]) throws {
    guard !journal.state.blanks.read().isEmpty else { return }
    try update(journal.state.blanks) { blanks in
      for path in paths { blanks[path.text] = nil }
    }
  }
}

extension SittingOutcome {
  /// True if git's index could not be read.
  fileprivate var isBlockedByIndex: Bool {
    if case .deferred(.indexUnreadable) = self { true } else { false }
  }
}
