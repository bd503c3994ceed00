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
    if branch != nil { schedule[.rescan] = schedule[.rescan] ?? Backoff(first: 0) }
    branch = now
  }

  /// Saves the changes made while no watcher was running, or while events were lost.
  func rescanAll() async {
    stamps.unblockAll()
    // Before the saves, so that no leftover stays uncommitted. A failure must not prevent the saves.
    await runReportingErrors { journal in
      try await journal.locked { try await $0.saver.cleanUp() }
    }
    do {
      let isComplete = try await saveChangesSinceStart()
      schedule[.rescan] = isComplete ? nil : Backoff(first: journal.settings.settle)
    } catch {
      schedule.retry(.rescan, first: 2)
      return report(error)
    }
    await updateIndexAndList()
    do { log.report(try await journal.checkouts.conflictCopies()) } catch { report(error) }
    schedule[.queuedStamps] = journal.state.queuedStamps.read().isEmpty ? nil : Backoff(first: 1)
  }

  /// Returns true if the scan is complete. A file that is newly missing may have moved elsewhere.
  private func saveChangesSinceStart() async throws -> Bool {
    let journal = journal
    let changed = try await journal.changes.changedPaths()
    // Files that are still being written are saved in the usual way when they have settled.
    let busy = OpenFiles.pathsOpenForWriting(among: changed, root: journal.root)
    for path in busy where !debouncer.paths.contains(path) {
      debouncer.postpone(path, at: MonotonicTime.now)
    }
    // So are files that were written just now or since the watcher started, however long this scan
    // took: such a file may be a new entry that needs a stamp.
    for path in changed where isJustModified(path) {
      debouncer.recordWrite(path, at: MonotonicTime.now)
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
    guard pathClassifier.kind(of: path) != .never,
      let stamp = (try? journal.folder.signature(of: path)) ?? nil
    else { return false }
    return stamp.modified >= watchStart
      || stamp.age < MonotonicTime.nanoseconds(max(journal.settings.settle, 2))
  }

  /// Restores the timer of an open sitting: it ends `sitting` seconds after the last save.
  private func restoreSittingTimer() async throws {
    let isPending = try await !journal.repository.pending().isEmpty
    guard isPending, let last = try await journal.repository.lastSave()?.time else { return }
    let sitting = journal.settings.sitting
    let quiet = min(max(Double(journal.now - last), 0), sitting)
    schedule.sittingEndsAt = MonotonicTime.after(sitting - quiet)
  }

  /// Saves the files that have settled. Files that could not be saved exist only on the disk and
  /// are tried again.
  func saveSettledFiles() async {
    let due = debouncer.removeSettled(at: MonotonicTime.now)
    guard !due.isEmpty else { return }
    do { try await save(due) } catch {
      for path in due { debouncer.postpone(path, at: MonotonicTime.now) }
      report(error)
    }
  }

  private func save(_ due: [EntryPath]) async throws {
    let busy = OpenFiles.pathsOpenForWriting(among: due, root: journal.root)
    let paths = try await pathsNotJustEmptied(due.filter { !busy.contains($0) })
    for path in busy { debouncer.postpone(path, at: MonotonicTime.now) }
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
      debouncer.postpone(path, at: MonotonicTime.now)
    }
    outcome.missing = missing
    outcome.skipped += await journal.catalog.ignoreReasons(for: outcome.ignored)
    logOutcome(outcome)
    followMoves(outcome.moved)
    let others = Set(paths).subtracting(outcome.saved + outcome.missing + outcome.stillChanging)
      .filter { scan.candidates[$0]?.kind == .entry }
    if !others.isEmpty { log.emit(.savedByOthers(others.sorted())) }
    // A save of an old buffer was merged: the file is updated when its editor closes.
    if outcome.hasWaitingCheckouts { scheduleCheckoutRetry(after: paths) }
    try await extendSittingIfPending(after: outcome)
    // A page or a command may have created an entry whose weather is queued.
    if schedule[.queuedStamps] == nil, !journal.state.queuedStamps.read().isEmpty {
      schedule[.queuedStamps] = Backoff(first: 1)
    }
    unindexed.merge(scan.candidates.mapValues(\.withoutLongText)) { $1 }
    for path in fresh where outcome.saved.contains(path) {
      if let file = scan.candidates[path]?.file { await requestStamp(path, file) }
    }
  }

  /// Extends the sitting after a save, but not after a write that changed nothing. Pending saves of
  /// a command start a sitting.
  private func extendSittingIfPending(after outcome: SaveOutcome) async throws {
    if !outcome.saved.isEmpty {
      extendSitting()
    } else if schedule.sittingEndsAt == nil, schedule[.commit] == nil,
      try await !journal.repository.pending().isEmpty
    {
      extendSitting()
    }
  }

  private func confirmedMissing(_ paths: [EntryPath]) -> [EntryPath] {
    let settle = MonotonicTime.nanoseconds(journal.settings.settle)
    return log.confirmedMissing(paths, after: settle)
  }

  func extendSitting() {
    schedule.sittingEndsAt = MonotonicTime.after(journal.settings.sitting)
  }

  /// Runs an update whose failure must not prevent a save or the end of a sitting.
  func runReportingErrors(_ update: @Sendable (Journal) async throws -> Void) async {
    do { try await update(journal) } catch { report(error) }
  }

  func logOutcome(_ outcome: SaveOutcome) {
    log.add(outcome)
    for path in outcome.stillChanging { debouncer.postpone(path, at: MonotonicTime.now) }
  }
}

extension FileSignature {
  /// The nanoseconds since the file was written; 0 if its time is in the future.
  var age: Int64 { max(0, MonotonicTime.nanoseconds(Date().timeIntervalSince1970) - modified) }
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
