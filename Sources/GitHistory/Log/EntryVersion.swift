import DiaryCore

/// One saved version of an entry.
package struct EntryVersion: Sendable, Equatable {
  /// The entry's path in this version.
  package var path: EntryPath
  /// The content, or `nil` if the entry was deleted.
  package var blob: ObjectID?
  /// True if the owner could execute the file.
  package var isExecutable: Bool
  /// The commit that introduced this version: of the branch if there is one, else a save.
  package var commit: CommitID
  /// Further commits that introduced the same version: the save that a sitting ended with.
  package var otherCommits: [CommitID]
  /// The time of the first save: author time, seconds since 1970.
  package var savedAt: Int
  /// The author's time zone, in minutes east of UTC.
  package var offsetMinutes: Int
  /// The commit message, without Diary's trailer lines.
  package var message: String

  package init(
    path: EntryPath, blob: ObjectID?, isExecutable: Bool, commit: CommitID,
    otherCommits: [CommitID] = [], savedAt: Int, offsetMinutes: Int = 0, message: String = ""
  ) {
    self.path = path
    self.blob = blob
    self.isExecutable = isExecutable
    self.commit = commit
    self.otherCommits = otherCommits
    self.savedAt = savedAt
    self.offsetMinutes = offsetMinutes
    self.message = message
  }
}

/// The versions of one entry.
package struct EntryVersions: Sendable, Equatable {
  /// Newest first.
  package var versions: [EntryVersion]
  /// True if a shallow clone ends before the entry's first version.
  package var isCutOff: Bool
  /// All paths that the entry has had.
  package var paths: [EntryPath]
}

/// A file that a commit deleted and that does not exist under another path.
package struct DeletedFile: Sendable, Equatable {
  /// The path before the deletion.
  package var path: EntryPath
  /// The last version.
  package var file: TreeEntry
  /// The first commit without the file. If no commit deleted it: the save that contains it.
  package var commit: CommitID
  /// The author time of the deletion or, if no commit deleted the file, of the last save, in
  /// seconds since 1970.
  package var deletedAt: Int
  /// True if it was saved on the current branch, and the branch was then moved back behind it.
  package var isLostByReset = false

  /// The last content.
  package var blob: ObjectID { file.id }
}

/// The whole journal at some moment.
package enum Snapshot: Sendable, Equatable {
  /// The newest commit at that moment, its time, and the content of each file.
  case found(CommitID, at: Int, [EntryPath: ObjectID])
  /// The journal started later, at this time.
  case tooEarly(startedAt: Int)
  /// The shallow clone has no history before this time.
  case cutOff(at: Int)
  /// The journal has no saves.
  case empty
}
