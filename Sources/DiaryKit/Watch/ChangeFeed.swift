import DiaryCore
import Synchronization

/// A change in a journal, for the pages that show it.
package enum JournalChange: Sendable {
  /// Rows of the list.
  case rows(changed: [EntryPath], removed: [EntryPath], moved: [EntryPath: EntryPath])
  /// A page has saved an entry, which now has this version.
  case saved(EntryPath, version: String)
  /// An editor opened the entry, or closed it (`nil`).
  case editorChanged(EntryPath, editor: String?)
  /// A change in the output of `diary status`.
  case status
  /// Too many changes: everything must be read again.
  case everything
}

/// The changes of a journal, for any number of listeners.
package final class ChangeFeed: Sendable {
  /// The number of changes that a listener may leave unread, before ``JournalChange/everything``.
  static let capacity = 64

  private typealias Listener = AsyncStream<JournalChange>.Continuation
  private struct Listeners {
    var next = 0
    var all: [Int: Listener] = [:]
    var isFinished = false
  }

  private let listeners = Mutex(Listeners())

  package init() {}

  /// A stream of all changes from now on, until it is released or the feed is finished.
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

  /// Sends a change to all listeners.
  package func send(_ change: JournalChange) {
    for listener in listeners.withLock({ Array($0.all.values) }) {
      if case .dropped = listener.yield(change) { listener.yield(.everything) }
    }
  }

  /// Ends all streams; a later listener gets a stream that has ended.
  package func finish() {
    let all = listeners.withLock { listeners in
      listeners.isFinished = true
      return Array(listeners.all.values)
    }
    for listener in all { listener.finish() }
  }
}
