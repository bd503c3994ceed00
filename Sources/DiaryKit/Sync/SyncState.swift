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
  var trouble: Failure?
  /// Entries in which a merge kept both versions of something: path (percent-encoded) and the name of
  /// the merged content. They are told until they have been edited.
  var keptBoth: [String: String] = [:]
  /// The commit up to which merges have been read for such entries, in hex.
  var reviewed: String?

  struct Failure: Codable, Sendable, Equatable {
    var what: String
    var hint: String?
    /// Unix seconds of the first of the tries that failed in this way.
    var since: Int
  }
}

/// How the exchange with the remote stands, for `diary status`.
package struct SyncStatus: Sendable {
  /// The remote's name in the local git configuration.
  package var remote: String
  /// Its address, without a password.
  package var url: String
  /// Unix seconds of the last fetch that worked.
  package var fetched: Int?
  /// Unix seconds of the last push that worked, or of the last look that found nothing to push.
  package var pushed: Int?
  /// Commits of the branch that the remote did not have at the last look.
  package var unsent: Int
  /// Entries whose merge kept both versions of something, until they are edited.
  package var keptBoth: [EntryPath] = []
  /// Files that the branch has newer than the disk, and why they wait.
  package var pendingCheckouts: [SkippedFile] = []
  /// Why the last exchange did not work, since when (Unix seconds), and what would help.
  package var error: String?
  /// Unix seconds.
  package var errorSince: Int?
  /// The next step.
  package var hint: String?
}

extension Journal {
  var syncState: StateFile<SyncState> {
    StateFile("sync.json", in: stateFolder, defaultValue: SyncState())
  }
}
