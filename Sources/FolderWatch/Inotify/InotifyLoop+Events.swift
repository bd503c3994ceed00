import DiaryCore
import Glibc

extension InotifyLoop {
  /// Does what one notice asks for.
  func take(_ notice: InotifyEvent) throws(WatchError) {
    if notice.says(IN_Q_OVERFLOW) { return try begin(.overflow) }
    if try takeOfParent(notice) || takeOfLinked(notice) { return }
    // A watch that was given up may still have had something to tell.
    guard let folder = folders[notice.watch] else { return }
    if notice.says(IN_UNMOUNT | IN_IGNORED) { return try lose(folder) }
    if notice.name.isEmpty {
      if folder.path == nil, !isRootInPlace() { return try begin(.rootReturned) }
      if tellsWrites { rescan = .overflow }
    } else if notice.name == WatchFilter.repository {
      try takeRepository(notice, in: folder)
    } else if folder.isForeign {
      return
    } else if let path = EntryPath(notice.name, in: folder.path) {
      if notice.says(IN_ISDIR) {
        try takeFolder(path, notice, in: folder)
      } else {
        try takeFile(path, notice)
      }
    }
  }

  /// The kernel watches the folder no more: it was deleted or unmounted, or nobody knows why.
  private func lose(_ folder: WatchedFolders.Folder) throws(WatchError) {
    guard let path = folder.path else { return try begin(.rootReturned) }
    unwatch(folders.cut(at: path))
    // Deleted folders are told of by their parent; whatever stands there now was not watched.
    try watch(path, reporting: false)
    if folders.watch(at: path) != nil { rescan = .lostWatch(path) }
  }

  /// A folder becomes another repository, or an ordinary one again.
  private func takeRepository(
    _ notice: InotifyEvent, in folder: WatchedFolders.Folder
  ) throws(WatchError) {
    guard let path = folder.path else {
      if notice.says(IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM) {
        rescan = .repositoryChanged
      }
      return
    }
    if notice.says(IN_CREATE | IN_MOVED_TO), !folder.isForeign {
      folders.setForeign(notice.watch)
      unwatch(folders.cutChildren(of: notice.watch))
      rescan = .folderChanged(path)
    } else if notice.says(IN_DELETE | IN_MOVED_FROM), folder.isForeign {
      unwatch(folders.cut(at: path))
      try watch(path, reporting: false)
      rescan = .folderChanged(path)
    }
  }

  /// A folder came, went, or changed its permissions.
  ///
  /// Whatever was told, what counts is what stands there now: after any order of renames and
  /// exchanges, the last notice about a name leaves it watched as it is.
  private func takeFolder(
    _ path: EntryPath, _ notice: InotifyEvent, in parent: WatchedFolders.Folder
  ) throws(WatchError) {
    guard WatchFilter.isWatched(folder: notice.name, in: parent.path) else { return }
    let isMove = notice.says(IN_MOVED_TO | IN_MOVED_FROM)
    if isMove {
      try watch(path, reporting: false)
      rescan = .folderChanged(path)
    } else if notice.says(IN_CREATE | IN_DELETE) {
      try watch(path, reporting: true)
    } else if notice.says(IN_ATTRIB), tellsWrites || folders.watch(at: path) == nil {
      try watch(path, reporting: false)
      if tellsWrites || folders.watch(at: path) != nil { rescan = .folderChanged(path) }
    }
  }

  private func takeFile(_ path: EntryPath, _ notice: InotifyEvent) throws(WatchError) {
    let came = notice.says(IN_CREATE | IN_MOVED_TO)
    let went = notice.says(IN_DELETE | IN_MOVED_FROM)
    if WatchFilter.isTrace(notice.name) {
      if came || went { outlet.send(.trace(path)) }
    } else if went {
      outlet.send(.gone(path))
    } else if notice.says(IN_CLOSE_WRITE) || tellsWrites && notice.says(IN_MODIFY | IN_ATTRIB) {
      try watchLinked(path)
      outlet.send(.touched(path))
    } else if came {
      try takeArrival(path, replaced: notice.says(IN_MOVED_TO))
    }
  }

  /// Links, pipes and sockets come as files do; one that was moved here may have taken a file's
  /// place.
  private func takeArrival(_ path: EntryPath, replaced: Bool) throws(WatchError) {
    switch isRegular(path) {
    case true?:
      try watchLinked(path)
      outlet.send(.touched(path))
    case false?: if replaced { outlet.send(.gone(path)) }
    // It went on; the next notice tells.
    case nil: break
    }
  }
}
