import DiaryCore
import GitHistory

/// This device's record of its syncs with the remote (`.git/diary/sync.json`).
struct SyncState: Codable, Sendable {
  /// The remote and the branch that the other values describe.
  var remote: String?
  var branch: String?
  /// The last known tip of the remote branch, in hex.
  var tip: String?
  /// Unix seconds of the last successful fetch and push.
  var fetched: Int?
  var pushed: Int?
  /// The error of the last sync.
  var trouble: Failure?
  /// Entries whose merge kept two versions of a passage: the path (percent-encoded) and the blob id
  /// of the merged content. They are reported until they are edited.
  var keptBoth: [String: String] = [:]
  /// The last commit that was searched for such entries, in hex.
  var reviewed: String?

  struct Failure: Codable, Sendable, Equatable {
    var what: String
    var hint: String?
    /// Unix seconds of the first attempt that failed in this way.
    var since: Int
  }
}

/// The status of the sync with the remote, for `diary status`.
package struct SyncStatus: Sendable {
  /// The remote's name in the local git configuration.
  package var remote: String
  /// The remote's address, without a password.
  package var url: String
  /// Unix seconds of the last successful fetch.
  package var fetched: Int?
  /// Unix seconds of the last push, or of the last sync with nothing to push.
  package var pushed: Int?
  /// The number of commits that the remote lacked at the last sync.
  package var unsent: Int
  /// Entries whose merge kept two versions of a passage, until they are edited.
  package var keptBoth: [EntryPath] = []
  /// The error of the last sync.
  package var error: String?
  /// Unix seconds of the first attempt that failed in this way.
  package var errorSince: Int?
  /// The next step for the user.
  package var hint: String?
}
