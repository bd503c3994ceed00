import DiaryCore
import Synchronization

/// A watch that is asked and does not tell by itself: it has no thread and never wakes up. The kernel keeps
/// what happens until somebody asks.
///
/// It knows of each write at once, also while the writer still has the file open. What is written through a
/// mapping it knows when the writer lets go of the file.
package final class OnDemandWatch: Sendable {
  private let loop: Mutex<InotifyLoop?>
  private let eventList = EventList()

  /// Begins to watch; fails where the kernel does not tell, or has no watches left.
  package init(root: String) throws(WatchError) {
    let loop = InotifyLoop(root: root, sink: eventList, wake: WakeEvent(), reportsWrites: true)
    try loop.restart(.started(.inotify))
    self.loop = Mutex(loop)
  }

  /// What happened since it was last asked, or since it began; `nil`: it can tell no more, for the folder
  /// has gone, or the watches have run out.
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

/// Events that wait to be taken.
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
