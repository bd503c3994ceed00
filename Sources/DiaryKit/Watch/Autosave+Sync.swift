import DiaryCore
import EntryFiles
import Foundation

/// When the watcher exchanges with the remote next; absent where it shall not, or where there is none.
struct SyncSchedule {
  /// When, nanoseconds on the monotonic clock.
  var at: Int64
  /// Set while the exchange does not work: pauses that double up to half an hour.
  var pause: Double?
  var isRunning = false

  static let longestPause = 1_800.0
}

extension Autosave {
  /// Begins the beat: the first exchange comes at once.
  func startPeriodicSync() async {
    guard wantsSync, await journal.hasRemote else { return }
    sync = SyncSchedule(at: 0)
    scheduleSync(in: 0.5)
  }

  /// The end of a sitting: its commit is sent when nothing else has come for a while.
  func schedulePush() async {
    if sync == nil { await startPeriodicSync() }
    // Where the exchange does not work, its own pauses hold.
    guard let beat = sync, beat.pause == nil, !beat.isRunning else { return }
    let pause = journal.settings.pushAfter
    guard Self.clock + Self.nanoseconds(pause) < beat.at else { return }
    scheduleSync(in: pause)
  }

  private func scheduleSync(in seconds: Double) {
    sync?.at = Self.clock + Self.nanoseconds(seconds)
    inbox.put(.tick)
  }

  /// When the next exchange is due; `nil` while one runs, or there is nothing to exchange with.
  var nextSyncAt: Int64? { sync.flatMap { $0.isRunning ? nil : $0.at } }

  /// One exchange, beside the saves; none may be running.
  func exchange() {
    sync?.isRunning = true
    let journal = journal
    beside { watcher in
      do {
        await watcher.exchanged(try await journal.exchange(), journal)
      } catch {
        watcher.exchangeFailed(DiaryError(error))
      }
    }
  }

  private func exchanged(_ outcome: SyncOutcome, _ journal: Journal) async {
    sync?.isRunning = false
    if sync?.pause != nil || throttle.shouldLog(sync: nil) { tell(.syncRecovered(outcome.remote)) }
    sync?.pause = nil
    for aside in outcome.asides {
      watchDisplaced(at: aside.file, of: aside.path, wrote: aside.wrote)
    }
    if outcome.received + outcome.sent > 0 || !outcome.brought.isEmpty { tell(.synced(outcome)) }
    scheduleCheckoutRetry(outcome.waiting.isEmpty)
    // Up to a tenth sooner or later, so that devices do not meet at every beat.
    scheduleSync(in: journal.settings.fetchEvery * Double.random(in: 0.9...1.1))
  }

  private func exchangeFailed(_ error: DiaryError) {
    sync?.isRunning = false
    if throttle.shouldLog(sync: error.what) { tell(.syncFailed(error)) }
    let last = sync?.pause ?? 15
    let pause = min(last * 2, SyncSchedule.longestPause)
    sync?.pause = pause
    scheduleSync(in: pause * Double.random(in: 0.8...1.2))
  }

  /// The last sitting is sent before the watcher ends, if the exchange worked the last time.
  func pushBeforeExit() async {
    guard let beat = sync, beat.pause == nil, !beat.isRunning else { return }
    do {
      let outcome = try await journal.exchange(seconds: 15)
      for aside in outcome.asides { aside.file.discard() }
      if outcome.received + outcome.sent > 0 { tell(.synced(outcome)) }
    } catch {
      tell(.syncFailed(DiaryError(error)))
    }
  }

  /// Files that a sync could not replace are looked at again until their editors let go.
  func scheduleCheckoutRetry(_ isDone: Bool) {
    arrivalLook = isDone ? nil : Backoff(first: 2)
  }

  func retryPendingCheckouts() async {
    let journal = journal
    do {
      let brought = try await journal.exclusively { try await journal.applyPendingCheckouts() }
      for aside in brought.asides {
        watchDisplaced(at: aside.file, of: aside.path, wrote: aside.wrote)
      }
      if !brought.done.isEmpty {
        tell(.filesUpdated(brought.done))
        await list()
      }
      arrivalLook = brought.waiting.isEmpty ? nil : Backoff(first: 5)
    } catch {
      arrivalLook = arrivalLook.next(first: 5)
      report(error)
    }
  }
}
