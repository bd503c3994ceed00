import DiaryCore
import Glibc

extension InotifyLoop {
  /// Watches the folder at `path` and all folders in it; removes the watches of the previous ones.
  ///
  /// Each folder is watched first and read then: a file made in between is found twice, never
  /// missed.
  /// - Parameter reporting: True if the files of the folders are sent as events;
  /// otherwise the caller requests a rescan.
  func watch(_ path: EntryPath?, reporting: Bool) throws(WatchError) {
    var queue = [path]
    while let folder = queue.popLast() {
      guard let names = try watchFolder(folder) else { continue }
      for name in names.folders where WatchFilter.isWatched(folder: name, in: folder) {
        if let path = EntryPath(name, in: folder) { queue.append(path) }
      }
      guard reporting else { continue }
      for name in names.files {
        guard let path = EntryPath(name, in: folder) else { continue }
        sink.send(WatchFilter.isEditorFile(name) ? .editorFile(path) : .changed(path))
      }
    }
  }

  /// Watches one folder and reads it; `nil` if it is missing or foreign, or contains itself.
  private func watchFolder(_ path: EntryPath?) throws(WatchError) -> FolderNames? {
    do throws(WatchError) {
      guard let path else { return try addWatch(try openRoot(), at: nil) }
      let root = try openRoot()
      return try addWatch(try FolderDescriptor(path, beneath: root), at: path)
    } catch {
      guard error.isFolderError else { throw error }
      unwatch(folders.remove(at: path))
      return nil
    }
  }

  private func addWatch(
    _ folder: consuming FolderDescriptor, at path: EntryPath?
  ) throws(WatchError) -> FolderNames? {
    if let fileSystem = FileSystemKind.unreported(folder) {
      throw .unreported(path: path.map { "\(root)/\($0)" } ?? root, fileSystem: fileSystem)
    }
    guard let inotify else { return nil }
    let watch = try inotify.add(folder, isRoot: path == nil)
    switch folders.insert(watch, at: path) {
    case .loop: return nil
    // A folder in it may have been found while another folder had this name for a moment.
    case .known: return folders[watch]?.isForeign == true ? nil : try folder.names()
    case .new(let outdated): unwatch(outdated)
    }
    guard folders.count <= watchLimit else {
      throw .system(operation: "inotify_add_watch", path: root, errno: ENOSPC)
    }
    let names = try folder.names()
    for name in names.files {
      if let file = EntryPath(name, in: path) { try watchLinked(name, in: folder, at: file) }
    }
    guard let path, names.isForeign else { return names }
    folders.setForeign(watch)
    // After a late event about the former folder, this content would look like the journal's.
    requestRescan(.folderChanged(path))
    return nil
  }

  /// Opens the root, and records if it was replaced: renaming a folder above it causes no event.
  func openRoot() throws(WatchError) -> FolderDescriptor {
    do throws(WatchError) {
      let folder = try FolderDescriptor(root: root)
      if folders.count > 0, !isRootInPlace() { needsRootCheck = true }
      return folder
    } catch {
      needsRootCheck = true
      throw error
    }
  }

  func unwatch(_ watches: [CInt]) {
    for watch in watches { inotify?.remove(watch) }
  }

  /// True if a regular file exists at the path; `nil` if nothing exists there.
  func isRegular(_ path: EntryPath) -> Bool? {
    do throws(WatchError) {
      let root = try openRoot()
      guard let parent = path.folder else { return isRegular(path, in: root) }
      return isRegular(path, in: try FolderDescriptor(parent, beneath: root))
    } catch {
      return nil
    }
  }

  private func isRegular(_ path: EntryPath, in folder: borrowing FolderDescriptor) -> Bool? {
    folder.status(of: Array(path.nameBytes)).map { $0.st_mode & S_IFMT == S_IFREG }
  }
}
