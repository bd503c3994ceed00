import DiaryCore
import Synchronization

/// A watch that is asked and does not tell by itself: it has no thread and never wakes up. The kernel keeps
/// what happens until somebody asks.
///
/// It knows of each write at once, also while the writer still has the file open. What is written through a
/// mapping it knows when the writer lets go of the file.
package final class AskedWatch: Sendable {
  private let loop: Mutex<InotifyLoop?>
  private let told = EventList()

  /// Begins to watch; fails where the kernel does not tell, or has no watches left.
  package init(root: String) throws(WatchError) {
    let loop = InotifyLoop(root: root, outlet: told, wake: WakeEvent(), tellsWrites: true)
    try loop.begin(.began(.inotify))
    self.loop = Mutex(loop)
  }

  /// What happened since it was last asked, or since it began; `nil`: it can tell no more, for the folder
  /// has gone, or the watches have run out.
  package func news() -> [FolderEvent]? {
    loop.withLock { loop in
      guard let watch = loop, (try? watch.turn(sleeps: false)) == true else {
        loop = nil
        return nil
      }
      let events = told.take()
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
private final class EventList: EventOutlet {
  private let events = Mutex<[FolderEvent]>([])

  func send(_ event: FolderEvent) { events.withLock { $0.append(event) } }

  func take() -> [FolderEvent] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }
}
