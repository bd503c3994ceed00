import DiaryCore
import EntryFiles
import Foundation
import GitHistory

/// The schedule of sync with the remote; absent if sync is off or there is no remote.
struct SyncSchedule {
  /// The time of the next sync, in nanoseconds on the monotonic clock.
  var at: Int64
  /// The retry pause in seconds, set while sync fails; it doubles up to half an hour.
  var retryPause: Double?
  var isRunning = false

  static let maxRetryPause = 1_800.0
}

extension Autosave {
  /// Starts periodic sync; the first run is immediate.
  func startPeriodicSync() async {
    guard shouldSync, await journal.remote.hasRemote else { return }
    sync = SyncSchedule(at: 0)
    scheduleSync(in: 0.5)
  }

  /// Schedules the push of a sitting's commit, after a pause without further commits.
  func schedulePush() async {
    if sync == nil { await startPeriodicSync() }
    // While sync fails, its own retry pause applies.
    guard let schedule = sync, schedule.retryPause == nil, !schedule.isRunning else { return }
    let pause = journal.settings.pushAfter
    guard Self.monotonicNow + Self.nanoseconds(pause) < schedule.at else { return }
    scheduleSync(in: pause)
  }

  private func scheduleSync(in seconds: Double) {
    sync?.at = Self.monotonicNow + Self.nanoseconds(seconds)
    eventQueue.enqueue(.wakeUp)
  }

  /// The time of the next sync; `nil` while one runs or if there is no remote.
  var nextSyncAt: Int64? { sync.flatMap { $0.isRunning ? nil : $0.at } }

  /// Starts one sync in parallel with the saves; none may be running.
  func syncInBackground() {
    sync?.isRunning = true
    let journal = journal
    runningSync = spawn { watcher in
      do {
        let (outcome, failure) = try await journal.remote.syncForWatcher()
        watcher.handleSyncOutcome(outcome, isComplete: failure == nil)
        if let failure { throw failure }
      } catch {
        watcher.handleSyncError(DiaryError(error))
      }
      watcher.sync?.isRunning = false
      watcher.runningSync = nil
    }
  }

  private func handleSyncOutcome(_ outcome: SyncOutcome, isComplete: Bool) {
    watchDisplaced(outcome.displaced)
    if isComplete {
      if sync?.retryPause != nil || throttle.shouldLog(syncError: nil) {
        emit(.syncRecovered(outcome.remote))
      }
      sync?.retryPause = nil
      // Up to a tenth earlier or later, so that devices do not sync at the same moment each time.
      scheduleSync(in: journal.settings.fetchEvery * Double.random(in: 0.9...1.1))
    }
    if outcome.received + outcome.sent > 0 || !outcome.checkedOut.isEmpty { emit(.synced(outcome)) }
    if isComplete || !outcome.waitingCheckouts.isEmpty {
      scheduleCheckoutRetry(of: outcome.waitingCheckouts, leftToGit: outcome.leftToGit)
    }
  }

  private func handleSyncError(_ error: DiaryError) {
    if throttle.shouldLog(syncError: error.message) { emit(.syncFailed(error)) }
    let last = sync?.retryPause ?? 15
    let pause = min(last * 2, SyncSchedule.maxRetryPause)
    sync?.retryPause = pause
    scheduleSync(in: pause * Double.random(in: 0.8...1.2))
  }

  /// Pushes the last sitting before the watcher ends, if the previous sync succeeded. A sync that
  /// is running ends first, at the latest with its own timeout: it may not send the last commit.
  func pushBeforeExit() async {
    await runningSync?.value
    guard let schedule = sync, schedule.retryPause == nil else { return }
    do {
      let (outcome, failure) = try await journal.remote.syncForWatcher(timeout: 15)
      if outcome.received + outcome.sent > 0 { emit(.synced(outcome)) }
      if let failure { throw failure }
    } catch {
      emit(.syncFailed(DiaryError(error)))
    }
  }

  /// Schedules another attempt for files that a sync could not replace because they are open. Those
  /// that only git can update wait for the next sync or rescan.
  func scheduleCheckoutRetry(of waiting: [SkippedFile], leftToGit: Set<EntryPath>) {
    checkoutsLeftToGit = leftToGit
    checkoutRetry = waiting.allSatisfy { leftToGit.contains($0.path) } ? nil : Backoff(first: 2)
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
    guard checkoutRetry == nil ? !waiting.isEmpty : changed.contains(where: { known[$0] != nil })
    else { return }
    checkoutRetry = Backoff(first: 2)
  }

  func retryCheckouts() async {
    let journal = journal
    do {
      let result = try await journal.locked { try await $0.integration.applyCheckouts() }
      watchDisplaced(result.displaced)
      if !result.checkedOut.isEmpty {
        emit(.filesUpdated(result.checkedOut))
        await updateIndexAndList()
      }
      checkoutsLeftToGit = result.leftToGit
      let isWaiting = result.waiting.contains { !result.leftToGit.contains($0.path) }
      checkoutRetry = isWaiting ? checkoutRetry.next(first: 5) : nil
    } catch {
      checkoutRetry = checkoutRetry.next(first: 5)
      report(error)
    }
  }
}
