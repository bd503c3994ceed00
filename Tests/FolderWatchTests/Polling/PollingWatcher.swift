import DiaryCore
import Foundation

@testable import FolderWatch

/// Watches a journal's folder by walking it every so often, for folders that others change without
/// telling this machine.
final class PollingWatcher: FolderWatcher {
  private let thread: WatchThread

  /// What happened, for one reader; first a rescan, once the folder has been looked at.
  var events: AsyncStream<FolderEvent> { thread.sink.stream }

  /// Begins to watch; `why` is a clause for the reader, told with the first event.
  init(root: String, interval: Duration, why: String = "asked for") {
    thread = WatchThread { outlet, wake in
      PollingLoop(root: root, interval: interval, reason: why, sink: outlet, wake: wake).run()
    }
  }

  deinit { thread.stop() }

  /// Ends the watch.
  func stop() { thread.stop() }
}
