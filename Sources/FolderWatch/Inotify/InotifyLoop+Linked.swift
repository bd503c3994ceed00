import DiaryCore
import Glibc

extension InotifyLoop {
  /// Watches a file that has other names (hard links): what is written through one of them, in any
  /// folder, is told of the file alone. A link that is made later is known when the file is written
  /// the next time, or when the watch begins anew.
  func watchLinked(
    _ name: [UInt8], in folder: borrowing FolderDescriptor, at path: EntryPath
  ) throws(WatchError) {
    guard !WatchFilter.isEditorFile(name), let status = folder.status(of: name),
      status.st_mode & S_IFMT == S_IFREG, status.st_nlink > 1,
      let watch = try inotify?.addFile(name, in: folder)
    else { return }
    linkedFiles[watch, default: []].insert(path)
  }

  /// The same for a file that was written or came.
  func watchLinked(_ path: EntryPath) throws(WatchError) {
    guard let root = try? openRoot() else { return }
    let name = Array(path.nameBytes)
    guard let parent = path.folder else { return try watchLinked(name, in: root, at: path) }
    if let folder = try? FolderDescriptor(parent, beneath: root) {
      try watchLinked(name, in: folder, at: path)
    }
  }

  /// Takes a notice of such a file; `false`: it is about a folder.
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
