import FolderWatch

/// A watcher while nothing changes in a journal that locks itself: it holds its lock, and a watch that
/// has nothing open in the folder.
package struct WatcherRest: Sendable {
  let lock: WatcherLock
  let log: WatcherLog
  private let watcher: any FolderWatcher

  /// Starts the watch, and waits until the events of another one that has run so far have arrived.
  /// `nil` if the folder is polled.
  init?(_ lock: WatcherLock, _ log: WatcherLog, of journal: Journal) async {
    watcher = FolderWatch.watcher(for: journal.root)
    (self.lock, self.log) = (lock, log)
    for await event in watcher.events {
      guard event == .rescan(.started(.inotify)) else { break }
      try? await wait(for: .milliseconds(300))
      return
    }
    watcher.stop()
    return nil
  }

  /// Waits until something changes in the folder, or the journal was locked; or until ``stop()``.
  package func waitForChange() async {
    for await _ in watcher.events { break }
    watcher.stop()
  }

  /// Ends the wait.
  package func stop() { watcher.stop() }
}
