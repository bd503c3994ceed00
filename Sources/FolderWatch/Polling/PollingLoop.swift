import DiaryCore
import Foundation

/// The watch of a journal's folder by walking it every so often, for folders that others change without
/// telling this machine; as one thread runs it.
final class PollingLoop {
  private let root: String
  private let pause: CInt
  private let method: WatchMethod
  private let outlet: EventStream
  private let wake: WakeEvent
  private var known: FolderSnapshot?
  private var hasBegun = false
  private var isAway = false
  /// Files that may have been written once more within the clock tick of their last change.
  private var fresh: Set<EntryPath> = []
  /// A folder for which everything was to be looked at. Whoever did may have met a file that came and
  /// went between two looks here, so it is told again once nothing changes any more.
  private var stillChanging: EntryPath?

  init(root: String, interval: Duration, why: String, outlet: EventStream, wake: WakeEvent) {
    self.root = root
    pause = interval.pollMilliseconds
    method = .polling(seconds: interval / .seconds(1), why: why)
    self.outlet = outlet
    self.wake = wake
  }

  /// Looks until it is told to end.
  func run() {
    repeat { look(now: Int64(Date().timeIntervalSince1970)) } while !wake.wait(milliseconds: pause)
  }

  /// Looks once, and sends what differs from the look before. `now`: seconds since 1970.
  func look(now: Int64) {
    guard let look = FolderSnapshot(root: root, before: known) else {
      if !isAway { outlet.send(.rescan(.rootVanished)) }
      isAway = true
      return
    }
    defer {
      known = look
      isAway = false
    }
    guard let before = known, !isAway, before.identity == look.identity else {
      outlet.send(.rescan(hasBegun ? .rootReturned : .began(method)))
      hasBegun = true
      // A clock that counts in whole seconds, or in two, hides a second write in the same one.
      fresh = Set(look.files.filter { $0.value.modifiedSeconds + 10 > now }.keys)
      return
    }
    send(look.changes(since: before), in: look)
  }

  private func send(_ changes: FolderSnapshot.Changes, in look: FolderSnapshot) {
    for path in changes.gone { outlet.send(path.isTrace ? .trace(path) : .gone(path)) }
    for path in changes.came where path.isTrace { outlet.send(.trace(path)) }
    let written = (changes.came + changes.changed).filter { !$0.isTrace }
    let again = fresh.subtracting(written).filter { look.files[$0] != nil && !$0.isTrace }
    for path in (written + again).sorted() { outlet.send(.touched(path)) }
    if let folder = changes.repositories.first {
      outlet.send(.rescan(.folderChanged(folder)))
      stillChanging = folder
    } else if let folder = stillChanging, changes == FolderSnapshot.Changes() {
      outlet.send(.rescan(.folderChanged(folder)))
      stillChanging = nil
    }
    fresh = Set(written)
  }
}

extension EntryPath {
  fileprivate var isTrace: Bool { WatchFilter.isTrace(nameBytes) }
}
