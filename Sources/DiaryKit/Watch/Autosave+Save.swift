import DiaryCore
import EntryFiles
import FolderWatch
import Foundation
import GitHistory

extension Autosave {
  /// Schedules a rescan after a branch switch. Saves are per branch: the saves of the new branch
  /// lack the changes that the user carried over, and no file event reports them.
  func detectBranchSwitch() async {
    guard let now = try? await journal.repository.head().savesKey, now != branch else { return }
    if branch != nil { rescan = rescan ?? Backoff(first: 0) }
    branch = now
  }

  /// Saves the changes made while no watcher was running, or while events were lost.
  func rescanAll() async {
    // Before the saves, so that no leftover stays uncommitted. A failure must not prevent the saves.
    await runReportingErrors { journal in
      try await journal.locked { try await $0.saver.cleanUp() }
    }
    do {
      rescan = try await saveChangesSinceStart() ? nil : Backoff(first: journal.settings.settle)
    } catch {
      rescan = rescan.next(first: 2)
      return report(error)
    }
    await updateIndexAndList()
    await runReportingErrors {
      await self.reportConflictCopies(try await $0.checkouts.conflictCopies())
    }
    queuedStampRetry = journal.state.queuedStamps.read().isEmpty ? nil : Backoff(first: 1)
  }

  /// Returns true if the scan is complete. A file that is newly missing may have moved elsewhere.
  private func saveChangesSinceStart() async throws -> Bool {
    let journal = journal
    let changed = try await journal.changes.changedPaths()
    // Files that are still being written are saved in the usual way when they have settled.
    let busy = OpenFiles.pathsOpenForWriting(among: changed, root: journal.root)
    for path in busy where !debouncer.paths.contains(path) {
      debouncer.postpone(path, at: Self.monotonicNow)
    }
    // So are files that were written just now or since the watcher started, however long this scan
    // took: such a file may be a new entry that needs a stamp.
    for path in changed where isJustModified(path) {
      debouncer.recordWrite(path, at: Self.monotonicNow)
    }
    let unsettled = busy.union(debouncer.paths)
    let paths = try await pathsNotJustEmptied(changed.filter { !unsettled.contains($0) })
    var outcome = try await journal.locked {
      try await $0.saver.saveChanges(try await $0.saver.collectChanges(paths, atStart: true))
    }
    let missing = confirmedMissing(outcome.missing)
    let isAll = missing.count == outcome.missing.count
    outcome.missing = missing
    logOutcome(outcome)
    followMoves(outcome.moved)
    try await restoreSittingTimer()
    return isAll
  }

  private func isJustModified(_ path: EntryPath) -> Bool {
    guard savePolicy.kind(of: path) != .never,
      let stamp = (try? journal.folder.signature(of: path)) ?? nil
    else { return false }
    return stamp.modified >= watchStart
      || Self.age(of: stamp) < Self.nanoseconds(max(journal.settings.settle, 2))
  }

  /// Restores the timer of an open sitting: it ends `sitting` seconds after the last save.
  private func restoreSittingTimer() async throws {
    let isPending = try await !journal.repository.pending().isEmpty
    guard isPending, let last = try await journal.repository.lastSave()?.time else { return }
    let sitting = journal.settings.sitting
    let quiet = min(max(Double(journal.now - last), 0), sitting)
    sittingEndsAt = Self.monotonicNow + Self.nanoseconds(sitting - quiet)
  }

  /// Saves the files that have settled. Files that could not be saved exist only on the disk and
  /// are tried again.
  func saveSettledFiles() async {
    let due = debouncer.removeSettled(at: Self.monotonicNow)
    guard !due.isEmpty else { return }
    do { try await save(due) } catch {
      for path in due { debouncer.postpone(path, at: Self.monotonicNow) }
      report(error)
    }
  }

