import DiaryCore
import EntryFiles
import Foundation
import GitHistory

/// The schedule of sync with the remote.
struct SyncSchedule {
  /// The time of the next sync, in nanoseconds on the monotonic clock; `nil` if sync is off or
  /// there is no remote.
  var at: Int64?
  /// The sync that is running.
  var running: Task<Void, Never>?
  /// The retry pause in seconds, set while sync fails; it doubles up to half an hour.
  private var retryPause: Double?

  /// The time of the next sync; `nil` also while one runs.
  var next: Int64? { running == nil ? at : nil }

  var isFailing: Bool { retryPause != nil }

  mutating func endFailures() { retryPause = nil }

  /// Returns the pause, in seconds, after another failure.
  mutating func pauseAfterFailure() -> Double {
    let pause = min((retryPause ?? 15) * 2, 1_800)
    retryPause = pause
    return pause
  }
}

extension Autosave {
  /// Starts periodic sync; the first run is immediate.
  func startPeriodicSync() async {
    if shouldSync, await journal.remote.hasRemote { scheduleSync(in: 0.5) }
  }

  /// Schedules the push of a sitting's commit, after a pause without further commits.
  func schedulePush() async {
    if sync.at == nil { await startPeriodicSync() }
    // While sync fails, its own retry pause applies.
    guard let next = sync.next, !sync.isFailing else { return }
    let pause = journal.settings.pushAfter
    if MonotonicTime.after(pause) < next { scheduleSync(in: pause) }
  }

  private func scheduleSync(in seconds: Double) {
    sync.at = MonotonicTime.after(seconds)
    eventQueue.enqueue(.wakeUp)
  }

  /// Starts one sync in parallel with the saves; none may be running.
  func syncInBackground() {
    let journal = journal
    sync.running = spawn { watcher in
      do {
        let (outcome, failure) = try await journal.remote.syncForWatcher()
        watcher.handleSyncOutcome(outcome, isComplete: failure == nil)
        if let failure { throw failure }
      } catch {
        watcher.log.addSyncFailure(DiaryError(error))
        watcher.scheduleSync(in: watcher.sync.pauseAfterFailure() * Double.random(in: 0.8...1.2))
      }
      watcher.sync.running = nil
    }
  }

  private func handleSyncOutcome(_ outcome: SyncOutcome, isComplete: Bool) {
    watchDisplaced(outcome.displaced)
    if isComplete {
      log.addSync(outcome, wasFailing: sync.isFailing)
      sync.endFailures()
      // Up to a tenth earlier or later, so that devices do not sync at the same moment each time.
      scheduleSync(in: journal.settings.fetchEvery * Double.random(in: 0.9...1.1))
    }
    if outcome.received + outcome.sent > 0 || !outcome.checkedOut.isEmpty {
      log.emit(.synced(outcome))
    }
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
  func scheduleCheckoutRetry(of waiting: [SkippedFile], leftToGit: Set<EntryPath>) {
    checkoutsLeftToGit = leftToGit
    let isWaiting = waiting.contains { !leftToGit.contains($0.path) }
    schedule[.checkouts] = isWaiting ? Backoff(first: 2) : nil
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
      watchDisplaced(result.displaced)
      if !result.checkedOut.isEmpty {
        log.emit(.filesUpdated(result.checkedOut))
        await updateIndexAndList()
      }
      checkoutsLeftToGit = result.leftToGit
      let isWaiting = result.waiting.contains { !result.leftToGit.contains($0.path) }
      if isWaiting { schedule.retry(.checkouts, first: 5) } else { schedule[.checkouts] = nil }
    } catch {
      schedule.retry(.checkouts, first: 5)
      report(error)
    }
  }
}
