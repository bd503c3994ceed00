import DiaryCore
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
    let journal = journal
    await reportingErrors { try await journal.locked { try await $0.saver.cleanUp() } }
    do {
      let isComplete = try await saveChangesSinceStart()
      schedule[.rescan] = isComplete ? nil : Backoff(first: journal.settings.settle)
    } catch {
      schedule.retry(.rescan, first: 2)
      return report(error)
    }
    await reportingErrors { try await journal.catalog.updateIndexAndList() }
    await reportingErrors { log.report(try await journal.checkouts.conflictCopies()) }
    schedule[.queuedStamps] = journal.state.queuedStamps.read().isEmpty ? nil : Backoff(first: 1)
  }

  /// Returns true if the scan is complete. A file that is newly missing may have moved elsewhere.
  private func saveChangesSinceStart() async throws -> Bool {
    let journal = journal
    let changed = try await journal.changes.changedPaths()
    settling.recordRecentWrites(among: changed, in: journal, pathClassifier)
    let paths = try await settling.savablePaths(among: changed, editors, in: journal)
    var outcome = try await journal.locked {
      try await $0.saver.saveChanges(try await $0.saver.collectChanges(paths, atStart: true))
    }
    let unconfirmed = log.removeUnconfirmed(from: &outcome, after: journal.settings.settle)
    logOutcome(outcome)
    try await restoreSittingTimer()
    return unconfirmed.isEmpty
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
    let due = settling.removeSettled()
    guard !due.isEmpty else { return }
    do { try await save(due) } catch {
      settling.postpone(due)
      report(error)
    }
  }

  func save(_ due: [EntryPath]) async throws {
    let paths = try await settling.savablePaths(among: due, editors, in: journal)
    guard !paths.isEmpty else { return }
    let journal = journal
    let (scan, stamped, kept) = try await journal.locked { locked in
      let found = try await locked.saver.collectChanges(paths, atStart: false)
      let fresh = try await journal.weather.newEntries(among: paths, in: found.scan)
      let kept = try await locked.saver.saveChanges(found)
      // In this lock, so that no command moves an entry before its stamp waits.
      let stamped = Result {
        try locked.saver.addWaitingStamps(to: fresh.filter { kept.saved.contains($0) })
      }
      return (found.scan, stamped, kept)
    }
    var outcome = kept
    settling.postpone(log.removeUnconfirmed(from: &outcome, after: journal.settings.settle))
    outcome.skipped += await journal.catalog.ignoreReasons(for: outcome.ignored)
    logOutcome(outcome)
    let others = Set(paths).subtracting(outcome.saved + outcome.missing + outcome.stillChanging)
      .filter { scan.candidates[$0]?.kind == .entry }
    if !others.isEmpty { log.emit(.savedByOthers(others.sorted())) }
    // The save of an old buffer was merged: the file is updated when its editor closes.
    if outcome.hasWaitingCheckouts { scheduleCheckoutRetry(after: paths) }
    try await extendSittingIfPending(after: outcome)
    // A page or a command may have created an entry whose weather is queued.
    if schedule[.queuedStamps] == nil, !journal.state.queuedStamps.read().isEmpty {
      schedule[.queuedStamps] = Backoff(first: 1)
    }
    indexUpdates.add(scan.candidates.keys)
    await reportingErrors {
      for (path, moment) in try stamped.get() {
        if let file = scan.candidates[path]?.file { requestStamp(of: path, file, at: moment) }
      }
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

  func extendSitting() {
    schedule.sittingEndsAt = MonotonicTime.after(journal.settings.sitting)
  }

  /// Runs work whose failure must not prevent a save or the end of a sitting.
  func reportingErrors(_ work: () async throws -> Void) async {
    do { try await work() } catch { report(error) }
  }

  /// Handles the late text of displaced files.
  func handle(_ saves: [Result<SaveOutcome, any Error>]) {
    for save in saves {
      do {
        logOutcome(try save.get())
        extendSitting()
      } catch {
        report(error)
      }
    }
  }

  func logOutcome(_ outcome: SaveOutcome) {
    log.add(outcome)
    settling.postpone(outcome.stillChanging)
    for (path, target) in outcome.moved { editors.move(path, to: target) }
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
