import DiaryCore
import Glibc

extension InotifyLoop {
  /// Handles one event.
  func handle(_ event: InotifyEvent) throws(WatchError) {
    if event.has(IN_Q_OVERFLOW) { return try restart(.overflow) }
    if try handleParent(event) || handleLinkedFile(event) { return }
    // A removed watch may still deliver events.
    guard let folder = folders[event.watch] else { return }
    if event.has(IN_UNMOUNT | IN_IGNORED) { return try handleLostWatch(of: folder) }
    if event.name.isEmpty {
      if folder.path == nil, !isRootInPlace() { return try restart(.rootReturned) }
      if reportsWrites { requestRescan(.overflow) }
    } else if WatchFilter.foreignMarks.contains(event.name) {
      try handleForeignMark(event, in: folder)
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

  /// Handles a watch ended by the kernel: a deleted or unmounted folder, or an unknown reason.
  private func handleLostWatch(of folder: WatchedFolders.Folder) throws(WatchError) {
    guard let path = folder.path else { return try restart(.rootReturned) }
    unwatch(folders.remove(at: path))
    // Deleted folders are reported by their parent. A folder that exists there now was not watched.
    try watch(path, reporting: false)
    if folders.watch(at: path) != nil { requestRescan(.lostWatch(path)) }
  }

  /// Handles a folder that becomes another repository or one of encrypted files, or an ordinary one
  /// again.
  private func handleForeignMark(
    _ event: InotifyEvent, in folder: WatchedFolders.Folder
  ) throws(WatchError) {
    guard let path = folder.path else {
      if event.has(IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_MOVED_FROM) {
        requestRescan(.repositoryChanged)
      }
      return
    }
    if event.has(IN_CREATE | IN_MOVED_TO), !folder.isForeign {
      folders.setForeign(event.watch)
      unwatch(folders.removeChildren(of: event.watch))
      requestRescan(.folderChanged(path))
    } else if event.has(IN_DELETE | IN_MOVED_FROM), folder.isForeign {
      unwatch(folders.remove(at: path))
      try watch(path, reporting: false)
      requestRescan(.folderChanged(path))
    }
  }

  /// Handles a folder that was added, removed, or changed its permissions.
  ///
  /// The current state counts, not the reported one: after any order of renames and exchanges, the
  /// last event about a name leaves its folder watched as it is.
  private func handleFolder(
    _ path: EntryPath, _ event: InotifyEvent, in parent: WatchedFolders.Folder
  ) throws(WatchError) {
    guard WatchFilter.isWatched(folder: event.name, in: parent.path) else { return }
    if event.has(IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM) {
      try watch(path, reporting: event.has(IN_CREATE))
      // A file that was removed before its folder was watched is in no event, and an earlier rescan
      // may have found it.
      requestRescan(.folderChanged(path))
    } else if event.has(IN_ATTRIB), reportsWrites || folders.watch(at: path) == nil {
      try watch(path, reporting: false)
      if reportsWrites || folders.watch(at: path) != nil { requestRescan(.folderChanged(path)) }
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

  /// Handles a new name. Links, pipes and sockets are reported like files; one that was moved here
  /// may have replaced a file.
  private func handleNewName(_ path: EntryPath, wasMoved: Bool) throws(WatchError) {
    switch isRegular(path) {
    case true?:
      try watchLinked(path)
      sink.send(.changed(path))
    case false?: if wasMoved { sink.send(.removed(path)) }
    // It does not exist any more; the next event reports that.
    case nil: break
    }
  }
}
