import DiaryCore

/// The schedule of sync with the remote.
final class SyncSchedule {
  /// True if the user asked for it (`--sync`).
  private let isOn: Bool
  /// The time of the next sync, in nanoseconds on the monotonic clock; `nil` if sync is off or
  /// there is no remote.
  var at: Int64?
  /// The sync that is running.
  var running: Task<Void, Never>?
  /// True if the next sync may not be left to a change in the folder: a commit waits for it, or what other
  /// devices sent before the watcher began.
  private(set) var isAwaited = false
  /// The retry pause in seconds, set while sync fails; it doubles up to half an hour.
  private var retryPause: Double?

  init(isOn: Bool) { self.isOn = isOn }

  /// The time of the next sync; `nil` also while one runs.
  var next: Int64? { running == nil ? at : nil }

  var isFailing: Bool { retryPause != nil }

  /// Starts periodic sync; the first run is immediate.
  ///
  /// - Parameter isContinued: true after a rest of the watcher.
  nonisolated(nonsending) func start(of journal: Journal, isContinued: Bool = false) async {
    guard isOn, await journal.remote.hasRemote else { return }
    schedule(in: 0.5)
    isAwaited = !isContinued
  }

  /// Schedules the push of a sitting's commit, after a pause without further commits.
  nonisolated(nonsending) func schedulePush(of journal: Journal) async {
    if at == nil { await start(of: journal) }
    guard at != nil else { return }
    isAwaited = true
    // While sync fails, its own retry pause applies.
    guard let next, !isFailing else { return }
    let pause = journal.settings.pushAfter
    if MonotonicTime.after(pause) < next { schedule(in: pause) }
  }

  /// Records that a sync starts: it takes all commits that are there.
  func begin() { isAwaited = false }

  /// Schedules the sync after one that worked, up to a tenth earlier or later, so that devices do
  /// not sync at the same moment each time.
  func scheduleNext(of journal: Journal) {
    retryPause = nil
    // The commit was made while the sync ran.
    if isAwaited { return schedule(in: journal.settings.pushAfter) }
    schedule(in: journal.settings.fetchEvery * Double.random(in: 0.9...1.1))
  }

  /// Schedules another attempt after a failure.
  func scheduleRetry() {
    let pause = min((retryPause ?? 15) * 2, 1_800)
    (retryPause, isAwaited) = (pause, false)
    schedule(in: pause * Double.random(in: 0.8...1.2))
  }

  private func schedule(in seconds: Double) { at = MonotonicTime.after(seconds) }
}
