import DiaryCore
import Foundation

@testable import FolderWatch

/// Watches a journal's folder by periodic scans, for file systems that report no changes made by
/// other machines.
final class PollingWatcher: FolderWatcher {
  private let thread: WatchThread

  /// The events, for one reader. The first is a rescan, after the first scan of the folder.
  var events: AsyncStream<FolderEvent> { thread.sink.stream }

  /// Starts to watch. `why` is a clause for the user, contained in the first event.
  init(root: String, interval: Duration, reason: String = "asked for") {
    thread = WatchThread { outlet, wake in
      PollingLoop(root: root, interval: interval, reason: reason, sink: outlet, wake: wake).run()
    }
  }

  deinit { thread.stop() }

  /// Stops the watch.
  func stop() { thread.stop() }
}
