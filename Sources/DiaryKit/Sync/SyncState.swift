import DiaryCore
import GitHistory

/// What this device remembers of its exchange with the remote (`.git/diary/sync.json`).
struct SyncState: Codable, Sendable {
  /// The remote and the branch there that the rest tells of.
  var remote: String?
  var branch: String?
  /// The branch's tip there when it was last seen, in hex.
  var tip: String?
  /// Unix seconds of the last fetch and of the last push that worked.
  var fetched: Int?
  var pushed: Int?
  /// Why the last exchange did not work.
  var trouble: Trouble?
  /// Entries in which a merge kept both versions of something: path (percent-encoded) and the name of
  /// the merged content. They are told until they have been edited.
  var keptBoth: [String: String] = [:]
  /// The commit up to which merges have been read for such entries, in hex.
  var reviewed: String?

  struct Trouble: Codable, Sendable, Equatable {
    var what: String
    var hint: String?
    /// Unix seconds of the first of the tries that failed in this way.
    var since: Int
  }
}

/// How the exchange with the remote stands, for `diary status`.
public struct SyncStatus: Sendable {
  /// The remote's name in the local git configuration.
  public var remote: String
  /// Its address, without a password.
  public var url: String
  /// Unix seconds of the last fetch that worked.
  public var fetched: Int?
  /// Unix seconds of the last push that worked, or of the last look that found nothing to push.
  public var pushed: Int?
  /// Commits of the branch that the remote did not have at the last look.
  public var unsent: Int
  /// Entries whose merge kept both versions of something, until they are edited.
  public var keptBoth: [EntryPath] = []
  /// Files that the branch has newer than the disk, and why they wait.
  public var waiting: [LeftOut] = []
  /// Why the last exchange did not work, since when (Unix seconds), and what would help.
  public var trouble: String?
  /// Unix seconds.
  public var troubleSince: Int?
  /// The next step.
  public var hint: String?
}

extension Journal {
  var syncState: LocalState<SyncState> {
    LocalState("sync.json", in: stateFolder, empty: SyncState())
  }
}
