import DiaryCore

/// One saved version of an entry.
public struct EntryVersion: Sendable, Equatable {
  /// The name that it had.
  public var path: EntryPath
  /// Its content; `nil`: the entry was deleted.
  public var blob: ObjectID?
  /// Whether its owner could run it.
  public var isExecutable: Bool
  /// The commit that brought it: of the branch where there is one, else a single save.
  public var commit: CommitID
  /// Further commits that brought the same: the single save that a sitting ended with.
  public var alsoIn: [CommitID]
  /// When it was saved first: author time, seconds since 1970.
  public var at: Int
  /// The author's clock, minutes east of UTC.
  public var offsetMinutes: Int
  /// The commit's message, without Diary's own last lines.
  public var message: String

  /// A version from its parts.
  public init(
    path: EntryPath, blob: ObjectID?, isExecutable: Bool, commit: CommitID,
    alsoIn: [CommitID] = [], at: Int, offsetMinutes: Int = 0, message: String = ""
  ) {
    self.path = path
    self.blob = blob
    self.isExecutable = isExecutable
    self.commit = commit
    self.alsoIn = alsoIn
    self.at = at
    self.offsetMinutes = offsetMinutes
    self.message = message
  }
}

/// The versions of one entry.
public struct EntryVersions: Sendable, Equatable {
  /// Newest first.
  public var versions: [EntryVersion]
  /// Whether a shallow clone ends before the entry's first version.
  public var isCutOff: Bool
  /// Every name that the entry has had.
  public var names: [EntryPath]
}

/// A file that a commit took away, and that is not there under another name.
public struct DeletedFile: Sendable, Equatable {
  /// Where it was.
  public var path: EntryPath
  /// What it held last.
  public var blob: ObjectID
  /// The commit that lacks it first; of one that no commit has deleted, the save that has it.
  public var commit: CommitID
  /// When it was deleted, or saved last where no commit has deleted it: author time, seconds since
  /// 1970.
  public var at: Int
  /// Whether it was saved on the present branch and the branch was moved back behind it.
  public var isLostHere = false
}

/// The whole journal as it was at some moment.
public enum Snapshot: Sendable, Equatable {
  /// The commit that was the newest then, its time, and what each file held.
  case found(CommitID, at: Int, [EntryPath: ObjectID])
  /// The journal began later, at this time.
  case tooEarly(began: Int)
  /// What was before this time is not in this shallow clone.
  case cutOff(at: Int)
  /// Nothing was ever saved.
  case empty
}
