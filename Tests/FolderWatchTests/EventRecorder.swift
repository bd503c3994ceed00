import DiaryCore
import FolderWatch
import Foundation
import Glibc
import Synchronization
import Testing

/// Collects a watcher's events and waits for them.
final class EventRecorder: Sendable {
  private let state = Mutex<(events: [FolderEvent], hasEnded: Bool)>(([], false))

  init(
    _ events: AsyncStream<FolderEvent>,
    _ onEvent: @escaping @Sendable (FolderEvent) -> Void = { _ in }
  ) {
    Task {
      for await event in events {
        onEvent(event)
        state.withLock { $0.events.append(event) }
      }
      state.withLock { $0.hasEnded = true }
    }
  }

  var events: [FolderEvent] { state.withLock { $0.events } }
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Waits until the condition holds, with a timeout that only a hanging machine exceeds.
  @discardableResult
  func wait(
    sourceLocation: SourceLocation = #_sourceLocation, _ condition: ([FolderEvent]) -> Bool
  ) async -> [FolderEvent] {
    for _ in 0..<12_000 {
      let events = events
      if condition(events) { return events }
      try? await Task.sleep(for: .milliseconds(5))
    }
    Issue.record("it never came; heard: \(events.suffix(20))", sourceLocation: sourceLocation)
    return events
  }

  /// Waits for one event.
  @discardableResult
  func wait(
    for event: FolderEvent, sourceLocation: SourceLocation = #_sourceLocation
  ) async -> [FolderEvent] {
    await wait(sourceLocation: sourceLocation) { $0.contains(event) }
  }

  /// Makes a file and waits for its event, twice, so that all earlier events and a pending rescan
  /// have been delivered. Returns the events after the first `after` ones.
  func allEvents(
    in scratch: TestFolder, after: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
  ) async -> [FolderEvent] {
    var marks: [FolderEvent] = []
    for _ in 0..<2 {
      let name = "end-\(UUID().uuidString)"
      scratch.write(name, "")
      marks.append(.changed(EntryPath(stringLiteral: name)))
      await wait(for: marks[marks.count - 1], sourceLocation: sourceLocation)
    }
    return events.dropFirst(after).prefix { $0 != marks[1] }.filter { $0 != marks[0] }
  }
}

/// An inotify watcher of a new folder, and its listener.
struct WatcherFixture {
  let scratch: TestFolder
  let watcher: InotifyWatcher
  let listener: EventRecorder

  /// Calls `prepare` to fill the folder before the watch starts.
  init(_ prepare: (TestFolder) -> Void = { _ in }) async throws {
    scratch = try TestFolder()
    prepare(scratch)
    watcher = InotifyWatcher(root: scratch.root)
    listener = EventRecorder(watcher.events)
    await listener.wait(for: .rescan(.started(.inotify)))
  }

  /// The events that `action` causes.
  func events(
    sourceLocation: SourceLocation = #_sourceLocation, _ action: (TestFolder) -> Void
  ) async -> [FolderEvent] {
    let before = listener.events.count
    action(scratch)
    let events = await listener.allEvents(
      in: scratch, after: before, sourceLocation: sourceLocation)
    // The marker file of the previous call may be reported twice.
    return events.filter { !"\($0)".contains("end-") }
  }
}
