import DiaryCore
import EntryFiles

/// The result of a sync.
package struct SyncOutcome: Sendable {
  /// The result of the save before the sync.
  package var save: SaveOutcome
  /// The remote's name in the local git configuration.
  package var remote: String
  /// The number of received commits, with merges.
  package var received = 0
  /// The number of pushed commits.
  package var sent = 0
  /// The reason for which another address of the remote may lack commits that the first one has.
  package var otherAddressError: DiaryError?
  /// True if two histories were merged.
  package var hasMerged = false
  /// True if the two histories had no common ancestor.
  package var hasJoinedHistories = false
  /// Entries whose merge kept two versions of a passage.
  package var keptBoth: [EntryPath] = []
  /// Files that were updated on disk.
  package var checkedOut: [EntryPath] = []
  /// Files with a waiting checkout, with the reason.
  package var waitingCheckouts: [SkippedFile] = []
  /// The waiting files that only git can update.
  var leftToGit: Set<EntryPath> = []
  /// Displaced files to watch or to discard.
  var displaced: [(path: EntryPath, file: DisplacedFile, wrote: [UInt8])] = []

  init(save: SaveOutcome, remote: String) {
    self.save = save
    self.remote = remote
  }

  /// True if this device and the remote have the same content.
  package var isComplete: Bool { waitingCheckouts.isEmpty && save.isComplete }

  mutating func add(_ result: CheckoutResult) {
    checkedOut += result.checkedOut
    (waitingCheckouts, leftToGit) = (result.waiting, result.leftToGit)
    displaced += result.displaced
  }
}

extension SaveOutcome {
  /// True if the commit contains all changes.
  var isComplete: Bool {
    deferReason == nil && stagedByUser.isEmpty && missing.isEmpty && skipped.isEmpty
      && stillChanging.isEmpty
  }
}
