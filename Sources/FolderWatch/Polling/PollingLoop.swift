import DiaryCore
import Foundation

/// The watch of a journal's folder by walking it every so often, for folders that others change without
/// telling this machine; as one thread runs it.
final class PollingLoop {
  private let root: String
  private let pause: CInt
  private let method: WatchMethod
  private let sink: EventStream
  private let wake: WakeEvent
  private var lastSnapshot: FolderSnapshot?
  private var hasStarted = false
  private var isRootMissing = false
  /// Files that may have been written once more within the clock tick of their last change.
  private var recentlyWritten: Set<EntryPath> = []
  /// A folder for which everything was to be looked at. Whoever did may have met a file that came and
  /// went between two looks here, so it is told again once nothing changes any more.
  private var folderToConfirm: EntryPath?

  init(root: String, interval: Duration, reason: String, sink: EventStream, wake: WakeEvent) {
    self.root = root
    pause = interval.pollMilliseconds
    method = .polling(seconds: interval / .seconds(1), reason: reason)
    self.sink = sink
    self.wake = wake
  }

  /// Looks until it is told to end.
  func run() {
    repeat { scan(now: Int64(Date().timeIntervalSince1970)) } while !wake.wait(milliseconds: pause)
  }

  /// Looks once, and sends what differs from the look before. `now`: seconds since 1970.
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
      // A clock that counts in whole seconds, or in two, hides a second write in the same one.
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
    if let folder = changes.repositories.first {
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
