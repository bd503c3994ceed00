import DiaryCore
import EntryFiles
import FolderWatch
import Foundation
import GitHistory
import Localization

/// A commit on the writer's branch.
package struct SavedCommit: Sendable {
  /// In hex.
  package var id: String
  /// Subject and list.
  package var message: String
  /// What it holds.
  package var paths: [EntryPath]
}

/// What `diary save` (or the end of a command) came to.
package struct SaveOutcome: Sendable {
  /// Paths whose present text was kept now.
  package var saved: [EntryPath] = []
  /// Those of them that are gone from the folder, as it is now kept.
  package var deleted: Set<EntryPath> = []
  /// The new path of each file that moved; both are among the saved.
  package var moved: [EntryPath: EntryPath] = [:]
  /// The commit on the branch and the paths in it, when there was one.
  package var commit: SavedCommit?
  /// Entries that were saved without the words that a sync had brought, and have them again: an
  /// editor's old text and a deletion on purpose look the same.
  package var remergedEntries: [EntryPath] = []
  /// Paths that the writer has staged; they stay out of Diary's commits.
  package var stagedByUser: [EntryPath] = []
  /// Why the branch waits although the words are kept, when it does.
  package var deferReason: String?
  /// Entries that are gone from the disk without a sure sign of a deletion.
  package var missing: [EntryPath] = []
  /// What was not saved, and why.
  package var skipped: [SkippedFile] = []
  /// Pictures that an entry shows and that are nowhere in the journal.
  package var missingPictures: [SkippedFile] = []
  /// Copies that a sync program made of files that are saved; they are neither entries nor saved.
  package var conflictCopies: [ConflictCopy] = []
  /// Entries that git ignores, so that they were not saved.
  package var ignored: [EntryPath] = []
  /// What was saved although git ignores it, for a command wrote it; and by which rule.
  package var savedDespiteIgnore: [SkippedFile] = []
  /// Written while they were read; to be saved when they are quiet.
  package var stillChanging: [EntryPath] = []
  /// What was done about git's damaged index, for the writer to hear.
  package var indexRepairMessage: String?
  /// Whether files wait for what a sync has brought.
  var hasPendingCheckouts = false

  /// Takes in what a further portion of one save came to.
  mutating func add(_ part: SaveOutcome) {
    saved += part.saved
    deleted.formUnion(part.deleted)
    moved.merge(part.moved) { $1 }
    remergedEntries += part.remergedEntries
    missing += part.missing
    skipped += part.skipped
    missingPictures += part.missingPictures
    ignored += part.ignored
    stillChanging += part.stillChanging
    hasPendingCheckouts = hasPendingCheckouts || part.hasPendingCheckouts
  }
}

extension Journal {
  /// Saves everything that has changed and ends the sitting.
  ///
  /// - Parameter deletions: what is missing was deleted on purpose.
  package func save(deletions: Bool = false) async throws -> SaveOutcome {
    try await withJournalLock {
      // Files that wait are looked at each time: their editors may have let go.
      let snapshot = try self.loadPendingCheckouts().isEmpty ? self.cleanSnapshot() : nil
      await self.pruneIfDue()
      await self.cleanUpIfDue(snapshot?.walk)
      if let snapshot, self.isUnchangedSinceSave(snapshot) {
        try await self.updateIndex(snapshot.walk)
        try self.writeListFile()
        var outcome = SaveOutcome()
        outcome.conflictCopies = try await self.conflictCopies(in: snapshot.walk)
        return outcome
      }
      let found = try await self.collectAllChanges(deletions: deletions ? .confirmed : .verify)
      var outcome = try await self.save(found, beforeCommit: true)
      do { try await self.endSitting(into: &outcome) } catch {
        await self.syncAfterError(found.written)
        throw error
      }
      let checkout = try await self.applyPendingCheckouts()
      for displaced in checkout.displaced { displaced.file.discard() }
      try await self.recordReviews()
      // Whoever lists looks again; for the list on disk the first look is fresh enough.
      _ = try await self.updateIndex(checkout.checkedOut.isEmpty ? snapshot?.walk : nil)
      try self.writeListFile()
      if found.isEmpty, outcome.isEmpty, let snapshot { self.recordClean(snapshot) }
      outcome.conflictCopies = try await self.conflictCopies(in: snapshot?.walk)
      return outcome
    }
  }

