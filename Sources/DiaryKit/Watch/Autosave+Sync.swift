import DiaryCore
import GitHistory

extension Autosave {
  /// Starts one sync in parallel with the saves; none may be running.
  func syncInBackground() {
    let journal = journal
    sync.begin()
    sync.running = spawn { watcher in
      do {
        let (outcome, failure) = try await journal.remote.syncForWatcher()
        watcher.handleSyncOutcome(outcome, isComplete: failure == nil)
        if let failure { throw failure }
      } catch {
        watcher.log.addSyncFailure(DiaryError(error))
        watcher.sync.scheduleRetry()
      }
      watcher.sync.running = nil
    }
  }

  private func handleSyncOutcome(_ outcome: SyncOutcome, isComplete: Bool) {
    displaced.add(outcome.displaced, of: journal)
    if isComplete {
      log.addSync(outcome, wasFailing: sync.isFailing)
      sync.scheduleNext(of: journal)
    }
    if outcome.received + outcome.sent > 0 || !outcome.checkedOut.isEmpty {
      log.emit(.synced(outcome))
    }
    if let error = outcome.otherAddressError { report(error) }
    if isComplete || !outcome.waitingCheckouts.isEmpty {
      scheduleCheckoutRetry(of: outcome.waitingCheckouts, leftToGit: outcome.leftToGit)
    }
  }

  /// Pushes the last sitting before the watcher ends, if the previous sync succeeded. A sync that
  /// is running ends first, at the latest with its own timeout: it may not send the last commit.
  func pushBeforeExit() async {
    await sync.running?.value
    guard sync.at != nil, !sync.isFailing else { return }
    do {
      let (outcome, failure) = try await journal.remote.syncForWatcher(timeout: 15)
      if outcome.received + outcome.sent > 0 { log.emit(.synced(outcome)) }
      if let failure { throw failure }
    } catch {
      log.emit(.syncFailed(DiaryError(error)))
    }
  }

  /// Schedules another attempt for files that a sync could not replace because they are open. Those
  /// that only git can update wait for the next sync or rescan.
  func scheduleCheckoutRetry(
    of waiting: [SkippedFile], leftToGit: Set<EntryPath>, _ next: Backoff = Backoff(first: 2)
  ) {
    checkoutsLeftToGit = leftToGit
    let isWaiting = waiting.contains { !leftToGit.contains($0.path) }
    schedule[.checkouts] = isWaiting ? next : nil
  }

  /// Schedules an attempt after a save or an editor's event at these paths, if a file waits there
  /// or no attempt is due.
  func scheduleCheckoutRetry(after changed: [EntryPath]) {
    guard let known = try? journal.checkouts.loadWaitingCheckouts(), !known.isEmpty else {
      return
    }
    let waiting = known.keys.filter {
      !checkoutsLeftToGit.contains(journal.gitLocation.repositoryPath($0))
    }
    guard
      schedule[.checkouts] == nil ? !waiting.isEmpty : changed.contains(where: { known[$0] != nil })
    else { return }
    schedule[.checkouts] = Backoff(first: 2)
  }

  func retryCheckouts() async {
    let journal = journal
    do {
      let result = try await journal.locked { try await $0.integration.applyCheckouts() }
      displaced.add(result.displaced, of: journal)
      if !result.checkedOut.isEmpty {
        log.emit(.filesUpdated(result.checkedOut))
        await reportingErrors { try await journal.catalog.updateIndexAndList() }
      }
      scheduleCheckoutRetry(
        of: result.waiting, leftToGit: result.leftToGit,
        schedule[.checkouts]?.next() ?? Backoff(first: 5))
    } catch {
      schedule.retry(.checkouts, first: 5)
      report(error)
    }
  }
}
