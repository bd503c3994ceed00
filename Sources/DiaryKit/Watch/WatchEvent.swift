import DiaryCore
import GitHistory

/// An event of the watcher: one line of its log.
package enum WatchEvent: Sendable {
  /// The watch has started, with inotify, or with the polling interval and its reason.
  case started(root: String, polling: String?)
  /// The journal's folder or its repository is back, or replaced by another one.
  case reopened(root: String)
  case saved([EntryPath])
  /// Entries that another process, such as a command, has changed or deleted and saved.
  case savedByOthers([EntryPath])
  /// The new paths of moved files, by the old ones.
  case moved([EntryPath: EntryPath])
  /// Deleted files; the deletion is saved.
  case deleted([EntryPath])
  case committed(id: String, message: String, paths: [EntryPath])
  case stamped(EntryPath, weather: String?)
  /// A swap or lock file of an editor was created or removed.
  case editorFileChanged(EntryPath)
  /// The commit is deferred; the text is saved.
  case commitDeferred(DeferReason)
  case missing([EntryPath])
  case skipped([SkippedFile])
  /// Copies that a sync program made. They are neither entries nor saved.
  case conflictCopies([ConflictCopy])
  case stagedByUser([EntryPath])
  /// A message about a repair.
  case indexRepaired(String)
  /// Sync works (again).
  case syncRecovered(String)
  /// A sync that received, sent or updated anything.
  case synced(SyncOutcome)
  /// Files with a waiting checkout that are up to date now.
  case filesUpdated([EntryPath])
  /// Sync fails, with the reason; it is tried again.
  case syncFailed(DiaryError)
  case error(DiaryError)
  case ended
}
