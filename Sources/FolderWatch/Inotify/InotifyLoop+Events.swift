import DiaryCore
import Glibc

extension InotifyLoop {
  /// Does what one notice asks for.
  func handle(_ event: InotifyEvent) throws(WatchError) {
    if event.has(IN_Q_OVERFLOW) { return try restart(.overflow) }
    if try handleParent(event) || handleLinkedFile(event) { return }
    // A watch that was given up may still have had something to tell.
    guard let folder = folders[event.watch] else { return }
    if event.has(IN_UNMOUNT | IN_IGNORED) { return try handleLostWatch(of: folder) }
    if event.name.isEmpty {
      if folder.path == nil, !isRootInPlace() { return try restart(.rootReturned) }
      if reportsWrites { rescan = .overflow }
    } else if event.name == WatchFilter.repository {
      try handleRepository(event, in: folder)
    } else if folder.isForeign {
      return
    } else if let path = EntryPath(event.name, in: folder.path) {
      if event.has(IN_ISDIR) {
        try handleFolder(path, event, in: folder)
      } else {
        try handleFile(path, event)
      }
    }
  }

  /// The kernel watches the folder no more: it was deleted or unmounted, or nobody knows why.
  private func handleLostWatch(of folder: WatchedFolders.Folder) throws(WatchError) {
    guard let path = folder.path else { return try restart(.rootReturned) }
    unwatch(folders.remove(at: path))
    // Deleted folders are told of by their parent; whatever stands there now was not watched.
    try watch(path, reporting: false)
    if folders.watch(at: path) != nil { rescan = .lostWatch(path) }
  }

  /// A folder becomes another repository, or an ordinary one again.
  private func handleRepository(
    _ event: InotifyEvent, in folder: WatchedFolders.Folder
  ) throws(WatchError) {
    guard let path = folder.path else {
      if event.has(IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM) {
        rescan = .repositoryChanged
      }
      return
    }
    if event.has(IN_CREATE | IN_MOVED_TO), !folder.isForeign {
      folders.setForeign(event.watch)
      unwatch(folders.removeChildren(of: event.watch))
      rescan = .folderChanged(path)
    } else if event.has(IN_DELETE | IN_MOVED_FROM), folder.isForeign {
      unwatch(folders.remove(at: path))
      try watch(path, reporting: false)
      rescan = .folderChanged(path)
    }
  }

  /// A folder came, went, or changed its permissions.
  ///
  /// Whatever was told, what counts is what stands there now: after any order of renames and
  /// exchanges, the last notice about a name leaves it watched as it is.
  private func handleFolder(
    _ path: EntryPath, _ event: InotifyEvent, in parent: WatchedFolders.Folder
  ) throws(WatchError) {
    guard WatchFilter.isWatched(folder: event.name, in: parent.path) else { return }
    let isMove = event.has(IN_MOVED_TO | IN_MOVED_FROM)
    if isMove {
      try watch(path, reporting: false)
      rescan = .folderChanged(path)
    } else if event.has(IN_CREATE | IN_DELETE) {
      try watch(path, reporting: true)
    } else if event.has(IN_ATTRIB), reportsWrites || folders.watch(at: path) == nil {
      try watch(path, reporting: false)
      if reportsWrites || folders.watch(at: path) != nil { rescan = .folderChanged(path) }
    }
  }

  private func handleFile(_ path: EntryPath, _ event: InotifyEvent) throws(WatchError) {
    let isAdded = event.has(IN_CREATE | IN_MOVED_TO)
    let isRemoved = event.has(IN_DELETE | IN_MOVED_FROM)
    if WatchFilter.isEditorFile(event.name) {
      if isAdded || isRemoved { sink.send(.editorFile(path)) }
    } else if isRemoved {
      sink.send(.removed(path))
    } else if event.has(IN_CLOSE_WRITE) || reportsWrites && event.has(IN_MODIFY | IN_ATTRIB) {
      try watchLinked(path)
      sink.send(.changed(path))
    } else if isAdded {
      try handleNewName(path, wasMoved: event.has(IN_MOVED_TO))
    }
  }

  /// Links, pipes and sockets come as files do; one that was moved here may have taken a file's
  /// place.
  private func handleNewName(_ path: EntryPath, wasMoved: Bool) throws(WatchError) {
    switch isRegular(path) {
    case true?:
      try watchLinked(path)
      sink.send(.changed(path))
    case false?: if wasMoved { sink.send(.removed(path)) }
    // It went on; the next notice tells.
    case nil: break
    }
  }
}
