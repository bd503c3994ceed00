// FolderWatch: what changed in the journal's folder, and when it has settled.
// The only room that sees inotify. DiaryKit starts a watcher, reads its events and asks a `Debouncer`
// when a file has been quiet for long enough.
// Never reads or writes what is in a file, never decides what an entry is, never concludes that a
// file was deleted: it says where to look. Watches stand before a folder is read, and an event is
// sent after both, so that whoever looks at the path on hearing it sees the change or a later one.
// Holds no descriptor on the folder: a disk can be unmounted while it is watched.
import DiaryCore

/// A watch over a journal's folder, by inotify or by polling.
package protocol FolderWatcher: Sendable {
  /// What happened, in order, for one reader; ends after ``stop()``, when the watcher is let go, or
  /// after ``FolderEvent/failed(_:)``.
  var events: AsyncStream<FolderEvent> { get }
  /// Ends the watch and its events; may be called from anywhere, any number of times.
  func stop()
}

/// Where to look, and why; the same change may be told more than once.
package enum FolderEvent: Hashable, Sendable {
  /// The file may have new content: written and closed, moved here, or just made.
  case changed(EntryPath)
  /// The file is not there under this name; editors and git do that in the middle of a save.
  case removed(EntryPath)
  /// A swap or lock file of an editor came or went.
  case editorFile(EntryPath)
  /// Single events do not tell what changed: compare the whole folder with what is known.
  case rescan(RescanReason)
  /// The watch cannot go on; one sentence why. Nothing follows.
  case failed(String)
}

/// Why the whole folder is to be looked at.
package enum RescanReason: Hashable, Sendable {
  /// The watch stands now; what happened before was not seen. Also sent when inotify was given up
  /// for polling.
  case started(WatchMethod)
  /// More happened than the kernel, or the reader of the events, could keep.
  case overflow
  /// The kernel dropped the watch of this folder, by an unmount or by itself.
  case lostWatch(EntryPath)
  /// This folder came, went, was renamed, became readable, or became or ceased to be another
  /// repository, with all that is in it.
  case folderChanged(EntryPath)
  /// A disk was mounted or unmounted at the journal's folder or beneath it.
  case mountsChanged
  /// The journal's folder is not there: deleted, moved away, unmounted or closed to us. For all
  /// that is known the writer deleted nothing; the watch waits for its return.
  case rootVanished
  /// The journal's folder is there again, or another one stands in its place.
  case rootReturned
  /// The `.git` that lies in the journal's folder came or went.
  case repositoryChanged
}

/// How the folder is watched.
package enum WatchMethod: Hashable, Sendable {
  /// The kernel tells; no wake-ups while nothing changes.
  case inotify
  /// The folder is walked every so many seconds; `why` is a clause for the reader.
  case polling(seconds: Double, reason: String)
}
