import DiaryCore
import EntryFiles
import Foundation

/// When the watcher exchanges with the remote next; absent where it shall not, or where there is none.
struct SyncBeat {
  /// When, nanoseconds on the monotonic clock.
  var at: Int64
  /// Set while the exchange does not work: pauses that double up to half an hour.
  var pause: Double?
  var isRunning = false

  static let longestPause = 1_800.0
}

extension Autosave {
  /// Begins the beat: the first exchange comes at once.
  func beginSync() async {
    guard wantsSync, await journal.hasRemote else { return }
    sync = SyncBeat(at: 0)
    scheduleSync(in: 0.5)
  }

  /// The end of a sitting: its commit is sent when nothing else has come for a while.
  func sendSoon() async {
    if sync == nil { await beginSync() }
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
  var nextExchange: Int64? { sync.flatMap { $0.isRunning ? nil : $0.at } }

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
    if sync?.pause != nil || told.isNews(sync: nil) { tell(.syncs(outcome.remote)) }
    sync?.pause = nil
    for aside in outcome.asides {
      keepLooking(at: aside.file, of: aside.path, wrote: aside.wrote)
    }
    if outcome.received + outcome.sent > 0 || !outcome.brought.isEmpty { tell(.synced(outcome)) }
    waitForEditors(outcome.waiting.isEmpty)
    // Up to a tenth sooner or later, so that devices do not meet at every beat.
    scheduleSync(in: journal.settings.fetchEvery * Double.random(in: 0.9...1.1))
  }

  private func exchangeFailed(_ error: DiaryError) {
    sync?.isRunning = false
    if told.isNews(sync: error.what) { tell(.syncWaits(error)) }
    let last = sync?.pause ?? 15
    let pause = min(last * 2, SyncBeat.longestPause)
    sync?.pause = pause
    scheduleSync(in: pause * Double.random(in: 0.8...1.2))
  }

  /// The last sitting is sent before the watcher ends, if the exchange worked the last time.
  func sendLast() async {
    guard let beat = sync, beat.pause == nil, !beat.isRunning else { return }
    do {
      let outcome = try await journal.exchange(seconds: 15)
      for aside in outcome.asides { aside.file.discard() }
      if outcome.received + outcome.sent > 0 { tell(.synced(outcome)) }
    } catch {
      tell(.syncWaits(DiaryError(error)))
    }
  }

  /// Files that a sync could not replace are looked at again until their editors let go.
  func waitForEditors(_ isDone: Bool) {
    arrivalLook = isDone ? nil : Retry(first: 2)
  }

  func lookAtArrivals() async {
    let journal = journal
    do {
      let brought = try await journal.exclusively { try await journal.bringArrivals() }
      for aside in brought.asides {
        keepLooking(at: aside.file, of: aside.path, wrote: aside.wrote)
      }
      if !brought.done.isEmpty {
        tell(.brought(brought.done))
        await list()
      }
      arrivalLook = brought.waiting.isEmpty ? nil : Retry(first: 5)
    } catch {
      arrivalLook = arrivalLook.next(first: 5)
      report(error)
    }
  }
}