  /// Saves what a command has just written, and ends its sitting when no watcher will. The caller holds
  /// the lock. What the command has written is saved even where git ignores it: no words of the user lie
  /// unsaved because of a pattern, and git ignores nothing that it tracks. Files that cannot go to the
  /// branch stay kept on the saves ref; `status` says why.
  ///
  /// - Parameter progress: hears how many of the paths are saved, after each portion.
  func saveCommandChanges(
    _ paths: [EntryPath], deleted: Set<EntryPath> = [], from source: SaveSource = .command,
    message: String? = nil, progress: (Int) -> Void = { _ in }
  ) async throws -> SaveOutcome {
    do {
      return try await saveAndCommit(paths, deleted, source, message, progress)
    } catch {
      await syncAfterError(paths)
      throw error
    }
  }

  private func saveAndCommit(
    _ paths: [EntryPath], _ deleted: Set<EntryPath>, _ source: SaveSource, _ message: String?,
    _ progress: (Int) -> Void
  ) async throws -> SaveOutcome {
    let ignored = try await repository.ignoredPaths(among: paths)
    let endsSitting = runningWatcher == nil
    var outcome = SaveOutcome()
    var pathsToCommit = Set(paths).union(deleted)
    let portions = portions(of: paths)
    var saved = 0
    for (index, portion) in portions.enumerated() {
      let isLast = index == portions.count - 1
      let found = try await collectChanges(
        portion + (isLast ? Array(deleted) : []), atStart: false, deletions: .explicit(deleted),
        notIgnored: Set(portion))
      // Files that the save skips are synced here, so that they are durable too.
      syncFiles(Set(portion).subtracting(found.written).sorted())
      let part = try await save(found, from: source, beforeCommit: endsSitting && isLast)
      if index == 0 { outcome = part } else { outcome.add(part) }
      // What an entry shows is saved with it, and committed with it.
      pathsToCommit.formUnion(found.changes.map(\.path))
      saved += portion.count
      progress(saved)
      // What else has changed is for whoever lists, and for the next whole save.
      if !isLast {
        _ = try await updateIndex(only: portion, scanned: found.scan.candidates)
        // What one portion took is not kept for the next.
        releaseMemory()
      }
      if isLast {
        if !ignored.isEmpty {
          outcome.savedDespiteIgnore = await ignoreReasons(for: ignored.sorted())
        }
        if endsSitting {
          try await endSitting(into: &outcome, only: pathsToCommit.sorted(), message: message)
        }
        _ = try await updateIndex(only: portion + deleted, scanned: found.scan.candidates)
      }
    }
    try writeListFile()
    return outcome
  }

