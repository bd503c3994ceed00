import DiaryCore
import Synchronization

/// What changed in a journal, as pages that show it need to know.
package enum JournalChange: Sendable {
  /// Rows of the list.
  case rows(changed: [EntryPath], removed: [EntryPath], moved: [EntryPath: EntryPath])
  /// A page has saved an entry, which has this version now.
  case saved(EntryPath, version: String)
  /// An editor opened the entry, or let go of it (`nil`).
  case editorChanged(EntryPath, editor: String?)
  /// Something that `diary status` tells.
  case status
  /// More than can be told: everything is to be looked at again.
  case everything
}

/// The changes of a journal, for any number of listeners.
package final class ChangeFeed: Sendable {
  /// How many changes a listener may leave unread; then they become ``JournalChange/everything``.
  static let capacity = 64

  private typealias Listener = AsyncStream<JournalChange>.Continuation
  private struct Listeners {
    var next = 0
    var all: [Int: Listener] = [:]
    var isFinished = false
  }

  private let listeners = Mutex(Listeners())

  package init() {}

  /// All changes from now on, until the stream is let go or the feed is finished.
  package func listen() -> AsyncStream<JournalChange> {
    let (stream, listener) = AsyncStream.makeStream(
      of: JournalChange.self, bufferingPolicy: .bufferingNewest(Self.capacity))
    let id = listeners.withLock { listeners in
      listeners.next += 1
      if listeners.isFinished {
        listener.finish()
      } else {
        listeners.all[listeners.next] = listener
      }
      return listeners.next
    }
    listener.onTermination = { [weak self] _ in
      self?.listeners.withLock { _ = $0.all.removeValue(forKey: id) }
    }
    return stream
  }

  /// Tells all listeners.
  package func send(_ change: JournalChange) {
    for listener in listeners.withLock({ Array($0.all.values) }) {
      if case .dropped = listener.yield(change) { listener.yield(.everything) }
    }
  }

  /// Ends all streams, and those of later listeners at once.
  package func finish() {
    let all = listeners.withLock { listeners in
      listeners.isFinished = true
      return Array(listeners.all.values)
    }
    for listener in all { listener.finish() }
  }
}
