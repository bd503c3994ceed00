import Foundation

/// A watch of a journal's folder by inotify: it does no work while nothing changes.
package final class InotifyWatcher: FolderWatcher {
  private let thread: WatchThread

  /// The events, for one consumer; the first is a rescan, once all watches are set.
  package var events: AsyncStream<FolderEvent> { thread.sink.stream }

  /// Starts the watch.
  /// - Parameter interval: the polling interval if inotify does not report changes there or its
  /// watches run out; with `nil`, the watch fails then.
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
        // Its watches are not needed any more, and other programs may need them.
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

/// Returns the watcher for the folder: inotify, or polling if others write to the file system (a
/// network, a FUSE program) or the kernel's watches run out. The first event says which, and why.
package func watcher(
  for root: String, pollInterval interval: Duration = .seconds(10)
) -> any FolderWatcher {
  InotifyWatcher(root: root, pollInterval: interval)
}
