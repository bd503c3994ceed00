import DiaryCore
import Synchronization

/// A watch without a thread that is queried on demand and never wakes up. The kernel stores the
/// events until the next query.
///
/// It detects each write at once, also while a program still has the file open. A write through a
/// memory mapping is detected when the program closes the file.
package final class OnDemandWatch: Sendable {
  private let loop: Mutex<InotifyLoop?>
  private let eventList = EventList()

  /// Starts the watch. Throws if the kernel does not report changes there or has no watches left.
  package init(root: String) throws(WatchError) {
    let loop = InotifyLoop(root: root, sink: eventList, wake: WakeEvent(), reportsWrites: true)
    try loop.restart(.started(.inotify))
    self.loop = Mutex(loop)
  }

  /// Returns the events since the last call or the start, or `nil` if the watch has ended: the
  /// folder is missing, or the watches have run out.
  package func newEvents() -> [FolderEvent]? {
    loop.withLock { loop in
      guard let watch = loop, (try? watch.pollOnce(sleeps: false)) == true else {
        loop = nil
        return nil
      }
      let events = eventList.removeAll()
      let isLost = events.contains {
        [.rescan(.rootVanished), .rescan(.rootReturned)].contains($0)
      }
      guard isLost else { return events }
      loop = nil
      return nil
    }
  }
}

/// A list of events that were not read yet.
private final class EventList: EventSink {
  private let events = Mutex<[FolderEvent]>([])

  func send(_ event: FolderEvent) { events.withLock { $0.append(event) } }

  func removeAll() -> [FolderEvent] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }
}
