import DiaryCore
import FolderWatch
import Foundation
import Glibc
import Synchronization
import Testing

/// Reads a watcher's events as they come, and waits for them.
final class Listener: Sendable {
  private let state = Mutex<(events: [FolderEvent], hasEnded: Bool)>(([], false))

  init(
    _ events: AsyncStream<FolderEvent>, _ hear: @escaping @Sendable (FolderEvent) -> Void = { _ in }
  ) {
    Task {
      for await event in events {
        hear(event)
        state.withLock { $0.events.append(event) }
      }
      state.withLock { $0.hasEnded = true }
    }
  }

  var events: [FolderEvent] { state.withLock { $0.events } }
  var hasEnded: Bool { state.withLock { $0.hasEnded } }

  /// Waits until the events say so; so long that only a machine that stands still is too slow.
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

  /// Makes a file and waits for it, twice: whatever happened before has been told by then, a rescan
  /// that ends the first turn too. Returns what was told after so many events.
  func all(
    in scratch: Scratch, after: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
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

/// A watcher by inotify over a fresh folder, and who listens to it.
struct Watched {
  let scratch: Scratch
  let watcher: InotifyWatcher
  let listener: Listener

  /// `prepare` fills the folder before the watch begins.
  init(_ prepare: (Scratch) -> Void = { _ in }) async throws {
    scratch = try Scratch()
    prepare(scratch)
    watcher = InotifyWatcher(root: scratch.root)
    listener = Listener(watcher.events)
    await listener.wait(for: .rescan(.started(.inotify)))
  }

  /// What `action` makes the watcher tell.
  func events(
    sourceLocation: SourceLocation = #_sourceLocation, _ action: (Scratch) -> Void
  ) async -> [FolderEvent] {
    let before = listener.events.count
    action(scratch)
    let events = await listener.all(
      in: scratch, after: before, sourceLocation: sourceLocation)
    // The last action's mark may be told twice.
    return events.filter { !"\($0)".contains("end-") }
  }
}
