import DiaryCore
import FolderWatch

/// A watcher while nothing changes in a journal that locks itself: it holds its lock, and a watch that
/// has nothing open in the folder.
package struct WatcherRest: Sendable {
  let lock: WatcherLock
  let log: WatcherLog
  let editors: OpenEditors
  /// The entries whose stamps wait, as they were.
  let files: [EntryPath: FileSignature]
  private let watcher: any FolderWatcher
  /// The end of the rest, in nanoseconds on the monotonic clock; `nil` if only a change ends it.
  private let end: Int64?

  /// Starts the watch, and waits until the events of another one that has run so far have arrived.
  /// `nil` if the folder is polled.
  init?(
    _ lock: WatcherLock, _ log: WatcherLog, _ editors: OpenEditors,
    _ files: [EntryPath: FileSignature], of journal: Journal, until end: Int64?
  ) async {
    watcher = FolderWatch.watcher(for: journal.root)
    (self.lock, self.log, self.end) = (lock, log, end)
    (self.editors, self.files) = (editors, files)
    for await event in watcher.events {
      guard event == .rescan(.started(.inotify)) else { break }
      try? await wait(for: .milliseconds(300))
      return
    }
    watcher.stop()
    return nil
  }

  /// Waits until something changes in the folder, the journal was locked or the time is over; or until
  /// ``stop()``.
  package func waitForChange(on executor: (any TaskExecutor)?) async {
    let timer = end.map { end in
      Task(executorPreference: executor) {
        try await wait(for: .nanoseconds(max(0, end - MonotonicTime.now)))
        watcher.stop()
      }
    }
    for await _ in watcher.events { break }
    watcher.stop()
    timer?.cancel()
  }

  /// Ends the wait.
  package func stop() { watcher.stop() }
}
