import DiaryCore
import Glibc

extension InotifyLoop {
  /// Watches a file that has other names (hard links): inotify reports a write through another
  /// name, in any folder, only on the file itself. A link that is made later is detected at the
  /// next write of the file or restart of the watch.
  func watchLinked(
    _ name: [UInt8], in folder: borrowing FolderDescriptor, at path: EntryPath
  ) throws(WatchError) {
    guard !WatchFilter.isEditorFile(name), let status = folder.status(of: name),
      status.st_mode & S_IFMT == S_IFREG, status.st_nlink > 1,
      let watch = try inotify?.addFile(name, in: folder)
    else { return }
    linkedFiles[watch, default: []].insert(path)
  }

  /// Watches a file that was written or added, if it has other names.
  func watchLinked(_ path: EntryPath) throws(WatchError) {
    guard let root = try? openRoot() else { return }
    let name = Array(path.nameBytes)
    guard let parent = path.folder else { return try watchLinked(name, in: root, at: path) }
    if let folder = try? FolderDescriptor(parent, beneath: root) {
      try watchLinked(name, in: folder, at: path)
    }
  }

  /// Handles an event of such a file; returns `false` if it is about a folder.
  func handleLinkedFile(_ event: InotifyEvent) -> Bool {
    guard let paths = linkedFiles[event.watch] else { return false }
    if event.has(IN_IGNORED) {
      linkedFiles[event.watch] = nil
    } else {
      for path in paths.sorted() { sink.send(.changed(path)) }
    }
    return true
  }
}