  private func save(_ due: [EntryPath]) async throws {
    let busy = OpenFiles.pathsOpenForWriting(among: due, root: journal.root)
    let paths = try await pathsNotJustEmptied(due.filter { !busy.contains($0) })
    for path in busy { debouncer.postpone(path, at: Self.monotonicNow) }
    guard !paths.isEmpty else { return }
    let journal = journal
    let (scan, fresh, kept) = try await journal.locked { locked in
      let found = try await locked.saver.collectChanges(paths, atStart: false)
      let fresh = try await journal.weather.newEntries(among: paths, in: found.scan)
      return (found.scan, fresh, try await locked.saver.saveChanges(found))
    }
    var outcome = kept
    let missing = confirmedMissing(outcome.missing)
    for path in outcome.missing where !missing.contains(path) {
      debouncer.postpone(path, at: Self.monotonicNow)
    }
    outcome.missing = missing
    outcome.skipped += await journal.catalog.ignoreReasons(for: outcome.ignored)
    logOutcome(outcome)
    followMoves(outcome.moved)
    let others = Set(paths).subtracting(outcome.saved + outcome.missing + outcome.stillChanging)
      .filter { scan.candidates[$0]?.kind == .entry }
    if !others.isEmpty { emit(.savedByOthers(others.sorted())) }
    // A stale-buffer save was merged: the file is updated when its editor closes.
    if outcome.hasWaitingCheckouts { scheduleCheckoutRetry(after: paths) }
    try await extendSittingIfPending(after: outcome)
    // A page or a command may have created an entry whose weather is queued.
    if queuedStampRetry == nil, !journal.state.queuedStamps.read().isEmpty {
      queuedStampRetry = Backoff(first: 1)
    }
    unindexed.merge(scan.candidates) { $1 }
    for path in fresh where outcome.saved.contains(path) {
      requestStamp(path, scan.candidates[path]?.file)
    }
  }

  /// Extends the sitting after a save, but not after a write that changed nothing. Pending saves of
  /// a command start a sitting.
  private func extendSittingIfPending(after outcome: SaveOutcome) async throws {
    if !outcome.saved.isEmpty {
      extendSitting()
    } else if sittingEndsAt == nil, commitRetry == nil,
      try await !journal.repository.pending().isEmpty
    {
      extendSitting()
    }
  }

  /// The nanoseconds since the file was written; 0 if its time is in the future.
  static func age(of stamp: FileSignature) -> Int64 {
    max(0, nanoseconds(Date().timeIntervalSince1970) - stamp.modified)
  }

  private func confirmedMissing(_ paths: [EntryPath]) -> [EntryPath] {
    let settle = Self.nanoseconds(journal.settings.settle)
    return throttle.confirmedMissing(paths, at: Self.monotonicNow, after: settle)
  }

  func extendSitting() {
    sittingEndsAt = Self.monotonicNow + Self.nanoseconds(journal.settings.sitting)
  }

  /// Runs an update whose failure must not prevent a save or the end of a sitting.
  func runReportingErrors(_ update: @Sendable (Journal) async throws -> Void) async {
    do { try await update(journal) } catch { report(error) }
  }

  func logOutcome(_ outcome: SaveOutcome) {
    let saved = Set(outcome.saved)
    let moved = outcome.moved.filter { saved.contains($0.key) }
    let written = outcome.saved.filter {
      !outcome.deleted.contains($0) && !moved.values.contains($0)
    }
    let deleted = outcome.deleted.filter { saved.contains($0) && moved[$0] == nil }.sorted()
    if !written.isEmpty { emit(.saved(written)) }
    if !moved.isEmpty { emit(.moved(moved)) }
    if !deleted.isEmpty { emit(.deleted(deleted)) }
    if !outcome.missing.isEmpty { emit(.missing(outcome.missing)) }
    let fresh = throttle.unlogged(outcome.skipped + outcome.missingPictures)
    if !fresh.isEmpty { emit(.skipped(fresh)) }
    for path in outcome.stillChanging { debouncer.postpone(path, at: Self.monotonicNow) }
  }
}

extension Head {
  /// The key under which saves are stored: the branch, or empty if HEAD is detached.
  var savesKey: String {
    switch self {
    case .unborn(let branch), .branch(let branch, _): branch
    case .detached: ""
    }
  }
}
