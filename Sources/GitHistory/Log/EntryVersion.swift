import DiaryCore

/// One saved version of an entry.
package struct EntryVersion: Sendable, Equatable {
  /// The name that it had.
  package var path: EntryPath
  /// Its content; `nil`: the entry was deleted.
  package var blob: ObjectID?
  /// Whether its owner could run it.
  package var isExecutable: Bool
  /// The commit that brought it: of the branch where there is one, else a single save.
  package var commit: CommitID
  /// Further commits that brought the same: the single save that a sitting ended with.
  package var otherCommits: [CommitID]
  /// When it was saved first: author time, seconds since 1970.
  package var savedAt: Int
  /// The author's clock, minutes east of UTC.
  package var offsetMinutes: Int
  /// The commit's message, without Diary's own last lines.
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
  /// Whether a shallow clone ends before the entry's first version.
  package var isCutOff: Bool
  /// Every name that the entry has had.
  package var paths: [EntryPath]
}

/// A file that a commit took away, and that is not there under another name.
package struct DeletedFile: Sendable, Equatable {
  /// Where it was.
  package var path: EntryPath
  /// What it held last.
  package var blob: ObjectID
  /// The commit that lacks it first; of one that no commit has deleted, the save that has it.
  package var commit: CommitID
  /// When it was deleted, or saved last where no commit has deleted it: author time, seconds since
  /// 1970.
  package var deletedAt: Int
  /// Whether it was saved on the present branch and the branch was moved back behind it.
  package var isLostByReset = false
}

/// The whole journal as it was at some moment.
package enum Snapshot: Sendable, Equatable {
  /// The commit that was the newest then, its time, and what each file held.
  case found(CommitID, at: Int, [EntryPath: ObjectID])
  /// The journal began later, at this time.
  case tooEarly(startedAt: Int)
  /// What was before this time is not in this shallow clone.
  case cutOff(at: Int)
  /// Nothing was ever saved.
  case empty
}
