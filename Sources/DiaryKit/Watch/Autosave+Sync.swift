import DiaryCore
import EntryFiles
import Foundation

/// When the watcher exchanges with the remote next; absent where it shall not, or where there is none.
struct SyncSchedule {
  /// When, nanoseconds on the monotonic clock.
  var at: Int64
  /// Set while the exchange does not work: pauses that double up to half an hour.
  var retryPause: Double?
  var isRunning = false

  static let maxRetryPause = 1_800.0
}

extension Autosave {
  /// Begins the beat: the first exchange comes at once.
  func startPeriodicSync() async {
    guard shouldSync, await journal.hasRemote else { return }
    sync = SyncSchedule(at: 0)
    scheduleSync(in: 0.5)
  }

  /// The end of a sitting: its commit is sent when nothing else has come for a while.
  func schedulePush() async {
    if sync == nil { await startPeriodicSync() }
    // Where the exchange does not work, its own pauses hold.
    guard let schedule = sync, schedule.retryPause == nil, !schedule.isRunning else { return }
    let pause = journal.settings.pushAfter
    guard Self.monotonicNow + Self.nanoseconds(pause) < schedule.at else { return }
    scheduleSync(in: pause)
  }

  private func scheduleSync(in seconds: Double) {
    sync?.at = Self.monotonicNow + Self.nanoseconds(seconds)
    eventQueue.enqueue(.wakeUp)
  }

  /// When the next exchange is due; `nil` while one runs, or there is nothing to exchange with.
  var nextSyncAt: Int64? { sync.flatMap { $0.isRunning ? nil : $0.at } }

  /// One exchange, beside the saves; none may be running.
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
    // Up to a tenth sooner or later, so that devices do not meet at every beat.
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

  /// The last sitting is sent before the watcher ends, if the exchange worked the last time.
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

  /// Files that a sync could not replace are looked at again until their editors let go.
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
