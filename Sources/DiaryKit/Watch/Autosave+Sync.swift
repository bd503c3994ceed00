import DiaryCore
import EntryFiles
import Foundation

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
    guard shouldSync, await journal.hasRemote else { return }
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
    spawn { watcher in
      do {
        await watcher.handleSyncOutcome(try await journal.syncForWatcher(), journal)
      } catch {
        watcher.handleSyncError(DiaryError(error))
      }
    }
  }

  private func handleSyncOutcome(_ outcome: SyncOutcome, _ journal: Journal) async {
    sync?.isRunning = false
    if sync?.retryPause != nil || throttle.shouldLog(syncError: nil) {
      emit(.syncRecovered(outcome.remote))
    }
    sync?.retryPause = nil
    for displacedFile in outcome.displaced {
      watchDisplaced(displacedFile.file, of: displacedFile.path, replacement: displacedFile.wrote)
    }
    if outcome.received + outcome.sent > 0 || !outcome.checkedOut.isEmpty { emit(.synced(outcome)) }
    scheduleCheckoutRetry(isDone: outcome.pendingCheckouts.isEmpty)
    // Up to a tenth earlier or later, so that devices do not sync at the same moment each time.
    scheduleSync(in: journal.settings.fetchEvery * Double.random(in: 0.9...1.1))
  }

  private func handleSyncError(_ error: DiaryError) {
    sync?.isRunning = false
    if throttle.shouldLog(syncError: error.message) { emit(.syncFailed(error)) }
    let last = sync?.retryPause ?? 15
    let pause = min(last * 2, SyncSchedule.maxRetryPause)
    sync?.retryPause = pause
    scheduleSync(in: pause * Double.random(in: 0.8...1.2))
  }

  /// Pushes the last sitting before the watcher ends, if the previous sync succeeded.
  func pushBeforeExit() async {
    guard let schedule = sync, schedule.retryPause == nil, !schedule.isRunning else { return }
    do {
      let outcome = try await journal.syncForWatcher(timeout: 15)
      for displacedFile in outcome.displaced { displacedFile.file.discard() }
      if outcome.received + outcome.sent > 0 { emit(.synced(outcome)) }
    } catch {
      emit(.syncFailed(DiaryError(error)))
    }
  }

  /// Schedules another attempt for files that a sync could not replace because they are open.
  func scheduleCheckoutRetry(isDone: Bool) {
    checkoutRetry = isDone ? nil : Backoff(first: 2)
  }

  func retryPendingCheckouts() async {
    let journal = journal
    do {
      let result = try await journal.withJournalLock { try await journal.applyPendingCheckouts() }
      for displacedFile in result.displaced {
        watchDisplaced(displacedFile.file, of: displacedFile.path, replacement: displacedFile.wrote)
      }
      if !result.checkedOut.isEmpty {
        emit(.filesUpdated(result.checkedOut))
        await updateIndexAndList()
      }
      checkoutRetry = result.pending.isEmpty ? nil : Backoff(first: 5)
    } catch {
      checkoutRetry = checkoutRetry.next(first: 5)
      report(error)
    }
  }
}
