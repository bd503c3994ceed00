import DiaryCore
import EntryFiles

/// What `diary sync` came to.
package struct SyncOutcome: Sendable {
  /// What was saved first, and what could not be.
  package var save: SaveOutcome
  /// The remote's name in the local git configuration.
  package var remote: String
  /// Commits that came, merges among them.
  package var received = 0
  /// Commits that went.
  package var sent = 0
  /// Two histories were merged.
  package var hasMerged = false
  /// The two had no common beginning.
  package var hasJoinedHistories = false
  /// Entries whose merge kept both versions of something.
  package var keptBoth: [EntryPath] = []
  /// Files that were brought up to date on the disk.
  package var checkedOut: [EntryPath] = []
  /// Files that the branch has newer than the disk, and why they wait.
  package var pendingCheckouts: [SkippedFile] = []
  var displaced: [(path: EntryPath, file: DisplacedFile, wrote: [UInt8])] = []

  init(save: SaveOutcome, remote: String) {
    self.save = save
    self.remote = remote
  }

  /// Everything that is here is on the remote, and everything that is there is here.
  package var isComplete: Bool { pendingCheckouts.isEmpty && save.isComplete }

  mutating func add(_ result: CheckoutResult) {
    checkedOut += result.checkedOut
    pendingCheckouts = result.pending
    displaced += result.displaced
  }
}

extension SaveOutcome {
  /// Nothing was left out of the branch.
  var isComplete: Bool {
    deferReason == nil && stagedByUser.isEmpty && missing.isEmpty && skipped.isEmpty
      && stillChanging.isEmpty
  }
}
