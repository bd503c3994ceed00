import DiaryCore
import Foundation

/// The watch of a journal's folder by periodic scans on one thread, for folders that others change
/// without a report to this machine.
final class PollingLoop {
  private let root: String
  private let pause: CInt
  private let method: WatchMethod
  private let sink: any EventSink
  private let wake: WakeEvent
  private var lastSnapshot: FolderSnapshot?
  private var hasStarted = false
  private var isRootMissing = false
  /// The files that may have been written again within the clock tick of their last change.
  private var recentlyWritten: Set<EntryPath> = []
  /// A folder whose rescan was requested. That scan may have found a file that existed only between
  /// two scans here, so the request is sent again once nothing changes any more.
  private var folderToConfirm: EntryPath?

  init(root: String, interval: Duration, reason: String, sink: any EventSink, wake: WakeEvent) {
    self.root = root
    pause = interval.pollMilliseconds
    method = .polling(seconds: interval / .seconds(1), reason: reason)
    self.sink = sink
    self.wake = wake
  }

  /// Scans until the watch is stopped.
  func run() {
    repeat { scan(now: Int64(Date().timeIntervalSince1970)) } while !wake.wait(milliseconds: pause)
  }

  /// Scans once, and sends the differences from the last scan. `now`: seconds since 1970.
  func scan(now: Int64) {
    guard let snapshot = FolderSnapshot(root: root, before: lastSnapshot) else {
      if !isRootMissing { sink.send(.rescan(.rootVanished)) }
      isRootMissing = true
      return
    }
    defer {
      lastSnapshot = snapshot
      isRootMissing = false
    }
    guard let before = lastSnapshot, !isRootMissing, before.identity == snapshot.identity else {
      sink.send(.rescan(hasStarted ? .rootReturned : .started(method)))
      hasStarted = true
      // A clock with a resolution of one or two seconds hides a second write in the same tick.
      recentlyWritten = Set(snapshot.files.filter { $0.value.modifiedSeconds + 10 > now }.keys)
      return
    }
    send(snapshot.changes(since: before), in: snapshot)
  }

  private func send(_ changes: FolderSnapshot.Changes, in snapshot: FolderSnapshot) {
    for path in changes.removed {
      sink.send(path.isEditorFile ? .editorFile(path) : .removed(path))
    }
    for path in changes.added where path.isEditorFile { sink.send(.editorFile(path)) }
    let written = (changes.added + changes.changed).filter { !$0.isEditorFile }
    let again = recentlyWritten.subtracting(written).filter {
      snapshot.files[$0] != nil && !$0.isEditorFile
    }
    for path in (written + again).sorted() { sink.send(.changed(path)) }
    if let folder = changes.foreign.first {
      sink.send(.rescan(.folderChanged(folder)))
      folderToConfirm = folder
    } else if let folder = folderToConfirm, changes == FolderSnapshot.Changes() {
      sink.send(.rescan(.folderChanged(folder)))
      folderToConfirm = nil
    }
    recentlyWritten = Set(written)
  }
}

extension EntryPath {
  fileprivate var isEditorFile: Bool { WatchFilter.isEditorFile(nameBytes) }
}
