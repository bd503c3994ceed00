import DiaryCore

/// The result of a sitting.
package enum SittingOutcome: Sendable, Equatable {
  /// The branch has a new commit with these paths; the user has staged those in `heldBack`.
  case committed(CommitID, [EntryPath], heldBack: [EntryPath])
  /// The branch lacked no changes, except for those that the user has staged.
  case nothing(heldBack: [EntryPath])
  /// The commit is deferred; everything stays on the saves ref.
  case deferred(DeferReason)
}

/// The reason why a commit is deferred.
package enum DeferReason: Sendable, Hashable, Codable {
  /// A merge, rebase, cherry-pick, revert, bisect, squash or conflict is in progress, or a git
  /// command that may be about to move HEAD.
  case operation(String)
  /// HEAD is on no branch.
  case detached
  /// The path of another process's lock.
  case locked(String)
  /// libgit2 cannot read the index, because of this setting or reason.
  case indexUnreadable(String)
}

/// A path in a sitting's commit, before and after.
package struct CommittedChange: Sendable, Equatable {
  package let path: EntryPath
  /// `nil` if the path is new.
  package let old: ObjectID?
  /// `nil` if the path was deleted.
  package let new: ObjectID?
  /// The text before, for word counts; `nil` also for files that are not Markdown or are larger
  /// than `maxEntryBytes`.
  package let oldBytes: [UInt8]?
  /// The text after; `nil` also for files that are not Markdown.
  package let newBytes: [UInt8]?
}
