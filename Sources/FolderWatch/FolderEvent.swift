// FolderWatch: detects changes in the journal's folder, and when a file has settled. Only this
// module uses inotify. DiaryKit starts a watcher, reads its events and asks a `Debouncer` when a
// file has been quiet for long enough.
// It never accesses the content of a file, decides what an entry is, or concludes that a file was
// deleted: it reports paths to check. Watches are set before a folder is read, and an event is sent
// after both, so that a check of the path then finds this change or a later one. It holds no
// descriptor of the folder: a disk can be unmounted while it is watched.
import DiaryCore

/// A watch of a journal's folder, by inotify or by polling.
package protocol FolderWatcher: Sendable {
  /// The events in order, for one consumer. The stream ends after ``stop()``, when the watcher is
  /// released, or after ``FolderEvent/failed(_:)``.
  var events: AsyncStream<FolderEvent> { get }
  /// Stops the watch and its events; can be called from anywhere, any number of times.
  func stop()
}

/// A path to check, and the reason. The same change may be reported more than once.
package enum FolderEvent: Hashable, Sendable {
  /// The file may have new content: it was written and closed, moved here, or just created.
  case changed(EntryPath)
  /// The file does not exist under this name; editors and git do this in the middle of a save.
  case removed(EntryPath)
  /// A swap or lock file of an editor was created or removed.
  case editorFile(EntryPath)
  /// Single events do not show what changed: compare the whole folder with the known state.
  case rescan(RescanReason)
  /// The watch cannot continue; one sentence with the reason. No event follows.
  case failed(String)
}

/// The reason to scan the whole folder.
package enum RescanReason: Hashable, Sendable {
  /// The watch has started; earlier changes were not seen. Also sent if polling replaces inotify.
  case started(WatchMethod)
  /// More events happened than the kernel, or the consumer of the events, could store.
  case overflow
  /// The kernel dropped the watch of this folder, because of an unmount or by itself.
  case lostWatch(EntryPath)
  /// This folder was added, removed, renamed, became readable, or became or ceased to be another
  /// repository, with its whole content.
  case folderChanged(EntryPath)
  /// A disk was mounted or unmounted at the journal's folder or below it.
  case mountsChanged
  /// The journal's folder is missing: deleted, moved away, unmounted or inaccessible. This is no
  /// evidence that the user deleted anything; the watch continues when the folder returns.
  case rootVanished
  /// The journal's folder exists again, or another one has replaced it.
  case rootReturned
  /// The `.git` in the journal's folder was created or removed.
  case repositoryChanged
}

/// The method by which the folder is watched.
package enum WatchMethod: Hashable, Sendable {
  /// The kernel reports changes; there are no wake-ups while nothing changes.
  case inotify
  /// The folder is scanned at this interval in seconds; the second value is a clause for the user.
  case polling(seconds: Double, reason: String)
}
