import DiaryCore

/// What the watcher tells about itself, one value a line of its log.
package enum WatchEvent: Sendable {
  /// It watches, by inotify unless it says how often it looks, and why.
  case started(root: String, polling: String?)
  /// The journal's folder or its repository is there again, or another one in its place.
  case reopened(root: String)
  case saved([EntryPath])
  /// Entries that somebody else has changed or deleted and saved, such as a command.
  case savedByOthers([EntryPath])
  /// Files that have another path now, by their old one.
  case moved([EntryPath: EntryPath])
  /// Files that are gone, which is saved.
  case deleted([EntryPath])
  case committed(id: String, message: String, paths: [EntryPath])
  case stamped(EntryPath, weather: String?)
  /// This swap or lock file of an editor came or went.
  case editorFileChanged(EntryPath)
  /// The branch waits; the words are kept.
  case commitDeferred(String)
  case missing([EntryPath])
  case skipped([SkippedFile])
  /// A sync program made them; they are neither entries nor saved.
  case conflictCopies([ConflictCopy])
  case stagedByUser([EntryPath])
  /// Something was put right, in a sentence.
  case indexRepaired(String)
  /// The exchange with the remote works (again).
  case syncRecovered(String)
  /// Something came or went.
  case synced(SyncOutcome)
  /// Files that waited for their editors are up to date.
  case filesUpdated([EntryPath])
  /// The exchange does not work, and why; it is tried again.
  case syncFailed(DiaryError)
  case error(DiaryError)
  case ended
}
