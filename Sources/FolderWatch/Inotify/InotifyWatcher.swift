import Foundation

/// Watches a journal's folder by inotify: nothing happens while nothing changes.
package final class InotifyWatcher: FolderWatcher {
  private let thread: WatchThread

  /// What happened, for one reader; first a rescan, once all watches stand.
  package var events: AsyncStream<FolderEvent> { thread.sink.stream }

  /// Begins to watch.
  /// - Parameter interval: how often to look instead, where inotify cannot see or its watches run
  ///   out; `nil`: the watch fails then.
  package convenience init(root: String, pollInterval interval: Duration? = nil) {
    self.init(root: root, pollInterval: interval, watchLimit: .max, rootRetryInterval: .seconds(5))
  }

  init(root: String, pollInterval interval: Duration?, watchLimit: Int, rootRetryInterval: Duration)
  {
    thread = WatchThread { sink, wake in
      let loop = InotifyLoop(
        root: root, sink: sink, wake: wake, watchLimit: watchLimit,
        rootRetryInterval: rootRetryInterval)
      do throws(WatchError) {
        try loop.run()
      } catch {
        guard let interval else { return sink.send(.failed("\(error)")) }
        // Its watches are of no more use, and others may be waiting for them.
        loop.inotify = nil
        PollingLoop(
          root: root, interval: interval, reason: "\(error)", sink: sink, wake: wake
        ).run()
      }
    }
  }

  deinit { thread.stop() }

  /// Ends the watch.
  package func stop() { thread.stop() }
}

/// The watcher that fits the folder: inotify, or polling where others write to the file system
/// (a network, a FUSE program) or the kernel's watches run out. Its first event says which, and why.
package func watcher(
  for root: String, pollInterval interval: Duration = .seconds(10)
) -> any FolderWatcher {
  InotifyWatcher(root: root, pollInterval: interval)
}