  /// The paths in portions of some 8 MB, in their order: the files of one are in memory together, and
  /// again as they are packed. What is 16 MB in all is one.
  private func portions(of paths: [EntryPath]) -> [[EntryPath]] {
    guard paths.count > 1 else { return [paths] }
    let sizes = paths.map { ((try? folder.signature(of: $0)) ?? nil)?.size ?? 0 }
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

  /// Keeps the deletion of files that a command is about to remove: what is known before they go is
  /// not missing after a kill.
  @discardableResult
  func saveDeletions(_ paths: [EntryPath]) async throws -> SaveOutcome {
    let changes = paths.map { FileChange.delete($0) }
    return try await save(PendingChanges(scan: try await scan([]), changes: changes))
  }

  /// Keeps the changes on the saves ref, durably: working file, objects, ref. With
  /// `beforeCommit` they are durable when the sitting has been ended, which comes next.
  func save(
    _ changes: PendingChanges, from source: SaveSource = .editor, beforeCommit: Bool = false
  ) async throws -> SaveOutcome {
    do {
      let outcome = try await saveAll(changes, source, beforeCommit)
      if !beforeCommit { try await repository.endFlush() }
      return outcome
    } catch {
      await syncAfterError(changes.written)
      throw error
    }
  }

  /// Ends a change that failed: what is saved of it is not known, and its files are on the disk.
  private func syncAfterError(_ paths: [EntryPath]) async {
    try? await repository.abandonFlush()
    syncFiles(paths)
  }

  /// Waits for these files; one that has gone keeps none of the others from being waited for.
  func syncFiles(_ paths: [EntryPath]) {
    if (try? folder.sync(paths)) == nil { for path in paths { try? folder.sync(path) } }
  }

  private func saveAll(
    _ found: PendingChanges, _ source: SaveSource, _ beforeCommit: Bool
  ) async throws -> SaveOutcome {
    var outcome = SaveOutcome()
    outcome.missing = found.missing
    outcome.skipped = found.skipped
    outcome.missingPictures = found.scan.missingPictures
    outcome.stillChanging = found.stillChanging
    outcome.ignored = found.ignored
    outcome.moved = found.moved
    outcome.deleted = Set(found.changes.filter(\.isDeletion).map(\.path))
    outcome.hasPendingCheckouts = found.scan.checkouts.contains(where: \.isPending)
    guard !found.changes.isEmpty else { return outcome }
    let written = found.written
    if try await !repository.canFlushFiles(on: folder.devices(of: written)) { syncFiles(written) }
    let result = try await reconcile(
      found.changes, with: found.scan.checkouts, from: source)
    do {
      if try await writeSave(result.direct, beforeCommit: beforeCommit) {
        outcome.saved = result.direct.map(\.path)
      }
    } catch let error as GitError where result.direct.count > 1 {
      // Each of them decides anew how it becomes durable.
      syncFiles(written)
      try await saveIndividually(result.direct, after: error, into: &outcome)
    }
    try await saveStaleBuffers(result, into: &outcome)
    return outcome
  }

  /// Answers whether anything of it was not kept yet.
  func writeSave(_ changes: [FileChange], beforeCommit: Bool = false) async throws -> Bool {
    if changes.isEmpty { return false }
    let moment = now
    return try await repository.save(
      changes, message: saveSummary(changes), at: moment, offsetMinutes: utcOffset(at: moment) / 60,
      beforeCommit: beforeCommit) != nil
  }

  /// One file that git refuses must not keep the others from being saved. When the first three are
  /// refused, the cause is not in the files (the disk is full, the repository is closed to us).
  private func saveIndividually(
    _ changes: [FileChange], after first: GitError, into outcome: inout SaveOutcome
  ) async throws {
    var failures = 0
    for (index, change) in changes.enumerated() {
      do {
        if try await writeSave([change]) { outcome.saved.append(change.path) }
      } catch let error as GitError {
        failures += 1
        if failures == index + 1, failures == min(3, changes.count) { throw first }
        outcome.skipped.append(
          SkippedFile(
            path: change.path, reason: localized("cannot be saved by git: \(error.detail)")))
      }
    }
  }

  /// One commit on the branch for what the saves ref holds beyond it.
  func endSitting(
    into outcome: inout SaveOutcome, only paths: [EntryPath]? = nil, message: String? = nil,
    timeout: Double = 10
  ) async throws {
    let messageBox = MessageBox()
    var result = try await commitSitting(paths, message, timeout, messageBox)
    if result.isBlockedByIndex {
      outcome.indexRepairMessage = try await repairGitIndex()
      if outcome.indexRepairMessage != nil {
        result = try await commitSitting(paths, message, timeout, messageBox)
      }
    }
    switch result {
    case .committed(let id, let paths, let held):
      outcome.commit = SavedCommit(id: id.description, message: messageBox.text, paths: paths)
      outcome.stagedByUser = held
      try removeBlankRecords(paths)
    case .nothing(let held): outcome.stagedByUser = held
    case .deferred(let reason): outcome.deferReason = reason.storedText
    }
    try await recordDeferral(outcome.deferReason)
  }

  /// One try. Never inlined: Swift 6.3.1 crashes in a release build when it splits a coroutine that
  /// has this one inside.
  @inline(never)
  private func commitSitting(
    _ paths: [EntryPath]?, _ messageText: String?, _ timeout: Double, _ messageBox: MessageBox
  ) async throws -> SittingOutcome {
    let moment = now
    let (zone, settings) = (zone, settings)
    // Not what the scan found: files that waited may have been merged or brought since.
    let pending = try await pendingContents()
    return try await repository.commitSitting(
      paths, read: { [self] path in try pending[path] ?? contentToCommit(path) },
      message: { changes in
        messageBox.set(messageText ?? sittingSummary(changes, settings: settings, zone: zone))
      },
      at: moment, offsetMinutes: utcOffset(at: moment) / 60, timeout: .seconds(timeout))
  }

  private func removeBlankRecords(_ paths: [EntryPath]) throws {
    guard !blankRecords.read().isEmpty else { return }
    try blankRecords.update { blanks in for path in paths { blanks[path.text] = nil } }
  }
}

extension SittingOutcome {
  /// Whether git's index stood in the way.
  fileprivate var isBlockedByIndex: Bool {
    if case .deferred(.indexUnreadable) = self { true } else { false }
  }
}
